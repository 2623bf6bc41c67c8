"""The fuzzer's bounded form must find faults of the kinds that were really made."""

import random

import pytest
from variants import random_variant

from aesedu.codegen import allocate, select
from aesedu.codegen.allocate import Allocator
from aesedu.codegen.x86_64 import X8664
from aesedu.native.assembler import ISA
from aesedu.routine import ops

TRIES = 250
x86 = pytest.mark.skipif(ISA != "x86_64", reason="two-address instructions, memory operands, %ah")


def found():
    """Whether some variant comes out wrong, crashes, or cannot be generated (a value is nowhere)."""
    for seed in range(TRIES):
        try:
            if random_variant(random.Random(seed), ISA).fault():
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
