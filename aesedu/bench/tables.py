"""What a table of tcrypt's says: changes between two, a fixed cost and a slope for each series, rows out of line.

A table is a frame with columns mode, direction, key_bits, bytes and cycles, from ``aesedu.data``, ``tcrypt.read`` or a
live run. A **series** is its rows of one mode, direction and key. A column ``series`` in a result names it as one word.
"""

from aesedu.bench import size_series
from aesedu.cipher.modes import aes_bits

SERIES = ["mode", "direction", "key_bits"]
CELL = [*SERIES, "bytes"]


def _named(frame):
    """The frame with a first column ``series``: "ecb enc 128"."""
    frame.insert(0, "series", [f"{row.mode} {row.direction} {row.key_bits}" for row in frame.itertuples()])
    return frame


def cycles(table, mode, direction, key_bits, size):
    """Return the cycles of one cell, or None where the table lacks it (as one does that is not measured yet)."""
    cells = {tuple(row[name] for name in CELL): row["cycles"] for row in table.to_dict("records") if "cycles" in row}
    return cells.get((mode, direction, key_bits, size))


def change(before, after):
    """Return a frame of the cells both tables have: their cycles and the change in per cent, negative = faster.

    Columns: series, mode, direction, key_bits, bytes, before, after, percent; rows in the order of ``before``.
    """
    cells = before[[*CELL, "cycles"]].merge(after[[*CELL, "cycles"]], on=CELL, suffixes=("_before", "_after"))
    cells.columns = [*CELL, "before", "after"]
    return _named(cells.assign(percent=100 * (cells.after - cells.before) / cells.before))


def fits(table, weights="relative"):
    """Return each series' fixed cost and slope: time = fixed + slope x bytes (``size_series.fit``).

    Columns: series, mode, direction, key_bits, fixed (cycles a call), slope (cycles a byte), block (cycles for 16
    bytes more), miss (per cent: how far the line misses its worst size). Raises ValueError for a series of one size.
    """
    import pandas

    rows = []
    for key, series in table.groupby(SERIES, sort=False):
        fit = size_series.fit(series.bytes, series.cycles, "cycles", weights)
        worst = max(fit.misses.values(), key=abs)
        rows.append((*key, fit.fixed, fit.slope, 16 * fit.slope, 100 * worst))
    return _named(pandas.DataFrame(rows, columns=[*SERIES, "fixed", "slope", "block", "miss"]))


def surplus(table):
    """Return how far the smallest size of each series lies from the line through its other sizes.

    Columns: series, mode, direction, key_bits, bytes, cycles, expected (cycles, by the line), percent. Raises
    ValueError for a series of fewer than three sizes.
    """
    import pandas

    rows = []
    for key, series in table.groupby(SERIES, sort=False):
        first, *others = series.sort_values("bytes").itertuples()
        fit = size_series.fit([row.bytes for row in others], [row.cycles for row in others], "cycles")
        expected = fit.fixed + fit.slope * first.bytes
        rows.append((*key, first.bytes, first.cycles, expected, 100 * (first.cycles / expected - 1)))
    return _named(pandas.DataFrame(rows, columns=[*CELL, "cycles", "expected", "percent"]))


def extra(table, key, than):
    """Return what AES with ``key`` bits takes longer than with ``than`` bits, in cycles, by series and size.

    A frame with one row for each mode and direction and one column for each size (bytes).
    """
    bits = [aes_bits(row.mode, row.key_bits) for row in table.itertuples()]
    cells = table.assign(aes=bits).pivot_table(index=["mode", "direction", "bytes"], columns="aes", values="cycles")
    return (cells[key] - cells[than]).unstack("bytes")
