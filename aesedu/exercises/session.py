"""What the learner calls: ``exercise``, ``hint``, ``solution``, ``progress``. Nothing is kept after the kernel ends."""

import difflib
import inspect
import sys
from collections import Counter

from aesedu.exercises.listing import catalogue
from aesedu.exercises.outcome import PASSED, Note

_statuses: dict[str, str] = {}  # the last outcome of each exercise, the latest last
_hints: Counter = Counter()
_requests: Counter = Counter()


def _find(name):
    if not isinstance(name, str):
        raise TypeError('Give the name of the exercise: @exercise("xtime").')
    entries = {entry.name: entry for entry in catalogue()}
    if name not in entries:
        near = difflib.get_close_matches(name, entries) or list(entries)
        raise ValueError(f"There is no exercise {name!r}. Did you mean {' or '.join(near)}?")
    return entries[name]


def _show(shown):
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():
        from IPython.display import display

        display(shown)
    else:
        print(shown)


def exercise(name: str):
    """Decorator: checks the function at once, shows the outcome and leaves the function as it is.

    Raises ValueError where no exercise has this name.
    """
    entry = _find(name)

    def checked(function):
        if getattr(function, "__qualname__", "") == name:
            # What runs after the decorator, too late for a function that calls itself.
            getattr(inspect.unwrap(function), "__globals__", {})[name] = function
        outcome = entry.check(function)
        _statuses.pop(name, None)
        _statuses[name] = outcome.status
        _show(outcome)
        return function

    return checked


def hint(name: str | None = None) -> Note:
    """The next hint of an exercise; the last one stays. Without a name: which exercises are still open."""
    if name is None:
        return Note('Which exercise? Give its name, as in hint("xtime").', _still_open())
    entry = _find(name)
    i = min(_hints[name], len(entry.hints) - 1)
    _hints[name] += 1
    last = f'. It is the last; solution("{name}") has the answer' if i == len(entry.hints) - 1 else ""
    return Note(f"Hint {i + 1} of {len(entry.hints)}{last}.", entry.hints[i])


def _still_open():
    """The open exercises of the notebook used last, or of all notebooks, in words."""
    last = _find(next(reversed(_statuses))).notebook if _statuses else None
    entries = [entry for entry in catalogue() if last in (None, entry.notebook)]
    names = [entry.name for entry in entries if _statuses.get(entry.name) != PASSED]
    return f"Still open: {', '.join(names) or 'none of this notebook'}."


def solution(name: str) -> Note:
    """The solution of an exercise, from the second time it is asked for."""
    entry = _find(name)
    _requests[name] += 1
    if _requests[name] == 1:
        return Note(f"The solution of {name} is closed.", "Run this cell once more to open it.")
    return Note(f"One solution of {name}", code=entry.solution.strip())


def progress(notebook: str | None = None) -> Note:
    """One line: how many exercises of a notebook ("01") are done in this session; by default the one used last.

    Nothing is stored or sent. Raises ValueError where the notebook has no exercises.
    """
    notebook = notebook or (_find(next(reversed(_statuses))).notebook if _statuses else None)
    if notebook is None:
        return Note("No exercise has been run yet.")
    entries = [entry for entry in catalogue() if entry.notebook == notebook]
    if not entries:
        raise ValueError(f"Notebook {notebook!r} has no exercises.")
    todo = [entry.name for entry in entries if _statuses.get(entry.name) != PASSED]
    rest = f"still open: {', '.join(todo)}" if todo else "that is all"
    return Note(f"Notebook {notebook}: {len(entries) - len(todo)} of {len(entries)} exercises done; {rest}.")
