"""tcrypt logs against the tables that data/seeds/make_tables.py makes without aesedu's readers."""

from pathlib import Path

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mail import mailed

from aesedu import data
from aesedu.bench import LogError, bench_slope, tcrypt

RAW = data.path("seeds/raw")
MAILS = Path(__file__).resolve().parents[3] / "shared" / "seeds"
WHAT = ["mode", "direction", "key_bits", "bytes"]


def raw(name):
    return (RAW / f"{name}.txt").read_text(encoding="utf-8")


def same(frame, expected):
    """Whether two frames hold the same values in their common columns; there must be some."""
    columns = [column for column in expected if column in frame]
    assert set(columns) & {"cycles", "ops_per_s"}
    pandas.testing.assert_frame_equal(
        frame[columns].reset_index(drop=True),
        expected[columns].reset_index(drop=True),
        check_dtype=False,
    )


@pytest.mark.parametrize("kernel", ["stock", "patched"])
def test_core2(kernel):
    table = data.tcrypt_core2_2008()
    frame = tcrypt.read(raw(f"tcrypt_core2_2008_{kernel}"))
    assert frame.attrs["skipped"] == [] and len(frame) == 120
    same(frame, table[table.kernel == kernel])


def test_via():
    same(tcrypt.read(raw("tcrypt_via_c3_2008")), data.tcrypt_via_c3_2008())


@pytest.mark.parametrize("code", ["old", "new"])
def test_thunderx2(code):
    frame, table = tcrypt.read(raw(f"tcrypt_thunderx2_2021_{code}")), data.tcrypt_thunderx2_2021()
    same(frame, table[table.code == code])
    assert set(frame["driver"]) == {"gcm-aes-ce"} and set(frame["mode"]) == {"gcm"}


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)
@given(st.data())
def test_wrapped_and_quoted(chosen):
    text = chosen.draw(mailed(raw("tcrypt_thunderx2_2021_new")))
    frame = tcrypt.read(text)
    assert frame.attrs["skipped"] == []
    same(frame, tcrypt.read(raw("tcrypt_thunderx2_2021_new")))


@pytest.mark.skipif(not MAILS.is_dir(), reason="the whole mails are not here")
class TestMails:
    def mail(self, number):
        return next(MAILS.glob(f"{number}_*.txt")).read_text(encoding="utf-8")

    def test_core2(self):
        text = self.mail("000")
        frame, table = tcrypt.read(text), data.tcrypt_core2_2008()
        for run, kernel in enumerate(("stock", "patched")):
            same(frame[frame.run == run], table[table.kernel == kernel])
        skipped, lines = frame.attrs["skipped"], text.splitlines()
        assert all(lines[number - 1] == line for number, line in skipped)
        assert len(skipped) + len(frame) + 16 == sum(1 for line in lines if line.strip())  # 16 headings

    def test_thunderx2_is_quoted_three_times(self):
        frame, table = tcrypt.read(self.mail("003")), data.tcrypt_thunderx2_2021()
        for run in range(6):
            same(frame[frame.run == run], table[table.code == ("old", "new")[run % 2]])

    def test_via(self):
        same(tcrypt.read(self.mail("004")), data.tcrypt_via_c3_2008())


@pytest.mark.parametrize("name", ["core2_2008_stock", "via_c3_2008"])
def test_round_trip(name):
    frame = tcrypt.read(raw(f"tcrypt_{name}"))
    again = tcrypt.read(tcrypt.write(frame, "core"))
    pandas.testing.assert_frame_equal(again, frame)
    assert again.attrs == {"skipped": [], "cycles": "core cycles"}


def test_rows_of_several_runs_and_drivers_and_uneven_sizes_survive():
    rows = [
        ("ecb", "enc", 128, 16, 511, "aes-x1"),
        ("ecb", "enc", 256, 64, 99, "aes-x1"),
        ("ecb", "dec", 128, 16, 7, "b"),
    ]
    frame = pandas.DataFrame(rows, columns=[*WHAT, "cycles", "driver"])
    frame["run"] = [0, 0, 0]
    again = tcrypt.read(tcrypt.write(frame, "reference"))
    same(again, frame)
    assert list(again["driver"]) == ["aes-x1", "aes-x1", "b"]


HEAD = "testing speed of ecb(aes) encryption\n"


def test_kernel_prefixes_and_nested_names():
    frame = tcrypt.read(
        "[   12.345678] tcrypt: testing speed of async rfc4106(gcm(aes)) (rfc4106(gcm(aes-generic))) encryption\n"
        "Jan 01 00:00:00 host kernel: [   12.3] tcrypt: test 0 (160 bit key, 16 byte blocks): "
        "1 operation in 9 cycles (16 bytes)\n"
    )
    assert frame.loc[0, ["mode", "driver", "cycles"]].tolist() == ["rfc4106(gcm)", "rfc4106(gcm(aes-generic))", 9]


def test_other_ciphers_are_listed_as_skipped():
    test = "test 0 (128 bit key, 16 byte blocks): 1 operation in {} cycles (16 bytes)\n"
    other = HEAD.replace("aes", "camellia") + test.format(5)
    frame = tcrypt.read(other + HEAD + test.format(6))
    assert frame["cycles"].tolist() == [6] and [number for number, _ in frame.attrs["skipped"]] == [1, 2]


def without(text, *lines):
    return "\n".join(line for number, line in enumerate(text.splitlines(), 1) if number not in lines)


STOCK = raw("tcrypt_core2_2008_stock")
GCM = raw("tcrypt_thunderx2_2021_old")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no tcrypt figures"),
        ("Dear all,\nit is faster now.", "no tcrypt figures"),
        (HEAD, "no tcrypt figures"),
        (without(STOCK, 1), "line 1: a test before any"),
        (without(STOCK, 5), "line 5: test 4 where test 3 was due"),
        (STOCK[:-30], "incomplete: 'test 14"),
        (STOCK.rsplit("\n", 3)[0], "lines are missing"),
        ("\n".join(STOCK.splitlines()[:10]), "lines are missing"),
        (without(STOCK, *range(27, 32)), "lines are missing"),
        (STOCK.replace("768 cycles (16", "768 cycles (61", 1), "line 2: 1 x 16 bytes, 768 cycles, 61 bytes"),
        *((STOCK.replace("119202", wrong), "line 6: incomplete") for wrong in ("119202x", "9" * 5000, "\u0661")),
        (STOCK + GCM, "cycles and seconds in one log"),
        (STOCK + raw("bench_slope_cortex_a53_after"), "bench-slope figures in a tcrypt log"),
        (without(tcrypt.write(tcrypt.read(STOCK), "core"), 135, 136, 137), "117 rows where 120 were announced"),
        (
            tcrypt.write(tcrypt.read(STOCK), "core") + tcrypt.write(tcrypt.read(STOCK), "reference"),
            "reference cycles in a log of core cycles",
        ),
    ],
)
def test_refused(text, says):
    with pytest.raises(LogError, match=says.replace("(", r"\(")):
        tcrypt.read(text)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, len(GCM) - 3))
def test_no_cut_goes_unnoticed(cut):
    """A log that breaks off is refused, unless whole rows are left: of one key size, or of several with all sizes."""
    try:
        frame = tcrypt.read(GCM[:cut])
    except LogError:
        return
    rest = GCM[:cut].rsplit("\n", 1)[1]
    assert len(frame) in (*range(1, 9), 16)
    assert not rest or "test ".startswith(rest) or rest.endswith("bytes)")


@pytest.mark.parametrize("read", [tcrypt.read, bench_slope.read])
@pytest.mark.parametrize("given", [b"", None, 5])
def test_only_text_is_read(read, given):
    with pytest.raises(TypeError, match="a log is its text"):
        read(given)


def test_a_mark_before_the_first_line_and_windows_line_ends_do_not_matter():
    marked = "\ufeff" + STOCK.replace("\n", "\r\n")
    same(tcrypt.read(marked), tcrypt.read(STOCK))
    slopes = raw("bench_slope_cortex_a53_after")
    assert len(bench_slope.read("\ufeff" + slopes)) == len(bench_slope.read(slopes))


def test_cycles_need_their_kind():
    with pytest.raises(ValueError, match="'core' or 'reference'"):
        tcrypt.write(tcrypt.read(STOCK), "cpu")
