"""Opens JupyterLab on the learner's own copies of the notebooks.

The originals stay as they are; each is copied to ``work/`` once and a copy is never written again, so a learner's
work cannot be lost. When an original has changed since it was copied, that is announced.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent
FIRST = "00_start_here.ipynb"
RECORD = ".originals.json"


class LabError(Exception):
    """JupyterLab cannot be opened; the text says what to do."""


def originals():
    """The folder of the notebooks as they came: beside the package in a checkout, inside it in a wheel."""
    beside = CHECKOUT / "notebooks"
    return beside if (CHECKOUT / "pyproject.toml").is_file() and beside.is_dir() else PACKAGE / "_notebooks"


def default_folder():
    """``work/`` in the checkout; ``aesedu-work/`` where the user stands when the suite came as a wheel."""
    return CHECKOUT / "work" if originals().parent == CHECKOUT else Path.cwd() / "aesedu-work"


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read_record(folder):
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def copy_notebooks(folder):
    """Copies each original that ``folder`` lacks.

    Returns the names whose original is newer than the copy the learner has. Raises LabError where the folder
    cannot be written.
    """
    record, newer = _read_record(folder), []
    try:
        for original in sorted(originals().rglob("*.ipynb")):
            name = original.relative_to(originals()).as_posix()
            if ".ipynb_checkpoints/" in name:  # JupyterLab's own, left by --edit
                continue
            copy = folder / name
            if not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                part = copy.with_name(f"{copy.name}.part")  # no half of a notebook may pass for the learner's copy
                shutil.copyfile(original, part)
                part.replace(copy)
                record[name] = _digest(original)
            elif record.setdefault(name, _digest(original)) != _digest(original):
                newer.append(name)
        (folder / RECORD).write_text(json.dumps(record, indent=1), encoding="utf-8")
    except OSError as error:
        raise LabError(
            f"{folder} cannot be written ({error.strerror}). Copy the suite to a folder of your own, or name one: "
            "python -m aesedu lab --folder PATH"
        ) from None
    return newer


def _announce(newer, folder):
    for name in newer:
        stays = "Your copy stays; rename it to get the new one."
        print(f"{name}: the original is newer than your copy in {folder}. {stays}")


def _as_root():
    """JupyterLab refuses to run as root, the usual user of a container, unless told."""
    return ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []


def _environment():
    """Ours plus one settings folder, which answers JupyterLab's question about news with no."""
    paths = [str(PACKAGE / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    return {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, paths))}


def command(folder, arguments):
    """The command line that opens JupyterLab on notebook 00 in ``folder``; the token stays as Jupyter makes it."""
    return [
        *(sys.executable, "-m", "jupyterlab"),
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{FIRST}",
        *_as_root(),
        *arguments,
    ]


def open_lab(arguments=(), folder=None, edit=False):
    """Copies what is missing and runs JupyterLab until it ends; returns its exit status.

    ``arguments`` are passed on to JupyterLab; ``edit`` opens the originals instead of the copies. Raises LabError
    where JupyterLab is not installed or the folder cannot be written.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        raise LabError("JupyterLab is not installed in this Python. In the suite's folder: python3 start.py lab")
    folder = originals() if edit else Path(folder or default_folder()).resolve()
    if not edit:
        _announce(copy_notebooks(folder), folder)
    process = subprocess.Popen(command(folder, arguments), env=_environment())
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # it went to JupyterLab too, which asks and then ends by itself
            continue
