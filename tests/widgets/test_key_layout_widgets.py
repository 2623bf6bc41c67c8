"""Notebook 03's cards without a kernel: what their controls do, and that wrong input loses nothing."""

import re

import pytest

from aesedu.views.memory_map import Seen
from aesedu.widgets import KeyExpansion, MemoryMap, decryption_keys


def said(card):
    return re.sub("<.*?>", "", card.sentence.value)


@pytest.fixture
def memory():
    made = MemoryMap()
    yield made
    assert not made.errors


@pytest.fixture
def expansion():
    made = KeyExpansion()
    yield made
    assert not made.errors


def test_map_begins_with_two_crossing_loads(memory):
    assert said(memory).startswith("2 of 22 loads cross a line: numbers 8 and 16.") and memory.crossing == 2


@pytest.mark.parametrize(("name", "value", "expected"), [
    ("layout_menu", "_pad1", "None of 22"), ("layout_menu", "length last", "None of 22"), ("bits", 256, "3 of 30"),
    ("width", 32, "None of 44"), ("way", "decrypt", "3 of 22"), ("across", True, "2 of 22"), ("base", 4, "None of 22"),
    ("base_box", 60, "None of 22"),
])  # fmt: skip
def test_every_control_of_the_map_changes_it(memory, name, value, expected):
    before = memory.picture.value
    getattr(memory, name).value = value
    assert memory.picture.value != before and said(memory).startswith(expected)


def test_pad1_and_a_base_of_4_bring_the_crossing_loads_back(memory):
    memory.layout_menu.value, memory.base.value = "_pad1", 4
    assert memory.crossing == 2 and memory.seen == Seen("_pad1", 4)


@pytest.mark.parametrize(("typed", "becomes"), [(1, 4), (4, 4), (6, 8), (57, 60)])
def test_a_base_between_two_words_goes_up(memory, typed, becomes):
    memory.base_box.value = typed
    assert memory.base.value == memory.base_box.value == memory.seen.offset == becomes


def test_map_begins_as_told_and_refuses_what_there_is_not():
    assert MemoryMap(layout="_pad1", offset=4, width=32, key_bits=192, direction="decrypt", across=True).seen == Seen(
        "_pad1", 4, True, "decrypt", 192, 32
    )
    with pytest.raises(TypeError):
        MemoryMap(alignment=8)


def test_static_map_has_all_layouts(memory):
    assert "length last" in memory.static() and "2 of 22 loads" in memory.static()


def test_expansion_steps_and_says_the_word(expansion):
    assert "w[4] = w[0] XOR SubWord(RotWord(w[3])) XOR Rcon[1] = a0fafe17" in said(expansion)
    expansion.buttons[3].click()
    assert "w[43]" in said(expansion) and "b6630ca6" in said(expansion)


def test_another_size_takes_the_key_last_used_with_it(expansion):
    expansion.bits.value = 256
    assert expansion.entry.value.startswith("603deb10") and len(expansion.frames) == 52
    expansion.go(4)
    assert "w[12]" in said(expansion) and "a8b09c1a" in said(expansion)
    expansion.entry.value = "00" * 24
    assert expansion.bits.value == 192 and len(expansion.frames) == 46
    expansion.bits.value = 256
    assert expansion.entry.value.startswith("603deb10")


@pytest.mark.parametrize("wrong", ["", "xyz", "00" * 15, "0" * 33])
def test_a_wrong_key_is_named_and_the_picture_stays(expansion, wrong):
    before = expansion.picture.value
    expansion.entry.value = wrong
    assert expansion.picture.value == before and "last key that could be read" in said(expansion)
    assert "ae-stale" in expansion._dom_classes
    expansion.entry.value = "00" * 16
    assert "ae-stale" not in expansion._dom_classes and "62636363" in said(expansion)


def test_wrong_keys_are_refused():
    with pytest.raises(ValueError):
        KeyExpansion(bytes(15))
    with pytest.raises(ValueError):
        decryption_keys(bytes(15))


def test_static_expansion_lists_every_word(expansion):
    assert expansion.static().count("<li>") == 40
