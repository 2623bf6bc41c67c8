"""What an exercise is: texts, cases with independent answers, planted mistakes."""

import ast
import contextlib
import copy
import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from aesedu.exercises import child
from aesedu.exercises.judge import comparable, equal, judge
from aesedu.exercises.outcome import CRASHED, TIMED_OUT, Outcome

DEADLINE = 5.0  # seconds for all cases of one check
GRACE = 1.0  # more seconds until the process is killed, for code that cannot be interrupted
MEGABYTES = 1024  # of data the learner's code may hold
MOST_SENT = 64 << 20  # bytes: sending more takes longer than the check


class Case(NamedTuple):
    """One call: its arguments (a list of plain values) and the right result."""

    arguments: list
    expected: Any


class Mistake(NamedTuple):
    """A mistake people make, as a change (``old`` text, ``new`` text) to the solution, and the hint that mends it."""

    old: str
    new: str
    hint: str


@dataclass(frozen=True)
class Exercise:
    """An exercise: its name is the name of the function to write.

    ``known`` gives (arguments, result) pairs published in ``source``; ``draw`` makes the arguments of more cases,
    ``oracle`` their results, not by the way of ``solution``. ``parts`` name the levels of a result ("round", "byte"),
    ``digits`` counts the hexadecimal digits of its integers (0: decimal). Code is given as whole cells. ``around``,
    "module:function", turns the learner's function into the one that is called, where more than its result counts.
    ``verdict`` makes what is shown of the exercise and the report of the child process.
    """

    name: str
    notebook: str
    stub: str
    solution: str
    hints: tuple[str, ...]
    known: Callable[[], list[tuple[tuple, Any]]]
    source: str
    draw: Callable[[Random], list[tuple]]
    oracle: Callable[..., Any]
    mistakes: tuple[Mistake, ...]
    parts: tuple[str, ...] = ()
    digits: int = 0
    around: str = ""
    verdict: Callable[["Exercise", dict], Any] = judge

    @cached_property
    def cases(self) -> list[Case]:
        """Known cases first, then drawn ones, the same in every session."""
        drawn = self.draw(Random(self.name))
        pairs = self.known() + [(arguments, self.oracle(*arguments)) for arguments in drawn]
        return [Case(list(arguments), result) for arguments, result in pairs]

    @cached_property
    def parameters(self) -> list[str]:
        """Names of the function's parameters, from the stub."""
        function = next(node for node in ast.parse(self.stub).body if isinstance(node, ast.FunctionDef))
        return [argument.arg for argument in function.args.args]

    @property
    def wrong_answers(self) -> list[str]:
        """The solution with each planted mistake, as source texts."""
        return [self.solution.replace(mistake.old, mistake.new) for mistake in self.mistakes]

    @property
    def praise(self) -> str:
        """What is said of a right answer."""
        return f"All {len(self.cases)} cases are right, {len(self.known())} of them from {self.source}."

    def recognise(self, results: list) -> str:
        """The hint of the planted mistake that gives the learner's results, all of them; "" if none does."""
        for mistake, function in zip(self.mistakes, self._wrong_functions, strict=True):
            if all(_gives(function, case, result) for case, result in zip(self.cases, results, strict=False)):
                return mistake.hint
        return ""

    @cached_property
    def _wrong_functions(self):
        wrap = child.wrapper(self.around)
        return [wrap(_define(text, self.name)) for text in self.wrong_answers]

    def check(self, candidate, deadline: float = DEADLINE) -> Outcome:
        """Runs ``candidate`` (a function, or source text that defines it) in a child process and judges it.

        ``deadline`` is in seconds. Never raises for what the candidate does.
        """
        if isinstance(candidate, str):
            _remember(f"<{self.name}>", candidate)
            return self._run(deadline, source=candidate)
        from aesedu.exercises.sending import pickled, unsendable

        try:
            function = pickled(candidate)
        except Exception as error:
            what = ", ".join(unsendable(candidate)) or "something"
            finding = f"The function refers to {what}, which cannot be sent to the process that checks ({error})."
            return Outcome(self.name, CRASHED, finding, "Pass what it needs as arguments, or make it inside.")
        if len(function) > MOST_SENT:
            finding = f"The function refers to {len(function) >> 20} MB of data, too much for the process that checks."
            return Outcome(self.name, CRASHED, finding, "Make what it needs inside.")
        return self._run(deadline, function=function)

    def _run(self, deadline, **candidate):
        from aesedu.native.errors import NativeCrash, NativeTimeout
        from aesedu.native.worker import Worker

        arguments = [case.arguments for case in self.cases]
        # A process of its own for each check: whatever one answer leaves behind, the next does not meet it.
        worker = Worker()
        path = [place for place in sys.path if isinstance(place, str)]  # Python itself passes over a Path
        try:
            report = worker.call(
                "aesedu.exercises.child:check", deadline=deadline + GRACE, name=self.name, cases=arguments,
                seconds=deadline, megabytes=MEGABYTES, path=path, around=self.around, **candidate,
            )  # fmt: skip
            return self.verdict(self, report)
        except NativeTimeout:
            return Outcome(self.name, TIMED_OUT, f"No answer after {deadline:g} s.", "Does every loop come to its end?")
        except NativeCrash as error:
            text = f"The function ended its process ({error})."
            return Outcome(self.name, CRASHED, text, "It must return; os._exit and the like end everything.")
        except Exception as error:
            return Outcome(self.name, CRASHED, f"The check could not be completed: {error}")
        finally:
            worker.close()


def _define(text, name):
    scope = {}
    exec(text, scope)
    return scope[name]


def _gives(function, case, result):
    words, value, _changed = result
    with contextlib.suppress(Exception):  # a planted mistake may raise on some case
        expected_words, expected = child.plain(function(*copy.deepcopy(case.arguments)))
        if value is None or expected is None:  # nothing to compare: too large, or no plain value
            return words == expected_words
        return comparable(value, expected) and equal(value, expected)
    return False


def _remember(filename, text):
    """Makes the lines of a source text available to tracebacks."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
