"""The ladder of notebook 00: every engine on one axis, timed live, one round after another."""

import itertools
import time

from aesedu import native
from aesedu.bench import measurement
from aesedu.bench.bootstrap import median_interval
from aesedu.bench.protocol import Stopwatch, Timer, largest_that_fits, placements, summarise
from aesedu.engines import engine
from aesedu.views.chart import Row, number
from aesedu.widgets.bench_panel import COLD, BenchPanel, Recording, Update, recorded_runs

RUNGS = ("bytewise", "ttable", "batch", "compiled", "openssl-table", "openssl", "aes-x1", "aes-x8", "vaes-x4")
SIZES = (8192, 16, 256, 1024, 1 << 20)  # bytes a call; the first is the one to start from
KINDS = {
    "python": "plain Python",
    "numpy": "NumPy",
    "compiled": "compiled",
    "native": "machine code",
    "openssl": "OpenSSL",
    "peer": "other libraries",
}
FEWEST = 6  # samples for an interval: the range of fewer misses the median more than 5 times in 100
EVERY = 0.25  # seconds between two estimates of a row: the bootstrap takes its time


class EngineSource:
    """Times engines for a ``BenchPanel``, AES-128 in ECB: a round takes a sample of each in turn, at one placement."""

    sizes = SIZES

    def __init__(self, names):
        self.engines = {name: engine(name) for name in names}
        self.rows = [Row(e.name, KINDS[e.kind], note=e.reason) for e in self.engines.values()]
        self._timed, self._stopped = {}, False

    def run(self, labels, size, rounds):
        """One cold sample each, then ``rounds`` rounds; yields an ``Update`` after each sample."""
        self._timed, self._stopped, self._stopwatch = {}, False, Stopwatch()
        steps = itertools.chain(self._cold(labels, size), self._rounds(labels, rounds))
        total = len(labels) * (rounds + 1)
        for done, row in enumerate(steps, start=1):
            yield Update(done, total, row, preparing=done <= len(labels))

    def _cold(self, labels, size):
        for label in labels:
            self._check()
            subject, note = largest_that_fits(lambda n, e=self.engines[label]: e.subject(size=n), size)
            self._timed[label] = Timer(subject, self._stopwatch), note
            yield Row(label, KINDS[self.engines[label].kind], note=COLD)

    def _rounds(self, labels, rounds):
        drawn = dict.fromkeys(labels, 0.0)
        for count, placement in enumerate(itertools.islice(placements(), rounds), start=1):
            for label in labels:
                self._check()
                self._stopwatch.take([(self._timed[label][0], placement)])
                due = count == rounds or time.monotonic() - drawn[label] > EVERY
                if due:
                    drawn[label] = time.monotonic()
                yield self._row(label) if due else None

    def _check(self):
        if self._stopped:
            raise native.Cancelled

    def _row(self, label):
        timer, note = self._timed[label]
        readings, size = timer.readings, timer.subject.what["bytes"]
        value, low, high = (ns / size for ns in median_interval([[reading.ns] for reading in readings]))
        if len(readings) < FEWEST:
            low = high = None
        return Row(label, KINDS[self.engines[label].kind], value, low, high, len(readings), note=note)

    def cancel(self):
        """Ends the run, soon, and the worker, at once."""
        self._stopped = True
        native.cancel()

    def verdict(self, rows):
        """How many times as fast the fastest of the rows is as the slowest: a sentence, and the figures behind it."""
        slow, fast = ends(rows)
        if slow is fast:
            return f"{fast.label}: {number(fast.value)} ns a byte.", "One engine alone has nothing to be compared with."
        headline = f"{fast.label} is {number(slow.value / fast.value)} times as fast as {slow.label}."
        return headline, f"{number(fast.value)} against {number(slow.value)} ns a byte."

    def record(self):
        """The last run as Measurements, each with every sample, ready for JSON."""
        from aesedu.bench import environment

        where = environment.where()
        return [summarise(timer, where).to_dict() for timer, _ in self._timed.values() if timer.readings]


def ends(rows):
    """The slowest and the fastest of the rows that have a value."""
    timed = sorted((row for row in rows if row.value), key=lambda row: row.value)
    return timed[-1], timed[0]


class Ladder(BenchPanel):
    """The panel of an ``EngineSource``."""

    @property
    def factor(self):
        """How many times as fast the fastest rung is as the slowest, to three digits; None before a run."""
        timed = [row for row in self.rows.values() if row.value]
        if len(timed) < 2:
            return None
        slow, fast = ends(timed)
        return float(number(slow.value / fast.value).replace(",", ""))


def recordings():
    """The runs under data/runs whose name begins with "ladder": what Save JSON wrote on other machines."""
    return list(recorded_runs("ladder*.json", lambda file: _recording(measurement.load(file))))


def _recording(measurements):
    where = measurements[0].where
    return Recording(f"{where['cpu']}, {where['date'][:10]}", [_recorded_row(each) for each in measurements])


def _recorded_row(one):
    name, size = one.what["engine"], one.what["bytes"]
    value, low, high = (ns / size for ns in (one.estimate, *one.interval))
    return Row(name, KINDS[engine(name).kind], value, low, high, len(one.samples))


def ladder(names=RUNGS):
    """The card of notebook 00: AES-128, ECB encryption, the named engines."""
    subtitle = "AES-128, ECB encryption, time for one byte"
    return Ladder(EngineSource(names), "Ladder", subtitle, recordings(), bounds=(0.03, 1e5))
