"""One routine timed on a simulated machine: what is measured is the truth, whatever the call's length."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import WHERE, Machine, Routine

from aesedu.bench import ImplausibleError, bootstrap, measure, measure_at, protocol


def timed(call_ns, machine=None, **options):
    machine = machine or Machine()
    return measure(Routine("A", call_ns, {"bytes": 16}), **machine.options(), **{"seed": 0, **options})


@settings(max_examples=25, deadline=None)
@given(st.floats(50, 3e9), st.integers(0, 1000), st.booleans())
def test_from_50_ns_to_seconds(call_ns, seed, quick):
    machine = Machine(seed=seed, spikes=0.02 if call_ns < 1e7 else 0)
    result = timed(call_ns, machine, quick=quick, seed=seed)
    assert call_ns * 0.95 < result.estimate < call_ns * 1.07  # frequency to either side, placement upwards
    assert result.interval[0] <= result.estimate <= result.interval[1]
    assert result.count == 1 or result.count * call_ns > protocol.SAMPLE_NS / 2
    assert len(result.samples) == len(result.placements) == len(result.core_hz) >= 2
    assert machine.now < 5e9 + 10 * call_ns


def test_core_cycles_do_not_follow_the_frequency():
    slow, fast = (timed(1000, Machine(hz=4e9, slowing=slowing, placement=0)) for slowing in (0.05, 0.0))
    assert slow.estimate > 1.08 * fast.estimate
    cycles = [result.in_core_cycles() for result in (slow, fast)]
    assert all(result.unit == "core cycles" and abs(result.estimate / 4000 - 1) < 0.01 for result in cycles)


def test_cold_call_is_kept_apart():
    result = timed(1000, Machine(cold={"A": 2.0}, spikes=0))
    assert 1900 < result.cold < 2200 and result.estimate < 1060 and max(result.samples) < 1100


def test_cold_call_would_show(monkeypatch):
    monkeypatch.setattr(protocol.Timer, "moves_to", lambda timer, placement: False)
    assert max(timed(1000, Machine(cold={"A": 2.0}, spikes=0)).samples) > 1500


def test_a_hit_first_call_does_not_make_a_batch_of_one():
    machine = Machine(cold={"A": 400})
    assert timed(1000, machine).count > 100


def test_dropped_samples_are_counted():
    steady, shaky, hopeless = (timed(1000, Machine(spikes=0, unsteady=unsteady)) for unsteady in (0, 0.3, 1))
    assert steady.dropped == 0 and len(steady.samples) == 48
    assert 5 < shaky.dropped < 30 and len(shaky.samples) == 48 - shaky.dropped
    assert hopeless.dropped == 48 and hopeless.core_hz == () and "no core cycles" in hopeless.notes[0]
    with pytest.raises(ValueError, match="no core cycles"):
        hopeless.in_core_cycles()


def test_interrupted_samples_are_dropped_where_the_system_tells():
    told = timed(1000, Machine(spikes=0.3, told=1, unsteady=0, frequency=0))
    untold = timed(1000, Machine(spikes=0.3, told=0, unsteady=0, frequency=0))
    assert told.dropped > 5 and max(told.samples) < 1050
    assert untold.dropped == 0 and max(untold.samples) > 1050


def test_long_calls_are_not_blamed_for_interruptions():
    assert timed(1e7, Machine(spikes=1, told=1, unsteady=0)).dropped == 0


def test_long_call():
    result = timed(2.5e9, Machine(spikes=0, unsteady=0))
    assert len(result.samples) == 3 and "one call takes 2.5 s: timed 3 times" in result.notes


def test_below_the_loop_carried_chain():
    assert timed(100, loop_carried=400 * 0.99)
    with pytest.raises(ImplausibleError, match="below the loop-carried chain of 420"):
        timed(100, loop_carried=420)


def test_over_the_wall_clock():
    machine = Machine()
    options = machine.options()

    def sampler(requests):
        return [SimpleNamespace(**{**vars(sample), "ns": 100 * sample.ns}) for sample in machine.samples(requests)]

    with pytest.raises(ImplausibleError, match="ns were measured while"):
        measure(Routine("A", 1e6), **{**options, "sampler": sampler})


def test_progress():
    seen = []
    timed(1000, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1


@settings(max_examples=30, deadline=None)
@given(st.floats(1, 1e6), st.sampled_from([16, 1024, 1 << 20, 1 << 24]))
def test_largest_that_fits(ns_per_byte, size):
    machine = Machine(spikes=0, frequency=0)
    options = machine.options()
    result = measure_at(
        lambda size: Routine("A", 30 + ns_per_byte * size, {"bytes": size}), size, quick=True, **options
    )
    taken = result.what["bytes"]
    assert taken % 16 == 0 and machine.longest < 2.2e9
    if taken == size:
        assert result.notes == ()
    else:
        assert 2 * taken * ns_per_byte > 0.9 * 2e9  # twice as large would not fit
        assert result.notes[-1].startswith(f"measured at {taken} bytes: a call with {size} would take about")


def test_median_interval_needs_values():
    with pytest.raises(ValueError, match="no values"):
        bootstrap.median_interval([[], []])
    assert bootstrap.median_interval([[2.0]]) == (2, 2, 2)


def test_where_is_kept():
    assert timed(1000).where == WHERE
