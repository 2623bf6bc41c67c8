"""The command line: its output reads back, wrong arguments get one clear line, Ctrl-C leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from aesedu import bench, cli, doctor, lab
from aesedu.engines import engine
from aesedu.native import NativeCrash

PYTHON = [sys.executable, "-m", "aesedu"]


def run(capsys, *words):
    code = cli.main(list(words))
    return code, *capsys.readouterr()


def test_tcrypt_output_is_read_back_to_the_same_numbers(capsys):
    words = ["bench", "--engines", "compiled,aes-x1", "--sizes", "16,1024", "--keys", "128,256", "--format"]
    engines = [e for e in ("compiled", "aes-x1") if engine(e).available]
    code, out, _ = run(capsys, "bench", "--engines", ",".join(engines), *words[3:], "tcrypt")
    frame = bench.tcrypt.read(out)
    assert code == 0 and len(frame) == 8 * len(engines)
    assert set(frame["driver"]) == set(engines) and set(frame["bytes"]) == {16, 1024}
    printed = [int(line.split(" in ")[1].split()[0]) for line in out.splitlines() if line.startswith("test ")]
    assert printed == frame["cycles"].tolist() and frame.attrs["cycles"] == "core cycles"


def test_tcrypt_and_bench_slope_of_one_engine(capsys, tmp_path):
    words = ["--engine", "ttable", "--modes", "ecb,xts", "--keys", "128", "--sizes", "16,64"]
    code, out, _ = run(capsys, "tcrypt", *words, "--save", str(tmp_path / "run.json"))
    frame = bench.tcrypt.read(out)
    assert code == 0 and set(frame["driver"]) == {"ttable"} and frame["key_bits"].tolist() == 4 * [128] + 4 * [256]
    assert len(bench.load(tmp_path / "run.json")) == 8
    code, out, _ = run(capsys, "bench-slope", *words[:3], "ccm", *words[4:], "--format", "json")
    answer = json.loads(out)
    assert code == 0 and [row["op"] for row in answer["rows"]] == ["enc", "dec", "auth"]
    assert "ttable (readable Python)" in answer["measured"]


def test_tcrypt_stopped_keeps_what_is_done(capsys, monkeypatch):
    def interrupt(self, on_progress=None):
        list(zip(range(3), self.measure(), strict=False))
        return self

    monkeypatch.setattr(bench.Tcrypt, "run", interrupt)
    code, out, err = run(capsys, "tcrypt", "--engine", "ttable", "--modes", "ecb")
    assert code == 130 and len(bench.tcrypt.read(out)) == 3
    assert "Stopped after 3 of 30 cells." in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--engine", "nonsense"], "no engine is called 'nonsense'"),
        (["--engine", "ttable,batch"], "--engine takes one engine"),
        (["--engine", "ttable", "--modes", "ecb,xyz"], "ttable has no mode 'xyz'"),
        (["--engine", "ttable", "--modes", ""], "ttable has no mode ''"),
        (["--engine", "ttable", "--calls", "block"], "calls are 'bulk', not 'block'"),
        (["--engine", "ttable", "--keys", "1"], "128, 192 or 256 bits, not 1"),
        (["--engine", "ttable", "--sizes", "x"], "--sizes takes whole numbers"),
        (["--engine", "ttable", "--save", ""], "'.'"),
    ],
)
def test_wrong_arguments_of_tcrypt_get_one_line(capsys, words, says):
    code, out, err = run(capsys, "tcrypt", *words)
    assert code == 2 and says in err and out == ""


def test_a_slope_of_one_size_is_refused(capsys):
    code, out, err = run(capsys, "bench-slope", "--engine", "ttable", "--sizes", "16,16")
    assert code == 2 and "two sizes" in err and out == ""


def test_json_rows_against_another_engine(capsys):
    code, out, _ = run(
        capsys,
        "bench",
        "--engines",
        "batch",
        "--sizes",
        "64",
        "--directions",
        "enc",
        "--against",
        "ttable",
        "--format=json",
    )
    (row,) = json.loads(out)["rows"]
    assert code == 0 and {"engine", "mode", "direction", "key_bits", "bytes", "ns", "ratio", "interval"} <= row.keys()
    assert (row["engine"], row["mode"], row["direction"], row["key_bits"], row["bytes"]) == (
        "batch",
        "ecb",
        "enc",
        128,
        64,
    )
    low, high = row["interval"]
    assert low <= row["ratio"] <= high and row["ns"] > 0


def test_ratio_above_one_means_faster(capsys):
    words = ["bench", "--engines", "compiled", "--sizes", "256", "--directions", "enc", "--against", "bytewise"]
    row = json.loads(run(capsys, *words, "--format", "json")[1])["rows"][0]
    assert row["ratio"] > 10


def test_table_and_bench_slope(capsys):
    words = ["bench", "--engines", "compiled", "--sizes", "256,1024,4096"]
    assert "compiled  ecb       enc" in run(capsys, *words)[1]
    frame = bench.bench_slope.read(run(capsys, *words, "--format", "bench-slope")[1])
    assert set(frame["op"]) == {"enc", "dec"} and set(frame["mode"]) == {"ECB"} and (frame["ns_per_byte"] > 0).all()


def test_save_is_loaded_again(capsys, tmp_path):
    path = tmp_path / "run.json"
    run(capsys, "bench", "--engines", "ttable", "--sizes", "16", "--save", str(path))
    assert [m.what["direction"] for m in bench.load(path)] == ["enc", "dec"]


@pytest.mark.parametrize(
    "words, says",
    [
        (["--engines", "nonsense"], "no engine is called 'nonsense'; there are: bytewise"),
        (["--engines", "batch", "--sizes", "17"], "multiple of 16 bytes, not 17"),
        (["--engines", "batch", "--sizes", "abc"], "--sizes takes whole numbers"),
        (["--engines", "batch", "--keys", "160"], "128, 192 or 256 bits, not 160"),
        (["--engines", "batch", "--modes", "xyz"], "batch has no mode 'xyz'"),
        (["--engines", "batch", "--directions", "up"], "'enc' or 'dec', not 'up'"),
        (["--engines", "batch", "--against", "nonsense"], "no engine is called 'nonsense'"),
        (["--engines", "batch", "--sizes", "16", "--format", "bench-slope"], "at least two sizes"),
        (["--engines", "batch", "--sizes", str(1 << 40)], "268435456 bytes at most"),
        (["--engines", "batch", "--against", "o*"], "--against takes one engine"),
        (["--engines", "batch", "--against", ""], "no engine is called ''"),
        (["--engines", "batch", "--sizes", "16", "--save", "/nowhere/at/all.json"], "/nowhere/at/all.json"),
        (["--engines", "batch", "--sizes", "16", "--save", ""], "'.'"),
    ],
)
def test_wrong_arguments_get_one_line(capsys, words, says):
    code, out, err = run(capsys, "bench", *words)
    assert code == 2 and says in err and out == ""
    assert err.strip().count("\n") == 0


def test_blanks_and_repetitions_in_a_list_do_not_matter(capsys):
    words = ["--engines", "ttable, ttable", "--sizes", "16, 16", "--keys", "128,128", "--directions", " enc"]
    assert len(json.loads(run(capsys, "bench", *words, "--format", "json")[1])["rows"]) == 1


def test_a_file_to_save_is_tried_before_the_first_measurement_and_left_as_it_was(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(cli, "_timed", lambda cases, against: 1 / 0)
    (tmp_path / "old.json").write_text("old", encoding="utf-8")
    for name in ("new.json", "old.json"):
        with pytest.raises(ZeroDivisionError):
            run(capsys, "bench", "--engines", "ttable", "--save", str(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == ["old.json"]
    assert (tmp_path / "old.json").read_text(encoding="utf-8") == "old"
    assert run(capsys, "bench", "--engines", "ttable", "--save", str(tmp_path))[0] == 2


@pytest.mark.parametrize("error", [NativeCrash("SIGKILL"), MemoryError("too much"), ModuleNotFoundError("no pandas")])
def test_what_goes_wrong_on_the_way_gets_one_line(capsys, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(cli, "_timed", fail)
    code, _, err = run(capsys, "bench", "--engines", "ttable", "--sizes", "16")
    assert code == 1 and err == f"aesedu: {type(error).__name__}: {error}\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
@pytest.mark.parametrize("words", [["doctor"], ["--help"]])
def test_nobody_reads_the_output(words):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = subprocess.Popen([*PYTHON, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(60) == 141 and err == b""


@pytest.mark.skipif(os.name == "nt", reason="a shell's way to close a descriptor")
def test_without_a_terminal_the_table_comes_all_the_same():
    line = f"exec '{sys.executable}' -m aesedu bench --engines ttable --sizes 16 --directions enc 2>&-"
    assert "ttable" in subprocess.check_output(line, shell=True, text=True)


def test_engine_that_cannot_run_is_an_error_by_name_and_left_out_by_glob(capsys, monkeypatch):
    import aesedu.engines.catalogue as catalogue
    from aesedu.engines.base import Engine

    lacking = Engine("aes-none", "none", "native", "nowhere", needs=lambda: "no such instructions here")
    monkeypatch.setitem(catalogue.ENGINES, "aes-none", lacking)
    code, _, err = run(capsys, "bench", "--engines", "aes-none")
    assert code == 2 and "aes-none cannot run here: no such instructions here" in err
    code, out, err = run(capsys, "bench", "--engines", "aes-none,t*able", "--sizes", "16")
    assert code == 2
    code, out, err = run(capsys, "bench", "--engines", "aes-non*,ttable", "--sizes", "16")
    assert code == 0 and "left out: aes-none (no such instructions here)" in err


@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
def test_ctrl_c_leaves_a_clear_line_and_no_stray_process():
    process = subprocess.Popen(
        [*PYTHON, "bench", "--sizes", "16,64,256,1024,4096,8192"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    parent, children = psutil.Process(process.pid), []
    while not children and process.poll() is None:
        time.sleep(0.05)
        children = parent.children(recursive=True)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130 and err.rstrip().endswith("Stopped by Ctrl-C.") and "Traceback" not in err
    gone, alive = psutil.wait_procs(children, timeout=5)
    assert gone and not alive


def test_doctor_json_and_text(capsys):
    code, out, _ = run(capsys, "doctor", "--json")
    report = json.loads(out)
    assert code == 0 and report["ok"] and report["machine"]["features"]
    assert {"bytewise", "openssl"} <= {e["name"] for e in report["engines"]}
    assert any(n["name"] == "00_start_here" and n["live"] for n in report["notebooks"])
    code, out, _ = run(capsys, "doctor")
    assert code == 0 and "Core frequency" in out and "00_start_here" in out


def test_doctor_names_a_problem_and_says_so_by_its_status(capsys, monkeypatch):
    monkeypatch.setattr(doctor.environment, "where", lambda: 1 / 0)
    monkeypatch.setattr(doctor, "WIDGET_FRONT_ENDS", {"jupyterlab_widgets": "99"})
    code, out, _ = run(capsys, "doctor")
    assert code == 1 and "ZeroDivisionError" in out and "99.x is needed" in out and "Do: " in out


def test_doctor_names_missing_packages(capsys, monkeypatch):
    needs = ["numpy>=2.0", "unobtainium<5,>=4.4", 'absent>=1; extra == "test"']
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: needs)
    code, out, _ = run(capsys, "doctor")
    assert code == 1 and "the package unobtainium is missing" in out and out.count("Problem:") == 1


def test_doctor_survives_a_damaged_notebook(capsys, monkeypatch, tmp_path):
    (tmp_path / "05_x.ipynb").write_text('{"metadata": {}, "cells": []}', encoding="utf-8")
    monkeypatch.setattr(lab, "originals", lambda: tmp_path)
    code, out, _ = run(capsys, "doctor")
    assert code == 1 and "A notebook cannot be read" in out


def test_doctor_shows_tables_in_a_notebook():
    html = doctor.report()._repr_html_()
    assert html.count("<table") == 3 and "<script" not in html


def test_notebook_that_lacks_something_is_recorded(tmp_path, monkeypatch):
    notebook = {"cells": [{"source": ["# Title\n", "x"]}], "metadata": {"aesedu": {"live_needs": ["unobtainium"]}}}
    (tmp_path / "05_x.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    monkeypatch.setattr(lab, "originals", lambda: tmp_path)
    assert doctor._notebooks({"aes"}) == [{"name": "05_x", "title": "Title", "live": False, "missing": ["unobtainium"]}]
    notebook["metadata"]["aesedu"]["live_needs"] = ["pclmulqdq or pmull"]
    (tmp_path / "05_x.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assert [doctor._notebooks({each})[0]["live"] for each in ("pmull", "pclmulqdq", "aes")] == [True, True, False]


def test_lab_says_what_is_missing(capsys, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    code, _, err = run(capsys, "lab", "--folder", str(tmp_path / "file" / "x"))
    assert code == 2 and "--folder PATH" in err
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: None)
    code, _, err = run(capsys, "lab")
    assert code == 2 and "JupyterLab is not installed" in err


def test_unknown_arguments_are_refused_except_for_lab(capsys):
    with pytest.raises(SystemExit):
        cli.main(["doctor", "--nonsense"])
    assert "unknown arguments: --nonsense" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--help"], ["bench", "--help"], ["doctor"]])
def test_another_code_page_is_no_traceback(words):
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = subprocess.run([*PYTHON, *words], capture_output=True, env=environment)
    assert done.returncode == 0 and b"Traceback" not in done.stderr
