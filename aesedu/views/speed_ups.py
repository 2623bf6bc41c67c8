"""Source 002 line by line: cycles a byte before and after the AES instructions, and how many times as fast that is.

Frames are those of ``aesedu.bench.slope_tables``, which does the arithmetic.
"""

from aesedu.views.chart import Row, dots, legend, number
from aesedu.views.table import table

UNIT = "cycles a byte"
SERIES = ("A53, before", "A53, after", "this machine")


def board(found, live=None, engine=""):
    """HTML: ``found`` (``slope_tables.speed_ups`` of one key size) as chart and table; ``live`` adds cycles a byte.

    ``live`` is {(mode, op): cycles a byte} of a run of ``engine`` on this machine.
    """
    live = live or {}
    points = [point for row in found.itertuples() for point in _points(row, live)]
    title = f"Cycles a byte, AES-{found.key_bits.iloc[0]}"
    chart = f"<figure>{dots(points, UNIT, title, (0.1, 100), values=False, origins=False)}</figure>"
    columns = ("what", "before", "after", "times as fast", "stated", *[f"{engine} here".strip()] * bool(live))
    rows = [_cells(row, live) for row in found.itertuples()]
    return f'<div class="ae-side ae-tight">{chart}{table(columns, rows, title)}{legend(points, UNIT)}</div>'


def _points(row, live):
    label = f"{row.mode} {row.op}"
    values = (row.before, row.after, live.get((row.mode, row.op)))
    origins = ("recorded", "recorded", "measured")
    return [Row(label, s, value, origin=o) for s, value, o in zip(SERIES, values, origins, strict=True) if value]


def _cells(row, live):
    stated = f"{row.stated:.2f}" if row.stated == row.stated else ""  # NaN is unequal to itself
    cells = f"{row.before:.2f}", f"{row.after:.2f}", f"{row.factor:.2f}", stated
    here = live.get((row.mode, row.op))
    return f"{row.mode} {row.op}", *cells, *([number(here) if here else ""] if live else [])


def sentence(found):
    """The range of one key size's factors, and how many of them the message states."""
    low, high = (found.loc[found.factor.agg(end)] for end in ("idxmin", "idxmax"))
    agree = int((found.stated == found.factor).sum())
    return (
        f"AES-{low.key_bits}: from {low.factor:.2f} times as fast ({low['mode']} {low.op}) to {high.factor:.2f} "
        f"({high['mode']} {high.op}).",
        f"{agree} of {len(found)} factors stand in the message, equal to ours; the others it leaves to the reader.",
    )
