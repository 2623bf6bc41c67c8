"""The card that measures the host's core, with a core of known truth in its place."""

import sys
import time
from pathlib import Path

import pytest

from aesedu import machines, native
from aesedu.widgets import CorePanel
from aesedu.widgets import host_core as module

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from test_host_core import exact  # noqa: E402


@pytest.fixture
def panel(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "_HERE", "x86_64")
    monkeypatch.setattr(native, "features", lambda: frozenset({"aes", "pclmulqdq", "ssse3", "sse4.1"}))
    known = exact(lacks={"vlane": "avx512f"})
    monkeypatch.setattr(module.host_core, "timing", lambda rounds: iter([(0, 2, None), (1, 2, None), (2, 2, known)]))
    return CorePanel()


def run(panel):
    panel.run_button.click()
    return finish(panel)


def finish(panel):
    until = time.monotonic() + 30
    while panel.run_button.disabled and time.monotonic() < until:
        time.sleep(0.01)
    assert not panel.errors and not panel.run_button.disabled
    return panel


def test_before_a_run_there_are_instructions_and_reasons_and_no_numbers(panel):
    assert "addq %rdx, %r8" in panel.picture.value and "this machine lacks avx512f" in panel.picture.value
    assert "1.00" not in panel.picture.value and machines.load(panel.machine).isa == "x86_64"
    assert "Press Run" in panel.write().text() and not Path("my_core.toml").exists()


def test_run_shows_the_table_and_the_nearest_core(panel):
    run(panel)
    assert "6.00" in panel.picture.value and "latencies are those of" in panel.sentence.value
    assert "How many start in a cycle differs: alu (3.00 and not " in panel.sentence.value
    assert "2 of 2 steps" in panel.progress.value
    panel.save()
    assert "Saved as measure-this-core" in panel.sentence.value


def test_file_is_written_once_and_never_again(panel):
    run(panel)
    assert "is written" in panel.write(base="skylake").text() and panel.machine == "my_core.toml"
    assert machines.load(panel.machine).classes["aes"].latency == 6
    before = Path("my_core.toml").read_bytes()
    assert "stays as it is" in panel.write(base="zen4").text() and Path("my_core.toml").read_bytes() == before
    with pytest.raises(machines.MachineError, match="there is no machine 'm1'"):
        panel.write("other.toml", base="m1")
    assert not Path("other.toml").exists()


def test_a_file_of_another_day_is_found(panel):
    Path("my_core.toml").write_text('base = "zen5"', encoding="utf-8")
    assert "stays as it is" in panel.write().text() and machines.load(panel.machine).rob == 448


@pytest.mark.parametrize(
    ("path", "error", "says"),
    [
        ("zen4.toml", machines.MachineError, "zen4 is a core of ours"),
        ("Skylake.toml", machines.MachineError, "is a core of ours"),
        ("my_core", machines.MachineError, "ends in .toml"),
        ("", machines.MachineError, "ends in .toml"),
        ("none/my_core.toml", FileNotFoundError, "there is no folder none: make it first"),
        ("folder.toml", machines.MachineError, "folder.toml: "),
        ("notes.toml", machines.MachineError, "notes.toml: "),
    ],
)
def test_a_place_that_will_not_do_is_named_and_nothing_is_lost(panel, path, error, says):
    run(panel)
    Path("folder.toml").mkdir()
    Path("notes.toml").write_text("my notes", encoding="utf-8")
    before = panel.machine
    with pytest.raises(error, match=says):
        panel.write(path)
    assert panel.machine == before and Path("notes.toml").read_text(encoding="utf-8") == "my notes"
    assert sorted(p.name for p in Path().iterdir()) == ["folder.toml", "notes.toml"]
    assert "is written" in panel.write("own.toml").text()


def test_a_folder_that_may_not_be_written(panel, monkeypatch):
    made = Path.open

    def refuse(path, mode="r", *rest, **more):
        if mode == "x":
            raise PermissionError(13, "Permission denied")
        return made(path, mode, *rest, **more)

    run(panel)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError, match="my_core.toml cannot be written: Permission denied. Give a place"):
        panel.write()


def test_cancel_ends_it():
    panel = CorePanel()
    panel.run_button.click()
    panel.cancel_button.click()
    finish(panel)
    assert "Cancelled" in panel.sentence.value and panel.source.core is None
