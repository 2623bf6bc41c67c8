"""The interleaving timeline: what the settings mean, which orders are possible, and that the picture fits a message."""

import re
from html import unescape

import pytest

from aesedu.bench import interleaving
from aesedu.codegen import BudgetError
from aesedu.machines import MachineError
from aesedu.views import interleaving as view
from aesedu.views import timeline
from aesedu.views.interleaving import MOST_WOVEN, Seen

LARGEST = 250_000  # bytes of a message


@pytest.fixture(autouse=True)
def few_passes(monkeypatch):
    monkeypatch.setattr(view, "SIMULATED", 0)


def grains(**settings):
    return [Seen(weave=n, **settings).grain for n in range(MOST_WOVEN + 1)]


def test_weave_halves_the_turns_down_to_one_step():
    assert grains() == [76, 38, 19, 10, 5, 3, 2, 1]
    assert grains(blocks=8)[0] == 140 and grains(blocks=8)[-1] == 1
    assert grains(lag=False) == [76] * 8  # nothing to weave


def test_a_is_sequential_and_b_as_chosen():
    def titles(**settings):
        return list(Seen(**settings).orders)

    assert titles() == ["A: sequential", "B: lagged"]
    assert titles(weave=7) == ["A: sequential", "B: woven, 1 step a turn"]
    assert titles(weave=4, lag=False) == ["A: sequential", "B: sequential"]
    assert titles(subject="round", weave=3) == ["A: one after the other", "B: woven, 8 steps a turn"]
    a, b = Seen(weave=7).orders.values()
    assert a.form == "sequential" and b.form == "lagged" and (a.grain, b.grain) == (76, 1)


def test_signs_of_source_003():
    """Woven gains on A57, A72 and N1, as the patch measured."""
    for machine in ("a57", "a72", "n1"):
        a, b = Seen(machine=machine, weave=MOST_WOVEN).variants
        assert b.trace.cycles < 0.97 * a.trace.cycles


def test_the_picture_and_its_text_say_the_same():
    windows = Seen(machine="a53", weave=4).windows
    html, text = unescape(view.board(windows)), timeline.told(windows)
    lines = [line.split(maxsplit=1)[1] for line in text.splitlines() if re.match(r" +\d+ cycle", line)]
    told = {reason for line in lines for reason in line.split("; ")}
    shown = set(re.findall("<title>(cycles? [^<]*)</title>", html))
    assert told and {t for t in shown if not re.search("executes|is one with|is done", t)} == told
    for window in windows:
        assert str(window.trace) in html and str(window.trace) in text
        assert all(f"{n:.1f}" in text for n in window.variant.limits.values())


@pytest.mark.parametrize(
    ("machine", "blocks", "steady"),
    [("zen5", 4, False), ("thunderx2", 4, False), ("n1", 8, True), ("skylake", 8, True)],
)
def test_every_picture_fits_a_message(machine, blocks, steady):
    seen = Seen(machine=machine, blocks=blocks, steady=steady, weave=MOST_WOVEN)
    assert len(view.board(seen.windows).encode()) < LARGEST


def test_other_rows():
    windows = Seen(machine="n1", first=150).windows
    assert windows[0].instances[0].index == 149 and windows[0].first > 0
    html = view.board(windows)
    assert "Rows 150 to 189 of 189." in html and "ae-end" in html


def test_a_moment_says_what_every_row_does():
    windows = Seen(weave=MOST_WOVEN).windows
    told = re.sub("<[^>]*>", " ", view.moment(windows, 20))
    for window in windows:
        rows = window.letters(0), window.letters(40)
        for index, (first, letters) in zip((0, 40), rows, strict=True):
            if first <= 20 < first + len(letters):
                assert re.search(rf"\b{index + 1}\b", told)
    assert 'data-cycle="20" data-x="200"' in view.moment(windows, 20)
    assert "Nothing shown here is under way." in view.moment(windows, 10_000)


def test_what_cannot_be_is_said_in_a_sentence():
    few = Seen(budget=2)
    with pytest.raises(BudgetError) as refused:
        _ = few.windows
    assert view.refusal(few, refused.value)[1] == "Give it 3 registers or more."
    old = Seen(machine="core2")
    with pytest.raises(MachineError) as refused:
        _ = old.windows
    headline, detail = view.refusal(old, refused.value)
    assert headline == "Intel Core 2 has no AES instructions, so it cannot run this GCM." and "T-table round" in detail
    assert old._replace(subject="round").windows


def test_the_sentence_changes_with_what_is_seen():
    def said(**settings):
        seen = Seen(**settings)
        return view.sentence(seen, seen.variants)

    assert "takes as many cycles as A on Intel Skylake" in said(lag=False)[0]
    headline, detail = said(weave=MOST_WOVEN, machine="a72")
    assert re.search(
        r"takes 3\d % fewer cycles than A on Arm Cortex-A72: 1\.\d\d against 1\.\d\d cycles a byte", headline
    )
    assert "Model, not a measurement." in detail and "For B no limit alone decides" in detail
    assert "nothing to weave" in said(weave=4, lag=False)[1]
    assert "cycles a round of one block" in said(machine="core2", subject="round", weave=5)[0]


def test_a_machine_s_file_that_has_changed_is_read_again(tmp_path):
    path, cycles = tmp_path / "mine.toml", []
    for latency in (4, 40):
        aes = f'[sources]\nme = "of this test, made up"\n[class.aes]\nlatency = [{latency}, "measured", "me"]\n'
        path.write_text(f'base = "skylake"\n{aes}', encoding="utf-8")
        cycles.append((Seen(machine=str(path)).variants[0].trace.cycles, interleaving.model(path, "sequential")))
    assert cycles[1][0] > cycles[0][0] + 100 and cycles[1][1] > cycles[0][1] + 20


@pytest.mark.parametrize(
    ("choices", "error", "says"),
    [
        ({"wave": 3}, TypeError, "no choice 'wave'; there are: subject, machine"),
        ({"subject": "cbc"}, ValueError, "subject is one of 'gcm', 'round', not 'cbc'"),
        ({"blocks": 3}, ValueError, "blocks is one of 4, 8, not 3"),
        ({"blocks": "4"}, ValueError, "not '4'"),
        ({"weave": -1}, ValueError, "weave is one of 0 to 7, not -1"),
        ({"weave": 8}, ValueError, "weave is one of 0 to 7"),
        ({"weave": 1.0}, ValueError, "weave is one of 0 to 7"),
        ({"weave": True}, ValueError, "weave is one of 0 to 7"),
        ({"lag": "no"}, ValueError, "lag is one of False, True"),
        ({"steady": 1}, ValueError, "steady is one of False, True"),
        ({"first": 0}, ValueError, "first is one of 1 to 999"),
        ({"budget": -1}, ValueError, "budget is one of 0, 6, 7, .*, 16, not -1"),
        ({"budget": 17}, ValueError, "budget is one of 0, 6"),
        ({"machine": "m1"}, MachineError, "there is no machine 'm1'"),
    ],
)
def test_choices_that_there_are_not_are_named(choices, error, says):
    with pytest.raises(error, match=says):
        view.chosen(**choices)


def test_choices_that_there_are():
    assert view.chosen(machine="n1", budget=32, weave=7, lag=False) == Seen(machine="n1", budget=32, weave=7, lag=False)
