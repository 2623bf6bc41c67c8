"""The sources' figures: the committed tables, the script that makes them, and the messages they come from."""

import itertools
import re
import runpy
import shutil
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from aesedu import data

SEEDS = data.path("seeds")
RAW = SEEDS / "raw"
SHARED = Path(__file__).resolve().parents[3] / "shared"
SCRIPT = runpy.run_path(str(SEEDS / "make_tables.py"))
TABLES = SCRIPT["TABLES"]

# Every kind of line that raw/ may hold, in the words of the formats (not the script's patterns).
TCRYPT = (
    r"testing speed of [a-z]{3}\(aes\)(?: \(gcm-aes-ce\))? (?:en|de)cryption"
    r"|test \d+ \(\d+ bit key, \d+ byte blocks\): \d+ operations? in \d+ (?:cycles|seconds) \(\d+ bytes\)"
)
SLOPE = (
    r"AES\d* \| nanosecs/byte mebibytes/sec cycles/byte"
    r"|[A-Z]{3} (?:enc|dec|auth) \| [\d.]+ ns/B [\d.]+ MiB/s [\d.]+ c/B"
)
SPEEDUP = r"AES-128 AES-192 AES-256|[A-Z]{3}(?: enc| dec| auth)?:(?: [\d.]+x){3}"
PERCENT = r"\b[a-z]{3}[01]_\d+_\d+ -?[\d.]+|\b(?:average|min|max): -?[\d.]+"
GAIN = (
    r"\| AES-128 \| AES-192 \| AES-256 \||#bytes(?: \| \d+ \| \d+ \| 8k){3} \|"
    r"|(?:A72|A57|N1) \|(?: ?-?[\d.]+% ?\|){9}"
)

MESSAGES = [  # message, kinds of its lines, how often it prints them, raw files in the message's order
    (
        "000_0235546c32a3cb01.txt",
        f"{TCRYPT}|{PERCENT}",
        1,
        ["tcrypt_core2_2008_stock", "tcrypt_core2_2008_patched", "tcrypt_core2_2008_percent"],
    ),
    (
        "002_10b07ab16f510e40.txt",
        f"{SPEEDUP}|{SLOPE}",
        1,
        ["speedup_cortex_a53", "bench_slope_cortex_a53_before", "bench_slope_cortex_a53_after"],
    ),
    ("003_7e2e207e9669fcc0.txt", GAIN, 2, ["gcm_interleave_gain"]),
    ("003_7e2e207e9669fcc0.txt", TCRYPT, 3, ["tcrypt_thunderx2_2021_old", "tcrypt_thunderx2_2021_new"]),
    ("004_c1497f772db0f22d.txt", TCRYPT, 1, ["tcrypt_via_c3_2008"]),
]
needs_messages = pytest.mark.skipif(
    not (SHARED / "seeds").is_dir(), reason="the whole messages are not part of the repository"
)


def raw_lines(name):
    return [line for line in (RAW / f"{name}.txt").read_text(encoding="utf-8").splitlines() if line]


def figure(frame, column, **where):
    """Return the one value of a column in the row with these values."""
    rows = frame.loc[(frame[list(where)] == list(where.values())).all(axis=1), column]
    assert len(rows) == 1, where
    return rows.item()


# --- the tables


@pytest.mark.parametrize(
    "name, rows, columns",
    [
        ("tcrypt_core2_2008", 240, "kernel mode direction key_bits bytes cycles"),
        ("tcrypt_core2_2008_percent", 120, "mode direction key_bits bytes percent"),
        ("bench_slope_cortex_a53", 114, "phase key_bits mode op ns_per_byte mib_per_s cycles_per_byte"),
        ("speedup_cortex_a53", 24, "mode op key_bits factor"),
        ("gcm_interleave_gain", 27, "cpu key_bits bytes gain_percent"),
        ("tcrypt_thunderx2_2021", 48, "code key_bits bytes ops_per_s"),
        ("tcrypt_via_c3_2008", 120, "mode direction key_bits bytes cycles"),
    ],
)
def test_shape(name, rows, columns):
    frame = getattr(data, name)()
    assert len(frame) == rows
    assert list(frame.columns) == columns.split()
    assert not frame.isna().any(axis=None)
    what = [column for column in frame if column in {"kernel", "phase", "code", "cpu", "mode", "direction", "op"}]
    assert not frame.duplicated([*what, *(column for column in ("key_bits", "bytes") if column in frame)]).any()


@pytest.mark.parametrize("name", TABLES)
def test_committed_csv_is_what_the_script_makes(name):
    assert (SEEDS / f"{name}.csv").read_bytes() == SCRIPT["table"](name).encode()


def test_no_table_without_script():
    assert {file.stem for file in SEEDS.glob("*.csv")} == set(TABLES)


# Taken from the messages by eye.
@pytest.mark.parametrize(
    "kernel, mode, direction, key_bits, size, cycles",
    [
        ("stock", "ecb", "enc", 128, 16, 768),
        ("patched", "ecb", "enc", 128, 16, 511),
        ("stock", "lrw", "enc", 320, 256, 5301),
        ("stock", "xts", "dec", 512, 8192, 172112),
        ("patched", "cbc", "dec", 192, 1024, 17419),
        ("patched", "lrw", "dec", 384, 8192, 158320),
        ("patched", "xts", "dec", 512, 8192, 155815),
    ],
)
def test_core2_figures(kernel, mode, direction, key_bits, size, cycles):
    where = {"kernel": kernel, "mode": mode, "direction": direction, "key_bits": key_bits, "bytes": size}
    assert figure(data.tcrypt_core2_2008(), "cycles", **where) == cycles


@pytest.mark.parametrize(
    "mode, direction, key_bits, size, percent",
    [("ecb", "enc", 128, 16, -33.46), ("ecb", "dec", 128, 16, 2.62), ("lrw", "dec", 384, 1024, -10.05)],
)
def test_core2_percent_figures(mode, direction, key_bits, size, percent):
    where = {"mode": mode, "direction": direction, "key_bits": key_bits, "bytes": size}
    assert figure(data.tcrypt_core2_2008_percent(), "percent", **where) == percent


@pytest.mark.parametrize(
    "phase, key_bits, mode, op, figures",
    [
        ("before", 128, "ECB", "enc", (21.86, 43.62, 25.19)),
        ("before", 192, "GCM", "auth", (1.30, 732.4, 1.50)),
        ("after", 128, "CBC", "dec", (0.911, 1046.9, 1.05)),
        ("after", 256, "OCB", "auth", (1.40, 679.8, 1.62)),
    ],
)
def test_cortex_a53_figures(phase, key_bits, mode, op, figures):
    frame, where = data.bench_slope_cortex_a53(), {"phase": phase, "key_bits": key_bits, "mode": mode, "op": op}
    assert tuple(figure(frame, unit, **where) for unit in ("ns_per_byte", "mib_per_s", "cycles_per_byte")) == figures


@pytest.mark.parametrize(
    "mode, op, key_bits, factor",
    [("CBC", "enc", 128, 13.19), ("CTR", "enc", 192, 19.61), ("CFB", "dec", 256, 22.50), ("OCB", "auth", 256, 18.66)],
)
def test_speedup_figures(mode, op, key_bits, factor):
    assert figure(data.speedup_cortex_a53(), "factor", mode=mode, op=op, key_bits=key_bits) == factor


@pytest.mark.parametrize(
    "cpu, key_bits, size, gain",
    [
        ("A72", 128, 1024, 5.5),
        ("A57", 128, 8192, 32),
        ("A57", 256, 1024, -6),
        ("N1", 192, 1420, 5),
        ("N1", 256, 8192, 20),
    ],
)
def test_gain_figures(cpu, key_bits, size, gain):
    assert figure(data.gcm_interleave_gain(), "gain_percent", cpu=cpu, key_bits=key_bits, bytes=size) == gain


@pytest.mark.parametrize(
    "code, key_bits, size, ops",
    [("old", 128, 16, 2023626), ("old", 192, 256, 1337001), ("old", 256, 1420, 401451), ("new", 256, 8192, 75641)],
)
def test_thunderx2_figures(code, key_bits, size, ops):
    assert figure(data.tcrypt_thunderx2_2021(), "ops_per_s", code=code, key_bits=key_bits, bytes=size) == ops


@pytest.mark.parametrize(
    "mode, direction, key_bits, size, cycles",
    [
        ("ecb", "enc", 128, 16, 763),
        ("ecb", "enc", 128, 64, 740),
        ("cbc", "enc", 192, 8192, 25420),
        ("lrw", "dec", 320, 256, 9279),
        ("xts", "dec", 512, 8192, 185957),
    ],
)
def test_via_figures(mode, direction, key_bits, size, cycles):
    where = {"mode": mode, "direction": direction, "key_bits": key_bits, "bytes": size}
    assert figure(data.tcrypt_via_c3_2008(), "cycles", **where) == cycles


# --- recomputation


def test_percentages_follow_from_the_cycles():
    what = ["mode", "direction", "key_bits", "bytes"]
    cycles = data.tcrypt_core2_2008().pivot(index=what, columns="kernel", values="cycles")
    change = 100 * (cycles.patched - cycles.stock) / cycles.stock
    printed = data.tcrypt_core2_2008_percent().set_index(what).percent
    assert ((change - printed).abs() <= 0.005 + 1e-9).all()
    assert (round(change.mean(), 2), round(change.min(), 2), round(change.max(), 2)) == (-6.64, -33.46, 2.62)
    assert (printed.min(), printed.max()) == (-33.46, 2.62)


def test_speedups_are_ratios_of_cycles_per_byte():
    slope = data.bench_slope_cortex_a53()
    for row in data.speedup_cortex_a53().itertuples():
        where = {"mode": row.mode, "op": row.op, "key_bits": row.key_bits}
        before, after = (
            Decimal(str(figure(slope, "cycles_per_byte", phase=phase, **where))) for phase in ("before", "after")
        )
        assert (before / after).quantize(Decimal("0.01"), ROUND_HALF_UP) == Decimal(str(row.factor)), where


def test_ctr_may_stand_under_enc():
    ctr = data.bench_slope_cortex_a53().query("mode == 'CTR'")
    cycles = ctr.pivot(index=["phase", "key_bits"], columns="op", values="cycles_per_byte")
    assert (cycles.enc == cycles.dec).all()


def test_three_units_of_bench_slope_agree():
    """ns/B, MiB/s and cycles/B at 1152 MHz say the same, within half of the last printed digit of each."""
    for row in data.bench_slope_cortex_a53().itertuples():
        half_ns = 0.0005 if row.ns_per_byte < 1 else 0.005
        half_mib = 0.005 if row.mib_per_s < 100 else 0.05
        assert abs(row.cycles_per_byte - 1.152 * row.ns_per_byte) < 0.005 + 1.152 * half_ns, row
        fastest, slowest = (1e9 / 2**20 / (row.mib_per_s + sign * half_mib) for sign in (1, -1))
        assert fastest - half_ns < row.ns_per_byte < slowest + half_ns, row


def test_thunderx2_operations_give_the_printed_byte_totals():
    lines = raw_lines("tcrypt_thunderx2_2021_old")[1:] + raw_lines("tcrypt_thunderx2_2021_new")[1:]
    totals = [int(re.search(r"\((\d+) bytes\)", line)[1]) for line in lines]
    frame = data.tcrypt_thunderx2_2021()
    assert list(frame.ops_per_s * frame.bytes) == totals
    where = {"key_bits": 256, "bytes": 1420}
    assert figure(frame, "ops_per_s", code="new", **where) / figure(frame, "ops_per_s", code="old", **where) - 1 == (
        pytest.approx(-0.174, abs=5e-4)
    )


# --- the script refuses what is wrong


@pytest.mark.parametrize(
    "name, file, old, new, complaint",
    [
        ("tcrypt_core2_2008", "tcrypt_core2_2008_stock", "768 cycles", "768 ticks", "not understood.*768 ticks"),
        ("tcrypt_core2_2008", "tcrypt_core2_2008_stock", "(128 bit key, 16 byte", "(128 bit key, 61 byte", "total"),
        ("tcrypt_core2_2008_percent", "tcrypt_core2_2008_patched", "511 cycles", "512 cycles", "-33.33.*-33.46"),
        ("tcrypt_core2_2008_percent", "tcrypt_core2_2008_percent", "ecb0_128_16 2", "ecb1_128_16 2", "ecb1_128_16"),
        ("tcrypt_core2_2008_percent", "tcrypt_core2_2008_percent", "min: -33.46", "min: -33.45", "-33.45"),
        ("bench_slope_cortex_a53", "bench_slope_cortex_a53_after", "0.911 ns/B", "0.911 ms/B", "not understood.*ms/B"),
        ("speedup_cortex_a53", "speedup_cortex_a53", " 13.76x", "", "not understood.*13.53x"),
        ("gcm_interleave_gain", "gcm_interleave_gain", "-0.5%", "half", "not understood.*half"),
        ("gcm_interleave_gain", "gcm_interleave_gain", "| 32%", "", "shorter"),
        ("tcrypt_thunderx2_2021", "tcrypt_thunderx2_2021_new", "75641 operations", "75614 operations", "75614"),
        ("tcrypt_via_c3_2008", "tcrypt_via_c3_2008", "1 operation in 763", "16 operations in 763", "16 x 16 bytes"),
        ("tcrypt_via_c3_2008", "tcrypt_via_c3_2008", "testing speed of xts(aes) decryption", "", "test 15.*test 0"),
    ],
)
def test_script_refuses_a_spoilt_line(tmp_path, name, file, old, new, complaint):
    shutil.copytree(RAW, tmp_path / "raw")
    spoilt = tmp_path / "raw" / f"{file}.txt"
    text = spoilt.read_text(encoding="utf-8")
    assert old in text
    spoilt.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        SCRIPT["table"](name, tmp_path / "raw")


@pytest.mark.parametrize("file", sorted(file.stem for file in RAW.glob("*.txt")))
def test_script_refuses_a_lost_line(tmp_path, file):
    shutil.copytree(RAW, tmp_path / "raw")
    lines = raw_lines(file)
    (tmp_path / "raw" / f"{file}.txt").write_text("\n".join(lines[:-1]), encoding="utf-8")
    name = max((name for name in TABLES if file.startswith(name)), key=len)
    with pytest.raises(ValueError):
        SCRIPT["table"](name, tmp_path / "raw")


# --- raw lines and whole messages


def test_raw_holds_measurement_lines_alone():
    allowed = re.compile("|".join((TCRYPT, SLOPE, SPEEDUP, PERCENT, GAIN)))
    files = list(RAW.glob("*.txt"))
    assert {file.stem for file in files} == set(itertools.chain(*(names for *_, names in MESSAGES)))
    for file in files:
        text = file.read_bytes().decode("ascii")
        assert "@" not in text and ">" not in text
        assert [line for line in raw_lines(file.stem) if not allowed.fullmatch(line)] == []


def flattened(message):
    """Return the message as one line, without quoting marks: wrapped lines are whole again."""
    text = (SHARED / "seeds" / message).read_text(encoding="utf-8")
    return " ".join(re.sub(r"^(?:> ?)+", "", text, flags=re.MULTILINE).split())


@needs_messages
@pytest.mark.parametrize("message, kinds, times, names", MESSAGES)
def test_raw_is_every_measurement_line_of_the_message(message, kinds, times, names):
    assert re.findall(kinds, flattened(message)) == times * [line for name in names for line in raw_lines(name)]


@needs_messages
@pytest.mark.parametrize(
    "message, mark, count",
    [
        ("000_0235546c32a3cb01.txt", r"\d cycles \(", 240),
        ("000_0235546c32a3cb01.txt", r"\d_\d+ -?\d", 120),
        ("002_10b07ab16f510e40.txt", r"c/B\b", 114),
        ("002_10b07ab16f510e40.txt", r"\d\.\d\dx", 24),
        ("003_7e2e207e9669fcc0.txt", r"\bin 1 seconds\b", 3 * 48),
        ("003_7e2e207e9669fcc0.txt", r"\d% ?\|", 2 * 27),
        ("004_c1497f772db0f22d.txt", r"\d cycles \(", 120),
    ],
)
def test_no_other_form_of_measurement_hides_in_the_message(message, mark, count):
    """Count by a mark that each figure must carry, so that a narrow pattern above cannot miss a line unseen."""
    assert len(re.findall(mark, flattened(message))) == count


@needs_messages
@pytest.mark.parametrize("name", ["known_answers.csv", "vectors/lrw_p1619.csv"])
def test_copied_files_are_unchanged(name):
    ours, theirs = (file.read_text(encoding="utf-8") for file in (data.path(name), SHARED / name))
    assert ours == theirs  # line ends apart
