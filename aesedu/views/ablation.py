"""Two changes taken apart: technique and key loads in a grid, timed here, beside the two cells source 000 timed."""

from functools import cache
from html import escape

from aesedu import data
from aesedu.routines.ttable import KEY_LOADS, TECHNIQUES
from aesedu.views.chart import number
from aesedu.views.comparison import ratio_chart
from aesedu.views.plot import legend

FIRST = "merged, 4x32"  # what the others are held against
CONTROL = f"{FIRST} again"
LABELS = tuple(f"{technique}, {loads}" for technique in TECHNIQUES for loads in KEY_LOADS)
_COLUMNS = {"4x32": "four 32-bit key loads", "2x64": "two 64-bit key loads"}
_SOURCE = {"merged, 4x32": "stock", "split, 2x64": "patched"}  # the kernels of source 000


@cache
def core_2(direction="enc", key_bits=128, size=8192):
    """{label: cycles of the time-stamp counter for one block} on the Core 2 of source 000, ECB."""
    frame = data.tcrypt_core2_2008()
    rows = frame[(frame["mode"] == "ecb") & (frame.direction == direction)]
    rows = rows[(rows.key_bits == key_bits) & (rows.bytes == size)].set_index("kernel")
    return {label: float(rows.cycles[kernel]) * 16 / size for label, kernel in _SOURCE.items()}


def _cell(rows, effects, label):
    row, source = rows[label], core_2().get(label)
    unit = "core cycles a block" if row.value else escape(row.note or "not measured yet")
    here = f"{number(row.value) if row.value else ''} <small>{unit}</small>"
    said = "the first: the others are held against it" if label == FIRST else says(effects.get(label))
    origin = f" ({escape(row.origin)})" * (row.origin != "measured" and bool(row.value))
    then = f"Core 2, 2008: {number(source)} cycles" if source else "Core 2, 2008: not published"
    return f'<td><b>{here}</b><span>{said}{origin}</span><span class="ae-muted">{then}</span></td>'


def says(effect):
    """An effect in words: how much faster or slower, or "cannot tell"; "" for None."""
    if effect is None:
        return ""
    return str(effect) if effect.differs else "cannot tell"


def grid(rows, effects):
    """HTML: the four variants, each with its cycles here, its effect, and what the source has for it."""
    head = "".join(f'<th scope="col">{words}</th>' for words in _COLUMNS.values())
    lines = "".join(
        f'<tr><th scope="row">{t}</th>{"".join(_cell(rows, effects, f"{t}, {loads}") for loads in KEY_LOADS)}</tr>'
        for t in TECHNIQUES
    )
    caption = '<caption class="ae-sr">Cycles a block by technique and key loads</caption>'
    body = f"<thead><tr><td></td>{head}</tr></thead><tbody>{lines}</tbody>"
    return f'<table class="ae-table ae-grid">{caption}{body}</table>'


_CAPTION = (
    "Time of each variant over that of the first in the same round: median and 95 % interval; further left is faster. "
    "Hollow: the control, the first once more at other places in memory. Shaded: under 1 %, not credible."
)


def figure(rows, effects, title="Ablation"):
    """Grid and chart; ``rows`` are chart Rows by label in core cycles a block, ``effects`` bench Effects by label."""
    lines = [(label, effects.get(label), label == CONTROL) for label in (*LABELS[1:], CONTROL)]
    chart = ratio_chart(lines, title)
    return f"<figure>{grid(rows, effects)}{chart}{legend((), _CAPTION)}</figure>"
