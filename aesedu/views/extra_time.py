"""Source 003: what a call of the new code takes longer, by size, and the two pieces that describe it.

The frame is that of ``bench.interleaving.broken_line``, which does the arithmetic.
"""

import math
from html import escape
from itertools import pairwise
from zlib import crc32

from aesedu.views.chart import number, swatch
from aesedu.views.style import SERIES

_TOP, _PLOT, _FOOT, _LEFT, _RIGHT, _STEP = 34, 300, 36, 84, 20, 500  # px; ns between two levels
_ROOM = 5  # per cent of the width that the name of a size takes


class _Plot:
    def __init__(self, frame):
        values = [*frame.extra_ns, *frame.fitted]
        self.low = _STEP * math.floor(min(values) / _STEP)
        self.high = _STEP * math.ceil(max(values) / _STEP)
        self.sizes = sorted(set(frame.bytes))

    def x(self, size):
        """Per cent of the width, to scale."""
        return 100 * size / (1.04 * self.sizes[-1])

    @property
    def named(self):
        """The sizes whose names do not touch, from the largest down."""
        sizes = []
        for size in reversed(self.sizes):
            if not sizes or self.x(sizes[-1]) - self.x(size) >= _ROOM:
                sizes.append(size)
        return sizes

    def y(self, ns):
        return _TOP + _PLOT * (self.high - ns) / (self.high - self.low)

    def line(self, kind, start, end):
        (x1, y1), (x2, y2) = start, end
        return f'<line class="{kind}" x1="{x1:.2f}%" x2="{x2:.2f}%" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def chart(frame):
    """SVG: dots for the extra time of each key and size, lines for the fitted pieces, the break marked."""
    plot = _Plot(frame)
    body = _axes(plot) + _break(plot, min(frame.bytes[frame.begins]))
    for place, (_, key) in enumerate(frame.groupby("key_bits")):
        pieces = "".join(_piece(plot, piece) for _, piece in key.groupby("begins"))
        body += f'<g class="ae-{SERIES[place]}">{pieces}</g>'
        for row in key.itertuples():
            at = f'x="{plot.x(row.bytes):.2f}%" y="{plot.y(row.extra_ns):.1f}"'
            body += f'<svg {at} overflow="visible">{swatch(place)}</svg>'
    says = "; ".join(f"AES-{r.key_bits}, {r.bytes} bytes: {r.extra_ns:.0f}" for r in frame.itertuples())
    alt = f"<title>Extra time a call</title><desc>Nanoseconds. {escape(says)}</desc>"
    size = f'height="{_TOP + _PLOT + _FOOT}" style="padding:0 {_RIGHT}px 0 {_LEFT}px"'
    return f'<svg class="ae-svg" role="img" {size} data-v="{crc32(body.encode()):08x}">{alt}{body}</svg>'


def _piece(plot, piece):
    points = [(plot.x(row.bytes), plot.y(row.fitted)) for row in piece.sort_values("bytes").itertuples()]
    return "".join(plot.line("ae-whisker ae-thin", *ends) for ends in pairwise(points))


def _axes(plot):
    body = _text(-_LEFT, 14, "ns a call more than the old code", "start")
    for ns in range(plot.low, plot.high + 1, _STEP):
        body += plot.line("ae-rule" if ns else "ae-axis", (0, plot.y(ns)), (100, plot.y(ns)))
        words = f"{ns:+,}".replace("-", "\N{MINUS SIGN}") if ns else "the same"
        body += _text(-8, plot.y(ns) + 4.5, words, "end")
    foot = _TOP + _PLOT
    body += "".join(plot.line("ae-axis", (plot.x(size), foot), (plot.x(size), foot + 6)) for size in plot.sizes)
    names = (_text(f"{plot.x(size):.2f}%", foot + 22, f"{size:,}") for size in plot.named)
    return body + _text(-_LEFT, foot + 22, "bytes a call", "start") + "".join(names)


def _break(plot, size):
    """A rule at the first size that the new path serves."""
    x = plot.x(size)
    words = _text(8, _TOP + 14, f"from {size:,} bytes on another path", "start")
    words = f'<svg x="{x:.2f}%" overflow="visible">{words}</svg>'
    return plot.line("ae-axis", (x, _TOP), (x, _TOP + _PLOT)) + words


def _text(x, y, words, anchor="middle"):
    return f'<text class="ae-muted ae-num" x="{x}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def figure(frame):
    """HTML: ``chart`` with its legend."""
    icon = '<svg aria-hidden="true" width="14" height="14" viewBox="-8 -8 16 16">{}</svg>AES-{}'
    keys = "".join(f"<span>{icon.format(swatch(n), bits)}</span>" for n, bits in enumerate(sorted({*frame.key_bits})))
    worst = number((frame.extra_ns - frame.fitted).abs().max())
    note = f"Lines: a constant below the break, a straight line from it on; they miss no dot by more than {worst} ns."
    return f'<figure>{chart(frame)}<div class="ae-caption">{keys}<p>{note}</p></div></figure>'
