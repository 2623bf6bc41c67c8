"""What a table of bench-slope's says: speed-ups between two, and the cycles of one round of AES.

A table is a frame with columns key_bits, mode, op and cycles_per_byte, from ``aesedu.data``, ``bench_slope.read`` or a
live run; a column phase keeps tables apart that stand in one frame.
"""

from decimal import ROUND_HALF_UP, Decimal

from aesedu.bench import size_series
from aesedu.cipher import BLOCK_BYTES

ROW = ["mode", "op"]
CELL = [*ROW, "key_bits"]


def rounds(key_bits):
    """Return Nr of FIPS-197: 10, 12 or 14 for keys of 128, 192 or 256 bits."""
    return key_bits // 32 + 6


def speed_ups(before, after, stated=None):
    """Return how many times as fast each cell has become: the ratio of cycles a byte, rounded half up.

    Columns: mode, op, key_bits, before, after (cycles a byte), factor (two decimals), and stated, the factor in the
    frame ``stated`` or NaN. Rows in the order of ``before``.
    """
    columns = [*CELL, "cycles_per_byte"]
    cells = before[columns].merge(after[columns], on=CELL, suffixes=("_before", "_after"))
    cells.columns = [*CELL, "before", "after"]
    cells["factor"] = [_ratio(row.before, row.after) for row in cells.itertuples()]
    if stated is not None:
        cells = cells.merge(stated.rename(columns={"factor": "stated"}), on=CELL, how="left")
    return cells


def _ratio(before, after):
    """Of the figures as printed: a binary fraction of them may fall to the wrong side of a half."""
    return float((Decimal(str(before)) / Decimal(str(after))).quantize(Decimal("0.01"), ROUND_HALF_UP))


def per_round(table):
    """Return what a round costs: cycles a block = rest + round x rounds, a line through the key sizes of each row.

    Columns: phase where there is one, mode, op, round (cycles a round), rest (cycles a block), miss (cycles a block:
    how far the line misses its worst point). Raises ValueError for a row with one key size.
    """
    import pandas

    by, rows = [name for name in ("phase", *ROW) if name in table], []
    for key, cells in table.groupby(by, sort=False):
        blocks = BLOCK_BYTES * cells.cycles_per_byte
        fit = size_series.fit(rounds(cells.key_bits), blocks, "cycles", weights="equal")
        miss = max(abs(fit.misses[n] * cycles) for n, cycles in zip(rounds(cells.key_bits), blocks, strict=True))
        rows.append((*key, fit.slope, fit.fixed, miss))
    return pandas.DataFrame(rows, columns=[*by, "round", "rest", "miss"])
