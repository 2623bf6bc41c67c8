"""Exercises of notebook 02: their oracles against outside answers; what is said of a routine that cannot be judged."""

import csv
import random

import pytest

from aesedu.data import path
from aesedu.exercises import catalogue

ENTRIES = {entry.name: entry for entry in catalogue()}


def computed(steps, results, changed=None, after=-1):
    """The results when every step mixes its operands; ``changed`` is spoilt once step number ``after`` is done."""
    known = {}
    for n, (name, operands) in enumerate(steps):
        known[name] = hash((n, *(known.setdefault(o, hash(o)) for o in operands)))
        if n == after and changed:
            known[changed] = 0
    return [known.get(r, hash(r)) for r in results]


@pytest.mark.parametrize("seed", range(30))
def test_live_is_what_changes_the_results(seed):
    """A value is live after a step if spoiling it then changes a result: no definition by reading and writing."""
    entry = ENTRIES["live_values"]
    for steps, results in entry.draw(random.Random(seed)):
        names = {*results, *(n for n, _ in steps), *(o for _, operands in steps for o in operands)}
        right = computed(steps, results)
        counts = []
        for after in range(len(steps)):
            made = {name for name, _ in steps[after + 1 :]}
            counts.append(sum(computed(steps, results, name, after) != right for name in names - made))
        assert entry.oracle(steps, results) == counts or _has_dead_steps(steps, results)


def _has_dead_steps(steps, results):
    """A step that no result depends on keeps its operands live by reading them, though it changes nothing."""
    needed = set(results)
    for name, operands in reversed(steps):
        needed.update(operands if name in needed else ())
    return not {name for name, _ in steps} <= needed


def test_the_comparison_above_is_not_empty():
    entry = ENTRIES["live_values"]
    drawn = [case for seed in range(30) for case in entry.draw(random.Random(seed))]
    assert sum(not _has_dead_steps(*case) for case in drawn) > 20


def test_a_round_as_the_standard_prints_it():
    """Every inner round of FIPS-197's examples: the start of the next one."""
    with path("vectors/fips197_cipher.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["direction"] == "encrypt"]
    values = {(row["example"], int(row["round"]), row["step"]): row["value"] for row in rows}
    checked = 0
    for (example, number, step), start in values.items():
        after = values.get((example, number + 1, "start"))
        key = values.get((example, number, "k_sch"))
        if step != "start" or not (after and key) or (example, number, "m_col") not in values:
            continue
        words = [
            [int.from_bytes(bytes.fromhex(t)[i : i + 4], "little") for i in range(0, 16, 4)]
            for t in (start, key, after)
        ]
        assert ENTRIES["lean_round"].oracle(*words[0], words[1], None)[0] == words[2]
        checked += 1
    assert checked > 30


BRANCHING = """
def tighter_ring(a, b, c, te):
    if a & 1:
        return b, c, a
    return a, b, c
"""
DECORATED = """
from aesedu.routine import routine, table, u32


@routine
def tighter_ring(a: u32, b: u32, c: u32, te: table):
    q = te[b & 255]
    x = b ^ te[a & 255]
    return x, c ^ q, a ^ te[c & 255]
"""


def test_a_routine_that_branches_is_told_so():
    outcome = ENTRIES["tighter_ring"].check(BRANCHING)
    assert outcome.status == "crashed" and "raised RoutineError: tighter_ring, line 3" in outcome.finding
    assert "cannot branch" in outcome.finding and "records the function" in outcome.advice


def test_a_decorated_routine_is_judged_as_well():
    assert ENTRIES["tighter_ring"].check(DECORATED).status == "passed"


def test_a_good_round_with_spills_fails_by_the_spills_alone():
    entry = ENTRIES["lean_round"]
    outcome = entry.check(entry.wrong_answers[0])
    assert "1 spill with 8 registers" in outcome.finding and "no spill with 8 registers" in outcome.finding
