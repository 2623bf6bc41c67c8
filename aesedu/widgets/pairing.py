"""head_to_head: two engines or subjects timed in turn, with the first against itself as a control, and the verdict."""

from dataclasses import replace
from html import escape

from aesedu import bench
from aesedu.engines import engine
from aesedu.native import UnsupportedFeature
from aesedu.views.comparison import comparison_board
from aesedu.views.style import page, status


class HeadToHead:
    """A finished comparison as a notebook shows it.

    ``comparison`` is the ``bench.Comparison``; ``answer`` what a prediction is held against: the name of the faster
    one, or "cannot tell" ("the first is faster" or "the second is faster" where both have one name).
    """

    def __init__(self, comparison):
        self.comparison = comparison
        self._names = comparison.a.what.get("engine", "A"), comparison.label

    @property
    def answer(self):
        """What a prediction is held against; see the class."""
        if not self.comparison.differs:
            return "cannot tell"
        first, second = self._names
        place = int(self.comparison.effect.ratio > 1)
        return self._names[place] if first != second else f"the {('first', 'second')[place]} is faster"

    @property
    def factor(self):
        """How many times as fast the second is as the first, to three digits."""
        return float(f"{self.comparison.effect.ratio:.3g}") if self.comparison.effect else None

    def __repr__(self):
        return self.comparison.verdict

    def _repr_html_(self):
        first, second = self._names
        title = f"{first} against itself" if first == second else f"{second} against {first}"
        return page(comparison_board(self.comparison), title)


class NotHere:
    """A comparison that this machine cannot make, and why; the notebook goes on without it."""

    comparison = answer = factor = None

    def __init__(self, title, reason):
        self.title, self.reason = title, str(reason)

    def __repr__(self):
        return f"Not timed here: {self.reason}"

    def _repr_html_(self):
        return page(status("Not timed here.", escape(self.reason), "orange"), self.title)


def head_to_head(first, second, size=8192, **options):
    """Time ``first`` and ``second`` in turn (two to three seconds) and return a ``HeadToHead``.

    Each is an engine's name, a ``native.Subject``, or a function that makes one; ``size`` in bytes a call; ``options``
    are those of ``bench.compare``. A ``NotHere`` says what cannot run on this machine. Raises what ``bench.compare``
    raises and ValueError for an unknown engine or size.
    """
    try:
        subjects = [_subject(each, size) for each in (first, second)]
    except UnsupportedFeature as error:
        names = [each if isinstance(each, str) else name for each, name in ((first, "first"), (second, "second"))]
        return NotHere("{1} against {0}".format(*names), error)
    return HeadToHead(bench.compare(*subjects, **options))


def _subject(each, size):
    if isinstance(each, str):
        return engine(each).subject(size=size)
    return each() if callable(each) else each


def block_calls(mode="xts", key_bits=256, size=8192):
    """Time a mode that calls its block routine once a block against the same mode calling it once a message.

    Both by the first of two native engines that runs here; a ``NotHere`` where none does.
    """
    for each in map(engine, ("aes-x4", "ttable-split-k64")):
        if each.has_loops and each.available:
            block, message = (each.subject(mode, "enc", key_bits, size, calls) for calls in ("block", "bulk"))
            return head_to_head(_named(block, "a call a block"), _named(message, "at once"))
    return NotHere("at once against a call a block", each.reason or "the compiled modes need numba")


def _named(subject, name):
    """The subject under another name than its engine's."""
    return replace(subject, label=name, what=subject.what | {"engine": name})
