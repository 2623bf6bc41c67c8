"""Notebook 05's cards without a kernel."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from simulated import WHERE, Machine, Routine

from aesedu import native
from aesedu.bench.rounds import Rounds
from aesedu.engines import aes_routines
from aesedu.widgets import BlocksInFlight, InstructionOrder, SpeedUps, variants
from aesedu.widgets import aes_instructions as widgets


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


@pytest.fixture
def machine(monkeypatch):
    """A machine of 4 GHz whose rounds take 4 cycles and start twice a cycle."""
    simulated = Machine(seed=1)

    def samples(requests):
        made = [(Routine(s.label, cycles(s.label) * 384 / 4), count, at) for s, count, at in requests]
        return simulated.samples(made)

    monkeypatch.setattr(variants, "Rounds", lambda: Rounds(samples, simulated.clock, seed=1))
    monkeypatch.setattr(variants.environment, "where", lambda: WHERE)
    monkeypatch.setattr(aes_routines, "reason", lambda: "")
    monkeypatch.setattr(widgets.Counted, "subject", lambda self, size: native.Subject(self.name, "no:no", {}))


def cycles(label):
    """Core cycles a block."""
    series, count = label.rsplit(", ", 1)
    return max(40 / int(count), 5) if "CBC" in series else 5 if "ECB" in series else 6


def test_blocks_in_flight(machine):
    card = BlocksInFlight()
    assert card.ratio is card.streams is None and "not measured yet" in card.picture.value
    card.run_button.click()
    card._thread_of_run.join(60)
    assert not card.errors
    assert card.ratio == pytest.approx(40 / 6, rel=0.02) and card.streams == 8
    assert "Streams gain up to 8" in card.sentence.value and "times as long as CTR at its best" in card.sentence.value
    assert "the axis does not begin at 0" not in card.picture.value


def test_every_count_divides_every_size():
    assert all(size % (16 * count) == 0 for size in widgets.FlightSource.sizes for count in widgets.COUNTS)


@pytest.mark.skipif(bool(aes_routines.reason()), reason=aes_routines.reason())
def test_subjects_run():
    for series in widgets.SERIES:
        assert native.sample(widgets.Counted("x", series, 3).subject(768), 2).ns > 0


def test_speed_ups_take_a_live_run():
    card = SpeedUps()
    card.bits.value = 256
    assert "AES-256: from 1.00 times as fast (GCM auth) to 22.60 (CBC dec)" in card.sentence.value
    card.add([{"mode": "CTR", "op": "enc", "key_bits": 256, "cycles_per_byte": 0.5}])
    assert "this machine" in card.picture.value
    card.bits.value = 128
    assert "this machine" not in card.picture.value and not card.errors
