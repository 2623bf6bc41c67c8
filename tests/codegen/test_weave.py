"""Woven recordings do what each does alone."""

import pytest
from variants import View

from aesedu.codegen import weave
from aesedu.routine import RoutineError, memory, routine, run, table, u32


@routine
def step(out: memory, a: u32, keys: table):
    b = a + keys[0] * 3
    out[0] = ~b
    return out[1:], b


def test_memory_continues_and_words_are_their_own():
    woven = weave(step.record(), step.record(), step.record())
    assert [str(p) for p in woven.parameters] == ["out", "a", "keys", "a_2", "a_3"]
    assert {str(p) for p in woven.becomes} == {"out", "a", "a_2", "a_3"}
    out = [0] * 4
    b, b_2, b_3, rest = run(woven, View(out), 10, [5], 20, 30)
    assert (b, b_2, b_3) == (25, 35, 45)
    assert out == [0xFFFFFFFF - 25, 0xFFFFFFFF - 35, 0xFFFFFFFF - 45, 0]
    rest[0] = 1
    assert out[3] == 1


def test_steps_take_turns():
    one = ["load32", "mul", "add", "invert", "store32"]
    assert [s.op.name for s in step.record().steps] == [*one, "advance"]
    two = [s.op.name for s in weave(step.record(), step.record()).steps]
    assert two == [name for name in one for _ in (1, 2)] + ["advance"]
    assert [s.op.name for s in weave(step.record(), step.record(), grain=2).steps][:8] == (one[:2] * 2 + one[2:4] * 2)
    assert [s.op.name for s in weave(step.record(), step.record(), grain=99).steps] == [*one, *one, "advance"]


def test_lines_stay_those_of_the_routine():
    assert {s.source for s in weave(step.record(), step.record()).steps if s.op.name == "mul"} == {
        "b = a + keys[0] * 3"
    }


def test_one_name_for_two_kinds_of_memory():
    @routine
    def other(out: table):
        return out[0] ^ out[1]

    with pytest.raises(RoutineError, match="out is a memory in one recording and a table in another"):
        weave(step.record(), other.record())


def test_what_cannot_be_woven_is_named():
    with pytest.raises(TypeError, match=r"is no Recording: routine.record\(\) makes one"):
        weave(step.record(), step)
    for given, grain in (((), 1), ((step.record(),), 0)):
        with pytest.raises(ValueError, match="at least one recording, 1 step of each"):
            weave(*given, grain=grain)
