"""Time over message size: a fixed cost for each call and a slope for each byte, both with intervals."""

import random
import time
from dataclasses import dataclass
from itertools import islice

import numpy

from aesedu.bench import environment, protocol
from aesedu.bench.bootstrap import resample, stretch
from aesedu.bench.measurement import by_placement

PLAN = protocol.Plan(placements=10, samples=3, seconds=3.0)


@dataclass(frozen=True)
class Fit:
    """time = fixed + slope x bytes. ``fixed`` in ``unit`` a call, ``slope`` in ``unit`` a byte, 95 % intervals or None.

    ``misses`` is how far the line misses each size's time, relative to that time: a path switch shows here.
    """

    unit: str
    fixed: float
    slope: float
    fixed_interval: tuple | None
    slope_interval: tuple | None
    misses: dict

    def __str__(self):
        worst = max(self.misses, key=lambda size: abs(self.misses[size]))
        fixed, slope = _with(self.fixed, self.fixed_interval), _with(self.slope, self.slope_interval)
        miss = f"the line misses {worst} bytes by {100 * abs(self.misses[worst]):.1f} %"
        return f"{fixed} {self.unit} a call and {slope} {self.unit} a byte; {miss}"


@dataclass(frozen=True)
class Series:
    """``points``: a Measurement for each size; ``fit`` in ns; ``fit_cycles`` in core cycles, None where not known."""

    points: list
    fit: Fit
    fit_cycles: Fit | None
    notes: tuple


def series(make, sizes, *, progress=None, where=None, sampler=None, clock=time.perf_counter_ns, seed=None):
    """Time ``make(size)`` for each size in bytes, sizes in shuffled turn, and fit fixed cost and slope.

    Sizes whose call would take over 2 s are left out, and a note says so. ``progress(fraction)`` is called between
    placements. Raises ValueError for fewer than two sizes, and what ``native.samples`` raises.
    """
    stopwatch = protocol.Stopwatch(sampler, clock)
    timers, notes = _timers(make, sorted(set(sizes)), stopwatch)
    _take(timers, stopwatch, protocol.placements(seed), progress)
    where = environment.where() if where is None else where
    points = [protocol.summarise(timer, where) for timer in timers.values()]
    cycles = [point.in_core_cycles() for point in points if point.core_hz]
    fit_cycles = fit_points(list(timers), cycles) if len(cycles) == len(points) else None
    return Series(points, fit_points(list(timers), points), fit_cycles, notes)


def _take(timers, stopwatch, placements, progress):
    """Samples of all sizes in shuffled turn at each placement, at three placements however long it takes."""
    began = stopwatch.clock()
    for number, placement in enumerate(islice(placements, PLAN.placements)):
        if number >= 3 and stopwatch.clock() - began > PLAN.seconds * 1e9:
            break
        order = random.Random(placement).sample(sorted(timers) * PLAN.samples, len(timers) * PLAN.samples)
        stopwatch.take([(timers[size], placement) for size in order])
        if progress:
            progress((number + 1) / PLAN.placements)


def _timers(make, sizes, stopwatch):
    """Return {size: Timer} and notes, in ascending order until a call would take too long."""
    timers, last = {}, None
    for size in sizes:
        if last and timers[last].call_ns * size / last > protocol.LONG_CALL_NS:
            return timers, (f"no sizes above {last} bytes: a call would take over 2 s",)
        timers[size] = protocol.Timer(make(size), stopwatch)
        last = size
    return timers, ()


def fit(sizes, times, unit="ns", weights="relative"):
    """Return the Fit (without intervals) of times at sizes; ``weights`` says which errors are alike.

    "relative": each size's time is off by as many per cent; "equal": by as many ``unit``, so the largest sizes decide.
    Raises ValueError for fewer than two sizes.
    """
    sizes, times = numpy.asarray(sizes, float), numpy.asarray(times, float)
    fixed, slope = _lines(sizes, times[None], weights)[0]
    return _fit(unit, sizes, times, fixed, slope)


def fit_points(sizes, points):
    """Return the Fit of Measurements, with intervals by a bootstrap that draws the same placements for all sizes."""
    clusters = [by_placement(point.samples, point.placements) for point in points]
    draws = [resample(each, numpy.random.default_rng(0), 1000) for each in clusters]
    medians = numpy.stack([numpy.median(draw, axis=1) for draw in draws], axis=1)
    times = numpy.array([point.estimate for point in points])
    sizes = numpy.asarray(sizes, float)
    line = _lines(sizes, times[None], "relative")[0]
    ends = numpy.percentile(_lines(sizes, medians, "relative"), [2.5, 97.5], axis=0)
    wider = line + (ends - line) * stretch(min(map(len, clusters)))
    return _fit(points[0].unit, sizes, times, *line, *map(tuple, wider.T.tolist()))


def _lines(sizes, times, weights):
    """Return an array of (fixed, slope), one for each row of times: weighted least squares."""
    if weights not in ("relative", "equal"):
        raise ValueError(f"weights are 'relative' or 'equal', not {weights!r}")
    if len(sizes) < 2:
        raise ValueError(f"a fixed cost and a slope need two sizes, not {len(sizes)}")
    weight = times**-2 if weights == "relative" else numpy.ones_like(times)
    weight = weight / weight.sum(axis=1, keepdims=True)
    mean_size, mean_time = (weight * sizes).sum(axis=1), (weight * times).sum(axis=1)
    away = sizes - mean_size[:, None]
    slope = (weight * away * times).sum(axis=1) / (weight * away**2).sum(axis=1)
    return numpy.stack([mean_time - slope * mean_size, slope], axis=1)


def _fit(unit, sizes, times, fixed, slope, fixed_interval=None, slope_interval=None):
    misses = (fixed + slope * sizes) / times - 1
    by_size = {int(size): float(miss) for size, miss in zip(sizes, misses, strict=True)}
    return Fit(unit, float(fixed), float(slope), fixed_interval, slope_interval, by_size)


def _with(value, interval):
    return f"{value:.3g}" + (f" ({interval[0]:.3g} to {interval[1]:.3g})" if interval else "")
