"""What holds the repository together: one list of dependencies in three places, a light import, a whole wheel."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA_NAMES = {"matplotlib": "matplotlib-base", "playwright": "playwright-python"}
LEVELS = {"run": ["build"], "test": ["build", "test"], "bench": ["build", "test", "bench"]}


def requirements(extras):
    lists = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra] for extra in extras)]
    return [Requirement(line) for lines in lists for line in lines]


def locked(level):
    """Name -> versions of a lock file (one name may have a version for each range of Pythons)."""
    text = (ROOT / "requirements" / f"{level}.txt").read_text(encoding="utf-8")
    versions = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", text, flags=re.MULTILINE):
        versions.setdefault(canonicalize_name(name), set()).add(version)
    return versions


@pytest.mark.parametrize("level", LEVELS)
def test_lock_holds_every_requirement(level):
    versions = locked(level)
    for requirement in requirements(LEVELS[level]):
        found = versions[canonicalize_name(requirement.name)]
        assert all(requirement.specifier.contains(version) for version in found), requirement


def test_larger_locks_agree_with_smaller_ones():
    run, test, bench = (locked(level) for level in LEVELS)
    assert run.items() <= test.items() <= bench.items()


def test_vectors_are_of_the_release_they_test():
    test = locked("test")
    assert test["cryptography"] == test["cryptography-vectors"]


@pytest.mark.parametrize("level", LEVELS)
def test_lock_is_hashed_and_names_no_index(level):
    text = (ROOT / "requirements" / f"{level}.txt").read_text(encoding="utf-8")
    assert "http" not in re.sub(r"\bhttp(core|x)\b", "", text) and "--index" not in text
    pins = re.findall(r"^[\w.-]+==.*(?:\n    .*)*", text, flags=re.MULTILINE)
    assert pins and all("--hash=sha256:" in pin for pin in pins)


def test_environment_yml_says_the_same_as_pyproject():
    entries = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    from_pip = next(entry["pip"] for entry in entries if isinstance(entry, dict))
    assert "-e ." in from_pip
    listed = {line for line in [*entries, *from_pip] if isinstance(line, str)} - {"-e .", "pip", "python=3.12"}
    names = {str(r).replace(r.name, CONDA_NAMES.get(r.name, r.name), 1) for r in requirements(["build", "test"])}
    assert {str(Requirement(line)) for line in listed} == {str(Requirement(name)) for name in names}


def test_conda_python_is_one_the_project_allows():
    entries = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    version = next(e.removeprefix("python=") for e in entries if isinstance(e, str) and e.startswith("python="))
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(version)


def test_every_dependency_names_its_reason():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lines = re.findall(r'^(?:build = \[|    )"[a-z].*$', text[: text.index("[project.scripts]")], flags=re.MULTILINE)
    assert len(lines) == len(requirements(["build", "test", "bench"]))
    assert all("# " in line for line in lines)


def loaded_after(statement):
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", code], text=True, encoding="utf-8").split())


HEAVY = {"numpy", "numba", "llvmlite", "pandas", "matplotlib", "ipywidgets", "IPython", "cryptography"}


def test_import_is_light():
    assert not HEAVY & loaded_after("import aesedu")


def test_readable_parts_load_without_numba_or_matplotlib():
    loaded = loaded_after("import aesedu.cipher, aesedu.cipher.fips197, aesedu.cipher.ttable, aesedu.views")
    assert not (HEAVY - {"numpy"}) & loaded


def tracked_text():
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True, encoding="utf-8").split("\0")
    for path in (ROOT / name for name in names if name):
        if path.is_file() and path.suffix not in {".png", ".jpg"}:
            yield path, path.read_text(encoding="utf-8")


def test_nothing_of_one_machine_is_committed():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    home = re.escape(str(Path.home())) + "/"
    forbidden = re.compile(rf"{re.escape(str(ROOT))}/|{home}|^--(?:extra-)?index-url|https?://\S+\.whl\b", re.MULTILINE)
    assert [str(path) for path, text in tracked_text() if forbidden.search(text)] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def test_wheel_holds_data_and_notebooks(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "aesedu/_notebooks/00_start_here.ipynb" in names
    assert "aesedu/_data/seeds/tcrypt_core2_2008.csv" in names
    assert "aesedu/jupyter/labconfig/default_setting_overrides.json" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]


def test_wheel_works_without_the_checkout(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = "from aesedu import data, lab; print(len(data.tcrypt_core2_2008())); print(lab.originals())"
    out = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, env=path_first(tmp_path), text=True)
    rows, originals = out.splitlines()
    assert rows == "240" and Path(originals) == tmp_path / "aesedu" / "_notebooks"


def path_first(folder):
    import os

    return {**os.environ, "PYTHONPATH": str(folder)}
