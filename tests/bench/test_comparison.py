"""Verdicts on a simulated machine with known truth; and what each rule of the protocol is there for, by breaking it."""

import itertools

import pytest
from simulated import Machine, Routine

from aesedu.bench import Comparison, Effect, compare, comparison, protocol
from aesedu.bench.bootstrap import median_interval

RUNS = 20


def run(truth, seed, quick=True, **machine):
    """Compare A (1 us) with B, which takes ``truth`` times as long."""
    options = Machine(seed=seed, **machine).options()
    return compare(Routine("A", 1000), Routine("B", 1000 * truth), quick=quick, seed=seed, **options)


def runs(truth, quick=True, **machine):
    """Compare on twenty machines of different seeds."""
    return [run(truth, seed, quick, **machine) for seed in range(RUNS)]


def count(results, says):
    return sum(says in result.verdict for result in results)


@pytest.mark.parametrize(("truth", "quick"), [(1, False), (1, True), (1.005, True)])
def test_cannot_tell(truth, quick):
    assert count(runs(truth, quick), "cannot tell") == RUNS


@pytest.mark.parametrize(
    ("truth", "quick", "says"),
    [(1.03, False, "% slower"), (1.03, True, "% slower"), (0.97, True, "% faster"), (2.5, True, " times as slow")],
)
def test_named(truth, quick, says):
    assert count(runs(truth, quick), says) >= RUNS - 1


def covered(results, truth):
    return sum(result.effect.low <= 1 / truth <= result.effect.high for result in results)


def test_interval_covers_the_truth():
    results = [run(1.03, seed) for seed in range(60)]
    assert covered(results, 1.03) >= 55
    assert sum(result.control.low <= 1 <= result.control.high for result in results) >= 55


def test_at_least_thirty_pairs_over_several_placements_and_dropped_ones_counted():
    result = run(1, 1, unsteady=0.3)
    assert sum(map(len, result.pairs)) >= comparison.MIN_PAIRS and len(result.pairs) >= comparison.QUICK.placements
    assert result.dropped > 0 and result.a.unit == "ns" and result.a.core_hz


def test_slow_calls_get_their_pairs_too():
    machine = Machine(spikes=0)
    result = compare(Routine("A", 5e7), Routine("B", 6e7), quick=True, seed=0, **machine.options())
    assert sum(map(len, result.pairs)) >= comparison.MIN_PAIRS and "slower" in result.verdict


def test_unsteady_core():
    assert run(1.03, 0, unsteady=1).verdict == "cannot tell: only 0 pairs were steady"


def test_progress_and_cancel():
    seen = []
    machine = Machine()
    options = machine.options()
    compare(Routine("A", 1000), Routine("B", 1000), quick=True, progress=seen.append, seed=0, **options)
    assert seen == sorted(seen) and 0 < seen[0] < seen[-1] <= 1

    def cancel(fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(Routine("A", 1000), Routine("B", 1000), progress=cancel, **options)


def verdict(effect, control=(1, 0.999, 1.001), pairs=30):
    ratios = [[effect[0]] * pairs]
    return Comparison(None, None, "B", Effect(*effect), Effect(*control), ratios, ratios, 0).verdict


@pytest.mark.parametrize(
    ("effect", "says"),
    [
        ((1 / 0.969, 1 / 0.972, 1 / 0.966), "B is 3.1 % faster (2.8 to 3.4)"),
        ((1 / 1.03, 1 / 1.034, 1 / 1.027), "B is 3.0 % slower (2.7 to 3.4)"),
        ((20.14, 19.76, 20.4), "B is 20.1 times as fast (19.8 to 20.4)"),
        ((1 / 3.2, 1 / 3.3, 1 / 3.1), "B is 3.2 times as slow (3.1 to 3.3)"),
        ((79_234.0, 77_951.0, 80_222.0), "B is 79,234 times as fast (77,951 to 80,222)"),
        ((1.03, 0.999, 1.06), "cannot tell"),
        ((1.009, 1.008, 1.0095), "cannot tell"),
    ],
)
def test_sentences(effect, says):
    assert verdict(effect) == says


def test_an_interval_on_both_sides():
    assert str(Effect(1.001, 1 / 1.008, 1 / 0.986)) == "0.1 % faster (0.8 % slower to 1.4 % faster)"


def test_reasons():
    assert verdict((1.03, 1.02, 1.04), control=(1 / 1.014, 0.98, 0.99)) == "cannot tell: the control differs by 1.4 %"
    assert verdict((1.014, 1.003, 1.026), control=(1, 0.992, 1.015)) == "cannot tell: the control varies as much"
    assert verdict((1.03, 1.02, 1.04), pairs=29) == "cannot tell: only 29 pairs were steady"


# Planted faults. Each breaks one rule, and the results above break with it.


def test_fault_order_not_shuffled(monkeypatch):
    tiring = {"tiring": 0.015, "spikes": 0}
    assert count(runs(1, **tiring), "cannot tell") == RUNS and count(runs(1.03, **tiring), "slower") >= RUNS - 1
    monkeypatch.setattr(comparison, "_order", lambda rounds, rng: list("abc") * rounds)
    results = runs(1, **tiring)
    assert sum(result.effect.differs for result in results) >= RUNS - 1
    assert count(results, "the control differs") >= RUNS - 1  # the control sees it, and forbids a verdict


def test_fault_cold_samples_included(monkeypatch):
    cold = {"cold": {"B": 1.5}, "spikes": 0}
    assert count(runs(1, **cold), "cannot tell") == RUNS
    monkeypatch.setattr(comparison, "QUICK", protocol.Plan(placements=30, samples=1, seconds=0.1))
    assert count(runs(1, **cold), "cannot tell") == RUNS
    monkeypatch.setattr(protocol.Timer, "moves_to", lambda timer, placement: False)
    assert count(runs(1, **cold), "slower") >= RUNS - 1


def test_fault_one_placement_for_all(monkeypatch):
    monkeypatch.setattr(protocol, "placements", lambda seed: itertools.repeat(12345))
    assert count(runs(1), "B is") >= RUNS / 4


def test_fault_pairs_taken_for_independent(monkeypatch):
    """Many pairs at few placements: without the clusters the interval claims what it does not know."""
    monkeypatch.setattr(comparison, "QUICK", protocol.Plan(placements=12, samples=20, seconds=0.0))
    assert covered(runs(1.03), 1.03) >= RUNS - 2
    monkeypatch.setattr(
        comparison, "median_interval", lambda clusters, **options: median_interval([sum(clusters, [])], **options)
    )
    assert covered(runs(1.03), 1.03) <= RUNS / 2


def test_fault_nanoseconds_instead_of_cycles(monkeypatch):
    """A core that slows down within each request, as its chain shows: cycles cancel that, ns do not."""
    slowing = {"slowing": 0.015, "spikes": 0}
    monkeypatch.setattr(comparison, "_order", lambda rounds, rng: list("abc") * rounds)
    assert count(runs(1, **slowing), "cannot tell") == RUNS
    monkeypatch.setattr(protocol.Reading, "cycles", property(lambda reading: reading.ns))
    assert sum(result.effect.differs for result in runs(1, **slowing)) >= RUNS - 1
