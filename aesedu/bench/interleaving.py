"""Source 003's figures: 27 stated gains of woven AES-GCM, and what two logs of a ThunderX2 say of time a call.

tcrypt counts calls in a second. More calls and less time are not the same per cent: 17.41 % fewer calls are 21.08 %
more time each.
"""

from functools import cache

from aesedu import data, machines, pipeline
from aesedu.bench import size_series
from aesedu.cipher.key_schedule import ROUNDS
from aesedu.codegen import generate, weave
from aesedu.pipeline.limits import limits
from aesedu.routines import gcm

LARGE = 1024  # bytes from which the patch's mail says that the new path serves
_WHOLE = 1 << 20  # a grain no recording is longer than: they follow one another
_PASSES = 20  # of a chunk in the model: its slope is within 1 % of that of 50 by then


@cache
def code(form, blocks=4, key_bits=128, isa="x86_64"):
    """Return the Code that encrypts and hashes a chunk of so many blocks; ``form`` as in ``routines.gcm.FORMS``."""
    parts = gcm.parts("enc", form, blocks, rounds=ROUNDS[key_bits])
    woven = weave(*parts, grain=1 if form == "woven" else _WHOLE)
    return generate(woven, isa, encoding="vex" if isa == "x86_64" else None)


def model(machine, form, blocks=4, key_bits=128):
    """Return the cycles of one block in the model of a core, in a long message. Raises MachineError."""
    return _model(machines.load(machine), form, blocks, key_bits)


@cache
def _model(core, form, blocks, key_bits):
    operations = pipeline.loop(code(form, blocks, key_bits, core.isa), core.isa)
    return pipeline.cycles(operations, core, _PASSES) / blocks


def bounds(machine, form="woven", sizes=(1, 2, 4, 8)):
    """Return cycles a block, by blocks a chunk: each of ``pipeline.limits`` alone, then the model with all of them."""
    import pandas

    core, rows = machines.load(machine), []
    for blocks in sizes:
        found = limits(pipeline.loop(code(form, blocks, isa=core.isa), core.isa), core)
        alone = {limit: cycles / blocks for limit, cycles in found.items()}
        rows.append({"blocks": blocks, **alone, "model": model(machine, form, blocks)})
    return pandas.DataFrame(rows)


def gains():
    """Return the 27 stated gains (%), a row for each cpu and key (bits), a column for each size (bytes)."""
    return data.gcm_interleave_gain().pivot_table(index=["cpu", "key_bits"], columns="bytes", values="gain_percent")


def gains_beside_model():
    """Return the nine gains at 8 KiB and the model's, of a long message, woven over sequential in chunks of four.

    Columns: cpu, key_bits, stated, model (%, more bytes a second).
    """
    import pandas

    rows = [
        (cpu, bits, gain, 100 * (model(cpu.lower(), "sequential", 4, bits) / model(cpu.lower(), "woven", 4, bits) - 1))
        for (cpu, bits), gain in gains()[8192].items()
    ]
    return pandas.DataFrame(rows, columns=["cpu", "key_bits", "stated", "model"])


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
    mean; negative = slower), miss (%: by how much the new code's line misses its worst size, either way). Where ways
    to fit disagree, a line is the wrong shape.
    """
    import pandas

    rows = []
    for bits, key in cells.groupby("key_bits"):
        for sizes, part in {"all": key, "large": key[key.bytes >= LARGE]}.items():
            for weights in ("equal", "relative"):
                old, new = (size_series.fit(part.bytes, part[f"{code}_ns"], "ns", weights) for code in ("old", "new"))
                miss = 100 * max(map(abs, new.misses.values()))
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


def broken_line(cells):
    """Return the extra time of each case and what the two pieces of ``path_begins`` make of it.

    Columns: key_bits, bytes, extra_ns, fitted (ns a call), begins (whether the new path serves this size).
    """
    import pandas

    found = path_begins(cells).set_index("key_bits").bytes
    pieces = []
    for (_, begins), piece in cells.groupby(["key_bits", cells.bytes >= cells.key_bits.map(found)]):
        fitted = _fitted(piece, int(begins))
        pieces.append(piece.assign(fitted=fitted, begins=begins)[["key_bits", "bytes", "extra_ns", "fitted", "begins"]])
    return pandas.concat(pieces, ignore_index=True)


def _fitted(cells, degree):
    """The extra time by a constant (0) or a line (1)."""
    import numpy

    return numpy.polyval(numpy.polyfit(cells.bytes, cells.extra_ns, degree), cells.bytes)


def _rest(cells, degree):
    """The sum of squares that a constant or a line leaves of the extra time."""
    return float(((cells.extra_ns - _fitted(cells, degree)) ** 2).sum())
