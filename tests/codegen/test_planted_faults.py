"""The fuzzer's bounded form must find faults of the kinds that were really made."""

import random
from dataclasses import replace

import emulated
import pytest
from variants import random_variant

from aesedu.codegen import aarch64, allocate, select
from aesedu.codegen.allocate import Allocator
from aesedu.codegen.x86_64 import X8664
from aesedu.native.assembler import ISA
from aesedu.pipeline import schedule
from aesedu.routine import ops, vectors

TRIES = 250
emulator = pytest.mark.skipif(emulated.CAN_SKIP, reason=f"not installed: {', '.join(emulated.MISSING)}")
x86 = pytest.mark.skipif(ISA != "x86_64", reason="two-address instructions, memory operands, %ah")


def found(**settings):
    """Whether some variant comes out wrong, crashes, or cannot be generated (a value is nowhere)."""
    for seed in range(2 * TRIES):
        try:
            if random_variant(random.Random(seed), ISA, **settings).fault():
                return True
        except LookupError:
            return True
    return False


@x86
def test_a_copy_over_a_dying_operand(monkeypatch):
    take_over = Allocator._take_over

    def plant(self, item, register):
        self._release_dead(item)  # too early: an operand that is still to be read may be overwritten by the copy
        return take_over(self, item, register)

    monkeypatch.setattr(Allocator, "_take_over", plant)
    assert found()


@x86
def test_both_operands_of_xor_folded(monkeypatch):
    fold = select._fold

    def plant(items, loads):
        folded = fold(items, loads)
        return folded | {i.operands["a"] for i in items if i.step.op is ops.xor and i.operands["a"] in loads}

    monkeypatch.setattr(select, "_fold", plant)
    assert found()


def test_a_move_at_the_loops_end_overwrites_a_placed_value(monkeypatch):
    monkeypatch.setattr(allocate, "in_order", lambda moves, spare: [m for m in moves if m[0] != m[1]])
    assert found()


def test_a_changed_value_is_not_stored(monkeypatch):
    def plant(self, register):
        value = self.held[register]
        self._let_go(value)
        self.saved.setdefault(value, self.slots.take(value))

    monkeypatch.setattr(Allocator, "_evict", plant)
    assert found()


def test_a_place_given_away_too_early(monkeypatch):
    restore = Allocator._restore

    def plant(self, value, register):
        restore(self, value, register)
        if value in self.saved and value not in self.places:
            self.slots.give(self.saved[value], value.type)  # but the value is not stored again when it leaves again

    monkeypatch.setattr(Allocator, "_restore", plant)
    assert found()


def test_a_kept_register_in_a_place_that_the_loop_uses(monkeypatch):
    class Kept(dict):
        clear = staticmethod(lambda: None)
        __missing__ = dict.__getitem__

    end_loop = Allocator._end_loop

    def plant(self):
        end_loop(self)
        self.slots.free = Kept(self.slots.free)

    monkeypatch.setattr(Allocator, "_end_loop", plant)
    assert found()


@x86
def test_rubbish_above_a_half(monkeypatch):
    def plant(recording):
        indexes = {s.operands[1] for s in recording.steps if s.op is ops.load32}
        halves = (s for s in recording.steps if s.op is ops.low32 and s not in indexes.union(recording.results))
        return {s: s.operands[0] for s in halves}  # join16 writes 16 bits and is not thought of

    monkeypatch.setattr(select, "_halves", plant)
    assert found()


@x86
def test_a_byte_register_that_does_not_exist(monkeypatch):
    monkeypatch.setattr(X8664, "allowed", lambda self, template, name: None)
    assert found()


@x86
def test_a_place_given_away_before_the_instruction_that_reads_it(monkeypatch):
    release = Allocator._release_dead

    def plant(self, item):
        release(self, item)
        self._give_back(item)

    monkeypatch.setattr(Allocator, "_release_dead", plant)
    assert found(encoding="vex")


@x86
def test_sse_operands_at_any_address(monkeypatch):
    monkeypatch.setattr(X8664, "aligned", False)
    assert found()


def test_an_order_that_forgets_what_a_store_changes(monkeypatch):
    monkeypatch.setattr(schedule, "_meetings", lambda nodes: [])
    assert found()


def test_an_order_that_takes_an_index_for_no_offset(monkeypatch):
    where = schedule._where
    monkeypatch.setattr(schedule, "_where", lambda address, step: where(replace(address, index=None), step))
    assert found()


def emulated_fault(tmp_path):
    variants = [random_variant(random.Random(seed), "aarch64") for seed in range(80)]
    outcomes = emulated.run(variants, tmp_path)
    return any(changed or v.difference(*o) for v, (*o, changed) in zip(variants, outcomes, strict=True))


@emulator
def test_a_table_look_up_that_is_not_pshufb(monkeypatch, tmp_path):
    monkeypatch.setattr(aarch64, "_NO_HIGH_BITS", (1 << 128) - 1)
    assert emulated_fault(tmp_path)


@emulator
def test_a_round_that_begins_with_no_key(monkeypatch, tmp_path):
    rounds = aarch64._rounds
    monkeypatch.setattr(aarch64, "_rounds", lambda r: rounds(r) | {"aesenc": lambda a, b: vectors.aese_aesmc(a, b)})
    assert emulated_fault(tmp_path)
