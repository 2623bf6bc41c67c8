"""How one operation is timed: batch size, cold call apart, calibration brackets, several placements, plausibility."""

import random
import time
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from aesedu.bench import environment
from aesedu.bench.bootstrap import median_interval
from aesedu.bench.measurement import Measurement, by_placement

SAMPLE_NS = 200_000  # 2,000 ticks of the coarsest clock in use (100 ns); short against a scheduler's time slice
BRACKETS = 0.01  # brackets that differ by more are no witness of the core's frequency
LONG_CALL_NS = 2_000_000_000
WARM_NS = 20_000_000  # a call that lasts longer warms itself up
SLICE_NS = 3_000_000  # what a scheduler lets a process run at least, when others wait
REQUEST_NS = 50_000_000  # what is asked for at once: Cancel and progress come between requests


class ImplausibleError(ValueError):
    """A time that cannot be: under the routine's loop-carried chain, or over the wall clock."""


class Reading(NamedTuple):
    """One sample: ns for one call, the core's frequency (None where the sample was not steady), the placement."""

    ns: float
    core_hz: float | None
    placement: int

    @property
    def cycles(self):
        """Core cycles of one call; only where the sample was steady."""
        return self.ns * self.core_hz / 1e9


class Timer:
    """One subject under measurement: how many calls make a sample, the cold call kept apart, samples dropped.

    ``readings`` are those of all samples so far, in order.
    """

    def __init__(self, subject, stopwatch):
        self.subject, self._stopwatch, self.readings = subject, stopwatch, []
        self.dropped, self.count, self.sample_ns, self._warm_at = 0, 1, 0, None
        self.cold = self.sample_ns = self._least(1)
        if self.cold < LONG_CALL_NS:  # the cold call may have loaded something: only a second one tells the duration
            self.sample_ns = self._least(1)
        if self.sample_ns < WARM_NS:
            self._find_count()

    def _find_count(self):
        """Grow the batch step by step, because first calls are slow, and judge by the least, because any may be hit."""
        while (ns := self._least(3)) < 0.75 * SAMPLE_NS:
            self.count = min(self.count * 10, int(self.count * SAMPLE_NS / max(ns, 1)) + 1)
        self.sample_ns = ns

    def _least(self, trials):
        return min(sample.ns for sample in self._stopwatch.samples([(self, 0)] * trials))

    @property
    def call_ns(self):
        """A first idea of how long a call takes."""
        return self.sample_ns / self.count

    def moves_to(self, placement):
        """Take note of the placement of the next sample; whether that needs warming up (a long call warms itself)."""
        new, self._warm_at = placement != self._warm_at, placement
        return new and self.call_ns < WARM_NS

    def read(self, sample, placement):
        """Note and return the Reading of a sample; one whose brackets differ, or that was interrupted, is dropped."""
        before, after = sample.chain_before_ns, sample.chain_after_ns
        steady = abs(before - after) <= BRACKETS * (before + after) / 2 and not _interrupted(sample)
        self.dropped += not steady
        core_hz = sample.chain_cycles * 2e9 / (before + after) if steady else None
        self.readings.append(Reading(sample.ns / sample.count, core_hz, placement))
        return self.readings[-1]


def _interrupted(sample):
    """Whether others had the core for a part of the sample; a long one cannot do without and is not blamed for it."""
    return BRACKETS * sample.ns < sample.away_ns and sample.ns - sample.away_ns < SLICE_NS


class Stopwatch:
    """Takes samples for timers and holds them against the wall clock.

    ``sampler(requests)`` is ``native.samples`` or stands in for it; ``clock`` gives wall ns.
    """

    def __init__(self, sampler=None, clock=time.perf_counter_ns):
        self._sampler, self.clock = sampler or _native_samples, clock

    def take(self, steps):
        """Return a Reading for each (timer, placement), in order; what is new at its placement is warmed up before."""
        warm = {timer: placement for timer, placement in steps if timer.moves_to(placement)}
        samples = self.samples([*warm.items(), *steps])[len(warm) :]
        return [timer.read(sample, placement) for (timer, placement), sample in zip(steps, samples, strict=True)]

    def samples(self, steps):
        """Return the native samples of steps, asked for in requests of a limited duration."""
        samples = []
        for request in _requests(steps):
            began = self.clock()
            taken = self._sampler(request)
            wall, ns = self.clock() - began, sum(sample.ns for sample in taken)
            if ns > wall:
                raise ImplausibleError(f"{request[0][0].label}: {ns} ns were measured while {wall} ns passed")
            samples += taken
        return samples


def _native_samples(requests):
    from aesedu import native

    return native.samples(requests)


def _requests(steps):
    """Yield lists of (subject, count, placement) that last up to REQUEST_NS, or hold one sample."""
    request, ns = [], 0
    for timer, placement in steps:
        if request and ns + timer.sample_ns > REQUEST_NS:
            yield request
            request, ns = [], 0
        request.append((timer.subject, timer.count, placement))
        ns += timer.sample_ns
    yield request


@dataclass(frozen=True)
class Plan:
    """How much is measured: at least ``placements`` of code and data, ``samples`` at each, then until ``seconds``."""

    placements: int
    samples: int
    seconds: float


FULL = Plan(placements=12, samples=4, seconds=1.0)
QUICK = Plan(placements=5, samples=4, seconds=0.1)


def placements(seed=None):
    """Yield seeds of placements of code and data, a new one each time; others in each run unless ``seed`` is given.

    With the same few placements in every run their luck would look like a property of the routine.
    """
    rng = random.Random(seed)
    while True:
        yield rng.getrandbits(31)


def measure(
    subject,
    *,
    quick=False,
    loop_carried=None,
    progress=None,
    where=None,
    sampler=None,
    clock=time.perf_counter_ns,
    seed=None,
):
    """Time a subject by itself and return a Measurement in ns a call (``in_core_cycles()`` for the other unit).

    ``loop_carried`` is the routine's loop-carried chain in core cycles a call, a floor for what can be true.
    ``progress(fraction)`` is called between requests. A call of over 2 s is timed a few times only, and a note says so;
    see ``measure_at`` for a smaller size instead. Raises ImplausibleError, and what ``native.samples`` raises.
    """
    plan = QUICK if quick else FULL
    stopwatch = Stopwatch(sampler, clock)
    timer = Timer(subject, stopwatch)
    _fulfil(plan, timer, stopwatch, islice(placements(seed), plan.placements), progress)
    measurement = summarise(timer, environment.where() if where is None else where)
    _check_floor(measurement, loop_carried)
    return measurement


def measure_at(make, size, **options):
    """Time ``make(size)``, or the largest smaller message whose call takes 2 s or less; a note says so.

    ``make`` returns the subject of a size in bytes; ``options`` are those of ``measure``.
    """
    subject, note = largest_that_fits(make, size, options.get("sampler"))
    measurement = measure(subject, **options)
    return replace(measurement, notes=(*measurement.notes, note)) if note else measurement


def largest_that_fits(make, size, sampler=None):
    """Return (subject, note) of the largest message up to ``size`` bytes whose call takes 2 s or less.

    Small sizes are tried first, so that no long call is made to find out; ``note`` is "" where ``size`` itself fits.
    """
    trial, ns = min(size, 16), 0
    while True:
        subject = make(trial)
        ns = min(sample.ns for sample in (sampler or _native_samples)([(subject, 1, 0)] * 2))
        if trial == size:
            return subject, ""
        if ns > 1_000_000:
            break
        trial = min(size, trial * 16)
    fits = size
    while ns / trial * fits > LONG_CALL_NS and fits > trial:
        fits = max(trial, fits // 2 // 16 * 16)
    note = f"measured at {fits} bytes: a call with {size} would take about {ns / trial * size / 1e9:.0f} s"
    return make(fits), "" if fits == size else note


def _fulfil(plan, timer, stopwatch, spots, progress):
    """Take samples until the plan is fulfilled, or its time is up and there are three steady ones or six in all."""
    began, readings = stopwatch.clock(), timer.readings
    at_once = plan.samples if timer.sample_ns < WARM_NS else 1
    steps = [(timer, spot) for spot in spots for _ in range(plan.samples)]
    for first in range(0, len(steps), at_once):
        late = stopwatch.clock() - began > plan.seconds * 1e9
        if late and (len(readings) >= 6 or sum(reading.core_hz is not None for reading in readings) >= 3):
            break
        stopwatch.take(steps[first : first + at_once])
        if progress:
            progress(len(readings) / len(steps))


def summarise(timer, where):
    """Return the Measurement of a timer's readings; without core cycles where too few had equal brackets."""
    readings = timer.readings
    steady = [reading for reading in readings if reading.core_hz]
    notes = []
    if timer.call_ns > LONG_CALL_NS:
        notes.append(f"one call takes {timer.call_ns / 1e9:.1f} s: timed {len(readings)} times")
    if len(steady) < max(2, len(readings) / 4):
        notes.append(f"{timer.dropped} of {len(readings)} samples were not steady: no core cycles")
        steady, hz = readings, ()
    else:
        hz = tuple(reading.core_hz for reading in steady)
    samples = tuple(reading.ns for reading in steady)
    where_taken = tuple(reading.placement for reading in steady)
    estimate, *interval = median_interval(by_placement(samples, where_taken))
    return Measurement(
        what=dict(timer.subject.what),
        unit="ns",
        estimate=estimate,
        interval=tuple(interval),
        samples=samples,
        where=where,
        placements=where_taken,
        core_hz=hz,
        cold=float(timer.cold),
        count=timer.count,
        dropped=timer.dropped,
        notes=tuple(notes),
    )


def _check_floor(measurement, loop_carried):
    if not (loop_carried and measurement.core_hz):
        return
    cycles = measurement.in_core_cycles()
    if cycles.estimate < 0.99 * loop_carried:  # the calibration itself is good to 0.5 %
        raise ImplausibleError(
            f"{measurement.what['engine']}: {cycles.estimate:.1f} core cycles a call are below the loop-carried chain "
            f"of {loop_carried}"
        )
