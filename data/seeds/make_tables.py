"""Make the tables of the sources' figures (CSV) from the measurement lines in raw/.

    python data/seeds/make_tables.py

Every line must be understood and every figure that is printed twice must agree with itself (byte totals, percentages);
otherwise a ValueError names the line. Columns and units: data/README.md. Nothing but the standard library, and
nothing of aesedu: the tables are an outside check on its readers of the same formats.
"""

import csv
import io
import itertools
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

HERE = Path(__file__).resolve().parent

TCRYPT_HEAD = re.compile(r"testing speed of (\w+)\(aes\)(?: \([\w-]+\))? (enc|dec)ryption")
TCRYPT_TEST = re.compile(
    r"test (\d+) \((\d+) bit key, (\d+) byte blocks\): (\d+) operations? in (\d+) (?:cycles|seconds) \((\d+) bytes\)"
)
PERCENT = re.compile(r"([a-z]{3})([01])_(\d+)_(\d+) (-?\d+\.\d\d)")
PERCENT_SUMMARY = re.compile(r"(average|min|max): (-?\d+\.\d\d)")
SLOPE_HEAD = re.compile(r"AES(192|256)? \| nanosecs/byte mebibytes/sec cycles/byte")
SLOPE = re.compile(r"([A-Z]{3}) (enc|dec|auth) \| ([\d.]+) ns/B ([\d.]+) MiB/s ([\d.]+) c/B")
SPEEDUP = re.compile(r"([A-Z]{3})(?: (enc|dec|auth))?: ([\d.]+)x ([\d.]+)x ([\d.]+)x")
GAIN = re.compile(r"(-?[\d.]+)%")


def read(raw, name):
    """Return the lines of raw/<name>.txt that are not blank."""
    return [line for line in (raw / f"{name}.txt").read_text(encoding="utf-8").splitlines() if line]


def understand(pattern, line):
    """Return the groups of a line that matches the pattern entirely."""
    if not (match := pattern.fullmatch(line)):
        raise ValueError(f"not understood: {line!r}")
    return match.groups()


def tcrypt(lines):
    """Yield (mode, direction, key_bits, bytes, operations, cycles or seconds) of each test of a tcrypt log."""
    for line in lines:
        if line.startswith("testing"):
            mode, direction = understand(TCRYPT_HEAD, line)
            expected = itertools.count()
            continue
        number, key_bits, size, operations, time, total = understand(TCRYPT_TEST, line)
        if int(number) != (due := next(expected)):
            raise ValueError(f"test {due} of {mode} {direction} is due, not {line!r}")
        if int(operations) * int(size) != int(total):
            raise ValueError(f"{operations} x {size} bytes is not the printed total: {line!r}")
        yield mode, direction, key_bits, size, int(operations), int(time)


def tcrypt_cycles(raw, name):
    """Yield (mode, direction, key_bits, bytes, cycles) of a log that counts the cycles of one operation."""
    for *what, operations, cycles in tcrypt(read(raw, name)):
        if operations != 1:
            raise ValueError(f"{name}: {operations} operations where one is timed")
        yield *what, cycles


def core2(raw):
    """Yield the rows of tcrypt_core2_2008: the stock kernel's log, then the patched one's."""
    for kernel in ("stock", "patched"):
        yield from ((kernel, *row) for row in tcrypt_cycles(raw, f"tcrypt_core2_2008_{kernel}"))


def percent(raw):
    """Yield (mode, direction, key_bits, bytes, percent), recomputed and held against the author's own list."""
    logs = (tcrypt_cycles(raw, f"tcrypt_core2_2008_{kernel}") for kernel in ("stock", "patched"))
    lines = read(raw, "tcrypt_core2_2008_percent")
    exact = []
    for (*what, stock), (*_, patched), line in zip(*logs, lines[:-3], strict=True):
        exact.append(Decimal(100 * (patched - stock)) / stock)
        mode, encrypts, key_bits, size, printed = understand(PERCENT, line)
        recomputed = two_decimals(exact[-1])
        if (*what, recomputed) != (mode, ("dec", "enc")[int(encrypts)], key_bits, size, Decimal(printed)):
            raise ValueError(f"the logs give {recomputed} for {what}, not {line!r}")
        yield *what, recomputed
    summary = {"average": sum(exact) / len(exact), "min": min(exact), "max": max(exact)}
    if [understand(PERCENT_SUMMARY, line) for line in lines[-3:]] != [
        (name, str(two_decimals(value))) for name, value in summary.items()
    ]:
        raise ValueError(f"the logs do not give {lines[-3:]}")


def two_decimals(value):
    """Return the Decimal rounded half up."""
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def bench_slope(raw):
    """Yield (phase, key_bits, mode, op, ns_per_byte, mib_per_s, cycles_per_byte), digits as printed."""
    for phase in ("before", "after"):
        for line in read(raw, f"bench_slope_cortex_a53_{phase}"):
            if line.startswith("AES"):
                key_bits = understand(SLOPE_HEAD, line)[0] or "128"
            else:
                yield phase, key_bits, *understand(SLOPE, line)


def speedup(raw):
    """Yield (mode, op, key_bits, factor). CTR has one line for both ops, which are the same work: filed under enc."""
    head, *lines = read(raw, "speedup_cortex_a53")
    keys = re.findall(r"AES-(\d+)", head)
    for line in lines:
        mode, op, *factors = understand(SPEEDUP, line)
        yield from ((mode, op or "enc", *pair) for pair in zip(keys, factors, strict=True))


def gain(raw):
    """Yield (cpu, key_bits, bytes, gain_percent) of the table with three keys of three sizes (8k = 8192) across."""
    keys, sizes, *rows = (line.strip("|").split("|") for line in read(raw, "gcm_interleave_gain"))
    keys = [key.strip().removeprefix("AES-") for key in keys for _ in range(3)]
    sizes = [size.strip().replace("8k", "8192") for size in sizes[1:]]
    for cpu, *cells in rows:
        for *what, cell in zip(keys, sizes, cells, strict=True):
            yield cpu.strip(), *what, *understand(GAIN, cell.strip())


def thunderx2(raw):
    """Yield (code, key_bits, bytes, ops_per_s)."""
    for code in ("old", "new"):
        for _, _, key_bits, size, operations, seconds in tcrypt(read(raw, f"tcrypt_thunderx2_2021_{code}")):
            if seconds != 1:
                raise ValueError(f"{operations} operations in {seconds} seconds, not in one")
            yield code, key_bits, size, operations


def via(raw):
    """Return the rows of tcrypt_via_c3_2008."""
    return tcrypt_cycles(raw, "tcrypt_via_c3_2008")


TABLES = {  # name: (header, rows, maker)
    "tcrypt_core2_2008": ("kernel,mode,direction,key_bits,bytes,cycles", 240, core2),
    "tcrypt_core2_2008_percent": ("mode,direction,key_bits,bytes,percent", 120, percent),
    "bench_slope_cortex_a53": ("phase,key_bits,mode,op,ns_per_byte,mib_per_s,cycles_per_byte", 114, bench_slope),
    "speedup_cortex_a53": ("mode,op,key_bits,factor", 24, speedup),
    "gcm_interleave_gain": ("cpu,key_bits,bytes,gain_percent", 27, gain),
    "tcrypt_thunderx2_2021": ("code,key_bits,bytes,ops_per_s", 48, thunderx2),
    "tcrypt_via_c3_2008": ("mode,direction,key_bits,bytes,cycles", 120, via),
}


def table(name, raw=HERE / "raw"):
    """Return the CSV text of one table; raw is the folder of measurement lines.

    Raises ValueError for a line that is not understood, figures that disagree, or a wrong number of rows.
    """
    header, count, maker = TABLES[name]
    rows = list(maker(raw))
    if len(rows) != count:
        raise ValueError(f"{name}: {len(rows)} rows, not {count}")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header.split(","), *rows])
    return text.getvalue()


def main():
    """Write all tables beside this script, with the same line ends on every system."""
    for name in TABLES:
        (HERE / f"{name}.csv").write_text(table(name), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
