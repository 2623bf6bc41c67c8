"""Notebook 05's cards without a kernel."""

import pytest

from aesedu.widgets.aes_instructions import InstructionOrder


@pytest.fixture
def order():
    made = InstructionOrder()
    yield made
    assert not made.errors


def test_every_step_is_another_picture(order):
    pictures = set()
    for place in range(len(order.frames)):
        order.go(place)
        pictures.add(order.picture.value)
    assert len(pictures) == 40


def test_back_to_the_block_with_every_key(order):
    for key in dict(order.key.options).values():
        order.key.value, order.way.value = key, "decrypt"
        assert order.frames[-1].register("aarch64").hex() == "3243f6a8885a308d313198a2e0370734"
        order.way.value = "encrypt"


def test_own_key_stands_in_the_menu():
    assert InstructionOrder(bytes(24)).key.label == "192"
    with pytest.raises(ValueError):
        InstructionOrder(bytes(15))


def test_static_has_every_step(order):
    assert order.static().count("<li>") == 40
