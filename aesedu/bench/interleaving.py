"""Source 003's figures: 27 stated gains of woven AES-GCM, and what two logs of a ThunderX2 say of time a call.

tcrypt counts calls in a second. More calls and less time are not the same per cent: 17.41 % fewer calls are 21.08 %
more time each.
"""

from aesedu import data
from aesedu.bench import size_series

LARGE = 1024  # bytes from which the patch's mail says that the new path serves


def gains():
    """Return the 27 stated gains (%), a row for each cpu and key (bits), a column for each size (bytes)."""
    return data.gcm_interleave_gain().pivot_table(index=["cpu", "key_bits"], columns="bytes", values="gain_percent")


def changes():
    """Return the 24 cases of the ThunderX2 logs, both codes side by side.

    Columns: key_bits, bytes, old, new (calls a second), throughput (%; negative = fewer calls), old_ns, new_ns (a
    call), time (%; positive = longer calls), extra_ns (what a call takes longer).
    """
    logs = data.tcrypt_thunderx2_2021()
    cells = logs.pivot_table(index=["key_bits", "bytes"], columns="code", values="ops_per_s").reset_index()
    cells = cells.rename_axis(columns=None)[["key_bits", "bytes", "old", "new"]]
    cells["throughput"] = 100 * (cells.new / cells.old - 1)
    cells["old_ns"], cells["new_ns"] = 1e9 / cells.old, 1e9 / cells.new
    cells["time"] = 100 * (cells.new_ns / cells.old_ns - 1)
    cells["extra_ns"] = cells.new_ns - cells.old_ns
    return cells


def fits(cells):
    """Return fixed cost and slope of each key and code, over all sizes and over the large ones, with both weights.

    ``cells`` as from ``changes``. Columns: key_bits, sizes ("all", "large"), weights (see ``size_series.fit``),
    old_fixed, new_fixed (ns a call), old_slope, new_slope (ns a byte), slope (%, of the bytes a second that the slopes
    mean; negative = slower), miss (%: how far the new code's line misses its worst size). Where ways to fit disagree, a
    line is the wrong shape.
    """
    import pandas

    rows = []
    for bits, key in cells.groupby("key_bits"):
        for sizes, part in {"all": key, "large": key[key.bytes >= LARGE]}.items():
            for weights in ("equal", "relative"):
                old, new = (size_series.fit(part.bytes, part[f"{code}_ns"], "ns", weights) for code in ("old", "new"))
                miss = 100 * max(new.misses.values(), key=abs)
                slope = 100 * (old.slope / new.slope - 1)
                rows.append((bits, sizes, weights, old.fixed, new.fixed, old.slope, new.slope, slope, miss))
    columns = ["old_fixed", "new_fixed", "old_slope", "new_slope", "slope", "miss"]
    return pandas.DataFrame(rows, columns=["key_bits", "sizes", "weights", *columns])


def path_begins(cells):
    """Return for each key the size at which the new code takes another path: where its extra time breaks.

    Below it the extra time is taken to be constant, from it on a line; the size is the one that leaves least
    unexplained, with two sizes below and three from it on. Columns: key_bits, bytes, below_ns (mean extra time of the
    smaller sizes), at_ns (extra time there), unexplained (sum of squares, over that of one line through all sizes).
    """
    import pandas

    rows = []
    for bits, key in cells.groupby("key_bits"):
        key = key.sort_values("bytes").reset_index(drop=True)
        rests = {n: _rest(key[:n], 0) + _rest(key[n:], 1) for n in range(2, len(key) - 2)}
        n = min(rests, key=rests.get)
        rows.append((bits, key.bytes[n], key.extra_ns[:n].mean(), key.extra_ns[n], rests[n] / _rest(key, 1)))
    return pandas.DataFrame(rows, columns=["key_bits", "bytes", "below_ns", "at_ns", "unexplained"])


def _rest(cells, degree):
    """The sum of squares that a constant (0) or a line (1) leaves of the extra time."""
    import numpy

    line = numpy.polyfit(cells.bytes, cells.extra_ns, degree)
    return float(((cells.extra_ns - numpy.polyval(line, cells.bytes)) ** 2).sum())
