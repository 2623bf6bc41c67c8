"""Cycles against a number, the register budget by default: a curve for each series, dots with whiskers."""

import math

from aesedu.views import plot as draw
from aesedu.views.chart import number, series_of, swatch
from aesedu.views.plot import text
from aesedu.views.style import SERIES
from aesedu.views.table import table

_TOP, _HEIGHT, _FOOT, _LEFT, _RIGHT = 30, 250, 52, 52, 24  # px
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def bounds(rows):
    """The whole tens (low, high) that hold every value; (100, 150) where there is none."""
    values = [row.value for row in rows if row.value]
    if not values:
        return 100, 150
    return 10 * math.floor(0.98 * min(values) / 10), 10 * math.ceil(1.02 * max(values) / 10)


class _Plot:
    def __init__(self, budgets, ends):
        self.budgets, (self.low, self.high) = budgets, ends

    def x(self, budget):
        """Per cent of the width."""
        return 100 * (self.budgets.index(budget) + 0.5) / len(self.budgets)

    def y(self, value):
        """px; what lies outside stops at the edge."""
        share = (self.high - value) / (self.high - self.low)
        return _TOP + _HEIGHT * min(1, max(0, share))

    def line(self, kind, start, end):
        """A line between two places (x in per cent of the width, y in px)."""
        (x1, y1), (x2, y2) = start, end
        return f'<line class="{kind}" x1="{x1:.2f}%" y1="{y1:.1f}" x2="{x2:.2f}%" y2="{y2:.1f}"/>'

    def level(self, kind, y):
        """A line across at y px."""
        return self.line(kind, (0, y), (100, y))


def _axes(plot, across):
    step = next(s for s in _STEPS if (plot.high - plot.low) / s <= 6 or s == _STEPS[-1])
    ticks = range(math.ceil(plot.low / step) * step, plot.high + 1, step)
    levels = "".join(plot.level("ae-rule", plot.y(t)) + text(-8, plot.y(t) + 4, t, "end") for t in ticks)
    bottom = _TOP + _HEIGHT
    names = "".join(text(f"{plot.x(b):.2f}%", bottom + 20, b) for b in plot.budgets)
    levels += text(-_LEFT, 12, "core cycles a block", "start")
    return levels + plot.level("ae-axis", bottom) + names + text("50%", bottom + 42, across, kind="ae-muted")


def _curve(plot, place, points):
    """One technique: its dots by budget, lines between neighbours, whiskers, marks on top."""
    at = {b: (plot.x(b), plot.y(r.value)) for b, r in sorted(points.items())}
    budgets = list(at)
    lines = "".join(plot.line("ae-whisker ae-thin", at[a], at[b]) for a, b in zip(budgets, budgets[1:], strict=False))
    marks = "".join(_mark(plot, place, *at[b], points[b]) for b in budgets)
    return f'<g class="ae-{SERIES[place]}">{lines}</g>{marks}'


def _mark(plot, place, x, y, row):
    low, high = plot.y(row.low), plot.y(row.high)
    whisker = plot.line("ae-whisker", (x, low), (x, high))
    mark = f'<svg x="{x:.2f}%" y="{y:.1f}" overflow="visible">{swatch(place, row.origin != "measured")}</svg>'
    return f'<g class="ae-{SERIES[place]}">{whisker}</g>{mark}'


def chart(rows, budgets, ends=None, title="Cycles against the register budget", across="registers"):
    """SVG of ``rows`` ({(series, budget): Row in core cycles a block}); those without a value are left out.

    ``budgets`` are the places along the axis and ``across`` names it; ``ends`` (low, high) fixes the other axis. The
    height is always the same.
    """
    timed = {key: row for key, row in rows.items() if row.value}
    plot = _Plot(budgets, ends or bounds(timed.values()))
    body, names = _axes(plot, across), series_of(rows.values())
    for place, name in enumerate(names):
        body += _curve(plot, place, {b: row for (t, b), row in timed.items() if t == name})
    says = "; ".join(f"{t}, {b} {across}: {number(r.value)}" for (t, b), r in timed.items()) or "not measured yet"
    if not timed:
        why = next((row.note for row in rows.values() if row.note), "not measured yet")
        body += text("50%", _TOP + _HEIGHT / 2, why, kind="ae-muted")
    return draw.frame(body, title, says, _TOP + _HEIGHT + _FOOT, _LEFT, _RIGHT)


def legend(rows, from_zero=False):
    """HTML: the marks and the axis."""
    marks = [(swatch(n), name) for n, name in enumerate(series_of(rows.values()))]
    if any(row.value and row.origin != "measured" for row in rows.values()):
        marks.append(("", "hollow: not measured here"))
    axis = "" if from_zero else "; the axis does not begin at 0"
    return draw.legend(marks, f"Core cycles a block{axis}. Whiskers: 95 % interval, where wider than the mark.")


def numbers(rows, budgets, moves=None, across="registers"):
    """The same as a table; ``moves(row)`` counts spills and reloads a block."""
    names, more = series_of(rows.values()), ["spills, reloads"] * bool(moves)
    columns = (across, *(c for name in names for c in (f"{name}: cycles", "95 % interval", *more)))
    lines = [(b, *(cell for name in names for cell in _cells(rows[name, b], moves))) for b in budgets]
    return table(columns, lines, f"Cycles by {across}")


def _cells(row, moves):
    if not row.value:
        return "", "", *[""] * bool(moves)
    return number(row.value), f"{number(row.low)} to {number(row.high)}", *([moves(row)] if moves else [])


def figure(rows, budgets, moves=None, ends=None, title="Cycles against the register budget", across="registers"):
    """Chart, legend and numbers."""
    lines = f"<details><summary>Numbers</summary>{numbers(rows, budgets, moves, across)}</details>"
    below = legend(rows, bool(ends) and ends[0] == 0)
    return f"<figure>{chart(rows, budgets, ends, title, across)}{below}</figure>{lines}"


def knee(points, credible=0.01):
    """The least budget whose value is within 1 % of the best; ``points`` are values by budget, None where empty."""
    best = min(points.values(), default=None)
    return next((b for b, value in sorted(points.items()) if value <= best * (1 + credible)), None)
