"""start.py: what it says when a machine lacks something, and when it sets up again."""

import builtins
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def start(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "VENV", str(tmp_path / "venv"))
    monkeypatch.setattr(module, "STAMP", str(tmp_path / "stamp"))
    monkeypatch.setattr(module, "LOG", str(tmp_path / "venv" / "log"))
    return module


def stop_line(start, function, *arguments):
    with pytest.raises(start.SetupError) as raised:
        function(*arguments)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_help_names_the_tasks():
    shown = subprocess.run([sys.executable, "start.py"], cwd=ROOT, capture_output=True, text=True)
    assert shown.returncode == 2 and all(
        f"start.py {task}" in shown.stderr for task in ("lab", "test", "lint", "bench")
    )


def test_python_too_old(start, monkeypatch):
    monkeypatch.setattr(start.sys, "version_info", (3, 9, 18))
    assert "needs Python 3.11 or newer" in stop_line(start, start.check_platform)


@pytest.mark.parametrize("system, machine", [("Linux", "i686"), ("Darwin", "x86_64"), ("FreeBSD", "amd64")])
def test_platform_without_wheels(start, monkeypatch, system, machine):
    monkeypatch.setattr(start.platform, "system", lambda: system)
    monkeypatch.setattr(start.platform, "machine", lambda: machine)
    assert "Supported: Linux x86-64" in stop_line(start, start.check_platform)


def test_debian_without_python3_venv(start, monkeypatch, tmp_path):
    real = builtins.__import__

    def without_ensurepip(name, *rest):
        if name == "ensurepip":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_ensurepip)
    assert "apt install python3-venv" in stop_line(start, start.make_venv)
    assert not (tmp_path / "venv").exists()


def refuse(*_, **__):
    raise OSError(30, "Read-only file system")


@pytest.mark.parametrize("module, function", [("os", "makedirs"), ("shutil", "rmtree")])
def test_disk_read_only(start, monkeypatch, tmp_path, module, function):
    if function == "rmtree":
        (tmp_path / "venv").mkdir()
    # its own view of the module, which itself belongs to everybody in this process
    view = SimpleNamespace(**{**vars(getattr(start, module)), function: refuse})
    monkeypatch.setattr(start, module, view)
    assert "Read-only file system" in stop_line(start, start.set_up, "run")


def test_disk_read_only_where_a_larger_set_up_is_wanted(start, installs, monkeypatch):
    start.set_up("run")
    monkeypatch.setattr(start, "install", refuse)
    assert "Read-only file system" in stop_line(start, start.set_up, "test")


def test_no_network_shows_pips_words_and_what_to_do(start, monkeypatch, tmp_path, capsys):
    (tmp_path / "venv").mkdir()

    def pip(arguments, log):
        log.write("ERROR: No matching distribution found\n")
        log.flush()
        return 1

    monkeypatch.setattr(start, "pip", pip)
    assert "is there a network?" in stop_line(start, start.install, "run")
    assert "No matching distribution" in capsys.readouterr().err


@pytest.fixture
def installs(start, monkeypatch):
    """Which levels were installed; making and filling the environment is played."""
    done = []
    monkeypatch.setattr(start, "make_venv", lambda: done.append("venv"))
    monkeypatch.setattr(start, "install", done.append)
    monkeypatch.setattr(start, "PYTHON", sys.executable)
    monkeypatch.setattr(start, "modules", lambda: {"numpy", "pandas"})
    return done


def test_second_start_does_nothing(start, installs):
    start.set_up("run")
    start.set_up("run")
    assert installs == ["venv", "run"]


def test_a_larger_set_up_serves_a_smaller_one(start, installs):
    start.set_up("run")
    start.set_up("test")
    start.set_up("run")
    assert installs == ["venv", "run", "test"]


def test_a_changed_lock_brings_what_is_there_up_to_date(start, installs, monkeypatch):
    start.set_up("test")
    monkeypatch.setattr(start, "locks", lambda: "another")
    start.set_up("run")
    start.set_up("run")
    assert installs == ["venv", "test", "test"]


def test_a_changed_lock_without_a_network_goes_on_with_what_is_there(start, installs, monkeypatch, capsys):
    def offline(level):
        raise start.SetupError("is there a network?")

    start.set_up("run")
    monkeypatch.setattr(start, "locks", lambda: "another")
    monkeypatch.setattr(start, "install", offline)
    start.set_up("run")
    assert "Going on with the packages that are there" in capsys.readouterr().err
    assert "is there a network?" in stop_line(start, start.set_up, "test")


def test_another_place_or_python_sets_up_afresh(start, installs, monkeypatch):
    start.set_up("test")
    monkeypatch.setattr(start, "here", lambda: "another")
    start.set_up("run")
    assert installs == ["venv", "test", "venv", "run"]


@pytest.mark.parametrize("left", [{"numpy"}, {"numpy", "pandas", "mine"}])
def test_lost_packages_set_up_afresh_and_added_ones_do_not(start, installs, monkeypatch, left):
    start.set_up("run")
    monkeypatch.setattr(start, "modules", lambda: left)
    start.set_up("run")
    assert installs == (["venv", "run", "venv", "run"] if "pandas" not in left else ["venv", "run"])


@pytest.mark.skipif(os.name == "nt" or sys.getfilesystemencoding() != "utf-8", reason="plays a Windows of its own")
def test_a_folder_with_an_umlaut_is_found_in_every_locale(start, monkeypatch, tmp_path):
    """Windows' names are Unicode, its locale may be cp1252; here UTF-8 mode in the C locale is as contrary."""
    folder = tmp_path / "J\xfcrgen"
    (folder / "aesedu").mkdir(parents=True)
    (folder / "aesedu" / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(start, "ROOT", str(folder))
    written = Path(start.site_packages()) / "_aesedu.pth"
    monkeypatch.setattr(start, "pip", lambda *_: written.write_text(f"{folder}\n", encoding="utf-8") and 0)
    subprocess.check_call([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"])
    start.install("run")
    python = [tmp_path / "venv" / "bin" / "python", "-X", "utf8", "-c", "import aesedu; print(ascii(aesedu.__file__))"]
    found = subprocess.check_output(python, env={**os.environ, "LC_ALL": "C"}, cwd=tmp_path, text=True)
    assert found.strip() == ascii(str(folder / "aesedu" / "__init__.py"))


@pytest.mark.parametrize("stamp", ["", "run", "run stale", "nonsense here", "a b c", "run stale stale numpy"])
def test_a_damaged_or_old_stamp_sets_up_afresh(start, installs, tmp_path, stamp):
    (tmp_path / "stamp").write_text(stamp, encoding="utf-8")
    start.set_up("run")
    assert installs == ["venv", "run"]


def test_an_interrupted_set_up_is_not_taken_for_finished(start, installs, monkeypatch):
    def interrupted(level):
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "install", interrupted)
    monkeypatch.setattr(start, "check_platform", lambda: None)
    assert start.main(["lab"]) == 130
    assert start.installed() == ("", "")


def test_further_arguments_are_passed_on(start):
    assert start.commands("lab", ["--no-browser"])[0][1:] == ["-m", "aesedu", "lab", "--no-browser"]
    assert start.commands("test", ["-k", "tcrypt"])[0][-2:] == ["-k", "tcrypt"]


def test_exit_status_is_the_tasks_own(start, monkeypatch):
    monkeypatch.setattr(start, "check_platform", lambda: None)
    monkeypatch.setattr(start, "set_up", lambda level: None)
    monkeypatch.setattr(start, "commands", lambda task, rest: [[sys.executable, "-c", f"exit({n})"] for n in (0, 3, 0)])
    assert start.main(["lint"]) == 3


def test_two_at_once_take_turns(start, installs, monkeypatch, capsys):
    """What the first one has done the second need not do again."""

    def finish(_):
        start.bring("run")
        other.close()

    monkeypatch.setattr(start.time, "sleep", finish)
    with open(start.VENV + ".lock", "a", encoding="ascii") as other:
        assert start.locked(other)
        start.set_up("run")
    assert installs == ["venv", "run"] and capsys.readouterr().err.count("waiting for it") == 1
    with open(start.VENV + ".lock", "a", encoding="ascii") as third:
        assert start.locked(third), "a finished set-up frees the lock"


def test_a_long_installation_gives_signs_of_life(start, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(start, "SIGN", 0.05)
    (tmp_path / "venv").mkdir()
    code = "import time; print('Collecting numba', flush=True); time.sleep(0.5)"
    with open(start.LOG, "w", encoding="utf-8") as log:
        assert start.run_logged([sys.executable, "-c", code], log) == 0
    assert "at work: Collecting numba" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without a signal")
@pytest.mark.parametrize("call", ["run(command, None)", "run_logged(command, None)"])
def test_who_ends_it_ends_what_it_has_started(tmp_path, call):
    """Installers and servers that go on alone would meet the next start in the same .venv."""
    child = "import time; print('here', flush=True); time.sleep(20); print('went on')"
    lines = (ROOT / "start.py").read_text(encoding="utf-8").replace("sys.exit(main(sys.argv[1:]))", call)
    lines = lines.replace(
        "import contextlib", f"import contextlib, sys\ncommand = [sys.executable, '-c', {child!r}]", 1
    )
    (tmp_path / "start.py").write_text(lines, encoding="utf-8")
    process = subprocess.Popen([sys.executable, tmp_path / "start.py"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "here\n"
    process.terminate()
    assert process.wait(10) == 143
    assert process.stdout.read() == ""
