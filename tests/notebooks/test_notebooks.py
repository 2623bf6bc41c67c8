"""Every notebook: it is clean as committed, and it runs top to bottom, offline, with the exercises not attempted."""

import json
import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
OFFLINE = Path(__file__).parent / "offline"

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def load(path):
    return nbformat.read(path, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def execute(notebook, folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(OFFLINE), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", str(folder))
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    return notebook


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.notebook
@every_notebook
def test_runs_offline(path, tmp_path, monkeypatch):
    notebook = execute(load(path), tmp_path, monkeypatch)
    assert all(cell.execution_count for cell in code_cells(notebook) if cell.source.strip())


@pytest.mark.notebook
def test_a_failing_cell_and_a_request_outside_are_caught(tmp_path, monkeypatch):
    source = "import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=1)"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    with pytest.raises(Exception, match="no network in tests"):
        execute(notebook, tmp_path, monkeypatch)


@every_notebook
def test_committed_clean(path):
    raw = json.loads(path.read_text(encoding="utf-8"))
    nbformat.validate(raw)
    assert raw["metadata"]["kernelspec"]["name"] == "python3"
    for cell in raw["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None
        assert len("".join(cell["source"]).splitlines()) <= 15 or cell["cell_type"] == "markdown"
    ids = [cell["id"] for cell in raw["cells"]]
    assert len(set(ids)) == len(ids)


@every_notebook
def test_headings_descend_by_one(path):
    text = "\n".join(cell.source for cell in load(path).cells if cell.cell_type == "markdown")
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, flags=re.MULTILINE)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))


@every_notebook
def test_links_within_lead_somewhere(path):
    """Each ``(#anchor)`` is a heading here, each ``(file.ipynb)`` exists; the lab serves no folder above its own."""
    text = "\n".join(cell.source for cell in load(path).cells if cell.cell_type == "markdown")
    anchors = {h.strip().replace(" ", "-") for h in re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)}
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert {link[1:] for link in links if link.startswith("#")} <= anchors
    assert all((path.parent / link.split("#")[0]).exists() for link in links if link.endswith(".ipynb"))
    assert not [link for link in links if link.startswith("..") and path.parent.name == "notebooks"]


@every_notebook
def test_pictures_have_alt_text(path):
    """As HTML ``<img alt>``: Markdown's and ``Image``'s alternative text is lost on export."""
    for cell in load(path).cells:
        assert not re.search(r"!\[.*?\]\(|<img(?![^>]*\balt=\"[^\"]+)", cell.source)
        assert "Image(" not in cell.source


@every_notebook
def test_exercises_stand_in_it_as_in_the_catalogue(path):
    """Each exercise's stub is a cell, word for word, and no cell asks for an exercise that does not exist."""
    from aesedu.exercises import catalogue

    sources = "\n".join(cell.source for cell in code_cells(load(path)))
    entries = {entry.name: entry for entry in catalogue() if entry.notebook == path.stem[:2]}
    assert all(entry.stub.strip() in sources for entry in entries.values())
    assert set(re.findall(r'@exercise\("(\w+)"\)', sources)) == set(entries)
    assert len(entries) >= 3


@every_notebook
def test_opens_and_closes_as_all_of_them(path):
    """Goals, prerequisites, minutes and contents at the top; take-aways, quiz, words, reading at the end."""
    notebook = load(path)
    first, text = notebook.cells[0].source, "\n".join(cell.source for cell in notebook.cells)
    assert all(f"**{part}" in first for part in ("You will be able to", "You need", "Time:", "Contents"))
    assert f"{notebook.metadata.aesedu.minutes} minutes" in first
    assert all(
        part in text
        for part in ("## What to take along", "quiz(", "**Words of this notebook.**", "**Further reading.**")
    )
    assert "predict(" in text and "progress(" in text


def test_readme_lists_the_notebooks_with_their_minutes():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in (path for path in NOTEBOOKS if path.parent.name == "notebooks"):
        assert re.search(rf"\(notebooks/{path.name}\).*\| {load(path).metadata.aesedu.minutes}\+? \|", readme), (
            path.name
        )
