"""The outcome of a check, and how it is shown."""

from dataclasses import dataclass

from aesedu.views import outcome as view

PASSED, FAILED, CRASHED = "passed", "failed", "crashed"
NOT_ATTEMPTED, TIMED_OUT = "not attempted", "timed out"


class Shown:
    """Anything with ``html()`` and ``text()``: Jupyter shows the first, a terminal the second."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": _encodable(self.html()), "text/plain": str(self)}

    def __str__(self):
        return _encodable(self.text())


def _encodable(text):
    """The text without lone surrogates, which a learner may print and no front end can be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class Outcome(Shown):
    """``status`` is one of the five words above; ``finding`` says what happened, ``advice`` what to do about it.

    ``printed`` and ``traceback`` are the learner's own, as text.
    """

    exercise: str
    status: str
    finding: str
    advice: str = ""
    printed: str = ""
    traceback: str = ""

    @property
    def more(self) -> str:
        """How to get a hint, where one may help."""
        return f'hint("{self.exercise}") gives a hint.' if self.status in (FAILED, NOT_ATTEMPTED) else ""

    @property
    def message(self) -> str:
        """Finding, advice and how to get a hint as one text."""
        return " ".join(filter(None, (self.finding, self.advice, self.more)))

    def html(self) -> str:
        """As HTML, style sheet included."""
        return view.outcome_html(self)

    def text(self) -> str:
        """The same as plain text."""
        return view.outcome_text(self)


@dataclass(frozen=True)
class Note(Shown):
    """A few words, and perhaps code, in answer to ``hint``, ``solution`` or ``progress``."""

    title: str
    body: str = ""
    code: str = ""

    def html(self) -> str:
        """As HTML, style sheet included."""
        return view.note_html(self)

    def text(self) -> str:
        """The same as plain text."""
        return view.note_text(self)
