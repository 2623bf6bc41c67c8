"""Dots with whiskers on a logarithmic axis: the picture of every timing in the suite."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from zlib import crc32

from aesedu.views.style import SERIES

ROW, HEAD, RIGHT = (
    32,
    36,
    32,
)  # px; the rows of ``aesedu.views.table.timings`` have the same heights and stand beside ours
_SHAPES = ("M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z", "M-5-5h10v10h-10z", "M0-7l7 7l-7 7l-7-7z", "M0-7l7 12h-14z")
_SHAPES += ("M0 7l7-12h-14z", "M-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z")  # circle, square, diamond, triangles, cross

_RING = f'<path class="ae-mark ae-hollow" d="{_SHAPES[0]}"/>'


@dataclass(frozen=True)
class Row:
    """One estimate, or the place of one that is not there yet.

    ``value``, ``low``, ``high``: estimate and 95 % interval in the chart's unit, all > 0. ``origin`` is "measured",
    "recorded" or "model". ``note`` says what stands in the way, or where a recording is from.
    """

    label: str
    series: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    samples: int = 0
    origin: str = "measured"
    note: str = ""


def number(value):
    """Three significant digits, thousands separated: 52,300, 1.76, 0.0842."""
    if not value or not math.isfinite(value):
        return str(value)
    digits = 2 - math.floor(math.log10(abs(float(f"{value:.2e}"))))
    return f"{round(value, digits):,.{max(0, digits)}f}"


def decades(rows: Sequence[Row]):
    """The whole decades (low, high) that hold every value and whisker; (0.1, 10) where there is none."""
    values = [v for r in rows for v in (r.value, r.low, r.high) if v]
    if not values:
        return 0.1, 10.0
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return 10.0**low, 10.0 ** max(high, low + 1)


def series_of(rows):
    """The names of the series, each once, in order: a name's place gives its colour and shape."""
    return list(dict.fromkeys(row.series for row in rows))


def swatch(place, hollow=False):
    """The colour class and shape of series number ``place``."""
    at = place % len(SERIES)
    return f'<path class="ae-mark ae-{SERIES[at]}{" ae-hollow" * hollow}" d="{_SHAPES[at]}"/>'


class _Axis:
    """Where a value lies, in per cent of the plot's width: text keeps its size whatever the width."""

    def __init__(self, bounds):
        self.low, self.high = (math.log10(bound) for bound in bounds)

    def __call__(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return 100 * min(1.0, max(0.0, share))

    def ticks(self):
        steps = (1, 2, 5) if self.high - self.low <= 2 else (1,)
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        ticks = [step * 10.0**power for power in powers for step in steps]
        return [tick for tick in ticks if self.low - 1e-9 <= math.log10(tick) <= self.high + 1e-9]


def _line(kind, x1, y1, x2, y2):
    return f'<line class="{kind}" x1="{x1:.2f}%" y1="{y1}" x2="{x2:.2f}%" y2="{y2}"/>'


def _text(x, y, text, kind="", anchor="start", dx=0):
    return f'<text class="{kind}" x="{x:.2f}%" y="{y}" dx="{dx}" text-anchor="{anchor}">{escape(text)}</text>'


def _rule(kind, y, left):
    """A rule over the full width, margins included: it meets that of a table beside the chart."""
    return f'<path class="{kind}" d="M{-left} {y}h{left}"/>{_line(kind, 0, y, 100, y)}' + (
        f'<svg x="100%" overflow="visible"><path class="{kind}" d="M0 {y}h{RIGHT}"/></svg>'
    )


def _frame(labels, left):
    rules = [_rule("ae-rule", HEAD + ROW * n - 0.5, left) for n in range(1, len(labels) + 1)]
    names = [f'<text x="{-left}" y="{HEAD + ROW * n + 20}">{escape(label)}</text>' for n, label in enumerate(labels)]
    return "".join(rules + names) + _rule("ae-axis", HEAD - 0.5, left)


def _tick(value):
    if value >= 1_000_000:
        return f"{value / 1_000_000:.10g}M"
    return f"{value / 1000:.10g}k" if value >= 10_000 else f"{value:,.10g}"


def _grid(axis, bottom):
    lines = [_line("ae-rule", axis(tick), HEAD - 6, axis(tick), bottom) for tick in axis.ticks()]
    names = [_text(axis(tick), 22, _tick(tick), "ae-muted ae-num", "middle") for tick in axis.ticks()]
    return "".join(lines + names)


def _point(row, axis, y, place, values, origins):
    """A whisker, a mark and words beside it, on the side where there is room."""
    at, low, high = axis(row.value), axis(row.low or row.value), axis(row.high or row.value)
    ends = "".join(_line("ae-whisker", x, y - 5, x, y + 5) for x in (low, high)) if high > low else ""
    whisker = f'<g class="ae-{SERIES[place % len(SERIES)]}">{_line("ae-whisker", low, y, high, y)}{ends}</g>'
    mark = f'<svg x="{at:.2f}%" y="{y}" overflow="visible">{swatch(place, row.origin != "measured")}</svg>'
    words = " ".join([number(row.value)] * values + [row.origin] * (origins and row.origin != "measured"))
    side = (low, y + 5, words, "ae-num", "end", -13) if at > 75 else (high, y + 5, words, "ae-num", "start", 13)
    return whisker + mark + _text(*side)


def _says(row, unit):
    if row.value is None:
        return f"{row.label}: {row.note or 'no value yet'}"
    interval = f", {number(row.low)} to {number(row.high)}" if row.low and row.high else ""
    origin = "" if row.origin == "measured" else f", {row.origin}"
    return f"{' '.join(filter(None, (row.label, row.series)))}: {number(row.value)} {unit}{interval}{origin}"


def legend(rows: Sequence[Row], unit="ns a byte", note=""):
    """HTML: what the marks, the axis and the whiskers of ``dots`` mean; ``note`` says it where they mean no timings."""
    marks = [(swatch(n), name) for n, name in enumerate(series_of(rows)) if name]
    if any(row.value and row.origin != "measured" for row in rows):
        marks.append((f'<g class="ae-key">{_RING}</g>', "hollow: not measured here"))
    icon = '<svg aria-hidden="true" width="14" height="14" viewBox="-8 -8 16 16">{}</svg>{}'
    keys = "".join(f"<span>{icon.format(mark, escape(name))}</span>" for mark, name in marks)
    return f'<div class="ae-caption">{keys}<p>{escape(note) or _axis_note(rows, unit)}</p></div>'


def _axis_note(rows, unit):
    note = f"{escape(unit)}, logarithmic: further left is faster."
    timed = [row for row in rows if row.value]
    if not timed or any(row.low and row.high for row in timed):
        note += " Whiskers: 95 % interval, where wider than the mark."
    return note


def dots(rows: Sequence[Row], unit="ns a byte", title="Timings", bounds=None, values=True, origins=True):
    """SVG: one line a label, a mark and its 95 % whisker for each of the label's rows, on a logarithmic axis.

    Series differ by colour and shape, recorded and model rows by hollow marks and, with ``origins``, the word.
    ``bounds`` (low, high) fixes the axis, so that it stands still while results come; default whole decades. ``values``
    writes each estimate beside its mark. The height depends only on the number of labels.
    """
    labels = list(dict.fromkeys(row.label for row in rows))
    names, axis = series_of(rows), _Axis(bounds or decades(rows))
    height = HEAD + ROW * len(labels)
    body = _grid(axis, height)
    for row in rows:
        y = HEAD + ROW * labels.index(row.label) + ROW // 2
        if row.value:
            body += _point(row, axis, y, names.index(row.series), values, origins)
        elif row.note:
            body += _text(0, y + 5, row.note, "ae-muted", dx=10)
    left = 24 + int(7.5 * max(map(len, labels), default=0))
    alt = f"<title>{escape(title)}</title><desc>{escape('; '.join(_says(row, unit) for row in rows))}</desc>"
    version = f"{crc32(repr(rows).encode()):08x}"  # changes when the picture does; browser tests wait for it
    attributes = f'role="img" height="{height}" style="padding:0 {RIGHT}px 0 {left}px" data-v="{version}"'
    return f'<svg class="ae-svg" {attributes}>{alt}{_frame(labels, left)}{body}</svg>'


def figure(rows, unit="ns a byte", title="Timings", bounds=None):
    """``dots`` with its legend beneath: a picture to be shown on its own."""
    return f"<figure>{dots(rows, unit, title, bounds)}{legend(rows, unit)}</figure>"
