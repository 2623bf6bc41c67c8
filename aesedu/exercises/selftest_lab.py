"""The self-test lab: a GCM driver with one fault, chosen by a name, and how many cases a fuzzer needs to find it.

The learner's fuzzer runs in a child process, as the answers of exercises do: whatever it does, the kernel goes on.
"""

import math
from dataclasses import replace
from random import Random
from statistics import median

from aesedu.exercises.differential import Found, reference
from aesedu.exercises.judge import judge
from aesedu.exercises.outcome import FAILED, PASSED, Note, Outcome, Shown
from aesedu.exercises.planted_gcm import EASY, FAULTS, explanation, title
from aesedu.exercises.self_test import NEXT_CASE
from aesedu.views.chart import Row, dots, legend
from aesedu.views.style import page, status
from aesedu.views.table import table

DEADLINE = 60.0  # seconds for one run; the kernel's Stop ends it at once
MOST_CASES = 20_000
_EXPLAINED = {title(fault): explanation(fault) for fault in FAULTS}
_HIDDEN = [title(fault) for fault in FAULTS if fault not in EASY]


def selftest_lab(name: str) -> "Lab":
    """The lab of this name: the same name gives the same driver. Raises ValueError for an empty one."""
    if not isinstance(name, str) or not name.strip():
        raise ValueError('Give the lab a name, yours for example: selftest_lab("Ada").')
    return Lab(name.strip())


class Lab:
    """A driver with one planted fault, hidden until it is found."""

    def __init__(self, name):
        self.name, self._seed = name, name.casefold()
        self._fault = Random(f"lab {self._seed}").choice(_HIDDEN)

    def __repr__(self):
        return f"The lab of {self.name}: a GCM with one of {len(_HIDDEN)} faults, for lab.run(next_case) to find."

    def run(self, next_case, cases=1000) -> Outcome:
        """Run the fuzzer ``next_case`` on this lab's driver until a case differs from OpenSSL: at most ``cases``."""
        task = [[self._fault], [self._seed], _count(cases, MOST_CASES)]
        return self._ask(next_case, task, lambda found: self._say(*found, task[2]))

    def compare(self, next_case, other=reference, seeds=5, cases=400) -> Shown:
        """Cases to detection on a driver with each of the faults, of two fuzzers, over ``seeds``.

        A fault is named once one of the fuzzers that you give has found it. What takes more than ``cases`` is not
        found.
        """
        names = [*_EXPLAINED]
        Random(self._seed).shuffle(names)  # so that a place in the table tells nothing
        task = [names, [f"{self._seed} {n}" for n in range(_count(seeds, 20))], _count(cases, 1000)]
        fuzzers, found = _headings(next_case, other), []
        for heading, fuzzer in zip(fuzzers, (next_case, other), strict=True):
            hunted = self._ask(fuzzer, task, list)
            if not isinstance(hunted, list):
                return replace(hunted, finding=f"{heading}: {hunted.finding}")
            found.append([each.number for each in hunted])
        return Comparison(names, fuzzers, found, task[2], known=2 - (other is reference))

    def reveal(self) -> Note:
        """Which fault it is, for who has given up."""
        return Note(f"The fault of this lab: {self._fault}.", _EXPLAINED[self._fault])

    def _say(self, found, cases):
        if not found.number:
            finding = f"Not found in {cases:,} cases: none differed from OpenSSL. The driver has a fault all the same."
            return Searched(f"The lab of {self.name}", FAILED, finding)
        alone = "shows it, too" if found.alone else "is served well: the fault needs what earlier calls left behind"
        finding = f"Case {found.number}: {found.trouble} ({found.case})."
        advice = f"On a new driver this case alone {alone}. The fault: {self._fault}. {_EXPLAINED[self._fault]}"
        return Searched(f"The lab of {self.name}", PASSED, finding, advice)

    def _ask(self, next_case, task, show):
        def verdict(exercise, report):
            words, results, _ = (report["results"] or [("", None, [])])[0]
            failed = report["raised"] or words == "NoneType"
            return judge(exercise, report) if failed else show([Found(*each) for each in results])

        known, around = [((task,), "found")], "aesedu.exercises.differential:hunts"
        return replace(NEXT_CASE, known=lambda: known, around=around, verdict=verdict).check(next_case, DEADLINE)


def _headings(*fuzzers):
    """What two fuzzers are called: by their functions' names, where these tell which is which."""
    names = [getattr(fuzzer, "__name__", "") for fuzzer in fuzzers]
    told = all(map(str.isidentifier, names)) and len(set(names)) == len(names)
    return names if told else ["first", "second"]


def _count(value, most):
    if not hasattr(value, "__index__") or not 1 <= value <= most:
        raise ValueError(f"A whole number from 1 to {most:,} is needed, not {value!r}.")
    return int(value)


class Searched(Outcome):
    """The outcome of a search that came to its end, whoever's fuzzer it was."""

    more = ""


class Comparison(Shown):
    """Cases to detection of two fuzzers: ``fuzzers`` are their names, ``found`` the numbers of each, fault by fault.

    ``known``: of how many of the two what they have found may be named.
    """

    def __init__(self, names, fuzzers, found, cases, known=1):
        self.cases, self.fuzzers, self._known, seeds = cases, fuzzers, known, len(found[0]) // len(names)
        both = ([numbers[i : i + seeds] for i in range(0, len(numbers), seeds)] for numbers in found)
        self.counts = list(zip(names, *both, strict=True))

    @property
    def found(self) -> int:
        """How many faults the first fuzzer has found with every seed."""
        return sum(all(first) for _, first, _ in self.counts)

    @property
    def columns(self):
        """The headings of ``rows``."""
        first, second = self.fuzzers
        return "fault", f"{first}: median", "least to most", "found", f"{second}: median"

    @property
    def rows(self):
        """(name, median, least and most, how often found by the first fuzzer, the second's median) a fault."""
        return [
            (self._name(n), self._middle(first), self._spread(first), f"{sum(map(bool, first))} of {len(first)}",
             self._middle(second))
            for n, (_, first, second) in enumerate(self.counts)
        ]  # fmt: skip

    def _name(self, n):
        name, *both = self.counts[n]
        return name if any(map(any, both[: self._known])) else f"fault {n + 1}, not found"

    def _median(self, counts):
        """Of all seeds, None where it lies among those that have found nothing."""
        middle = median(number or math.inf for number in counts)
        return middle if middle < math.inf else None

    def _middle(self, counts):
        return f"{self._median(counts) or f'over {self.cases}'}"

    def _spread(self, counts):
        least, most = (f"{number or f'over {self.cases}'}" for number in self._ends(counts))
        return f"{least} to {most}" if any(counts) else ""

    def _ends(self, counts):
        return min(filter(None, counts), default=0), all(counts) and max(counts)

    @property
    def sentence(self):
        """Which is which, and how many are found, in words."""
        first, second = self.fuzzers
        found = f"{first} finds {self.found} of {len(self.counts)} faults with every seed, within {self.cases} cases"
        return f"{first} beside {second}: {found}."

    def html(self):
        rows = [row for n, (_, *both) in enumerate(self.counts) for row in self._dots(n, both)]
        chart = f"<figure>{dots(rows, 'cases', 'Cases to detection', (1, 1000), values=False)}</figure>"
        note = "Cases until the fault is found, logarithmic: median of the seeds, whiskers from least to most."
        title_ = f"Cases to detection: {' and '.join(self.fuzzers)}"
        beside = f"{chart}{table(self.columns, self.rows, title_)}{legend(rows, note=note)}"
        return page(f'<div class="ae-side ae-tight">{beside}</div>{status(self.sentence)}', title_)

    def _dots(self, n, both):
        for series, counts in zip(self.fuzzers, both, strict=True):
            least, most = self._ends(counts)
            yield Row(self._name(n), series, self._median(counts), least or None, most or self.cases)

    def text(self):
        return "\n".join(["; ".join(row) for row in (self.columns, *self.rows)] + [self.sentence])
