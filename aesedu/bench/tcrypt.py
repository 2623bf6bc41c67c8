"""The log of Linux's tcrypt module: cycles read and written, operations in seconds read."""

from collections import Counter

from aesedu.bench.loglines import Log, LogError, head, record

_PREFIX = r"(?:.*\bkernel: *)?(?:\[ *\d+\.\d+\] *)?(?:tcrypt: *)?"
_NUMBER = r"\d{1,15}"
_RECORD = record(
    r"testing speed of (?:async )?(?P<algorithm>\S+)(?: \((?P<driver>\S+)\))? (?P<direction>enc|dec)ryption"
    rf"|test (?P<number>{_NUMBER}) \((?P<key_bits>{_NUMBER}) bit key, (?P<bytes>{_NUMBER}) byte blocks\):"
    rf" (?P<operations>{_NUMBER}) operations? in (?P<time>{_NUMBER}) (?P<unit>cycles|seconds)"
    r" \((?P<sum>\d{1,30}) bytes\)"
)
_BROKEN = r"test \d+(?: \(|\s*$)|testing speed of \S+\("
_SECTION = ["mode", "driver", "direction"]


def read(text):
    """Return the figures of a tcrypt log as a DataFrame; mail's wrapping and quoting marks do not matter.

    Columns: run (0, 1, ... counts how often this heading has come), mode (as printed, without "(aes)"), driver (the
    name in second brackets, or None), direction (enc, dec), key_bits (as printed: with the tweak key in LRW and XTS),
    bytes (of one call), and cycles (of one call) or ops_per_s. ``.attrs["skipped"]`` lists (line number, text) of every
    line not understood, other ciphers' among them; ``.attrs["cycles"]`` says which cycles where the log tells ("core
    cycles"), else None. Raises LogError for an empty, cut or mixed log and for figures that contradict themselves.
    """
    import pandas

    log = Log(text, "tcrypt", _RECORD, _BROKEN, _PREFIX)
    sections = _sections(log)
    rows = [row for section in sections for row in section["rows"]]
    skipped = log.finish(len(rows))
    if log.total is None:
        _check_shapes(sections)
    if len(units := {row["unit"] for row in rows}) > 1:
        raise LogError("cycles and seconds in one log: read them apart")
    value = "cycles" if units == {"cycles"} else "ops_per_s"
    frame = pandas.DataFrame(rows)[["run", *_SECTION, "key_bits", "bytes", "value"]].rename(columns={"value": value})
    frame.attrs.update(skipped=skipped, cycles=log.cycles)
    return frame


def _sections(log):
    """Return the AES sections: dicts of line, aes, run, mode, driver, direction and rows (dicts)."""
    sections, current, runs = [], None, Counter()
    for line, match in log.records:
        if match["algorithm"]:
            sections.append(current := _section(line, match, runs))
        elif current is None:
            raise LogError("a test before any 'testing speed of' line: the beginning is missing", line)
        else:
            current["rows"].append(_row(line, match, current))
        if not current["aes"]:
            log.skip(line, match)
    return [section for section in sections if section["aes"]]


def _section(line, match, runs):
    name = match["algorithm"].replace("(aes)", ""), match["driver"], match["direction"]
    runs[name] += 1
    section = dict(zip(_SECTION, name, strict=True))
    return {"line": line, "aes": "aes" in match["algorithm"], "run": runs[name] - 1, **section, "rows": []}


def _row(line, match, section):
    names = ("number", "key_bits", "bytes", "operations", "time", "sum")
    number, key_bits, size, operations, time, total = (int(match[name]) for name in names)
    if number != len(section["rows"]):
        raise LogError(f"test {number} where test {len(section['rows'])} was due: lines are missing", line)
    if operations * size != total or not time or (match["unit"] == "cycles" and operations != 1):
        raise LogError(f"{operations} x {size} bytes, {time} {match['unit']}, {total} bytes do not fit together", line)
    value = time if match["unit"] == "cycles" else operations / time
    what = {name: section[name] for name in ("run", *_SECTION)}
    return {**what, "key_bits": key_bits, "bytes": size, "unit": match["unit"], "value": value}


def _check_shapes(sections):
    """Raise LogError where a section lacks rows: all keys have the same sizes, both directions the same rows."""
    shapes = {}
    for section in sections:
        shape = [(row["key_bits"], row["bytes"]) for row in section["rows"]]
        per_key = Counter(key_bits for key_bits, _ in shape)
        expected = shapes.setdefault(section["mode"], shape)
        if not shape or len(set(per_key.values())) > 1 or shape != expected:
            raise LogError(f"{len(shape)} tests of {section['mode']} follow: lines are missing", section["line"])


def write(frame, cycles):
    """Return a tcrypt log (text) of a frame with columns mode, direction, key_bits, bytes, cycles and maybe driver
    and run.

    ``cycles`` says which they are, "core" or "reference"; tcrypt prints whole ones. Rows of one run, mode, driver and
    direction stand together in the order given. ``read`` reads it back. Raises ValueError for other cycles.
    """
    frame = frame.assign(driver=frame.get("driver"), run=frame.get("run", 0))
    sections = frame.groupby(["run", *_SECTION], sort=False, dropna=False)
    return head(len(frame), cycles) + "\n".join(_write_section(*name, rows) for (_, *name), rows in sections)


def _write_section(mode, driver, direction, rows):
    algorithm = mode if "aes" in mode else f"{mode}(aes)"
    name = f" ({driver})" if isinstance(driver, str) else ""
    lines = [f"testing speed of {algorithm}{name} {direction}ryption"]
    for number, row in enumerate(rows.itertuples()):
        lines.append(
            f"test {number} ({row.key_bits} bit key, {row.bytes} byte blocks): "
            f"1 operation in {round(row.cycles)} cycles ({row.bytes} bytes)"
        )
    return "\n".join(lines) + "\n"
