"""The self-test lab: a GCM driver with one fault, chosen by a name, and how many cases a fuzzer needs to find it.

The learner's fuzzer runs in a child process, as the answers of exercises do: whatever it does, the kernel goes on.
"""

import math
from dataclasses import replace
from random import Random
from statistics import median

from aesedu.exercises.differential import Found
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
        task = [[self._fault], [self._seed], _count(cases, MOST_CASES), False]
        return self._ask(next_case, task, lambda results: self._say(*results, task[2]))

    def compare(self, next_case, seeds=5, cases=400) -> Shown:
        """Cases to detection on a driver with each of the faults: this fuzzer's and the reference's, over ``seeds``.

        A fault is named once this fuzzer has found it. What takes more than ``cases`` is not found.
        """
        names = [*_EXPLAINED]
        Random(self._seed).shuffle(names)  # so that a place in the table tells nothing
        task = [names, [f"{self._seed} {n}" for n in range(_count(seeds, 20))], _count(cases, 1000), True]
        return self._ask(next_case, task, lambda found: Comparison(names, found, task[2]))

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


def _count(value, most):
    if not hasattr(value, "__index__") or not 1 <= value <= most:
        raise ValueError(f"A whole number from 1 to {most:,} is needed, not {value!r}.")
    return int(value)


class Searched(Outcome):
    """The outcome of a search that came to its end, whoever's fuzzer it was."""

    more = ""


class Comparison(Shown):
    """Cases to detection of two fuzzers: ``found`` has the learner's for each fault and seed, then the reference's."""

    def __init__(self, names, found, cases):
        self.cases, numbers, half = cases, [each.number for each in found], len(found) // 2
        seeds = half // len(names)
        mine, others = (
            [part[i : i + seeds] for i in range(0, half, seeds)] for part in (numbers[:half], numbers[half:])
        )
        self.counts = list(zip(names, mine, others, strict=True))

    @property
    def found(self) -> int:
        """How many faults the learner's fuzzer has found with every seed."""
        return sum(all(mine) for _, mine, _ in self.counts)

    @property
    def rows(self):
        """(name, learner's median, its least and most, how often found, the reference's median) a fault, in words."""
        return [
            (self._name(n), self._middle(mine), self._spread(mine), f"{sum(map(bool, mine))} of {len(mine)}",
             self._middle(others))
            for n, (_, mine, others) in enumerate(self.counts)
        ]  # fmt: skip

    def _name(self, n):
        name, mine, _ = self.counts[n]
        return name if any(mine) else f"fault {n + 1}, not found"

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
        """How many are found, in words."""
        return f"{self.found} of {len(self.counts)} faults are found with every seed, within {self.cases} cases."

    def html(self):
        columns = ("fault", "median", "least to most", "found", "reference")
        rows = [row for n, (_, *both) in enumerate(self.counts) for row in self._dots(n, both)]
        chart = f"<figure>{dots(rows, 'cases', 'Cases to detection', (1, 1000), values=False)}</figure>"
        note = "Cases until the fault is found, logarithmic: median of the seeds, whiskers from least to most."
        beside = f"{chart}{table(columns, self.rows, 'Cases to detection')}{legend(rows, note=note)}"
        return page(f'<div class="ae-side ae-tight">{beside}</div>{status(self.sentence)}')

    def _dots(self, n, both):
        for series, counts in zip(("yours", "reference"), both, strict=True):
            least, most = self._ends(counts)
            yield Row(self._name(n), series, self._median(counts), least or None, most or self.cases)

    def text(self):
        return "\n".join(["; ".join(row) for row in self.rows] + [self.sentence])
