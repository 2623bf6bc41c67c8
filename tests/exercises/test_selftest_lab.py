"""The lab as a learner meets it: what fuzzers of every kind lead to. Nothing but a fault found is a pass."""

import os
import re

import pytest

from aesedu.exercises import selftest_lab as module
from aesedu.exercises.differential import hunt, naive, reference
from aesedu.exercises.planted_gcm import EASY, FAULTS, title
from aesedu.exercises.selftest_lab import selftest_lab

TITLES = {title(fault) for fault in FAULTS}
HIDDEN = [fault for fault in FAULTS if fault not in EASY]


def endless(random):
    while True:
        pass


def spoils_its_random(random):
    random.seed(1)
    random.random = lambda: None
    return {"length": 3}


def test_every_hidden_fault_has_its_names():
    labs = [selftest_lab(f"student {n}") for n in range(300)]
    assert {lab._fault for lab in labs} == {*map(title, HIDDEN)}
    assert selftest_lab(" Ada ")._fault == selftest_lab("ada")._fault


def test_lengths_drawn_at_random_find_what_is_easy():
    assert all(any(hunt(naive, fault, seed, 200).number for seed in "12345678") for fault in EASY)


@pytest.mark.parametrize("fault", HIDDEN, ids=title)
def test_they_find_no_hidden_fault(fault):
    """The notebook says: a thousand cases and no difference."""
    assert not any(hunt(naive, fault, seed, cases).number for seed, cases in (("1", 700), ("2", 300)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Ben", "Fatima", "Marco", "José", *(f"student {n}" for n in range(56))])
def test_they_find_it_in_no_lab(name):
    assert "Not found in 1,000 cases" in selftest_lab(name).run(naive).finding


def test_the_reference_finds_it_and_learns_its_name():
    lab = selftest_lab("Ada")
    assert lab._fault not in repr(lab)
    outcome = lab.run(reference)
    assert outcome.status == "passed" and re.match(r"Case \d+: (en|de)cryption ", outcome.finding)
    assert f"The fault: {lab._fault}. " in outcome.advice
    assert str(lab.run(reference)) == str(outcome)


@pytest.mark.parametrize(
    ("fuzzer", "status", "words"),
    [
        (naive, "failed", "Not found in 50 cases"),
        (spoils_its_random, "failed", "Not found"),
        (lambda random: None, "not attempted", "returns nothing"),
        (lambda random: ..., "not attempted", "returns nothing"),
        (lambda random: {"length": random.choice([])}, "crashed", "IndexError"),
        (lambda random: {"lenght": 3}, "crashed", "no setting 'lenght'"),
        (lambda random: [1, 2], "crashed", "dict of settings, not list"),
        (lambda: {}, "crashed", "TypeError"),
        (lambda random: os._exit(0), "crashed", "ended its process"),
        (endless, "timed out", ""),
        (3, "crashed", "TypeError"),
    ],
)
def test_other_fuzzers_do_not_pass(monkeypatch, fuzzer, status, words):
    if status == "timed out":  # the others have all the time that a busy machine may take
        monkeypatch.setattr(module, "DEADLINE", 1.0)
    lab = selftest_lab("Ada")
    outcome = lab.run(fuzzer, cases=50)
    assert outcome.status == status and words in outcome.finding
    assert lab._fault not in str(outcome)


def test_comparison_names_only_what_was_found():
    lab = selftest_lab("Ada")
    few = lab.compare(naive, seeds=1, cases=60)
    named = {name for name, *_ in few.rows} & TITLES
    assert 1 <= len(named) == few.found <= 3
    assert not any(name in few.html() + few.text() for name in TITLES - named)
    assert "over 60" in few.text() and f"{few.found} of 14 faults" in few.text()


def test_comparison_of_the_reference_with_itself():
    same = selftest_lab("Ada").compare(reference, seeds=3)
    assert same.found == len(FAULTS) and {name for name, *_ in same.rows} == TITLES
    assert all(mine == others for _, mine, _, _, others in same.rows)
    assert 'role="img"' in same.html() and "Cases to detection" in same.html()


def test_comparison_of_two_says_which_is_which():
    lab = selftest_lab("Ada")

    def next_case(random):
        return {"length": random.randrange(64), "tag": 8, "tamper": "tag", "bit": random.randrange(64)}

    both = lab.compare(naive, next_case, seeds=2, cases=60)
    assert both.columns[1] == "naive: median" and both.columns[-1] == "next_case: median"
    for shown in (both.html(), both.text()):
        assert "naive beside next_case: naive finds" in shown and "yours" not in shown and "reference" not in shown
    turned = {name: second for name, *_, second in lab.compare(next_case, naive, seeds=2, cases=60).rows}
    assert turned == {name: median for name, median, *_ in both.rows}
    named = {name for name, *_ in both.rows} & TITLES
    assert named == {name for name, *numbers in both.counts if any(map(any, numbers))} and len(named) < len(TITLES)


def test_comparison_of_two_without_names():
    pair = [lambda random: {"length": 3}, lambda random: {"length": 5}]
    assert selftest_lab("Ada").compare(*pair, seeds=1, cases=5).fuzzers == ["first", "second"]


def test_comparison_says_whose_fuzzer_failed():
    def next_case(random): ...

    assert selftest_lab("Ada").compare(naive, next_case, seeds=1).finding.startswith("next_case: The function returns")


def test_comparison_ends_in_a_clear_outcome_too():
    assert selftest_lab("Ada").compare(lambda random: 1 / 0).status == "crashed"


def test_reveal_explains():
    lab = selftest_lab("Ada")
    assert lab._fault in str(lab.reveal()) and len(str(lab.reveal())) > 100


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_lab_needs_a_name(name):
    with pytest.raises(ValueError, match="Give the lab a name"):
        selftest_lab(name)


@pytest.mark.parametrize("cases", [0, -1, 1.5, "many", 10**9])
def test_numbers_of_cases_are_checked(cases):
    with pytest.raises(ValueError, match="whole number from 1"):
        selftest_lab("Ada").run(naive, cases=cases)
