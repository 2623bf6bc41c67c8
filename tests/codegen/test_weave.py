"""Woven recordings do what each does alone."""

import random

import pytest
from variants import View

from aesedu.codegen import generate, order, weave
from aesedu.engines.execute import execute
from aesedu.native.assembler import ISA
from aesedu.routine import RoutineError, load64, low32, memory, routine, run, store64, table, u32, widen
from aesedu.routine.recorder import Recorder


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
    for given, grain in (((), 1), ((step.record(),), 0), ((step.record(),), "1"), ((step.record(),), 1.5)):
        with pytest.raises(ValueError, match="at least one recording, 1 step of each"):
            weave(*given, grain=grain)


# Memory that they share: the results are those of one after the other.

PAIRS, WORDS = 150, 16


def random_part(rng):
    """Loads and stores of one and two words in two memories, close together; a memory moves on now and then."""
    recorder = Recorder("random")
    words = [recorder.parameter(name, u32) for name in "ab"]
    memories = [recorder.parameter(name, memory) for name in ("m", "n")]
    for _ in range(rng.randrange(1, 12)):
        m, at, x = rng.choice(memories), rng.randrange(4), rng.choice(words[-3:])
        make = rng.choice(["load", "index", "two", "add", "store", "store", "store two"])
        if make == "store":
            m[at] = x
        elif make == "store two":
            store64(m, at, widen(x))
        else:
            made = {"load": lambda m=m, at=at: m[at], "index": lambda m=m, x=x: m[x & 3], "add": lambda x=x: x + 5}
            made["two"] = lambda m=m, at=at: low32(load64(m, at) >> 32)
            words.append(made[make]() ^ words[-1])
    return recorder.finish([words[-1], *(m[rng.randrange(3) :] for m in memories)])


def one_after_the_other(parts, words, buffers):
    """The words that come out, by running each part on its own where the one before left the memories."""
    places, found = [View(buffer) for buffer in buffers], []
    for n, part in enumerate(parts):
        word, *places = run(part, *words[2 * n : 2 * n + 2], *places)
        found.append(word)
    return found


def woven_wrong(seed, together=False, natively=False):
    """Whether a random weave differs from its parts in turn; `together`: both memories are one buffer."""
    rng = random.Random(seed)
    parts = [random_part(rng) for _ in range(rng.choice((2, 2, 3)))]
    woven, words = weave(*parts, grain=rng.choice((1, 1, 2, 5))), [rng.getrandbits(32) for _ in range(2 * len(parts))]
    buffer = [rng.getrandbits(32) for _ in range(WORDS)]
    expected, ours = ([first := buffer[:], first if together else buffer[:]] for _ in range(2))
    results = one_after_the_other(parts, words, expected)
    if natively:
        return execute(generate(woven, ISA), words, ours) != (results, expected)
    given = [words.pop(0) if not p.type.is_memory else View(ours[str(p) == "n"]) for p in woven.parameters]
    return [r for r in run(woven, *given) if isinstance(r, int)] != results or ours != expected


@pytest.mark.parametrize("how", [{}, {"together": True}, {"natively": True}], ids=str)
def test_parts_that_meet_in_memory_do_what_they_do_in_turn(how):
    assert [seed for seed in range(PAIRS) if woven_wrong(seed, **how)] == []


@pytest.mark.parametrize("fault", ["all", "loads by index"])
def test_a_weave_that_forgets_memory_is_caught(fault, monkeypatch):
    touched = order._touched
    forgets = {"all": lambda step: None}
    forgets["loads by index"] = lambda step: None if "i" in step.op.operands else touched(step)
    monkeypatch.setattr(order, "_touched", forgets[fault])
    assert any(woven_wrong(seed) for seed in range(PAIRS))


def test_what_meets_nothing_still_takes_turns():
    """The second writes where the first only reads: it waits for that load, and for nothing else."""

    @routine
    def write(m: memory, a: u32):
        m[0] = a
        return a + 1

    @routine
    def read(m: memory, a: u32):
        b = a * 3
        c = b + m[0]
        return c * c

    names = [s.op.name for s in weave(read.record(), write.record()).steps]
    assert names == ["mul", "load32", "store32", "add", "add", "mul"]
