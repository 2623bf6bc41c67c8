"""Recording: what is written down, and errors that point at the line of the function."""

import gc
import weakref

import pytest

from aesedu.routine import RoutineError, load64, low32, memory, rotl, routine, table, u32, u64, widen
from aesedu.routine.recorder import Recorder


def names(function, **settings):
    return [step.op.name for step in routine(function).record(**settings).steps]


def test_operators_and_idioms():
    def idioms(a: u32, b: u32):
        byte = a >> 8 & 255
        turned = a << 5 | b & 0 | a >> 27
        same = b >> 27 | b << 5
        joined = a & 0xFFFF0000 | b & 0xFFFF
        return byte, turned, same, joined, a & 255, ~a, 7 - a, -1 ^ b

    assert names(idioms) == [
        "byte1", "shl", "and", "or", "shr", "or", "rotl", "join16", "byte0", "invert", "const", "sub", "xor"
    ]  # fmt: skip


def test_memory_views_settings_and_nested_routines():
    @routine
    def inner(x: u32, t: table, *, n=1):
        return t[n:][x & 255] ^ t[3]

    def outer(x: u32, t: table, out: memory, *, times=2):
        for i in range(times):
            x = inner(x, t[10:], n=i)
            out[1:][i] = x
        return out[times:], low32(load64(t, 3) >> 32) ^ low32(widen(x))

    recording = routine(outer).record(times=2)
    at = [(s.op.name, s.operands[-1] if s.op.name != "store32" else s.operands[1]) for s in recording.steps]
    assert [a for a in at if a[0][:4] in ("load", "stor", "adva")] == [
        ("load32", 10), ("load32", 13), ("store32", 1), ("load32", 11), ("load32", 13), ("store32", 2), ("load64", 3),
        ("advance", 2),
    ]  # fmt: skip
    assert [str(p) for p in recording.becomes] == ["out", "x"]


def test_text_names_and_lines():
    def f(a: u32, b: u32):
        unused = a + b  # noqa: F841
        mixed = a ^ b
        return rotl(mixed, 3)

    first = f.__code__.co_firstlineno
    assert str(routine(f).record()).splitlines() == [
        "f(a: u32, b: u32)",
        f"{'  mixed = xor(a, b)':<48}line {first + 2}",
        f"{'  v1 = rotl(mixed, 3)':<48}line {first + 3}",
        "  return v1",
    ]


def test_long_constants_are_hexadecimal_in_text():
    def f(a: u32):
        return (a ^ 0xC2000000) + 7

    text = str(routine(f).record())
    assert "0xc2000000)" in text and "7)" in text


def branches(a: u32):
    x = a & 1
    if x:  # here
        return a
    return a ^ 1


def compares(a: u32):
    return a == 1  # here


def widths(a: u32, b: u64):
    return a ^ b  # here


def forgets(a: u32):  # here
    a ^ 1


def returns_a_number(a: u32):  # here
    return 3


def writes_a_table(a: u32, t: table):
    t[0] = a  # here
    return a


def python_list(a: u32):
    return [1, 2, 3][a]  # here


def negative_index(a: u32, t: table):
    return t[-1]  # here


def text_index(a: u32, t: table):
    return t["1"]  # here


def index_a_word(a: u32):
    return a[0]  # here


def unpacks(t: table):
    w, x = t  # here
    return w


def variable_shift(a: u32):
    return a >> a  # here


def far_shift(a: u32):
    return a >> 32  # here


def big_number(a: u32):
    return a ^ 0x1_0000_0000  # here


def divides(a: u32):
    return a / 2  # here


def raises(a: u32):
    return a ^ 1 // 0  # here


def untyped(a):  # here
    return a


def endless(a: u32):
    while True:
        a = a ^ 1  # here


def helper(a):
    return a if a else 0  # here


def in_a_helper(a: u32):
    return helper(a)


WRONG = {
    branches: "cannot branch",
    compares: "Use masks",
    widths: "mixes u32 and u64: low32",
    forgets: "end it with `return`",
    returns_a_number: "returns 3",
    writes_a_table: "write to `memory`",
    python_list: "make it a `table` parameter",
    negative_index: "cannot be indexed by -1",
    text_index: "cannot be indexed by '1'",
    index_a_word: "has no elements",
    unpacks: "Index it",
    variable_shift: "known beforehand",
    far_shift: "moves by 0 to 31 bits",
    big_number: "does not fit in 32 bits",
    divides: r"words know \^ & ",
    raises: "ZeroDivisionError",
    untyped: "`a: u32`",
    endless: "never end",
    in_a_helper: "cannot branch",
}


@pytest.mark.parametrize("function", WRONG, ids=lambda f: f.__name__)
def test_errors_point_at_the_line(function, monkeypatch):
    monkeypatch.setattr("aesedu.routine.recorder.MOST_STEPS", 500)
    with pytest.raises(RoutineError, match=WRONG[function]) as caught:
        routine(function).record()
    lines = open(__file__, encoding="utf-8").read().splitlines()  # noqa: SIM115
    assert lines[caught.value.line - 1].endswith("# here")
    assert f"{function.__name__}, line {caught.value.line}: {lines[caught.value.line - 1].strip()}\n" in str(
        caught.value
    )


def test_nothing_half_recorded_stays_behind():
    kept = []

    def fails(a: u32):
        kept.append(weakref.ref(a.recorder))
        raise ValueError("no")

    with pytest.raises(RoutineError):
        routine(fails).record()
    gc.collect()
    assert kept[0]() is None
    assert names(lambda_like) == ["add"]


def lambda_like(a: u32):
    return a + 1


def test_symbols_do_not_outlive_or_cross_recordings():
    kept = []

    def keeps(a: u32):
        kept.append(a)
        return a + 1

    routine(keeps).record()
    with pytest.raises(RoutineError, match="pass it as a parameter"):
        kept[0] ^ 1

    def uses_another(a: u32):
        return a ^ other

    other = Recorder("other").parameter("b", u32)
    with pytest.raises(RoutineError, match="belongs to another recording"):
        routine(uses_another).record()
