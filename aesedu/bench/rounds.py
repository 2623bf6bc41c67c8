"""Many subjects in turn: a round takes one sample of each, in shuffled order; a few rounds share a placement.

What two of them took in the same round can be compared; the rest of the protocol is that of ``protocol``.
"""

import itertools
import random
import time
from dataclasses import replace

from aesedu.bench import protocol
from aesedu.bench.bootstrap import median_interval
from aesedu.bench.comparison import Effect

AT_ONE_PLACEMENT = 4  # rounds: assembling for another placement takes longer than they do


class Rounds:
    """The subjects of one run by label; ``sampler`` and ``clock`` as in ``protocol.Stopwatch``, ``seed`` for tests."""

    def __init__(self, sampler=None, clock=time.perf_counter_ns, seed=None):
        self.stopwatch = protocol.Stopwatch(sampler, clock)
        self.timers, self._elsewhere = {}, set()
        self._placements, self._orders = protocol.placements(seed), random.Random(seed)

    def add(self, label, subject, elsewhere=False):
        """Take in a subject, with its cold call; ``elsewhere`` gives it placements of its own (a control)."""
        self.timers[label] = protocol.Timer(subject, self.stopwatch)
        if elsewhere:
            self._elsewhere.add(label)

    def take(self):
        """AT_ONE_PLACEMENT rounds."""
        here, elsewhere = next(self._placements), next(self._placements)
        labels = list(self.timers)
        order = [label for _ in range(AT_ONE_PLACEMENT) for label in self._orders.sample(labels, len(labels))]
        spots = [elsewhere if label in self._elsewhere else here for label in order]
        self.stopwatch.take([(self.timers[label], spot) for label, spot in zip(order, spots, strict=True)])

    def cycles(self):
        """{label: {round: core cycles of one call}}; samples whose brackets differ are left out."""
        return {
            label: {n: reading.cycles for n, reading in enumerate(timer.readings) if reading.core_hz}
            for label, timer in self.timers.items()
        }

    def measurements(self, where):
        """A Measurement for each subject that has been sampled; its ``what["engine"]`` is the label.

        ``extra["rounds"]`` holds the round of each sample.
        """
        cycles, sampled = self.cycles(), {label: timer for label, timer in self.timers.items() if timer.readings}
        made = {label: protocol.summarise(timer, where) for label, timer in sampled.items()}
        return [replace(one, extra={"rounds": [*cycles[label]]}) for label, one in made.items()]


def recorded_cycles(measurements):
    """What ``Rounds.cycles`` was when ``measurements`` were recorded."""
    return {
        m.what["engine"]: dict(zip(m.extra["rounds"], m.in_core_cycles().samples, strict=True))
        for m in measurements
        if m.core_hz
    }


def estimate(cycles):
    """(median, low, high) of one label's cycles, with the 95 % interval."""
    return median_interval(_by_placement(cycles), resamples=1000)


def effects(cycles, first):
    """{label: Effect} of every other label over ``first``, from the rounds in which both were steady."""
    found = {}
    for label, own in cycles.items():
        pairs = {n: cycles[first][n] / own[n] for n in sorted(own.keys() & cycles[first].keys())}
        if label != first and pairs:
            found[label] = Effect(*median_interval(_by_placement(pairs), resamples=1000))
    return found


def _by_placement(values):
    """Values by round as lists, one for each placement."""
    return [[v for _, v in group] for _, group in itertools.groupby(values.items(), lambda v: v[0] // AT_ONE_PLACEMENT)]
