"""Notebook 05's cards without a kernel."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from simulated import WHERE, Machine, Routine

from aesedu import native
from aesedu.bench import BenchSlope
from aesedu.bench.live import SLOPE_SIZES
from aesedu.bench.rounds import Rounds
from aesedu.engines import aes_routines
from aesedu.engines.base import TAGGED
from aesedu.widgets import BlocksInFlight, InstructionOrder, SpeedUps, variants
from aesedu.widgets import aes_instructions as widgets


def run(card):
    card.run_button.click()
    began = time.monotonic()
    while card.run_button.disabled and time.monotonic() - began < 60:
        time.sleep(0.01)


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
    run(card)
    assert not card.errors
    assert card.ratio == pytest.approx(40 / 6, rel=0.02) and card.streams == 8
    assert card.known["CBC streams, 1"] == pytest.approx(40, rel=0.02)
    assert "Streams gain up to 8" in card.sentence.value and "times as long as CTR at its best" in card.sentence.value
    assert "the axis does not begin at 0" not in card.picture.value


def test_the_recorded_run_says_the_same():
    """Latency 4 and interval 0.5: 40 cycles a block in one stream, and eight streams fill the units."""
    card = BlocksInFlight()
    card.origin.index = len(card.origin.options) - 1
    run(card)
    cycles_of = {row.label: row.value for row in card.rows.values()}
    assert cycles_of["CBC streams, 1"] == pytest.approx(41, rel=0.05) and card.streams == 8
    assert 5 < card.ratio < 8 and "Recorded on AMD EPYC" in card.sentence.value and not card.errors


def test_every_count_divides_every_size():
    assert all(size % (16 * count) == 0 for size in widgets.FlightSource.sizes for count in widgets.COUNTS)


@pytest.mark.skipif(bool(aes_routines.reason()), reason=aes_routines.reason())
def test_subjects_run():
    for series in widgets.SERIES:
        subject = widgets.Counted("x", series, 3).subject(768)
        assert native.sample(subject, 2).ns > 0 and subject.what["engine"] == "x", "a record names its point"


class Table:
    """A bench-slope run: CTR at 0.5 cycles a byte, all else at 2."""

    def __init__(self, engine, modes, keys):
        self.what, self.done = (engine, *keys), 0
        names = [(m[:3].upper(), op) for m in modes for op in ("enc", "dec", "auth")[: 3 if m in TAGGED else 2]]
        self.cells = [name for name in names for _ in SLOPE_SIZES]

    def measure(self):
        for _ in self.cells:
            self.done += 1
            yield None

    def rows(self):
        names = self.cells[: self.done : len(SLOPE_SIZES)]
        return [{"mode": m, "op": op, "cycles_per_byte": 0.5 if m == "CTR" else 2} for m, op in names]

    def text(self):
        return f"bench-slope of {self.what}"


def test_speed_ups_and_a_run(monkeypatch):
    monkeypatch.setattr(widgets, "BenchSlope", Table)
    card = SpeedUps()
    card.bits.value = 256
    assert "AES-256: from 1.00 times as fast (GCM auth) to 22.60 (CBC dec)" in card.sentence.value
    assert "this machine" not in card.picture.value and card.text() == "Not run yet."
    run(card)
    assert "Here CBC encryption takes 4.00 times as long as CTR" in card.sentence.value
    assert "2.00 against 0.500 cycles a byte" in card.sentence.value
    assert card.picture.value.count("this machine: ") == 19 and card.text() == "bench-slope of ('aes-x8', 256)"
    assert ">aes-x8 here</th>" in card.picture.value and card.timed("aes-x8", 256)["CTR enc"] == 0.5
    card.bits.value = 128
    assert "this machine" not in card.picture.value and not card.errors


def test_results_stay_with_their_engine(monkeypatch):
    monkeypatch.setattr(widgets, "BenchSlope", Table)
    monkeypatch.setattr(widgets, "_ENGINES", ("ttable", "compiled"))
    card = SpeedUps()
    run(card)
    card.engine.value = "compiled"
    assert "this machine" not in card.picture.value and card.timed("compiled") == {}
    run(card)
    card.engine.value = "ttable"
    assert ">ttable here</th>" in card.picture.value and card.timed("ttable")["CBC enc"] == 2 and not card.errors


def test_nothing_to_run_with(monkeypatch):
    monkeypatch.setattr(widgets, "_ENGINES", ())
    card = SpeedUps()
    card.run_button.click()
    assert "Nothing is ticked" in card.sentence.value and "25.19" in card.static()


@pytest.mark.skipif(bool(aes_routines.reason()), reason=aes_routines.reason())
def test_a_real_table_has_the_rows_of_the_source(monkeypatch):
    table = BenchSlope("aes-x8", widgets._MODES, (128,))
    names = [(mode.upper()[:3], direction) for _, mode, direction, *_ in table.cells[:: len(SLOPE_SIZES)]]
    found = widgets.speed_ups()
    assert names == [(row.mode, row.op) for row in found[found.key_bits == 128].itertuples()]
