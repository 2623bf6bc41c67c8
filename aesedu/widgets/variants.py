"""Many variants of one thing timed in turn, in core cycles a block: what the cards of curves and grids are built on."""

import math
import time
from functools import partial

from aesedu import bench, native
from aesedu.bench import environment
from aesedu.bench.rounds import AT_ONE_PLACEMENT, Rounds, estimate, recorded_cycles
from aesedu.cipher import BLOCK_BYTES
from aesedu.views.chart import Row
from aesedu.widgets.bench_panel import COLD, BenchPanel, Recording, Update, recorded, recorded_runs

EVERY = 0.5  # seconds between two estimates: the bootstrap takes its time


class VariantSource:
    """Times variants in turn for a ``BenchPanel``, in core cycles a block.

    A variant has a ``name`` and ``subject(size)``, an engine for example. ``controls`` are labels that get places in
    memory of their own; ``reason`` says why nothing can be timed here, "" where it can.
    """

    sizes = (8192, 1024, 256)

    def __init__(self, variants, series=(), controls=(), reason=""):
        self.variants, self._controls, self._stopped = {e.name: e for e in variants}, controls, False
        self.reason = reason
        self._series = dict(zip(self.variants, series, strict=True)) if series else {}
        self.rows = [Row(label, self._series.get(label, ""), note=reason) for label in self.variants]
        self.cycles, self._rounds = {}, None

    def run(self, labels, size, rounds):
        """A cold call each, then at least ``rounds`` rounds, a few at each placement; yields an ``Update`` for each."""
        if not labels:
            return
        turns = -(-rounds // AT_ONE_PLACEMENT)
        self._stopped, self._rounds, total = False, Rounds(), len(labels) * (turns + 1)
        for done, label in enumerate(labels, start=1):
            self._check()
            self._rounds.add(label, self.variants[label].subject(size=size), label in self._controls)
            yield Update(done, total, Row(label, self._series.get(label, ""), note=COLD), preparing=True)
        shown = -math.inf  # the first dots come with the first rounds
        for done in range(2 * len(labels), total + 1, len(labels)):
            self._check()
            self._rounds.take()
            self.cycles, rows = self.per_block(self._rounds.cycles(), size), [None]
            if done == total or time.monotonic() - shown > EVERY:
                shown, rows = time.monotonic(), self.estimates(self.cycles)
            yield from (Update(done, total, row) for row in rows)

    def _check(self):
        if self._stopped:
            raise native.Cancelled

    def per_block(self, cycles, size):
        """Cycles of a call of ``size`` bytes, by label and round, as cycles of one block."""
        return {label: {n: c * BLOCK_BYTES / size for n, c in own.items()} for label, own in cycles.items()}

    def estimates(self, cycles):
        """A Row for each label that has steady samples."""
        timed = {label: own for label, own in cycles.items() if own and label in self.variants}
        return [Row(label, self._series.get(label, ""), *estimate(own), len(own)) for label, own in timed.items()]

    def cancel(self):
        """Ends the run after the rounds under way, and the worker at once."""
        self._stopped = True
        native.cancel()

    def record(self):
        """The last run as Measurements, ready for JSON."""
        return [measurement.to_dict() for measurement in self._rounds.measurements(environment.where())]


class VariantPanel(BenchPanel):
    """A panel without ticks whose recorded runs are the files ``data/runs/<name>*.json``."""

    def __init__(self, name, source, title, subtitle, rounds):
        self._runs = dict(recorded_runs(f"{name}*.json", partial(_run, source)))
        recordings = [Recording(where, source.estimates(cycles)) for where, cycles in self._runs.items()]
        super().__init__(source, title, subtitle, recordings, rounds, live=not (source.reason and recordings))

    def _choices(self):
        return []

    def _ticked(self):
        return list(self.source.variants)

    @property
    def known(self):
        """{label: cycles a block} of the rows that are shown or, while these have no values, of the first recording."""
        return {row.label: row.value for row in self._known}

    @property
    def known_from(self):
        """A heading for ``known``: that it was measured here, or where and when it was recorded."""
        return next((row.note for row in self._known if row.origin == "recorded"), "measured here")

    @property
    def _known(self):
        shown = [row for row in self.rows.values() if row.value]
        return shown or [recorded(row, name) for name, run in [*self._recordings.items()][:1] for row in run.rows]

    @property
    def _cycles(self):
        """The cycles behind the rows that are shown: live ones, or those of the recording."""
        recorded = next((row.note for row in self.rows.values() if row.origin == "recorded"), "")
        return next((cycles for where, cycles in self._runs.items() if where in recorded), self.source.cycles)


def _run(source, file):
    """(machine and day, cycles a block) of a recorded run."""
    records = bench.load(file)
    where, size = records[0].where, records[0].what["bytes"]
    return f"{where['cpu']}, {where['date'][:10]}", source.per_block(recorded_cycles(records), size)
