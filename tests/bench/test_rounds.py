"""Subjects in turn on a simulated machine with known truth."""

import itertools

import pytest
from simulated import WHERE, Machine, Routine

from aesedu.bench import load, save
from aesedu.bench.rounds import Rounds, effects, estimate, recorded_cycles

TRUTH = {"a": 1000, "b": 970, "c": 1200}


def run(count=15, **machine):
    simulated = Machine(**machine)
    taken = Rounds(simulated.samples, simulated.clock, seed=simulated.seed)
    for label, ns in TRUTH.items():
        taken.add(label, Routine(label, ns))
    taken.add("a again", Routine("a again", 1000), elsewhere=True)
    for _ in range(count):
        taken.take()
    return taken


@pytest.mark.parametrize("seed", range(5))
def test_effects_are_the_truth_and_the_control_is_none(seed):
    found = effects(run(seed=seed).cycles(), "a")
    assert found["b"].differs and found["b"].low <= 1000 / 970 <= found["b"].high
    assert found["c"].ratio == pytest.approx(1000 / 1200, rel=0.02)
    assert not found["a again"].differs and "a" not in found


def test_pairs_are_of_one_round():
    """The frequency swings by 40 %: only figures of one round, and in cycles, can be compared."""
    cycles = run(frequency=0.4).cycles()
    assert effects(cycles, "a")["b"].ratio == pytest.approx(1000 / 970, rel=0.01)
    assert effects({"a": {0: 100.0, 1: 50.0}, "b": {1: 100.0, 2: 1.0}}, "a")["b"] == (0.5, 0.5, 0.5)
    assert effects({"a": {0: 100.0}, "b": {1: 100.0}}, "a") == {}


def test_estimate_in_cycles():
    middle, low, high = estimate(run().cycles()["c"])
    assert low <= middle <= high and middle == pytest.approx(4 * 1200, rel=0.03)


def test_one_placement_a_round_and_another_for_the_control():
    taken = run(3)
    placements = {label: [r.placement for r in timer.readings] for label, timer in taken.timers.items()}
    assert placements["a"] == placements["b"] == placements["c"] and len(set(placements["a"])) == 3
    assert not set(placements["a"]) & set(placements["a again"])


def test_order_is_shuffled():
    orders = []
    machine = Machine()

    def sampler(requests):
        labels = [subject.label for subject, _, _ in requests]
        orders.extend(labels[-3 * (n + 1) : len(labels) - 3 * n] for n in range(4))
        return machine.samples(requests)

    taken = Rounds(sampler, machine.clock, seed=0)
    for label, ns in TRUTH.items():
        taken.add(label, Routine(label, ns))
    orders.clear()
    for _ in range(5):
        taken.take()
    assert {tuple(order) for order in orders} >= set(itertools.islice(itertools.permutations("abc"), 3))


def test_a_record_gives_the_same_effects(tmp_path):
    taken = run(10, unsteady=0.2)
    save(tmp_path / "run.json", taken.measurements(WHERE))
    cycles = recorded_cycles(load(tmp_path / "run.json"))
    for label, own in taken.cycles().items():
        assert cycles[label] == pytest.approx(own)
    assert effects(cycles, "a")["b"] == pytest.approx(effects(taken.cycles(), "a")["b"])


def test_pairing_by_round_matters():
    """Planted fault: a run whose rounds are confused finds the truth less exactly."""
    cycles = run(15, placement=0, noise=0.05, spikes=0).cycles()
    common = {n: 1 + n / 30 for n in range(60)}  # something that all subjects of a round share
    cycles = {label: {n: c * common[n] for n, c in own.items()} for label, own in cycles.items()}
    confused = {"a": cycles["a"], "b": {59 - n: c for n, c in cycles["b"].items()}}
    right, wrong = (effects(c, "a")["b"] for c in (cycles, confused))
    assert wrong.high / wrong.low - 1 > 3 * (right.high / right.low - 1)
