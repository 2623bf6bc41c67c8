"""Notebook 02 live: cycles against the register budget, and the two changes of source 000 taken apart."""

from dataclasses import replace
from functools import cache

from aesedu.bench.comparison import MIN_PAIRS
from aesedu.bench.rounds import effects
from aesedu.engines import engine
from aesedu.native.assembler import ISA
from aesedu.routines.ttable import TECHNIQUES
from aesedu.views import ablation as grid
from aesedu.views import budget_curve as curve
from aesedu.views import pressure
from aesedu.views.routine_explorer import BUDGETS, Seen
from aesedu.widgets.variants import VariantPanel, VariantSource

_ENGINES = {"4x32": "k32", "2x64": "k64"}


def reason():
    """Why the routines of this notebook cannot be timed here, "" where they can."""
    return "" if ISA == "x86_64" else f"this is x86-64 code, and this machine has {ISA}"


def variant(label, technique, key_loads="4x32", budget=None):
    """The engine of a T-table routine with a budget of registers, under another name."""
    made = engine(f"ttable-{technique}-{_ENGINES[key_loads]}")
    return replace(made, name=label, options={**made.options, "budget": budget})


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
        super().__init__(variants, [t for t, _ in _POINTS.values()], reason=reason())

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

    def cycles(self, technique):
        return {_POINTS[r.label][1]: r.value for r in self.rows.values() if r.series == technique and r.value}

    def knee(self, technique):
        values = self.cycles(technique)
        return curve.knee(values) if values else None

    def cost(self, technique):
        """Per cent of time that the smallest budget takes more than the largest; None before a run."""
        values = self.cycles(technique)
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
        super().__init__([*variants, control], controls=(grid.CONTROL,), reason=reason())

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
