"""Notebook 02 live: cycles against the register budget, and the two changes of source 000 taken apart."""

import time
from dataclasses import replace
from functools import cache

from aesedu import bench, data, native
from aesedu.bench import environment
from aesedu.bench.comparison import MIN_PAIRS
from aesedu.bench.rounds import AT_ONE_PLACEMENT, Rounds, effects, estimate, recorded_cycles
from aesedu.engines import engine
from aesedu.native.assembler import ISA
from aesedu.routines.ttable import TECHNIQUES
from aesedu.views import ablation as grid
from aesedu.views import budget_curve as curve
from aesedu.views import pressure
from aesedu.views.chart import Row
from aesedu.views.routine_explorer import BUDGETS, Seen
from aesedu.widgets.bench_panel import BenchPanel, Recording, Update

BLOCK = 16  # bytes
EVERY = 0.5  # seconds between two estimates: the bootstrap takes its time
_ENGINES = {"4x32": "k32", "2x64": "k64"}


def reason():
    """Why the routines of this notebook cannot be timed here, "" where they can."""
    return "" if ISA == "x86_64" else f"this is x86-64 code, and this machine has {ISA}"


def variant(label, technique, key_loads="4x32", budget=None):
    """The engine of a T-table routine with a budget of registers, under another name."""
    made = engine(f"ttable-{technique}-{_ENGINES[key_loads]}")
    return replace(made, name=label, options={**made.options, "budget": budget})


class VariantSource:
    """Times engines in turn for a ``BenchPanel``, in core cycles a block (AES-128, ECB encryption).

    ``controls`` are labels that get places in memory of their own.
    """

    sizes = (8192, 1024, 256)

    def __init__(self, variants, series=(), controls=()):
        self.variants, self._controls, self._stopped = {e.name: e for e in variants}, controls, False
        self._series = dict(zip(self.variants, series, strict=True)) if series else {}
        self.rows = [Row(label, self._series.get(label, ""), note=reason()) for label in self.variants]
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
            yield Update(done, total, None)
        shown = time.monotonic()
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
        return {label: {n: c * BLOCK / size for n, c in own.items()} for label, own in cycles.items()}

    def estimates(self, cycles):
        """A Row for each label that has steady samples."""
        timed = {label: own for label, own in cycles.items() if own and label in self.variants}
        return [Row(label, self._series.get(label, ""), *estimate(own), len(own)) for label, own in timed.items()]

    def cancel(self):
        self._stopped = True
        native.cancel()

    def record(self):
        """The last run as Measurements, ready for JSON."""
        return [measurement.to_dict() for measurement in self._rounds.measurements(environment.where())]


class VariantPanel(BenchPanel):
    """A panel without ticks whose recorded runs are the files ``data/runs/<name>*.json``."""

    def __init__(self, name, source, title, subtitle, rounds):
        self._runs = _runs(name, source)
        recordings = [Recording(where, source.estimates(cycles)) for where, cycles in self._runs.items()]
        super().__init__(source, title, subtitle, recordings, rounds)
        if reason() and recordings:
            self.origin.options = self.origin.options[1:]

    def _choices(self):
        return []

    def _ticked(self):
        return list(self.source.variants)

    @property
    def _cycles(self):
        """The cycles behind the rows that are shown: live ones, or those of the recording."""
        recorded = next((row.note for row in self.rows.values() if row.origin == "recorded"), "")
        return next((cycles for where, cycles in self._runs.items() if where in recorded), self.source.cycles)


def _runs(name, source):
    """{machine and day: cycles a block} of each recorded run."""
    runs = {}
    for file in sorted(data.path("runs").glob(f"{name}*.json")):
        records = bench.load(file)
        where, size = records[0].where, records[0].what["bytes"]
        runs[f"{where['cpu']}, {where['date'][:10]}"] = source.per_block(recorded_cycles(records), size)
    return runs


# --- cycles against the budget --------------------------------------------------------------------------------------


def _label(technique, budget):
    return f"{technique}, {budget} registers"


_POINTS = {_label(t, b): (t, b) for t in TECHNIQUES for b in BUDGETS}


@cache
def moves(technique, budget):
    """Spills and reloads of one block."""
    roles = pressure.roles(Seen(technique, budget=budget).code)
    return roles.count("spill") + roles.count("reload")


class CurveSource(VariantSource):
    """Both techniques at every budget, 32-bit key loads."""

    def __init__(self):
        variants = [variant(label, t, budget=b) for label, (t, b) in _POINTS.items()]
        super().__init__(variants, [t for t, _ in _POINTS.values()])

    def verdict(self, rows):
        """From how many registers on more of them do not help, and how far apart the techniques are then."""
        best = {t: {_POINTS[r.label][1]: r.value for r in rows if r.series == t and r.value} for t in TECHNIQUES}
        if not all(best.values()):
            return "Too few steady samples.", "Run again when the machine is less busy."
        knees = ", ".join(f"{t} from {curve.knee(points)} registers on" for t, points in best.items())
        merged, split = (min(best[t].values()) for t in ("merged", "split"))
        words = "less" if split < merged else "more"
        detail = f"At its best, split takes {100 * abs(1 - split / merged):.1f} % {words} time than merged."
        return f"Within 1 % of its best: {knees}.", detail


class BudgetCurve(VariantPanel):
    """``knee(technique)`` is the least budget within 1 % of the technique's best; None before a run."""

    def __init__(self, rounds=40):
        self._ends = None
        words = "AES-128, ECB encryption, 32-bit key loads"
        super().__init__("register_budget", CurveSource(), "Cycles against registers", words, rounds)

    def _picture(self, rows):
        points = {_POINTS[row.label]: row for row in rows}
        if any(row.value for row in rows):
            low, high = curve.bounds(rows)
            before = self._ends or (low, high)
            self._ends = min(low, before[0]), max(high, before[1])
        return pressure.css() + curve.figure(points, BUDGETS, lambda row: moves(*_POINTS[row.label]), self._ends)

    def _values(self, technique):
        return {_POINTS[r.label][1]: r.value for r in self.rows.values() if r.series == technique and r.value}

    def knee(self, technique):
        values = self._values(technique)
        return curve.knee(values) if values else None

    def cost(self, technique):
        """Per cent of time that the smallest budget takes more than the largest; None before a run."""
        values = self._values(technique)
        return round(100 * (values[min(values)] / values[max(values)] - 1), 1) if values else None


# --- ablation -------------------------------------------------------------------------------------------------------


def _certain(cycles):
    """Whether there are enough rounds, and a control without effect."""
    control = effects(cycles, grid.FIRST).get(grid.CONTROL) if cycles.get(grid.FIRST) else None
    return control is not None and len(cycles[grid.CONTROL]) >= MIN_PAIRS and not control.differs


class AblationSource(VariantSource):
    """The four variants with all registers, and the first once more as a control."""

    def __init__(self):
        variants = [variant(label, *label.split(", ")) for label in grid.LABELS]
        control = variant(grid.CONTROL, *grid.FIRST.split(", "))
        super().__init__([*variants, control], controls=(grid.CONTROL,))

    def verdict(self, rows, cycles=None):
        """What each change saves here, and what both did in the source; ``cycles`` are by default those of the run."""
        cycles = cycles or self.cycles
        if not _certain(cycles):
            return "Cannot tell.", f"It takes {MIN_PAIRS} steady rounds and a control without an effect."
        found, then = effects(cycles, grid.FIRST), grid.core_2()
        said = "; ".join(f"{label}: {grid.says(found[label])}" for label in grid.LABELS[1:])
        gain = 100 * (1 - then["split, 2x64"] / then[grid.FIRST])
        return f"Against {grid.FIRST}: {said}.", f"On the Core 2 of 2008 both changes together saved {gain:.1f} %."


class Ablation(VariantPanel):
    """``effects`` are bench Effects by label ("split, 2x64") against the first."""

    def __init__(self, rounds=60):
        super().__init__(
            "register_ablation", AblationSource(), "Two changes, taken apart", "AES-128, ECB encryption", rounds
        )

    @property
    def effects(self):
        cycles = self._cycles if any(row.value for row in self.rows.values()) else {}
        return effects(cycles, grid.FIRST) if cycles.get(grid.FIRST) else {}

    def _picture(self, rows):
        return pressure.css() + grid.figure({row.label: row for row in rows}, self.effects, self.title)

    def _verdict(self, rows):
        return self.source.verdict(rows, self._cycles)

    @property
    def answer(self):
        """The change that saves more time by itself, or "cannot tell"; None before a run."""
        splitting, loads = (self.effects.get(label) for label in ("split, 4x32", "merged, 2x64"))
        if not (splitting and loads):
            return None
        if not _certain(self._cycles) or max(splitting.low, loads.low) <= min(splitting.high, loads.high):
            return "cannot tell"
        return "splitting" if splitting.ratio > loads.ratio else "64-bit key loads"
