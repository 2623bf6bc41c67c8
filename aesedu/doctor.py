"""What this machine can run: processor, clock, packages, front end, engines, and which notebooks are live here."""

import json
import platform
import re
import sys
from dataclasses import asdict, dataclass
from functools import partial
from html import escape
from importlib import metadata
from pathlib import Path

from aesedu import __version__, lab
from aesedu.bench import environment
from aesedu.views import style
from aesedu.views.table import table

PACKAGES = (
    *("jupyterlab", "notebook", "ipykernel", "ipywidgets", "jupyterlab_widgets", "widgetsnbextension"),
    *("numpy", "pandas", "matplotlib", "numba", "llvmlite", "cryptography", "cloudpickle"),
)
# The widgets' two halves must be of one generation: ipywidgets in the Jupyter kernel, these in the browser.
WIDGET_FRONT_ENDS = {"jupyterlab_widgets": "3", "widgetsnbextension": "4"}


@dataclass(frozen=True)
class Problem:
    """Something that keeps a part of the suite from working, and what to do about it."""

    what: str
    do: str


@dataclass(frozen=True, repr=False)
class Report:
    """All findings; ``str()`` is text for a terminal, in a notebook it shows as tables, ``as_dict()`` is for JSON."""

    machine: dict
    packages: dict
    engines: list
    notebooks: list
    problems: list

    def as_dict(self):
        """The findings as JSON values; ``ok`` says whether there is no problem."""
        return {"aesedu": __version__, **asdict(self), "ok": not self.problems}

    def __str__(self):
        sections = [f"aesedu {__version__}", _lines(self._facts()), _lines(_engine_lines(self.engines))]
        sections += [_lines(_notebook_lines(self.notebooks)), self._verdict()]
        return "\n\n".join(sections)

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        parts = {"This machine": self._facts(), "Engines": _engine_lines(self.engines)}
        parts["Notebooks"] = _notebook_lines(self.notebooks)
        tables = "".join(_table(caption, facts) for caption, facts in parts.items())
        colour = "vermilion" if self.problems else "green"
        return style.page(tables + style.status(escape(self._verdict()).replace("\n", "<br>"), colour=colour))

    def _facts(self):
        return {**_machine_lines(self.machine), **_package_lines(self.packages)}

    def _verdict(self):
        if not self.problems:
            return "Everything the suite needs is here."
        return "\n".join(f"Problem: {problem.what}\n     Do: {problem.do}" for problem in self.problems)


def report():
    """Examine this machine (about a second) and return a Report; a part that fails becomes a Problem of it."""
    problems = []
    advice = "Run: python -m aesedu.native.child"
    machine = _guarded(environment.where, problems, "The worker process does not run", advice)
    packages = {name: environment.version(name) for name in PACKAGES}
    problems += [*_missing_packages(), *_front_end_problems(packages)]
    engines = _guarded(_engines, problems, "The engines cannot be listed", "Set up again: python3 start.py lab") or []
    live = partial(_notebooks, set((machine or {}).get("features", ())))
    found = _guarded(live, problems, "A notebook cannot be read", "Bring back notebooks/ as it came") or []
    return Report(machine or {}, packages, engines, found, problems)


def _guarded(examine, problems, what, do):
    try:
        return examine()
    except Exception as error:  # whatever it is: the report is there to tell it
        problems.append(Problem(f"{what}: {type(error).__name__}: {error}", do))
        return None


def _missing_packages():
    """Problems, one for each package that aesedu's own metadata asks for and that is not installed."""
    needs = (metadata.requires("aesedu") or ()) if environment.version("aesedu") else ()
    for name in (re.match(r"[\w.-]+", need)[0] for need in needs if "extra ==" not in need):
        if environment.version(name) is None:
            yield Problem(f"the package {name} is missing", f"{Path(sys.executable).name} -m pip install {name}")


def _front_end_problems(packages):
    for package, generation in WIDGET_FRONT_ENDS.items():
        found = packages[package]
        if found is None and package == "widgetsnbextension":
            continue  # only Notebook 7 and older want it
        if found is None or found.split(".")[0] != generation:
            yield Problem(
                f"widgets would not show: {package} {found or 'is missing'}, {generation}.x is needed by ipywidgets 8",
                f"{Path(sys.executable).name} -m pip install --force-reinstall ipywidgets",
            )


def _engines():
    from aesedu.engines import engines

    return [{"name": e.name, "title": e.title, "available": e.available, "reason": e.reason} for e in engines()]


def _notebooks(features):
    """Name, title and whether all of it runs live here, by what each notebook's metadata says it needs."""
    here = features | {platform.machine().lower().replace("amd64", "x86_64")}
    return [_notebook(path, here) for path in sorted(lab.originals().glob("[0-9]*.ipynb"))]


def _notebook(path, here):
    content = json.loads(path.read_text(encoding="utf-8"))
    needs = content["metadata"].get("aesedu", {}).get("live_needs", [])
    missing = [need for need in needs if here.isdisjoint(need.split(" or "))]
    title = "".join(content["cells"][0]["source"]).splitlines()[0].lstrip("# ")
    return {"name": path.stem, "title": title, "live": not missing, "missing": missing}


def _machine_lines(machine):
    if not machine:
        return {"Processor": platform.processor() or platform.machine()}
    virtual = {None: "not told by the system", False: "no", True: "yes"}.get(machine["virtual_machine"])
    return {
        "Processor": machine["cpu"],
        "System": machine["os"],
        "Virtual machine": virtual or f"yes: {machine['virtual_machine']}",
        "Core frequency": f"{machine['core_hz'] / 1e9:.2f} GHz by a chain of additions, "
        f"{machine['imul_hz'] / 1e9:.2f} by one of multiplications",
        "Clock": machine["clock"],
        "Features": " ".join(machine["features"]),
    }


def _package_lines(packages):
    versions = ", ".join(f"{name} {version}" for name, version in packages.items() if version)
    return {"Python": platform.python_version(), "Packages": versions}


def _engine_lines(engines):
    return {e["name"]: e["title"] + ("" if e["available"] else f" - not here: {e['reason']}") for e in engines}


def _notebook_lines(notebooks):
    return {n["name"]: "live" if n["live"] else f"recorded: {', '.join(n['missing'])} is missing" for n in notebooks}


def _lines(facts):
    width = max(map(len, facts), default=0)
    return "\n".join(f"{name:{width}}  {text}" for name, text in facts.items())


def _table(caption, facts):
    """Caption and table in words, three of which stand beneath each other."""
    return f"<b>{caption}</b>" + table(("what", "found"), list(facts.items()), caption, text=("found",))
