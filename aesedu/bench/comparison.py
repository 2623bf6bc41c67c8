"""Is B faster than A? Pairs of samples in shuffled order over many placements, with A against itself as a control."""

import copy
import random
import time
from dataclasses import dataclass
from typing import NamedTuple

from aesedu.bench import environment, protocol
from aesedu.bench.bootstrap import median_interval
from aesedu.bench.measurement import Measurement

MIN_PAIRS = 30
CREDIBLE = 0.01  # placement and calibration leave smaller effects in doubt
FULL = protocol.Plan(placements=24, samples=2, seconds=2.0)
QUICK = protocol.Plan(placements=12, samples=4, seconds=0.2)


class Effect(NamedTuple):
    """How many times as fast as A something is (above 1: faster), with the ends of its 95 % interval."""

    ratio: float
    low: float
    high: float

    @property
    def differs(self):
        """Whether the interval leaves 1 out and the time changes by 1 % or more."""
        return not self.holds(1) and abs(self.change) >= CREDIBLE

    @property
    def change(self):
        """The change of A's time: -0.03 where 3 % of it is saved."""
        return 1 / self.ratio - 1

    def holds(self, ratio):
        """Whether a ratio lies in the interval."""
        return self.low <= ratio <= self.high

    def __str__(self):
        if not 0.5 <= self.ratio <= 2:
            return self._times()
        ends = [_percent(self.low), _percent(self.high)]
        if not self.holds(1):  # both ends lie to one side, which is said already
            ends = sorted((end.split(" ")[0] for end in ends), key=float)
        return f"{_percent(self.ratio)} ({ends[0]} to {ends[1]})"

    def _times(self):
        ratios = self if self.ratio > 1 else [1 / each for each in (self.ratio, self.high, self.low)]
        middle, low, high = (f"{each:,.0f}" if each >= 100 else f"{each:.3g}" for each in ratios)
        return f"{middle} times as {'fast' if self.ratio > 1 else 'slow'} ({low} to {high})"


def _percent(ratio):
    return f"{100 * abs(1 / ratio - 1):.1f} % {'faster' if ratio > 1 else 'slower'}"


@dataclass(frozen=True)
class Comparison:
    """B against A, each as measured in the same run.

    ``effect`` is B's speed over A's: the median of the pair ratios, above 1 where B is faster. ``control`` is A's at
    other placements over A's. ``pairs`` and ``control_pairs`` hold the ratios, a list for each placement; ``dropped``
    counts the samples that were not steady, and whose pairs are left out.
    """

    a: Measurement
    b: Measurement
    label: str
    effect: Effect | None
    control: Effect | None
    pairs: list
    control_pairs: list
    dropped: int

    @property
    def verdict(self):
        """One sentence: "B is 3.1 % faster (2.8 to 3.4)", in per cent of A's time, or "cannot tell"."""
        count = sum(map(len, self.pairs))
        if count < MIN_PAIRS or not self.control:
            return f"cannot tell: only {count} pairs were steady"
        if self.control.differs:
            return f"cannot tell: the control differs by {100 * abs(self.control.change):.1f} %"
        if not self.effect.differs:
            return "cannot tell"
        if self.control.holds(self.effect.ratio):
            return "cannot tell: the control varies as much"
        return f"{self.label} is {self.effect}"

    @property
    def differs(self):
        """Whether the verdict names B faster or slower."""
        return not self.verdict.startswith("cannot tell")


def compare(
    a, b, *, quick=False, progress=None, where=None, sampler=None, clock=time.perf_counter_ns, seed=None
) -> Comparison:
    """Compare two subjects: A B A B in turn, order reshuffled, over random placements of code and data.

    At least 30 pairs; more, up to 2 s (``quick``: 0.2 s), until the interval is narrow. A itself at other placements
    runs with them as the control. Pairs are in core cycles, so that a change of frequency does not count as an effect.
    ``progress(fraction)`` is called between placements. Raises what ``native.samples`` raises.
    """
    plan = QUICK if quick else FULL
    run = _Run(a, b, protocol.Stopwatch(sampler, clock), seed)
    began = clock()
    while not run.enough(plan, (clock() - began) / 1e9):
        run.add_placement(plan.samples)
        if progress:
            progress(run.fraction(plan, (clock() - began) / 1e9))
    return run.result(environment.where() if where is None else where)


class _Run:
    """The samples of one comparison: A, B and the control C (A elsewhere).

    ``timers`` hold the readings of each; ``pairs`` A's cycles over those of B and of C, a list for each placement.
    """

    def __init__(self, a, b, stopwatch, seed):
        self.stopwatch = stopwatch
        self.timers = {"a": protocol.Timer(a, stopwatch), "b": protocol.Timer(b, stopwatch)}
        self.timers["c"] = copy.copy(self.timers["a"])
        self.timers["c"].readings = []
        self.placements, self.orders = protocol.placements(seed), random.Random(seed)
        self.pairs, self.next_look = {name: [] for name in "bc"}, 0

    def add_placement(self, rounds):
        """Take ``rounds`` samples each of A, B and C at new placements, and pair those of the same round."""
        spots = dict(zip("abc", self.placements, strict=False))
        if self.timers["a"].subject != self.timers["b"].subject:  # at one place the same would share code and buffers
            spots["b"] = spots["a"]
        self.stopwatch.take([(self.timers[name], spots[name]) for name in _order(rounds, self.orders)])
        first = self.timers["a"].readings[-rounds:]
        for name, pairs in self.pairs.items():
            latest = zip(first, self.timers[name].readings[-rounds:], strict=True)
            pairs.append([a.cycles / other.cycles for a, other in latest if a.core_hz and other.core_hz])

    def effect(self, name, resamples=1000):
        """The Effect of B (``name`` "b") or of the control ("c") over A; None while no pair is steady."""
        pairs = self.pairs[name]
        return Effect(*median_interval(pairs, resamples=resamples)) if any(pairs) else None

    def enough(self, plan, seconds):
        """Whether there are pairs enough, and after ``seconds`` the plan's time is up or both intervals are narrow."""
        tried, pairs = len(self.timers["a"].readings), sum(map(len, self.pairs["b"]))
        if tried < max(MIN_PAIRS, plan.placements * plan.samples):
            return False
        if pairs < MIN_PAIRS and tried < 4 * MIN_PAIRS:
            return False
        return seconds > plan.seconds or (len(self.pairs["b"]) >= self.next_look and self._narrow())

    def _narrow(self):
        self.next_look = 1.4 * len(self.pairs["b"])  # the look itself takes time
        effects = [self.effect(name, resamples=300) for name in "bc"]
        return all(effect and effect.high / effect.low - 1 < max(0.006, 0.1 * abs(effect.change)) for effect in effects)

    def fraction(self, plan, seconds):
        """Half for the pairs that must be, half for the time that may be used."""
        needed = max(MIN_PAIRS, plan.placements * plan.samples)
        return min(1, len(self.timers["a"].readings) / needed) / 2 + min(1, seconds / plan.seconds) / 2

    def result(self, where):
        """The finished Comparison; ``where`` as in ``environment.where``."""
        a, b = (protocol.summarise(self.timers[name], where) for name in "ab")
        dropped = sum(timer.dropped for timer in self.timers.values())
        label = self.timers["b"].subject.label
        return Comparison(a, b, label, self.effect("b"), self.effect("c"), *self.pairs.values(), dropped)


def _order(rounds, rng):
    """Return the order of all rounds at one placement: shuffled, then reversed, so that drifts favour nobody."""
    order = []
    for number in range(rounds):
        order += order[:-4:-1] if number % 2 else rng.sample("abc", 3)
    return order
