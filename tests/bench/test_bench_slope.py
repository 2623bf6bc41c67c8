"""bench-slope tables against the table that data/seeds/make_tables.py makes without aesedu's readers."""

from pathlib import Path

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mail import mailed

from aesedu import data
from aesedu.bench import LogError, bench_slope

RAW = data.path("seeds/raw")
MAILS = Path(__file__).resolve().parents[3] / "shared" / "seeds"


def raw(phase):
    return (RAW / f"bench_slope_cortex_a53_{phase}.txt").read_text(encoding="utf-8")


def table(phase):
    frame = data.bench_slope_cortex_a53()
    return frame[frame.phase == phase].drop(columns="phase").reset_index(drop=True)


def same(frame, expected):
    frame = frame.drop(columns="run").reset_index(drop=True)
    pandas.testing.assert_frame_equal(frame, expected, check_dtype=False, check_like=True)


@pytest.mark.parametrize("phase", ["before", "after"])
def test_raw_lines_and_round_trip(phase):
    frame = bench_slope.read(raw(phase))
    assert len(frame) == 19 * 3 and frame.attrs["skipped"] == []
    same(frame, table(phase))
    again = bench_slope.read(bench_slope.write(frame, "core"))
    pandas.testing.assert_frame_equal(again, frame)
    assert again.attrs == {"skipped": [], "cycles": "core cycles"}


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)
@given(st.data())
def test_wrapped_and_quoted(chosen):
    frame = bench_slope.read(chosen.draw(mailed(raw("after"))))
    assert frame.attrs["skipped"] == []
    same(frame, table("after"))


@pytest.mark.skipif(not MAILS.is_dir(), reason="the whole mail is not here")
def test_whole_mail():
    text = next(MAILS.glob("002_*.txt")).read_text(encoding="utf-8")
    frame = bench_slope.read(text)
    for run, phase in enumerate(("before", "after")):
        same(frame[frame.run == run], table(phase))
    assert [line for _, line in frame.attrs["skipped"] if "ns/B" in line] == []
    assert all(text.splitlines()[number - 1] == line for number, line in frame.attrs["skipped"])


def test_layout_is_libgcrypts():
    """Columns as bench-slope prints them: title in 14, figures in 14, 15 and 13 places, a closing line."""
    frame = pandas.DataFrame(
        [[192, "ECB", "enc", 0.911, 1.05]], columns=["key_bits", "mode", "op", "ns_per_byte", "cycles_per_byte"]
    )
    assert bench_slope.write(frame, "core").splitlines()[2:] == [
        "Cipher:",
        " AES192         |  nanosecs/byte   mebibytes/sec   cycles/byte",
        "        ECB enc |     0.911 ns/B    1046.8 MiB/s      1.05 c/B",
        "                =",
    ]


def test_unknown_cycles_and_auto_mhz():
    frame = bench_slope.read(
        " AES            |  nanosecs/byte   mebibytes/sec   cycles/byte  auto Mhz\n"
        "        ECB enc |      1.41 ns/B     675.5 MiB/s      1.63 c/B      1152\n"
        "        ECB dec |      1.41 ns/B     675.5 MiB/s         - c/B\n"
        "                =\n"
    )
    assert frame["cycles_per_byte"].isna().tolist() == [False, True] and frame.loc[0, "mhz"] == 1152


def test_other_ciphers_are_listed_as_skipped():
    text = "TWOFISH | nanosecs/byte mebibytes/sec cycles/byte\nECB enc | 1.41 ns/B 675.5 MiB/s 1.63 c/B\n" + raw(
        "after"
    )
    frame = bench_slope.read(text)
    same(frame, table("after"))
    assert [number for number, _ in frame.attrs["skipped"]] == [1, 2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no bench-slope figures"),
        ("AES | nanosecs/byte mebibytes/sec cycles/byte\n", "no bench-slope figures"),
        (raw("after").partition("\n")[2], "line 1: a row before any header"),
        (raw("after")[:-20], "line 62: incomplete"),
        (raw("after").rstrip().rsplit("\n", 1)[0], "line 43: 18 rows of AES-256 follow, not the 19"),
        (raw("after").replace("675.5", "657.5"), "line 4: 1.41 ns/B and 657.5 MiB/s do not fit"),
        *((raw("after").replace("675.5", wrong), "line 4: incomplete") for wrong in ("6.7.5", "...", "9" * 400)),
        (
            raw("after") + (RAW / "tcrypt_via_c3_2008.txt").read_text(encoding="utf-8"),
            "tcrypt figures in a bench-slope log",
        ),
    ],
)
def test_refused(text, says):
    with pytest.raises(LogError, match=says):
        bench_slope.read(text)
