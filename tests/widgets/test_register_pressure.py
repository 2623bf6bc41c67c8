"""The live cards of notebook 02 on a simulated machine with known truth; recorded runs, labelled."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from simulated import WHERE, Machine, Routine

from aesedu import data
from aesedu.bench import Measurement
from aesedu.bench.rounds import Rounds
from aesedu.native import Cancelled
from aesedu.views import ablation as grid
from aesedu.widgets import Ablation, BudgetCurve, register_pressure, variants

BLOCKS = 512
TRUTH = {"merged, 4x32": 160, "merged, 2x64": 156, "split, 4x32": 148, "split, 2x64": 140, grid.CONTROL: 160}


def truth(label):
    """Core cycles a block."""
    if label in TRUTH:
        return TRUTH[label]
    technique, budget = re.match(r"(\w+), (\d+)", label).groups()
    knee, best = {"merged": (8, 160), "split": (10, 150)}[technique]
    return best * (1 + 0.02 * max(0, knee - int(budget)))


@pytest.fixture
def machine(monkeypatch):
    """Everything is timed by a simulated machine of 4 GHz."""
    simulated = Machine(seed=1)

    def samples(requests):
        made = [(Routine(s.label, truth(s.label) * BLOCKS / 4), count, at) for s, count, at in requests]
        return simulated.samples(made)

    monkeypatch.setattr(variants, "Rounds", lambda: Rounds(samples, simulated.clock, seed=1))
    monkeypatch.setattr(variants.environment, "where", lambda: {**WHERE, "cpu": "Simulated & fast"})
    monkeypatch.setattr(register_pressure, "reason", lambda: "")
    return simulated


def run(card, rounds=60):
    card.rounds.value = rounds
    card.run_button.click()
    card._thread_of_run.join(60)
    assert card._thread_of_run is None and not card.errors
    return card


def said(card):
    return re.sub("<.*?>", "", card.sentence.value)


def test_curve(machine):
    card = BudgetCurve()
    assert card.knee("split") is card.cost("split") is None and "not measured yet" in card.picture.value
    run(card, 20)
    assert (card.knee("merged"), card.knee("split")) == (8, 10)
    assert card.cycles("split")[15] == pytest.approx(150, rel=0.02)
    assert card.cost("split") == pytest.approx(8, abs=1.5) and card.cost("merged") == pytest.approx(4, abs=1.5)
    assert "merged from 8 registers on, split from 10 registers on" in said(card)
    assert "Measured on this machine" in said(card) and card.picture.value.count("ae-mark") >= 20
    assert '<td class="ae-num">127</td>' in card.picture.value, "spills and reloads of split with 6 registers"


def test_ablation(machine):
    card = Ablation()
    assert card.known["merged, 4x32"] == pytest.approx(163.0, abs=0.05), "as in the recorded run"
    assert card.known_from.startswith("recorded on AMD EPYC")
    run(card)
    assert card.known_from == "measured here"
    for label, cycles in TRUTH.items():
        if label not in (grid.FIRST, grid.CONTROL):
            found = card.effects[label]
            assert found.differs and found.ratio == pytest.approx(160 / cycles, rel=0.01)
    assert card.answer == "splitting" and not card.effects[grid.CONTROL].differs
    assert card.known["split, 2x64"] < card.known["merged, 2x64"]
    assert "both changes together saved 7.4 %" in said(card)
    assert "Core 2, 2008: 233 cycles" in card.picture.value and "Core 2, 2008: 216 cycles" in card.picture.value
    assert card.picture.value.count("not published") == 2


def test_too_few_rounds_decide_nothing(machine):
    card = run(Ablation(), 8)
    assert card.answer == "cannot tell" and said(card).startswith("Cannot tell.")


def test_a_control_with_an_effect_decides_nothing(machine, monkeypatch):
    monkeypatch.setitem(TRUTH, grid.CONTROL, 170)
    card = run(Ablation())
    assert card.answer == "cannot tell" and said(card).startswith("Cannot tell.")


def test_changes_that_are_equal_cannot_be_told_apart(machine, monkeypatch):
    monkeypatch.setitem(TRUTH, "merged, 2x64", TRUTH["split, 4x32"])
    assert run(Ablation()).answer == "cannot tell"


@pytest.fixture
def recorded(machine, tmp_path, monkeypatch):
    """A run of each card, saved by its button, as it lies in data/runs."""
    runs = tmp_path / "runs"
    runs.mkdir()
    monkeypatch.chdir(tmp_path)
    for card, name in ((run(BudgetCurve(), 20), "register_budget"), (run(Ablation()), "register_ablation")):
        card.save_button.click()
        (saved,) = tmp_path.glob("*.json")
        for record in json.loads(saved.read_text(encoding="utf-8")):
            Measurement.from_dict(record)
        saved.rename(runs / f"{name}_somewhere.json")
    monkeypatch.setattr(data, "path", lambda name: tmp_path / name)
    return runs


def test_a_recorded_run_plays_and_says_so(recorded):
    card = Ablation()
    assert list(dict(card.origin.options).values()) == ["this machine", "Simulated & fast, 2000-01-01"]
    card.origin.index = 1
    run(card)
    assert "Recorded on Simulated &amp; fast, 2000-01-01." in card.sentence.value
    assert card.answer == "splitting" and "(recorded)" in card.picture.value


def test_where_the_code_cannot_run_the_recording_stands_in(recorded, monkeypatch):
    monkeypatch.setattr(register_pressure, "reason", lambda: "this is x86-64 code, and this machine has riscv64")
    curve = BudgetCurve()
    assert list(dict(curve.origin.options).values()) == ["Simulated & fast, 2000-01-01"]
    run(curve)
    assert (curve.knee("merged"), curve.knee("split")) == (8, 10)
    assert "hollow: not measured here" in curve.picture.value and "Recorded on" in curve.sentence.value


def test_without_a_recording_the_card_says_why(machine, monkeypatch):
    monkeypatch.setattr(register_pressure, "reason", lambda: "this is x86-64 code, and this machine has riscv64")
    monkeypatch.setattr(variants, "recorded_runs", lambda *_: [])
    card = Ablation()
    assert "riscv64" in card.picture.value


def test_cancel(machine):
    source = BudgetCurve().source
    updates = source.run(list(source.variants), 8192, 100)
    next(updates)
    source._stopped = True
    with pytest.raises(Cancelled):
        next(updates)


@pytest.mark.parametrize("card", [BudgetCurve, Ablation])
def test_static_twin(card, machine):
    html = card().static()
    assert 'role="img"' in html and "<button" not in html and "<script" not in html
