"""RoundExplorer without a kernel: what its controls do, and that wrong input loses nothing."""

import re

import pytest

from aesedu.widgets import RoundExplorer

B = "2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"


@pytest.fixture
def card():
    made = RoundExplorer()
    yield made
    assert not made.errors


def said(card):
    return re.sub("<.*?>", "", card.sentence.value)


def press(card, key):
    next(b for b in pressable(card) if f"ae-key-{key}" in b._dom_classes).click()


def pressable(card):
    return [*card.buttons, *card.children[-2].children[2:]]


def cell(card, row, column):
    cells = card.children[-2].children[1].children
    return next(c for c in cells if c.tooltip == f"Row {row}, column {column}")


def test_opens_on_the_sentence_of_the_notebook(card):
    assert said(card).startswith("Column 1, word 3 of 5: row 2, column 3 holds e0; Te2[e0] is e1 38 d9 e1.")


def test_step_and_back_go_on_into_the_next_round(card):
    for _ in range(13):
        press(card, "n")
    assert card.round.value == card.round_box.value == 2 and "Column 0, word 1 of 5" in said(card)
    press(card, "p")
    assert card.round.value == 1 and "rk[7]" in said(card)


def test_keys_and_clicks_choose_a_byte(card):
    press(card, "ArrowDown")
    assert "row 3, column 3 holds f0" in said(card)
    press(card, "ArrowRight")
    assert "row 3, column 0 holds 30" in said(card)
    cell(card, 0, 2).click()
    assert "row 0, column 2 holds 80" in said(card) and "Column 2, word 1" in said(card)


def test_every_key_presses_one_button(card):
    keys = [c for b in pressable(card) for c in b._dom_classes if c.startswith("ae-key-")]
    assert len(keys) == len(set(keys)) == 11


def test_the_round_slider_keeps_column_and_word(card):
    card.round.value = 10
    assert "Column 1, word 3 of 5" in said(card) and "S[" in said(card)
    card.round_box.value = 0
    assert "Column 1, word 2 of 2" in said(card)
    press(card, "PageUp")
    assert card.round.value == 0
    press(card, "PageDown")
    assert card.round.value == 1


def test_key_size_brings_back_the_key_last_used_with_it(card):
    card.key.value = B[0]
    card.bits.value = 256
    assert len(card.key.value) == 64 and card.round.max == 14
    card.round.value = 14
    card.bits.value = 128
    assert card.key.value == B[0] and card.round.max == card.round.value == 10


def test_a_typed_key_sets_the_key_size(card):
    card.key.value = "00" * 24
    assert card.bits.value == 192 and card.round.max == 12


def test_decryption_starts_from_what_encryption_ends_in(card):
    card.key.value, card.block.value = B[:2]
    card.way.value = "decrypt"
    assert card.block.value == B[2] and card.block.description == "Ciphertext" and "Td2" in said(card)
    press(card, "End")
    assert "column 3 of the result is e0 37 07 34" in said(card)
    card.way.value = "encrypt"
    assert card.block.value == B[1]


def test_wrong_input_is_named_and_nothing_is_lost(card):
    good = card.picture.value
    card.key.value = "00zz"
    assert "'z'" in said(card) and card.picture.value == good and card.key.value == "00zz"
    assert "ae-stale" in card._dom_classes
    card.block.value = B[1]
    assert "'z'" in said(card) and card.picture.value == good
    press(card, "n")
    assert "'z'" in said(card) and "word 4 of 5" in said(card)
    press(card, "p")
    card.key.value = B[0]
    assert "ae-stale" not in card._dom_classes and "193de3be" in card.picture.value
    card.block.value = B[1][:-1]
    assert "The plaintext has 31 hexadecimal digits" in said(card) and "193de3be" in card.picture.value


def test_turning_with_a_wrong_block_uses_the_last_good_one(card):
    card.block.value = "12"
    card.way.value = "decrypt"
    assert card.block.value == "69c4e0d86a7b0430d8cdb78070b4c55a" and "ae-stale" not in card._dom_classes


@pytest.mark.parametrize("wrong", [{"key": bytes(5)}, {"block": bytes(15)}, {"direction": "up"}, {"place": (11, 0, 0)}])
def test_wrong_arguments_are_refused(wrong):
    with pytest.raises(ValueError):
        RoundExplorer(**wrong)


def test_static_twin_shows_the_place_and_its_whole_round(card):
    html = card.static()
    assert "Column 1, word 3 of 5" in html and "<table" in html and "<button" not in html and "<script" not in html
