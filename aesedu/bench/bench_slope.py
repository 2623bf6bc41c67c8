"""libgcrypt's bench-slope table: nanoseconds, mebibytes a second and cycles for each byte; read and written."""

import math
from collections import Counter

from aesedu.bench.loglines import Log, LogError, head, record

_NUMBER = r"\d{1,15}(?:\.\d{0,15})?"
_RECORD = record(
    r"=?(?P<cipher>[^\s|=]+) \| nanosecs/byte mebibytes/sec cycles/byte(?: auto Mhz)?"
    rf"|(?P<mode>\w+) (?P<op>enc|dec|auth) \| (?P<ns>{_NUMBER}) ns/B (?P<mib>{_NUMBER}) MiB/s"
    rf" (?P<cycles>{_NUMBER}|-) c/B(?: (?P<mhz>{_NUMBER}))?"
    r"|(?P<frame>=|Cipher:)"
)
_BROKEN = r"\w+ (?:enc|dec|auth) \||=?AES\d* \|"
_KEY_BITS = {"AES": 128, "AES128": 128, "AES192": 192, "AES256": 256}
_CIPHER = {128: "AES", 192: "AES192", 256: "AES256"}
_NS_MIB = 1e9 / 2**20  # ns/B times MiB/s


def read(text):
    """Return the rows of bench-slope's AES tables as a DataFrame; mail's wrapping and quoting marks do not matter.

    Columns: run (0, 1, ... counts how often this table has come), key_bits, mode and op (enc, dec, auth) as printed,
    ns_per_byte, mib_per_s, cycles_per_byte (NaN where printed as "-"), and mhz where printed. ``.attrs["skipped"]`` and
    ``.attrs["cycles"]`` as in ``tcrypt.read``. Raises LogError for an empty, cut or mixed log and for figures that
    contradict themselves.
    """
    import pandas

    log = Log(text, "bench-slope", _RECORD, _BROKEN)
    tables = _tables(log)
    rows = [row for table in tables for row in table["rows"]]
    skipped = log.finish(len(rows))
    if log.total is None:
        _check_shapes(tables)
    frame = pandas.DataFrame(rows)
    if frame["mhz"].isna().all():
        del frame["mhz"]
    frame.attrs.update(skipped=skipped, cycles=log.cycles)
    return frame


def _tables(log):
    """Return the AES tables: dicts of line, run, key_bits and rows (dicts)."""
    tables, current, runs = [], None, Counter()
    for line, match in log.records:
        if match["cipher"]:
            key_bits = _KEY_BITS.get(match["cipher"])
            tables.append(current := {"line": line, "run": runs[key_bits], "key_bits": key_bits, "rows": []})
            runs[key_bits] += 1
        elif match["mode"] and current is None:
            raise LogError("a row before any header row: the beginning is missing", line)
        elif match["mode"]:
            current["rows"].append(_row(line, match, current))
        if current and not current["key_bits"]:
            log.skip(line, match)
    return [table for table in tables if table["key_bits"]]


def _row(line, match, table):
    ns, mib = float(match["ns"]), float(match["mib"])
    # Both are rounded as printed, so their product may be off by half a unit of the last digit of each.
    if abs(ns * mib - _NS_MIB) > 0.51 * (mib * _last_digit(match["ns"]) + ns * _last_digit(match["mib"])):
        raise LogError(f"{match['ns']} ns/B and {match['mib']} MiB/s do not fit each other", line)
    return {
        "run": table["run"],
        "key_bits": table["key_bits"],
        "mode": match["mode"],
        "op": match["op"],
        "ns_per_byte": ns,
        "mib_per_s": mib,
        "cycles_per_byte": math.nan if match["cycles"] == "-" else float(match["cycles"]),
        "mhz": float(match["mhz"] or math.nan),
    }


def _last_digit(number):
    """Return the worth of the last digit printed: 0.01 for "1.30"."""
    return 10.0 ** -len(number.partition(".")[2])


def _check_shapes(tables):
    """Raise LogError where a table lacks rows that the first one has."""
    shapes = [[(row["mode"], row["op"]) for row in table["rows"]] for table in tables]
    for table, shape in zip(tables, shapes, strict=True):
        if shape != shapes[0]:
            rows = f"{len(shape)} rows of AES-{table['key_bits']} follow, not the {len(shapes[0])} of the first table"
            raise LogError(f"{rows}: lines are missing", table["line"])


def write(frame, cycles):
    """Return bench-slope's tables (text) of a frame with columns key_bits, mode, op, ns_per_byte, cycles_per_byte.

    ``cycles`` says which they are, "core" or "reference". Rows of one key size (and run, where there is such a column)
    stand together in the order given; MiB/s is worked out where there is no column mib_per_s. ``read`` reads it back.
    """
    frame = frame.assign(run=frame.get("run", 0))
    tables = frame.groupby(["run", "key_bits"], sort=False)
    return head(len(frame), cycles) + "Cipher:\n" + "".join(_write_table(key, rows) for (_, key), rows in tables)


def _write_table(key_bits, rows):
    lines = [f" {_CIPHER[key_bits]:14} | {'nanosecs/byte':>14} {'mebibytes/sec':>15} {'cycles/byte':>13}"]
    for row in rows.itertuples():
        mib = getattr(row, "mib_per_s", _NS_MIB / row.ns_per_byte)
        figures = f"{_digits(row.ns_per_byte)} ns/B", f"{_digits(mib)} MiB/s", f"{_digits(row.cycles_per_byte)} c/B"
        lines.append(f" {f'{row.mode} {row.op}':>14} | {figures[0]:>14} {figures[1]:>15} {figures[2]:>13}")
    return "\n".join([*lines, f" {'':14} =\n"])


def _digits(value):
    """Print a figure with as many digits as bench-slope does."""
    if math.isnan(value):
        return "-"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.1f}"
