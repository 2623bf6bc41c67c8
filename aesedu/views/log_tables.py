"""Tables of tcrypt's beside each other: bars in each cell, lines as printed, changes and what stands out.

Frames are those of ``aesedu.bench.tables``, which does the arithmetic.
"""

import math
from collections.abc import Mapping
from html import escape

from aesedu.views import plot, style
from aesedu.views.chart import number, swatch
from aesedu.views.style import SERIES
from aesedu.views.table import table

_CSS = """
.ae-bars.ae-table, .ae-numbers .ae-table.ae-table { width: 100% }
.ae-numbers { justify-self: start; min-width: min(100%, 620px) }
.ae-view > :is(.ae-numbers, .ae-table, figure) { max-width: 1108px; width: 100% }
.ae-bars caption { text-align: left; padding-bottom: 2px }
.ae-bars :is(th, td) { vertical-align: bottom }
.ae-bars td { min-width: 92px }
.ae-bars td i { display: block; height: 5px; margin: 2px 0 0 auto; background: var(--ae-line) }
.ae-bars.ae-table :is(th, td) { height: 34px; line-height: 18px }
.ae-bars tr.ae-first > * { border-top: 1px solid var(--ae-edge) }
.ae-bars td:nth-child(2) { padding-right: 8px }
.ae-log.ae-log {
  margin: 0; padding: 8px 12px; overflow-x: auto; color: inherit; background: var(--ae-surface); border-radius: 6px;
  font: 12.5px/19px var(--jp-code-font-family, ui-monospace, monospace);
}
"""


def css():
    """The style sheet of this view, beside the suite's."""
    return f"<style>{_CSS}</style>"


def shown(body, title):
    """HTML that stands by itself: a view of this module with style sheets and title."""
    return style.page(css() + body, title)


# --- cell by cell -----------------------------------------------------------------------------------------------------


def cells(sources: Mapping, mode, direction, per_byte=False):
    """HTML: one mode and direction, a row for each key size and source, a column for each size in bytes.

    Each bar is relative to the longest of its cell, over all sources. ``per_byte`` divides by the size.
    """
    picked = {name: _pick(frame, mode, direction) for name, frame in sources.items()}
    sizes = sorted({size for values in picked.values() for _, size in values})
    keys = sorted({key for values in picked.values() for key, _ in values})
    unit = "cycles a byte" if per_byte else "cycles a call"
    head = "".join(f'<th scope="col">{size} bytes</th>' for size in sizes)
    body = "".join(
        _row(key, name, n, values, picked.values(), sizes, per_byte)
        for key in keys
        for n, (name, values) in enumerate(picked.items())
    )
    title = escape(f"{mode} {direction}, {unit}")
    return (
        f'<table class="ae-table ae-bars"><caption>{title}</caption><thead><tr><th scope="col">key bits'
        f'</th><th scope="col" class="ae-text">measured on</th>{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def _pick(frame, mode, direction):
    rows = frame[(frame["mode"] == mode) & (frame.direction == direction)]
    return {(row.key_bits, row.bytes): row.cycles for row in rows.itertuples()}


def _row(key, name, n, values, everybody, sizes, per_byte):
    """One source's row; the first of a key names the key."""
    tds, colour = "", SERIES[n % len(SERIES)]
    for size in sizes:
        value, longest = values.get((key, size)), max(other.get((key, size), 0) for other in everybody)
        shown = "" if value is None else number(value / size) if per_byte else f"{value:,.0f}"
        bar = f'<i class="ae-{colour}" style="width:{100 * value / longest:.1f}%"></i>' if value else ""
        tds += f'<td class="ae-num">{shown or "–"}{bar}</td>'
    first = "" if n else ' class="ae-first"'
    bits = f'<span class="ae-sr">{key}</span>' if n else key
    heading = f'<th scope="row">{bits}</th><td class="ae-text">{escape(name)}</td>'
    return f"<tr{first}>{heading}{tds}</tr>"


# --- as printed -------------------------------------------------------------------------------------------------------


def log(sources: Mapping, mode, direction):
    """HTML: the same rows as tcrypt prints them, each source's cycles in a column of its own."""
    picked = {name: _pick(frame, mode, direction) for name, frame in sources.items()}
    tests = dict.fromkeys(cell for values in picked.values() for cell in values)
    lines = [f"testing speed of {mode}(aes) {direction}ryption".ljust(55) + "".join(name.rjust(20) for name in picked)]
    for n, (key, size) in enumerate(tests):
        start = f"test {n} ({key} bit key, {size} byte blocks): 1 operation in".ljust(55)
        cycles = (values.get((key, size)) for values in picked.values())
        columns = "".join(("not run" if each is None else f"{each:.0f} cycles").rjust(20) for each in cycles)
        lines.append(f"{start}{columns}   ({size} bytes)")
    return f'<pre class="ae-log" tabindex="0">{escape(chr(10).join(lines))}</pre>'


def sentence(sources: Mapping, mode, direction):
    """What the longest message with the shortest key says: each source against the first, in words."""
    picked = {name: _pick(frame, mode, direction) for name, frame in sources.items()}
    picked = {name: values for name, values in picked.items() if values}
    if not picked:
        return f"No source has {mode} {direction}.", ""
    (first, values), *others = picked.items()
    key, size = min(values)[0], max(cell[1] for cell in values)
    shares = {name: rows[key, size] / values[key, size] for name, rows in others if (key, size) in rows}
    told = "; ".join(f"{name} {number(share)} times" for name, share in shares.items())
    return (
        f"{mode} {direction}, {key} key bits, {size:,} bytes: {first} takes {values[key, size]:,.0f} cycles.",
        "Bars are relative to the longest of their cell." + f" Against the cycles of {first}: {told}." * bool(told),
    )


# --- changes ----------------------------------------------------------------------------------------------------------

_TOP, _LEFT, _RIGHT, _PLOT, _FOOT = 24, 92, 16, 260, 34  # px
_WAY = {"enc": "encryption", "dec": "decryption"}  # a kind's place gives its colour and shape
_FASTER = "Change of cycles; below the line is faster."


class _Scale:
    """px of a per cent, on an axis by five that holds all of them."""

    def __init__(self, percents):
        self.low, self.high = 5 * math.floor(min(percents) / 5), 5 * math.ceil(max(percents) / 5)

    def __call__(self, percent):
        return _TOP + _PLOT * (self.high + 1 - percent) / (self.high - self.low + 2)

    def level(self, percent):
        kind = "ae-rule" if percent else "ae-axis"
        words = f"{percent} %".replace("-", "\N{MINUS SIGN}") if percent else "no change"
        y = self(percent)
        return (
            f'<line class="{kind}" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="ae-muted ae-num" x="-8" y="{y + 4.5:.1f}" text-anchor="end">{words}</text>'
        )


def changes(frame, mark=2, kinds=_WAY):
    """SVG: changes in per cent, a column for each size; the ``mark`` furthest from the median are named.

    ``frame`` has bytes, series, direction (a key of ``kinds``) and percent, as from ``tables.change``.
    """
    sizes, keys, scale = sorted(set(frame.bytes)), list(dict.fromkeys(frame.series)), _Scale(frame.percent)
    named = set(frame.percent.sub(frame.percent.median()).abs().nlargest(mark).index)
    body = "".join(map(scale.level, range(scale.low, scale.high + 1, 5)))
    for n, size in enumerate(sizes):
        x = f"{100 * (n + 0.5) / len(sizes):.2f}%"
        body += f'<text class="ae-muted" x="{x}" y="{_TOP + _PLOT + 26}" text-anchor="middle">{size} bytes</text>'
    for row in frame.itertuples():
        beside = 0.14 + 0.72 * keys.index(row.series) / max(1, len(keys) - 1)
        x = 100 * (sizes.index(row.bytes) + beside) / len(sizes)
        body += _dot(x, scale(row.percent), row, list(kinds).index(row.direction), row.Index in named)
    low, high, mean = frame.percent.min(), frame.percent.max(), frame.percent.mean()
    says = f"average {mean:.2f}, from {low:.2f} to {high:.2f} per cent"
    return plot.frame(body, f"Changes of {len(frame)} cells", says, _TOP + _PLOT + _FOOT, _LEFT, _RIGHT)


def _dot(x, y, row, kind, named):
    mark = f'<svg x="{x:.2f}%" y="{y:.1f}" overflow="visible"><g transform="scale({1 if named else 0.6})">'
    mark += f"{swatch(kind, hollow=named)}</g></svg>"
    words = f"{row.series}: {plot.percent(row.percent, 2)}"
    label = f'<text class="ae-num" x="{x:.2f}%" y="{y + 4.5:.1f}" dx="14">{words}</text>' if named else ""
    return mark + label


def change_figure(frame, mark=2, kinds=_WAY, note=_FASTER):
    """HTML: ``changes`` with its legend; ``note`` says what is above and what below the line."""
    icon = '<svg aria-hidden="true" width="14" height="14" viewBox="-8 -8 16 16">{}</svg>{}'
    keys = "".join(f"<span>{icon.format(swatch(n), name)}</span>" for n, name in enumerate(kinds.values()))
    more = f"{len(frame)} cells. " + f"Hollow: the {mark} furthest from the median." * bool(mark)
    return f'<figure>{changes(frame, mark, kinds)}<div class="ae-caption">{keys}<p>{note} {more}</p></div></figure>'


def numbers(frame, caption):
    """HTML: any frame as a table, numbers with three significant digits."""
    text = [name for name in frame if frame[name].dtype.kind not in "if"]
    rows = [tuple(map(_cell, row)) for row in frame.itertuples(index=False)]
    body = table([str(name) for name in frame], rows, caption, text=text)
    return f'<div class="ae-numbers">{body}</div>'


def _cell(value):
    return number(value).replace("-", "\N{MINUS SIGN}") if isinstance(value, float) else value
