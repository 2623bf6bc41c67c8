"""The learner's copies: made where missing, never overwritten, and a newer original is announced."""

import json

import pytest

from aesedu import lab


@pytest.fixture
def originals(tmp_path, monkeypatch):
    folder = tmp_path / "originals"
    (folder / "assignments").mkdir(parents=True)
    (folder / lab.FIRST).write_text("first", encoding="utf-8")
    (folder / "assignments" / "one.ipynb").write_text("one", encoding="utf-8")
    monkeypatch.setattr(lab, "originals", lambda: folder)
    return folder


def test_copies_what_is_missing(originals, tmp_path):
    work = tmp_path / "work"
    assert lab.copy_notebooks(work) == []
    assert (work / lab.FIRST).read_text(encoding="utf-8") == "first"
    assert (work / "assignments" / "one.ipynb").read_text(encoding="utf-8") == "one"


def test_never_overwrites_and_announces_a_newer_original(originals, tmp_path, capsys):
    work = tmp_path / "work"
    lab.copy_notebooks(work)
    (work / lab.FIRST).write_text("mine", encoding="utf-8")
    (originals / lab.FIRST).write_text("second edition", encoding="utf-8")
    assert lab.copy_notebooks(work) == [lab.FIRST]
    assert lab.copy_notebooks(work) == [lab.FIRST], "announced until the learner has the new one"
    assert (work / lab.FIRST).read_text(encoding="utf-8") == "mine"
    (work / lab.FIRST).rename(work / "mine.ipynb")
    assert lab.copy_notebooks(work) == []
    assert (work / lab.FIRST).read_text(encoding="utf-8") == "second edition"


@pytest.mark.parametrize("damage", ["", "{", "[1]", '{"00_start_here.ipynb": 3}'])
def test_a_damaged_record_costs_no_work(originals, tmp_path, damage):
    work = tmp_path / "work"
    lab.copy_notebooks(work)
    (work / lab.FIRST).write_text("mine", encoding="utf-8")
    (work / lab.RECORD).write_text(damage, encoding="utf-8")
    lab.copy_notebooks(work)
    assert (work / lab.FIRST).read_text(encoding="utf-8") == "mine"


def test_a_folder_that_cannot_be_written_is_one_clear_line(originals, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(lab.LabError, match="--folder PATH") as raised:
        lab.copy_notebooks(tmp_path / "file" / "work")
    assert "\n" not in str(raised.value)


def test_command_line_keeps_the_token_and_passes_arguments_on(monkeypatch, tmp_path):
    monkeypatch.setattr(lab, "_as_root", lambda: ["--allow-root"])
    words = lab.command(tmp_path, ["--no-browser", "--port=9999"])
    assert words[-3:] == ["--allow-root", "--no-browser", "--port=9999"]
    assert f"--ServerApp.root_dir={tmp_path}" in words and f"--LabApp.default_url=/lab/tree/{lab.FIRST}" in words
    assert not any("token" in word or "password" in word for word in words)


def test_root_is_allowed_only_where_we_are_root(monkeypatch):
    monkeypatch.setattr(lab.os, "geteuid", lambda: 1000, raising=False)
    assert lab._as_root() == []
    monkeypatch.setattr(lab.os, "geteuid", lambda: 0)
    assert lab._as_root() == ["--allow-root"]


def test_no_question_about_news():
    path = lab.PACKAGE / "jupyter" / "labconfig" / "default_setting_overrides.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    assert settings["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    assert str(lab.PACKAGE / "jupyter") in lab._environment()["JUPYTER_CONFIG_PATH"].split(lab.os.pathsep)


def test_half_a_copy_is_made_again_and_checkpoints_stay_where_they_are(originals, tmp_path, monkeypatch):
    def break_off(source, target):
        target.write_text("fi", encoding="utf-8")
        raise OSError(28, "No space left on device")

    (originals / ".ipynb_checkpoints").mkdir()
    (originals / ".ipynb_checkpoints" / "one-checkpoint.ipynb").write_text("old", encoding="utf-8")
    with monkeypatch.context() as full, pytest.raises(lab.LabError, match="No space left"):
        full.setattr(lab.shutil, "copyfile", break_off)
        lab.copy_notebooks(tmp_path / "work")
    lab.copy_notebooks(tmp_path / "work")
    assert (tmp_path / "work" / lab.FIRST).read_text(encoding="utf-8") == "first"
    assert {path.name for path in (tmp_path / "work").iterdir()} == {lab.FIRST, "assignments", lab.RECORD}
