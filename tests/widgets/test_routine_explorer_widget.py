"""RoutineExplorer without a kernel: what its controls do to the picture."""

import re

import pytest

from aesedu.widgets import RoutineExplorer


@pytest.fixture
def card():
    made = RoutineExplorer(budget=8)
    yield made
    assert not made.errors


def said(card):
    return re.sub("<.*?>", "", card.sentence.value)


def spills(card):
    return int(re.search(r"<b>(\d+)</b><span[^>]*>spills a block", card.picture.value)[1])


def test_fewer_registers_more_spills(card):
    counts = []
    for budget in (15, 8, 7, 6):
        card.budget.value = budget
        assert card.budget_box.value == card.seen.budget == budget and f"budget {budget}" in card.picture.value
        counts.append(spills(card))
    assert counts[0] == counts[1] == 0 < counts[2] < counts[3]


def test_one_change_draws_one_picture(card):
    for name, value in (
        ("technique", "split"), ("key_loads", "2x64"), ("key_bits", 256), ("round", 14), ("isa", "aarch64"),
        ("isa", "x86_64"), ("syntax", "intel"), ("budget", 6), ("budget_box", 9), ("key_bits", 128),
    ):  # fmt: skip
        before = card._drawn
        getattr(card, name).value = value
        assert card._drawn == before + 1, name
    assert card.seen[:4] == ("split", "2x64", 128, 9) and card.round.value == card.round.max == 10


def test_step_goes_through_the_round_and_stays_where_it_was(card):
    card.go(20)
    assert said(card).startswith("Instruction 21 of")
    card.technique.value = "split"
    assert card.seen.instruction == 20 and said(card).startswith("Instruction 21 of")
    card.go(10_000)
    assert card.place == len(card.seen.window) - 1


def test_next_spill_or_reload_walks_and_comes_round(card):
    card.next_button.click()
    assert "load keys back" in said(card).lower()
    card.budget.value = 6
    card.go(0)
    kinds = []
    for _ in range(40):
        card.next_button.click()
        kinds.append(card.seen.code.instructions[card.seen.chosen].kind)
    assert {"spill", "reload"} <= set(kinds) <= {"spill", "reload", "operation"}


def test_without_spills_it_says_so(card):
    card.budget.value = 15
    card.next_button.click()
    assert "neither spills nor reloads" in said(card)


def test_static_twin(card):
    html = card.static()
    assert (
        html.count('role="img"') == 1 and "The whole round" in html and "<button" not in html and "<script" not in html
    )
