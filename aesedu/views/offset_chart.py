"""The time at each place of a key schedule against the time at the start of a line: dots with whiskers over offsets."""

from collections.abc import Mapping, Sequence
from html import escape

from aesedu.layout import LINE, WORD, Spot, spots
from aesedu.views import plot
from aesedu.views.chart import Row
from aesedu.views.plot import text
from aesedu.views.table import table

_LEFT, _RIGHT, _TOP, _PLOT, _FOOT = 92, 12, 14, 220, 92  # px
_SLOTS = LINE // WORD + 3  # the offsets, a gap, two across a page
_DOUBT = 0.01  # effects under 1 % are not credible
_KINDS = {64: ("blue", "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z"), 32: ("green", "M-5-5h10v10h-10z")}
_CROSSING = ("vermilion", "M0-7l7 7l-7 7l-7-7z")


def _slot(spot):
    """The number of a spot's column, from 0."""
    return spot.offset // WORD + (LINE // WORD + 1) * spot.across


def _bounds(rows):
    """The lowest and highest change of time on the axis, 4 % at least."""
    ends = [end - 1 for row in rows for end in (row.low, row.high) if end]
    return min([-0.04, *(1.05 * end for end in ends)]), max([0.04, *(1.05 * end for end in ends)])


class _Axis:
    """px of a change of time; slower is higher."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __call__(self, change):
        return _TOP + _PLOT * (self.high - change) / (self.high - self.low)

    def ticks(self):
        """The changes at which there is a rule, seven at most."""
        step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 10) if (self.high - self.low) / s <= 6 or s == 10)
        return [step * n for n in range(int(self.low / step), int(self.high / step) + 1)]


def _kind(spot, key_bits):
    return _CROSSING if spot.crossing(key_bits) else _KINDS[spot.width]


def _frame(axis):
    top, bottom = axis(_DOUBT), axis(-_DOUBT)
    body = f'<rect class="ae-doubt" x="0" width="100%" y="{top:.1f}" height="{bottom - top:.1f}"/>'
    for tick in axis.ticks():
        kind, y = ("ae-rule", "ae-axis")[abs(tick) < 1e-9], axis(tick)
        words = plot.percent(100 * tick) if kind == "ae-rule" else "as at 0"
        body += f'<line class="{kind}" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        body += text(-12, y + 4.5, words, anchor="end")
    return body


def _foot(key_bits):
    """Beneath each column its offset, and how many of its 64-bit loads cross a line."""
    y, body = _TOP + _PLOT + 26, ""
    for spot in (Spot(64, 0), *(spot for spot in spots(64) if not spot.again)):
        x = f"{100 * (_slot(spot) + 0.5) / _SLOTS:.2f}%"
        body += text(x, y, spot.offset) + text(x, y + 24, spot.crossing(key_bits))
    body += text(-_LEFT, y, "offset", anchor="start") + text(-_LEFT, y + 24, "crossing", anchor="start")
    body += text(0, y + 50, "offset: bytes from the start of a line to the first round key", anchor="start")
    return body + text("100%", y + 50, "across a page", anchor="end")


def _point(spot, row, axis, key_bits):
    beside = 0.32 if spot.width == 64 else 0.68  # the widths stand side by side
    x, (colour, shape) = f"{100 * (_slot(spot) + beside) / _SLOTS:.2f}%", _kind(spot, key_bits)
    hollow = " ae-hollow" * (spot.again or row.origin != "measured")
    y, low, high = (axis(end - 1) for end in (row.value, row.low, row.high))
    whisker = f'<line class="ae-whisker" x1="{x}" x2="{x}" y1="{low:.1f}" y2="{high:.1f}"/>'
    mark = f'<svg x="{x}" y="{y:.1f}" overflow="visible"><path class="ae-mark{hollow}" d="{shape}"/></svg>'
    return f'<g class="ae-{colour}">{whisker}{mark}</g>'


def chart(places: Sequence[Spot], rows: Mapping[str, Row], key_bits, title):
    """SVG: for each spot its row's ratio of times to that at offset 0 of the same width, with its 95 % interval.

    ``rows`` go by ``Spot.label``; a row without a value leaves its place empty. The control, "0 again", stands at
    offset 0 and is hollow; so is what was recorded elsewhere.
    """
    shown = [(spot, rows[spot.label]) for spot in places if rows[spot.label].value]
    axis = _Axis(*_bounds([row for _, row in shown]))
    body = _frame(axis) + _foot(key_bits) + "".join(_point(*each, axis, key_bits) for each in shown)
    says = "; ".join(f"{row.label}: {_change(row.value)}" for _, row in shown) or "not measured yet"
    return plot.frame(body, title, says, _TOP + _PLOT + _FOOT, _LEFT, _RIGHT)


def _change(ratio):
    return plot.percent(100 * (ratio - 1), 1)


def legend(rows):
    """HTML: what the marks mean, and where they are from unless they were measured here."""
    kinds = {_KINDS[64]: "64-bit loads, none crosses a line", _CROSSING: "64-bit loads, some cross"}
    kinds |= {_KINDS[32]: "32-bit loads"}
    marks = [('<path class="ae-mark ae-{}" d="{}"/>'.format(*kind), says) for kind, says in kinds.items()]
    note = "Time against that at the start of a line, pair by pair: median and 95 % interval; higher is slower."
    recorded = next((f", and all that was {row.note}" for row in rows if row.origin == "recorded"), "")
    more = f"Hollow: the control, 0 against itself{escape(recorded)}. Shaded: effects under 1 %."
    return plot.legend(marks, f"{note} {more}")


def figure(places, rows, key_bits, title):
    """HTML: ``chart`` with its legend."""
    return f"<figure>{chart(places, rows, key_bits, title)}{legend(rows.values())}</figure>"


def percent(row):
    """A row's change of time and its interval: "+0.3 % (-0.2 to +0.9)", with true minus signs, or "not known"."""
    if not row.value:
        return "not known"
    value, *ends = (_change(each).removesuffix(" %") for each in (row.value, row.low, row.high))
    return f"{value} % ({' to '.join(ends)})"


def numbers(labels, rows, title):
    """HTML: the rows of these labels as a table."""
    shown = [rows[label] for label in labels if rows[label].value]
    body = [(r.label, _change(r.value), f"{_change(r.low)} to {_change(r.high)}", r.samples) for r in shown]
    return table(("key schedule", "time", "95 % interval", "pairs"), body, title)
