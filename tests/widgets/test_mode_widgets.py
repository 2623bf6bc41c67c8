"""Notebook 04's step-through cards without a kernel."""

import re

import pytest

from aesedu.cipher import wiring
from aesedu.widgets import Doublings, ModeStepper


def said(card):
    return re.sub("<.*?>", "", card.sentence.value)


@pytest.fixture
def stepper():
    made = ModeStepper()
    yield made
    assert not made.errors


@pytest.fixture
def doublings():
    made = Doublings()
    yield made
    assert not made.errors


@pytest.mark.parametrize("mode", wiring.MODES)
def test_every_mode_in_both_directions(stepper, mode):
    for way in ("enc", "dec"):
        stepper.mode.value, stepper.way.value = mode, way
        assert stepper.place == 0 and stepper.frames[0].mode == mode
        pictures = set()
        for place in range(len(stepper.frames)):
            stepper.go(place)
            pictures.add(stepper.picture.value)
        assert len(pictures) == len(stepper.frames)


def test_equal_blocks_stay_equal_in_ecb_alone(stepper):
    same = {}
    for mode in wiring.MODES:
        stepper.mode.value = mode
        blocks = [
            frame.step.values["C"] for frame in stepper.frames if frame.step.title.startswith(("Block 1", "Block 3"))
        ]
        same[mode] = blocks[0] == blocks[-1]
    assert [mode for mode in same if same[mode]] == ["ECB"]


def test_own_message_and_key():
    made = ModeStepper("CBC", "dec", bytes(32), bytes(32))
    made.go(99)
    assert made.frames[-1].step.title == "Block 2 of 2" and "P2 = Y2 ⊕ C1" in said(made)
    with pytest.raises(ValueError):
        ModeStepper("CBC", "enc", bytes(17))
    made.mode.value = "XTS"
    assert not made.errors


def test_static_has_every_step(stepper):
    assert stepper.static().count("<li>") == len(stepper.frames)


def test_doublings_step_and_take_another_block(doublings):
    assert said(doublings).startswith("Doubling 1. No bit falls off")
    doublings.buttons[2].click()
    assert said(doublings).startswith("Doubling 2.")
    doublings.entry.value = "00" * 15 + "80"
    assert said(doublings).startswith("Doubling 1. x^127 falls off and comes back in XTS.")
    before = doublings.picture.value
    doublings.entry.value = "00"
    assert "last block that could be read" in said(doublings) and doublings.picture.value == before
    with pytest.raises(ValueError):
        Doublings(bytes(15))
