"""A routine on the bench: known answers in Python and as machine code, pictures, a live time."""

import re
from dataclasses import replace

import pytest

from aesedu import machines, native, workbench
from aesedu.cipher.ttable import TE0
from aesedu.codegen import BudgetError, generate, weave
from aesedu.engines import inspection
from aesedu.native.assembler import ISA
from aesedu.routine import memory, rotl, routine, table, u32, v128
from aesedu.routine.vectors import aesenc, clmul_low
from aesedu.routines import ttable

TABLE = list(TE0)
here = pytest.mark.skipif(ISA not in ("x86_64", "aarch64"), reason="no code for this machine")


@routine
def mix(a: u32, b: u32, te: table, *, turn=8):
    p = a ^ b
    return p, te[p & 255] ^ rotl(a, turn)


@routine
def put(out: memory, a: u32):
    out[0] = a
    out[1] = a + 1
    return a


def mixed(a, b, turn=8):
    """Another way: with Python's own big integers."""
    turned = (a << turn | a >> 32 - turn) % (1 << 32)
    return a ^ b, TABLE[(a ^ b) % 256] ^ turned


@routine
def one_round(a: v128, key: v128):
    return aesenc(a, key), key


@routine
def one_round_many(key: v128, *states: v128):
    return key, *(aesenc(state, key) for state in states)


ARGUMENTS = [(1, 2), (0xFFFFFFFF, 0), (0x80000001, 0x7F)]


def test_known_answers():
    assert workbench.check(mix, [((a, b, TABLE), mixed(a, b)) for a, b in ARGUMENTS])
    assert workbench.check(mix, [((a, b, TABLE), mixed(a, b, 5)) for a, b in ARGUMENTS], turn=5)


def test_the_first_wrong_answer_is_named():
    known = [((a, b, TABLE), mixed(a, b)) for a, b in ARGUMENTS]
    known[1] = known[1][0], (1, 2)
    outcome = workbench.check(mix, known)
    assert not outcome and not outcome.passed
    assert "mix, case 2 of 3, in Python: (0xffffffff, " in outcome.text()
    assert "the known answer is (0x1, 0x2)." in outcome.text() and "vermilion" in outcome.html()


def test_memory_is_compared_by_name():
    assert workbench.check(put, [(([0, 0, 9], 7), {"out": [7, 8, 9]})])
    assert "out = (0x7, 0x8, 0x9)" in workbench.check(put, [(([0, 0, 9], 7), {"out": [7, 9, 9]})]).text()


@here
def test_machine_code_that_disagrees_is_found(monkeypatch):
    """Planted fault: a code generator that turns the other way."""
    made = workbench.generate

    def wrong(recording, *arguments):
        code = made(recording, *arguments)
        object.__setattr__(
            code, "head", tuple(line for line in code.head if "8(%rdi)" not in line and "[x0, #8]" not in line)
        )
        return code

    monkeypatch.setattr(workbench, "generate", wrong)
    assert "as machine code" in workbench.check(mix, [((5, 6, TABLE), mixed(5, 6))]).text()


@here
def test_clock():
    found = workbench.clock(mix, 1, 2, TABLE)
    assert found.cycles is None or 3 < found.cycles < 200
    assert found.cycles is None or found.per(2) == round(found.cycles / 2, 2)
    assert "passes a call: 1000" in found.text() and "measured here" in found.html()


@here
def test_two_woven_routines_are_a_routine():
    two = weave(mix.record(), mix.record())
    (a, b), (c, d) = ARGUMENTS[:2]
    assert workbench.check(two, [((a, b, TABLE, c, d), (*mixed(a, b), *mixed(c, d)))])
    assert "mix + mix: " in workbench.clock(two, 1, 2, TABLE, 3, 4).text()


def test_pictures():
    assert "<svg" in workbench.pressure(mix, "x86_64", 4).html()
    assert "<svg" in workbench.dataflow(mix).html() and "p = xor(a, b)" in workbench.dataflow(mix).text()
    assert "ror w" in workbench.listing(mix, "aarch64").html()
    assert " ptr [" in workbench.listing(mix, "x86_64", syntax="intel").text()


def test_an_impossible_budget_says_the_least():
    with pytest.raises(BudgetError, match="at least 3 registers"):
        workbench.listing(mix, "x86_64", 1)


def test_missing_arguments_are_an_error():
    with pytest.raises(ValueError):
        workbench.clock(mix, 1, 2)


def test_a_compiler_s_loop_beside_ours(monkeypatch):
    lines = ("movq %rcx, %rdx", "movl %eax, 4(%rsp)", *["xorl (%r14,%rax,4), %ebx"] * 40, "addl 4(%rsp), %ebx")
    around = inspection.Loop(("movq 8(%rsp), %rcx",))
    monkeypatch.setattr(inspection, "compiled_loops", lambda: (inspection.Loop(lines), around))
    seen = workbench.beside_llvm()
    assert seen.text().splitlines()[1] == "LLVM | 21.5 | 0.5 | 0.5 | 0.5", "two rounds a pass"
    assert "spills 0, reloads 1." in seen.html() and seen.loop.rounds == 2
    counts = {line.split(" | ")[0]: line.split(" | ")[1:] for line in seen.text().splitlines()[2:]}
    assert counts["merged, 15 registers"][2:] == counts["split, 15 registers"][2:] == ["0", "0"]


def test_where_there_are_no_aes_instructions(monkeypatch):
    monkeypatch.setattr(workbench.native, "features", frozenset)
    found = workbench.clock(one_round, 1, 2)
    assert found.cycles is None and found.per(10) is None and "no AES instructions" in found.text()
    assert workbench.check(one_round, [((1, 2), one_round(1, 2))]).text().endswith("in Python.")
    assert workbench.clock(mix, 1, 2, TABLE).measurement, "other code runs as before"


def test_both_listings():
    seen = workbench.both_listings(mix)
    assert "x86-64" in str(seen) and "AArch64" in seen.html() and "the loop around it" in seen.html()


def test_timeline():
    seen = workbench.timeline(mix, "1: imulq %rax, %rax\nsubq $1, %rcx\njnz 1b", machine="zen5", turn=3)
    assert "loop against mix" in seen.html() and "AMD Zen 5" in seen.html()
    assert "loop: 3 instructions, 3.0 cycles a loop on AMD Zen 5" in seen.text()
    assert "ldr" in workbench.timeline(mix, machine="a53").text()
    assert "aese" in workbench.timeline(generate(one_round.record(), "aarch64"), machine="n1").text()
    with pytest.raises(ValueError, match="aesenc"):
        workbench.timeline(one_round, machine="core2")


def test_weaving_and_an_order_for_a_core_take_routines():
    arguments = (1, 2, TABLE)
    assert workbench.check(workbench.schedule(mix, "a53"), [(arguments, mixed(1, 2))])
    woven = workbench.weave(mix, mix, grain=2)
    assert workbench.check(woven, [((1, 2, TABLE, 3, 4), (*mixed(1, 2), *mixed(3, 4)))])


def test_table_of_the_model():
    """Chains of AESENC: 4 cycles of latency on Skylake, which starts one a cycle (uops.info); Zen 4 two."""
    chains = {n: lambda core, n=n: one_round_many.record(states=n) for n in (1, 2, 8)}
    seen = workbench.model_table(chains, ("skylake", "zen4"), {1: 4.03}, "round", parts={n: n for n in chains})
    assert [round(seen.cycles[n, "Intel Skylake"], 1) for n in chains] == [4, 2, 1]
    assert round(seen.cycles[8, "AMD Zen 4"], 1) == 0.5
    assert "model, cycles a round: 1, Intel Skylake: 4.00, AMD Zen 4: 4.00, measured: 4.03" in seen.text()
    assert "measured: not measured" in seen.text() and "<th" in seen.html()
    assert "recorded: 4.03" in workbench.model_table(chains, ["zen4"], {1: 4.03}, measured_as="recorded").text()


def test_places_and_headings_of_the_model():
    core2 = machines.load("core2")
    cores = {"as it is": core2, "no crossing": replace(core2, crossing=0)}
    at = {"4": {"keys": 4}, "8": {"keys": 8}}
    found = workbench.model_table(dict.fromkeys(at, ttable.encrypt), cores, budget=14, places=at).cycles
    assert found["4", "as it is"] > found["8", "as it is"] == found["8", "no crossing"] == found["4", "no crossing"]


@here
def test_two_orders_are_timed_in_turn():
    subject = workbench.subject("ours", mix, 1, 2, TABLE, passes=100)
    assert (subject.label, subject.what) == ("ours", {"engine": "ours"}) and native.sample(subject, 3).ns > 0


def test_what_cannot_be_timed_here(monkeypatch):
    monkeypatch.setattr(native, "features", frozenset)
    with pytest.raises(native.UnsupportedFeature, match="AES instructions"):
        workbench.subject("ours", one_round, 1, 2)


@routine
def long(a: u32, b: u32, *, steps=3000):
    for n in range(steps):
        a = (a ^ b) + n
    return a, b


@pytest.mark.parametrize("machine", ["skylake", "a53"])
@pytest.mark.parametrize("variants", [[long], [ttable.encrypt] * 3])
def test_a_long_timeline_fits_a_notebook_and_says_how_to_see_the_rest(machine, variants):
    kept = workbench.timeline(*variants, machine=machine)._repr_mimebundle_()
    assert sum(len(each.encode()) for each in kept.values()) < 250_000
    for each in kept.values():
        note = re.search(r"Rows 1 to (\d+) of (\d+)\. rows=range\((\d+), (\d+)\) shows others\.", each)
        last, whole, first, end = map(int, note.groups())
        assert first == last < end < whole
    if variants == [long]:
        rest = workbench.timeline(long, machine=machine, rows=range(whole - 5, whole + 5)).text()
        assert f"Rows {whole - 4} to {whole} of {whole}. rows=range(0, 5) shows others." in rest


def test_a_short_timeline_is_whole():
    assert "Rows" not in workbench.timeline(mix).text() + workbench.timeline(mix).html()


NO_ROUTINE = r"is no routine: write @routine above a function with types"


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: workbench.timeline(), ValueError, "has 1 to 6 routines, not 0"),
        (lambda: workbench.timeline(*[mix] * 7), ValueError, "not 7"),
        (lambda: workbench.timeline(mix, iteration=-1), ValueError, "nothing in pass -1"),
        (lambda: workbench.timeline(mix, iteration="a"), TypeError, "iteration is the number of a pass"),
        (lambda: workbench.timeline(mix, rows=5), TypeError, r"rows is a range .* range\(0, 20\)"),
        (lambda: workbench.timeline(mix, rows=range(0, 4, 2)), TypeError, "rows is a range"),
        (lambda: workbench.timeline(mix, rows=range(3, 1)), ValueError, "nothing in pass 0"),
        (lambda: workbench.timeline(mix, rows=range(-3, 1)), ValueError, "nothing in pass 0"),
        (lambda: workbench.timeline(mix, machine="m1"), ValueError, "there is no machine 'm1'; there are: a53"),
        (lambda: workbench.timeline(3), TypeError, NO_ROUTINE),
        (lambda: workbench.timeline(lambda a: a), TypeError, NO_ROUTINE),
        (lambda: workbench.weave(mix, [mix]), TypeError, NO_ROUTINE),
        (lambda: workbench.dataflow(mixed), TypeError, NO_ROUTINE),
        (lambda: workbench.schedule(mix, 3), ValueError, "there is no machine"),
        (lambda: workbench.schedule(mix, "a53", -1), ValueError, "budget is a number from 1 on"),
        (lambda: workbench.schedule(mix, "a53", None, "x"), ValueError, "vectors is a number from 1 on"),
        (lambda: workbench.listing(mix, budget="4"), TypeError, "a budget is a whole number"),
        (lambda: workbench.listing(mix, syntax="nasm"), ValueError, '"att" or "intel", not \'nasm\''),
        (lambda: workbench.clock(mix, 1, 2), ValueError, "2 arguments were given; it takes 3: a, b, te"),
        (lambda: workbench.clock(mix, 1, -2, TABLE), ValueError, "b must be a u32, not -2"),
        (lambda: workbench.clock(mix, 1, 2, TABLE, passes=0), ValueError, "passes is a whole number from 1 on, not 0"),
        (lambda: workbench.clock(mix, 1, 2, TABLE, passes=-1), ValueError, "passes is a whole number"),
        (lambda: workbench.model_table({"a": 3}), TypeError, "3 is no routine"),
        (lambda: workbench.model_table({"a": mix}, measured=3), TypeError, "measured is {name: cycles}, not 3"),
        (lambda: workbench.model_table({"a": mix}, parts={"b": 2}), ValueError, "no variant 'b'; there are: a"),
        (lambda: workbench.model_table({"a": mix}, places={"b": {}}), ValueError, "no variant 'b'"),
        (lambda: workbench.model_table({"a": mix}, parts={"a": 0}), ValueError, "1 part or more, not 0"),
        (lambda: workbench.model_table({"a": mix}, "m1"), ValueError, "there is no machine 'm1'"),
        (lambda: workbench.check(mix, []), TypeError, "with one at least"),
        (lambda: workbench.check(mix, 3), TypeError, "a list of pairs"),
        (lambda: workbench.check(mix, [(1, 2)]), TypeError, "are pairs"),
        (lambda: workbench.check(mix, [((1, 2, TABLE), "a")]), TypeError, "are pairs"),
        (lambda: workbench.check(put, [(([0, 0], 1), {"in": [1, 2]})]), ValueError, "no memory 'in' to write.*: out"),
    ],
)
def test_what_will_not_do_is_named(call, error, says):
    with pytest.raises(error, match=says):
        call()


@here
def test_other_instructions_that_are_masked(monkeypatch):
    @routine
    def product(a: v128, b: v128):
        return clmul_low(a, b), b

    monkeypatch.setenv("AESEDU_MASK_FEATURES", "pclmulqdq,pmull")
    assert "this machine has no p" in workbench.clock(product, 1, 2).text()
    assert workbench.check(product, [((3, 5), (15, 5))]).text().endswith("in Python.")
