"""Notebook 06's cards without a kernel: what their controls do, and that wrong input loses nothing."""

import re

import pytest

from aesedu.bench.comparison import Effect
from aesedu.widgets import Aggregation, BitOrder, Multiplication, product_grid
from aesedu.widgets.ghash import BLOCKS, crossing


def said(card):
    return re.sub("<.*?>", "", card.sentence.value)


@pytest.fixture
def card():
    made = Multiplication()
    yield made
    assert not made.errors


def test_the_example_of_fips_197(card):
    card.buttons[3].click()
    assert "GF(2^8)" in said(card) and "result = c1" in said(card)
    card.method.value = "three products"
    card.buttons[3].click()
    assert "3 carry-less products" in card.picture.value and "result = c1" in said(card)


def test_another_width_brings_its_own_operands_and_keeps_the_others(card):
    card.a.value, card.width.value = "02", 128
    card.buttons[3].click()
    assert "5e2ec746 91706288 2c85b068 5353deb7" in said(card) and len(card.frames) == 131
    card.width.value = 8
    assert card.a.value == "02" and len(card.frames) == 10


def test_wrong_operands_are_named_and_the_picture_stays(card):
    before = card.picture.value
    for wrong in ("", "xy", "123", "0" * 32):
        card.a.value = wrong
        assert card.picture.value == before and "last product" in said(card) and "ae-stale" in card._dom_classes
    card.a.value = "ff"
    assert "ae-stale" not in card._dom_classes and card.picture.value != before


def test_it_begins_as_told_and_its_twin_lists_every_step():
    made = Multiplication("4 bits at a time", 128)
    assert made.static().count("<li>") == len(made.frames) == 35
    with pytest.raises(Exception, match="(?i)invalid"):
        Multiplication("by magic")


def test_bit_order_reads_blocks_and_orders():
    made = BitOrder()
    assert "This block is 1." in said(made)
    made.order.value = "XTS"
    assert "This block is x^7." in said(made)
    made.entry.value = "12"
    assert "The block has 2 hexadecimal digits" in said(made)
    made.entry.value = "e1" + "00" * 15
    made.order.value = "GHASH"
    assert "x^7 + x^2 + x + 1" in said(made) and not made.errors and "x^7" in made.static()


def test_the_whole_grid_stands_alone():
    assert "Partial products" in product_grid(0x57, 0x83).data


def effect(gain):
    return Effect(gain, gain - 0.005, gain + 0.005)


@pytest.mark.parametrize(("gains", "answer"), [
    ((0.9, 0.95, 1.1, 1.2, 1.2), "4"), ((1.1, 1.1, 1.1, 1.1, 1.1), "1"), ((1.1, 1.1, 1.1, 1.1, 0.9), "never"),
    ((0.9, 1.1, 1.0, 1.2, 1.2), "8"), ((0.9, 0.9, 0.9, 0.9, 1.004), "never"),
])  # fmt: skip
def test_the_crossing_is_where_karatsuba_begins_to_win_for_good(gains, answer):
    assert crossing({n: effect(gain) for n, gain in zip(BLOCKS, gains, strict=True)}) == answer


def test_the_recorded_run_is_shown_and_crosses_at_4():
    card = Aggregation()
    card.rows = {row.label: card._stand_in(row.label) for row in card.source.rows}
    assert card.crossing == "4" and not card.errors
    headline, detail = card._verdict(list(card.rows.values()))
    assert "from 4 blocks" in headline and "1: 9.8 % slower" in detail
    assert "recorded on AMD EPYC" in next(iter(card.rows.values())).note and "hollow" in card._picture(
        [*card.rows.values()]
    )


def test_before_a_run_there_is_no_answer_and_no_verdict():
    card = Aggregation()
    assert card.crossing is None and card.source.verdict([], {})[0] == "Cannot tell."
