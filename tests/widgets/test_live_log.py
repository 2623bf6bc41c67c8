"""The card of tcrypt and bench-slope on a machine of known truth (tests/bench/test_live.py has its tables)."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from test_live import WHERE, measurement

from aesedu import bench, data, native
from aesedu.bench import live
from aesedu.bench.rows import Row
from aesedu.views import live_log as view
from aesedu.widgets import TcryptPanel


@pytest.fixture
def pause(monkeypatch):
    """Seconds a cell takes, in a list, so that a test can change them."""
    seconds = [0.0]

    def run(cases, where):
        for case in cases:
            time.sleep(seconds[0])
            yield Row(measurement(case))

    monkeypatch.setattr(live.environment, "where", lambda: WHERE)
    monkeypatch.setattr(live.rows, "run", run)
    monkeypatch.setattr(native, "cancel", lambda: False)
    return seconds


@pytest.fixture
def recorded(monkeypatch, tmp_path):
    """A folder of recorded runs with one of each table, of another machine."""
    (tmp_path / "tcrypt_elsewhere.txt").write_text(
        "aes-x8 (compiled loops), Elsewhere, 2000-01-01; quick\n5 rows, core cycles\n\n"
        "testing speed of ecb(aes) (aes-x8) encryption\n"
        + "".join(
            f"test {n} (128 bit key, {size} byte blocks): 1 operation in {size} cycles ({size} bytes)\n"
            for n, size in enumerate(live.SIZES)
        ),
        encoding="utf-8",
    )
    monkeypatch.setattr(data, "path", lambda name: tmp_path)


def finished(panel):
    while panel._thread_of_run is not None:
        time.sleep(0.01)
    assert not panel.errors
    return panel


def test_a_run_fills_the_table(pause, recorded):
    panel = TcryptPanel()
    assert [tick.description for tick in panel.choices if tick.value] == ["ecb", "cbc", "lrw", "xts"]
    panel.engine.value = "ttable"
    panel.start()
    finished(panel)
    assert len(panel.frame) == 120 and set(panel.frame["engine"]) == {"ttable"}
    assert "120 of 120 cells" in panel.progress.value
    assert len(bench.tcrypt.read(panel.text())) == 120
    assert panel.picture.value.count(f'<td class="ae-num">{4 * (40 + 2 * 8192):,}</td>') == 8
    assert "8.02" in panel.sentence.value and "8,192 bytes a call" in panel.sentence.value


def test_the_key_that_is_shown_counts_without_the_tweak_key(pause, recorded):
    panel = TcryptPanel()
    for bits in (128, 192, 256):
        panel.start()
        finished(panel)
        panel.key.value = bits
        assert f"core cycles, AES-{bits}" in panel.picture.value and "·" not in panel.picture.value


def test_bench_slope_leaves_lrw_out(pause, recorded):
    panel = TcryptPanel()
    panel.kind.value = "bench-slope"
    for tick in panel.choices:
        tick.value = tick.description in ("lrw", "cfb128", "gcm")
    panel.start()
    finished(panel)
    assert list(dict.fromkeys(panel.frame["mode"])) == ["CFB", "GCM"]
    assert "gcm authentication" in panel.picture.value and "cfb authentication" not in panel.picture.value
    assert "lrw" not in panel.picture.value and panel.key.disabled
    assert "cells" in panel.progress.value and "no cells" not in panel.progress.value
    panel.kind.value = "tcrypt"
    assert "no cells yet" in panel.progress.value and "Nothing is measured" in panel.sentence.value
    assert panel.frame.empty and not panel.key.disabled and panel.text() == "Nothing is measured yet."


def test_cancel_keeps_what_is_done(pause, recorded, tmp_path, monkeypatch):
    pause[0] = 0.01
    panel = TcryptPanel()
    panel.start()
    while len(panel.frame) < 5:
        time.sleep(0.01)
    panel.cancel()
    finished(panel)
    kept = len(panel.frame)
    assert 5 <= kept < 120 and "Cancelled" in panel.sentence.value
    assert len(bench.tcrypt.read(panel.text())) == kept
    monkeypatch.chdir(tmp_path)
    panel.save()
    (file,) = tmp_path.glob("*.json")
    assert len(bench.load(file)) == kept
    assert "Saved as" in panel.sentence.value and "core cycles a byte" in panel.sentence.value


def test_a_recording_is_shown_and_said_to_be_one(pause, recorded):
    panel = TcryptPanel()
    assert "Recorded on" in panel.static() and "Elsewhere" in panel.static() and "8,192" in panel.static()
    panel.origin.index = 1
    assert panel.frame["cycles"].tolist() == list(live.SIZES)
    assert "Elsewhere" in panel.text() and "Recorded on" in panel.sentence.value
    assert "no cells yet" in panel.progress.value
    panel.start()
    assert "This is a recording" in panel.sentence.value and panel._thread_of_run is None


def test_the_sentence_says_the_range_and_names_no_winner():
    cells = [
        {"mode": "ctr", "direction": "enc", "key_bits": 128, "bytes": 8192, "cycles": 8192.0},
        {"mode": "xts", "direction": "dec", "key_bits": 256, "bytes": 8192, "cycles": 4 * 8192.0},
        {"mode": "ecb", "direction": "enc", "key_bits": 128, "bytes": 16, "cycles": 1.0},
    ]
    headline, detail = view.sentence(cells)
    assert headline == "1.00 to 4.00 core cycles a byte." and "fastest" not in detail
    assert detail.startswith("8,192 bytes a call: from ctr encryption with 128 key bits to xts decryption with 256")
    assert view.sentence([])[0] == "Nothing is measured yet."


def test_a_recorded_run_that_cannot_be_read_is_left_out(recorded, tmp_path):
    for name, text in {"empty": "", "other": "no log at all\n"}.items():
        (tmp_path / f"tcrypt_{name}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "bench_slope_x.txt").write_bytes(b"\xff\xfe")
    with pytest.warns(UserWarning, match="left out: ") as warned:
        panel = TcryptPanel()
    assert len(warned) == 3 and len(panel.origin.options) == 2


def test_a_table_without_any_of_the_ticked_modes_times_nothing(pause, recorded):
    panel = TcryptPanel()
    panel.kind.value = "bench-slope"
    for tick in panel.choices:
        tick.value = tick.description == "lrw"
    panel.start()
    assert finished(panel).frame.empty and "Nothing is measured" in panel.sentence.value
