"""List scheduling: the same function, within bounds, and worth it where a core executes in program order."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aesedu import machines
from aesedu.codegen import generate
from aesedu.codegen.code import target_for
from aesedu.codegen.liveness import Program
from aesedu.codegen.select import select
from aesedu.machines import MachineError
from aesedu.pipeline import loop, simulate
from aesedu.pipeline import schedule as scheduler
from aesedu.pipeline.schedule import schedule
from aesedu.routine import load64, low32, memory, routine, run, u32, v128
from aesedu.routine.recorder import Recorder
from aesedu.routine.vectors import add64, pshufb
from aesedu.routines import aes_rounds, ttable

SPLIT = ttable.encrypt.record(technique="split", key_loads="2x64")


MADE = {
    "load": lambda m, at, x, y: m[at],
    "load by index": lambda m, at, x, y: m[x & 3],
    "load of two": lambda m, at, x, y: low32(load64(m, at) >> 32),
    "xor": lambda m, at, x, y: x ^ y,
    "mul": lambda m, at, x, y: x * y + 1,
}


@st.composite
def recordings(draw):
    """Words and two memories in a random routine: loads and stores at numbers and at words, of 32 and 64 bits."""
    recorder = Recorder("random")
    words = [recorder.parameter(name, u32) for name in "ab"]
    memories = [recorder.parameter(name, memory) for name in ("m", "n")]
    for _ in range(draw(st.integers(1, 25))):
        m, at = draw(st.sampled_from(memories)), draw(st.integers(0, 3))
        x, y = draw(st.sampled_from(words[-4:])), draw(st.sampled_from(words[-4:]))
        kind = draw(st.sampled_from(["store", *MADE]))
        if kind == "store":
            m[at] = x
        else:
            words.append(MADE[kind](m, at, x, y))
    return recorder.finish([*words[-3:], memories[0][draw(st.integers(0, 2)) :]])


def outcome(recording, words, together=False):
    memories = [first := list(range(10, 18)), first if together else list(range(90, 98))]
    results = run(recording, *words, *memories)
    return [r for r in results if isinstance(r, int)], memories


CORES = st.sampled_from(["skylake", "zen5", "a53", "n1"])
BOUNDS = st.sampled_from([None, 3, 6, math.inf])
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@FEW
@given(recordings(), CORES, BOUNDS, st.tuples(*[st.integers(0, 2**32 - 1)] * 2), st.booleans())
def test_it_is_the_same_function(recording, core, budget, words, together):
    ordered = schedule(recording, machines.load(core), budget)
    assert outcome(ordered, words, together) == outcome(recording, words, together)


@routine
def store_and_load(m: memory, n: memory, a: u32, b: u32):
    c = a * b * b * b
    m[0] = c
    d = m[0] + b
    m[1] = d
    m[0] = b
    return m[a & 3] ^ n[0], low32(load64(m, 0) >> 32)


def reordered():
    """What comes out as written, and in an order for a core."""
    recording = store_and_load.record()
    there = [run(recording, m := list(range(8)), [9], 4, 5), m]
    return there, [run(schedule(recording, machines.load("zen5")), m := list(range(8)), [9], 4, 5), m]


def test_a_load_stays_behind_the_store_of_its_bytes():
    written, ordered = reordered()
    assert ordered == written


@pytest.mark.parametrize("fault", ["all", "index"])
def test_a_scheduler_that_forgets_memory_is_caught(fault, monkeypatch):
    where = scheduler._where
    if fault == "all":
        monkeypatch.setattr(scheduler, "_meetings", lambda nodes: [])
    else:
        monkeypatch.setattr(scheduler, "_where", lambda a, step: None if a.index else where(a, step))
    written, ordered = reordered()
    assert ordered != written


def test_the_same_place_by_two_names_stays_right():
    """In place: both memories are one list."""

    @routine
    def turn(m: memory, n: memory, a: u32):
        x = a * a * a ^ m[0]
        n[0] = x
        return m[0] + 1

    for recording in (turn.record(), schedule(turn.record(), machines.load("skylake"))):
        assert run(recording, one := [4], one, 3) == (32,)


@pytest.mark.parametrize("core", ["zen5", "a53"])
def test_pointers_move_on_last_but_where_others_need_them(core):
    @routine
    def far(m: memory, a: u32):
        b = m[1024] * a  # by way of a second pointer on AArch64, which is a result, too
        m[0] = b
        return m[1024:], m[1028:], b + m[1]

    recording = schedule(far.record(), machines.load(core))
    written, ordered = [5] * 1100, [5] * 1100
    assert run(recording, ordered, 7)[-1] == run(far.record(), written, 7)[-1] == 40
    assert ordered == written and written[0] == 35
    assert {step.op.name for step in recording.steps[-2:]} == {"advance"} or core == "a53"


def cycles(recording, core):
    code = generate(recording, core.isa)
    return simulate(loop(code), core, 10).cycles, code.spills()


def live(recording, isa, bank):
    items, _ = select(recording, target_for(recording, isa))
    return max(sum(v.type.bank == bank for v in values) for values in Program(recording, items).live())


@pytest.mark.parametrize(("core", "words", "vectors"), [("skylake", 14, 12), ("a53", 20, 24), ("n1", 20, 32)])
def test_what_is_live_stays_within_the_bound(core, words, vectors):
    machine = machines.load(core)
    many = aes_rounds.ctr.record(vectors=8)
    assert live(schedule(SPLIT, machine, words), machine.isa, "word") <= words
    assert live(schedule(many, machine, words, vectors), machine.isa, "vector") <= vectors
    assert live(schedule(SPLIT, machine, math.inf), machine.isa, "word") > words + 3


def test_an_order_helps_in_order_and_too_many_values_hurt_elsewhere():
    """Notebook 02 says so."""
    a53, skylake = machines.load("a53"), machines.load("skylake")
    assert cycles(schedule(SPLIT, a53), a53)[0] < 0.55 * cycles(SPLIT, a53)[0]
    (before, none), (after, spills) = cycles(SPLIT, skylake), cycles(schedule(SPLIT, skylake, math.inf), skylake)
    assert after > 1.08 * before and none == 0 and spills > 20


def test_an_order_on_paper():
    """A chain of three multiplications starts first; what waits for nothing fills its gaps."""

    @routine
    def both(a: u32, b: u32):
        c = (a ^ 1) + 1
        return c, b * b * b * b

    names = [step.op.name for step in schedule(both.record(), machines.load("a53")).steps]
    assert names[0] == "mul" and names.index("xor") < len(names) - 2


@pytest.mark.parametrize("isa", ["a53", "zen5"])
def test_a_recording_in_an_order_is_lowered_once_only(isa):
    @routine
    def vectors(a: v128, b: v128):
        return add64(pshufb(a, b), 2), b

    machine = machines.load(isa)
    for recording in (vectors.record(), aes_rounds.ctr.record(vectors=3), SPLIT):
        once = schedule(recording, machine)
        assert len(schedule(once, machine).steps) <= len(once.steps)


def test_what_a_machine_lacks_is_named():
    with pytest.raises(MachineError, match="core2 says nothing of: aesenc"):
        schedule(aes_rounds.encrypt.record(), machines.load("core2"))
    with pytest.raises(ValueError, match="no encoding 'avx'"):
        schedule(SPLIT, machines.load("zen5"), encoding="avx")
