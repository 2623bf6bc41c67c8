"""BenchPanel without a kernel: what it shows, saves and survives."""

import json
import re
import time

import pytest
from fake_source import SPEEDS, FakeSource

from aesedu import data
from aesedu.views.chart import Row
from aesedu.widgets import Aggregation, engine_ladder
from aesedu.widgets.bench_panel import COLD, LIVE, BenchPanel, Recording, Update

ELSEWHERE = Recording("a Cortex-A53, 2016-07-10", [Row("no-such-instruction", "AES instructions", 1.65, 1.6, 1.7, 9)])


def panel(pause=0.001, recordings=(), **more):
    return BenchPanel(FakeSource(pause, **more), "Ladder", recordings=recordings, rounds=3)


def finish(card):
    if card._thread_of_run:
        card._thread_of_run.join(10)
    assert card._thread_of_run is None


def run(card):
    card.run_button.click()
    finish(card)
    return card


def test_values_appear_only_after_run():
    card = panel(recordings=[ELSEWHERE])
    assert "<td" in card.picture.value and not re.search(r"\d to \d", card.picture.value)
    assert all(row.value is None for row in card.rows.values())


def test_run_measures_what_can_run_and_says_what_cannot():
    card = run(panel())
    assert {row.label for row in card.rows.values() if row.value} == {k for k, v in SPEEDS.items() if v}
    assert "this host has no such instruction" in card.picture.value
    assert "times faster" in card.sentence.value and "Measured on this machine" in card.sentence.value
    assert "12 of 12 samples" in card.progress.value and not card.errors
    assert not card.run_button.disabled and card.cancel_button.disabled


@pytest.mark.parametrize("rounds", [0, -1, 201, 2.5, "12", None, True])
def test_rounds_that_will_not_do(rounds):
    with pytest.raises(ValueError, match="rounds is a whole number from 3 to 200, not"):
        BenchPanel(FakeSource(), "Ladder", rounds=rounds)


class Masked(BenchPanel):
    """Without ticks: whatever the processor lacks is asked for."""

    def _choices(self):
        return []

    def _ticked(self):
        return list(self.rows)


def test_what_the_processor_lacks_is_not_run_even_if_it_is_ticked():
    card = run(Masked(FakeSource(0.001), "Ladder", rounds=3))
    assert card.rows["no-such-instruction"].value is None and "no-such-instruction" not in card.sentence.value
    source = FakeSource()
    source.rows = [row for row in source.rows if row.note]
    card = run(Masked(source, "Ladder", rounds=3))
    assert "can be timed here: this host has no such instruction." in card.sentence.value
    assert not source.starts and not card.run_button.disabled and not card.errors


def test_a_recording_stands_in_and_says_so():
    card = run(panel(recordings=[ELSEWHERE]))
    row = card.rows["no-such-instruction"]
    assert row.value == 1.65 and row.origin == "recorded" and "Cortex-A53" in row.note
    assert "recorded" in card.picture.value


def test_a_recording_plays_when_chosen():
    card = panel(recordings=[ELSEWHERE])
    card.origin.value = ELSEWHERE.name
    run(card)
    assert [row.label for row in card.rows.values() if row.value] == ["no-such-instruction"]
    assert "Recorded on a Cortex-A53" in card.sentence.value and card.source.starts == 0


def test_a_recording_is_drawn_when_chosen_and_the_machine_comes_back():
    card = panel(recordings=[ELSEWHERE])
    assert card.origin.options[1] == (f"{ELSEWHERE.name} (recorded)", ELSEWHERE.name)
    for state in ("Nothing has been measured yet", "Measured on this machine"):
        seen = card.picture.value, card.sentence.value
        assert state in seen[1]
        card.origin.value = ELSEWHERE.name
        assert [row.label for row in card.rows.values() if row.value] == ["no-such-instruction"]
        assert "1.65" in card.picture.value and "Recorded on a Cortex-A53" in card.sentence.value
        card.origin.value = LIVE
        assert (card.picture.value, card.sentence.value) == seen and not card.errors
        run(card)


def test_the_menu_rests_while_a_run_is_on():
    card = panel(pause=0.05, recordings=[ELSEWHERE])
    card.start()
    assert card.origin.disabled
    card.cancel()
    finish(card)
    assert not card.origin.disabled


def test_cancel_says_whether_anything_stays():
    for row, words in ((Row("batch", note=COLD), "No line had a sample"), (Row("batch", value=9.0), "so far stays")):
        card = panel()
        card.source.run = lambda *_, row=row: iter([Update(1, 9, row), *[Update(1, 9, None)] * 10**5])
        card.start()
        while card.rows["batch"] is not row:
            time.sleep(0.001)
        card.cancel()
        finish(card)
        assert words in card.sentence.value and (COLD in card.picture.value) == (row.value is None)


def test_cancel_ends_the_worker_and_run_starts_afresh():
    card = panel(pause=0.05)
    for starts in (1, 2, 3):
        card.run_button.click()
        while card.source.child is None or card.source.child.poll() is not None:
            time.sleep(0.01)
        card.cancel_button.click()
        assert card.source.child.wait(1) != 0
        finish(card)
        assert "Cancelled" in card.sentence.value and card.source.starts == starts and not card.errors
    card.source.pause = 0
    assert "times faster" in run(card).sentence.value


def test_cancel_at_once():
    """Before the thread has asked for the first update, when there is no worker yet to be ended."""
    card, asked = panel(), []
    card.source.run = lambda *_: iter(lambda: asked.append(1) or time.sleep(0.01) or Update(0, 0, None), None)
    card.source.cancel = lambda: None
    card.start()
    card.cancel()
    finish(card)
    assert len(asked) < 9 and "Cancelled" in card.sentence.value and not card.errors


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "[NaN]", '[{"what": 1}]'])
def test_a_recorded_run_that_cannot_be_read_is_left_out(text, tmp_path, monkeypatch):
    (tmp_path / "ladder_broken.json").write_text(text, encoding="utf-8")
    (tmp_path / "ghash_aggregation_broken.json").write_text(text, encoding="utf-8")
    monkeypatch.setattr(data, "path", lambda name: tmp_path)
    with pytest.warns(UserWarning, match="left out: ladder_broken.json"):
        assert engine_ladder.recordings() == []
    with pytest.warns(UserWarning, match="left out: ghash_aggregation_broken.json"):
        assert len(Aggregation().origin.options) == 1


def test_a_second_panel_takes_over():
    first, second = panel(pause=0.05), panel()
    first.run_button.click()
    run(second)
    finish(first)
    assert "Cancelled" in first.sentence.value and "times faster" in second.sentence.value


def test_a_failing_source_is_reported():
    card = run(panel(fault=ValueError("the clock stopped")))
    assert "ValueError: the clock stopped" in card.sentence.value and len(card.errors) == 1
    assert not card.run_button.disabled


def test_nothing_ticked():
    card = panel()
    for choice in card.choices:
        choice.value = False
    assert "Nothing is ticked" in run(card).sentence.value


def test_save_never_overwrites(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    card = panel()
    card.save_button.click()
    assert "nothing to save" in card.sentence.value and not list(tmp_path.iterdir())
    run(card)
    for _ in range(3):
        card.save_button.click()
    saved = list(tmp_path.glob("ladder-*.json"))
    assert len(saved) == 3 and all(json.loads(p.read_text(encoding="utf-8")) == [{"fake": True}] for p in saved)


def test_a_record_that_fails_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    card = panel()
    run(card)
    monkeypatch.setattr(card.source, "record", lambda: 1 / 0)
    card.save_button.click()
    assert "ZeroDivisionError" in card.sentence.value and not list(tmp_path.iterdir())


def test_the_axis_stands_still_until_a_value_lies_outside():
    card = run(panel())
    assert card.bounds == (0.1, 1e5)
    card = BenchPanel(FakeSource(0.001), "Ladder", rounds=3, bounds=(1, 10))
    assert run(card).bounds == (0.1, 1e5)


def test_at_most_two_pictures_a_second():
    card, drawn = panel(pause=0.05), []
    card.picture.observe(lambda _: drawn.append(time.monotonic()), "value")
    run(card)  # 12 samples, 0.6 s
    assert 2 <= len(drawn) <= 4  # as Run is pressed, once or twice between, at the end


def test_no_time_is_told_while_calls_are_cold(monkeypatch):
    monkeypatch.setattr("aesedu.widgets.bench_panel.REDRAW", 0)
    card, shown, source = panel(), [], FakeSource(0.01)
    monkeypatch.setattr(card, "_draw", lambda update, left=0: shown.append((update.preparing, left)))

    def cold(labels, size, rounds):
        time.sleep(0.5)  # the first, cold call
        yield Update(1, 9, None, preparing=True)
        yield from source.run(labels, size, rounds)

    monkeypatch.setattr(card.source, "run", cold)
    run(card)
    counting = [left for preparing, left in shown if not preparing]
    assert shown[0][0] and shown[1][0] and len(counting) > 9
    assert max(counting) < 0.5, "the cold call is no measure of those that follow"


@pytest.mark.parametrize("done", [False, True])
def test_static_twin(done):
    card = panel(recordings=[ELSEWHERE])
    html = (run(card) if done else card).static()
    assert 'role="img"' in html and "<table" in html and "recorded" in html
    assert "<script" not in html and "<button" not in html
    assert ("5.58" in html) == done
