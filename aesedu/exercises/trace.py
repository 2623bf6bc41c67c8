"""Tracebacks cut down to the learner's own lines."""

import linecache
import sys
import sysconfig
from pathlib import Path

_ENDS = 3  # frames kept at each end of a deep recursion


def own_frames(frames):
    """The learner's frames of ``(file, line, function)`` triples as text with their source lines."""
    own = [frame for frame in frames if _is_own(frame[0])]
    if len(own) > 2 * _ENDS:
        middle = [f"... {len(own) - 2 * _ENDS} more"]
        return "\n".join([*map(_frame, own[:_ENDS]), *middle, *map(_frame, own[-_ENDS:])])
    return "\n".join(map(_frame, own))


def _is_own(filename):
    if filename.startswith("<frozen"):
        return False
    paths = sysconfig.get_paths()
    foreign = [Path(__file__).parents[1], *(paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib"))]
    return not any(Path(filename).is_relative_to(folder) for folder in foreign)


def _frame(frame):
    filename, line, function = frame
    return f"{_place(filename)}, line {line}, in {function}\n    {linecache.getline(filename, line).strip()}".rstrip()


def _place(filename):
    """The notebook's name for a cell ("Cell In[5]"), else the file's name."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    cell = shell and shell.compile.format_code_name(filename)
    return " ".join(cell) if cell else Path(filename).name
