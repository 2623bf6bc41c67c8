"""The ladder's source, on real engines, and recordings of it."""

import json

import pytest

from aesedu import data, native
from aesedu.bench import measurement
from aesedu.widgets import bench_panel, engine_ladder


def updates(source, size=16):
    return list(source.run(["ttable", "batch"], size, 3))


@pytest.fixture(scope="module")
def timed():
    source = engine_ladder.EngineSource(["ttable", "batch"])
    return source, updates(source)


def test_every_engine_is_timed_in_every_round(timed):
    _, taken = timed
    assert [update.done for update in taken] == list(range(1, 9)) and {update.total for update in taken} == {8}
    last = {update.row.label: update.row for update in taken if update.row}
    assert set(last) == {"ttable", "batch"} and all(row.samples == 3 and row.value for row in last.values())


def test_an_interval_is_shown_from_six_samples_on(timed, monkeypatch):
    source, _ = timed
    assert source._row("batch").low is None, "three samples: none"
    monkeypatch.setattr(engine_ladder, "FEWEST", 3)
    row = source._row("batch")
    assert row.low <= row.value <= row.high


def test_a_saved_run_becomes_a_recording(timed, tmp_path, monkeypatch):
    source, taken = timed
    (tmp_path / "ladder-here.json").write_text(json.dumps(source.record()), encoding="utf-8")
    monkeypatch.setattr(data, "path", lambda name: tmp_path)
    (one,) = engine_ladder.recordings()
    kept = measurement.load(tmp_path / "ladder-here.json")
    assert one.name.startswith(kept[0].where["cpu"])
    assert [(row.label, row.value) for row in one.rows] == [(m.what["engine"], m.estimate / 16) for m in kept]
    assert {row.series for row in one.rows} == {"plain Python", "NumPy"}


def test_cancel_ends_the_run():
    source = engine_ladder.EngineSource(["ttable", "batch"])
    with pytest.raises(native.Cancelled):
        for update in source.run(["ttable", "batch"], 16, 100):
            if update.done > 4:
                source.cancel()


def test_the_factor_is_there_once_two_are_timed():
    card = engine_ladder.ladder(("ttable", "batch"))
    assert card.factor is None
    card.rounds.value = 3
    card.start()
    card._thread_of_run.join(60)
    assert card.factor > 0 and not card.errors
    assert bench_panel.BenchPanel._measuring is card
