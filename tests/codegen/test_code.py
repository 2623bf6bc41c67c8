"""What a Code tells of itself must be true of its text."""

import random
import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from variants import compiled, random_recording, random_variant

from aesedu import native
from aesedu.codegen import BudgetError, generate
from aesedu.codegen.allocate import in_order
from aesedu.codegen.code import ENCODINGS
from aesedu.codegen.x86_64 import X8664
from aesedu.engines.execute import execute
from aesedu.native.assembler import ISA
from aesedu.routine import memory, rotl, routine, table, u32, u64, v128
from aesedu.routines import ttable

x86 = pytest.mark.skipif(ISA != "x86_64", reason="runs x86-64 text")
PARTS = {  # Intel SDM volume 1, 3.4.1.1: register of each part, spelt out once more
    **{part: f"r{n}x" for n in "abcd" for part in (f"r{n}x", f"e{n}x", f"{n}x", f"{n}l", f"{n}h")},
    **{part: f"r{n}" for n in ("si", "di", "bp", "sp") for part in (f"r{n}", f"e{n}", n, f"{n}l")},
    **{f"r{n}{view}": f"r{n}" for n in range(8, 16) for view in ("", "d", "w", "b")},
    **{f"{view}mm{n}": f"xmm{n}" for n in range(32) for view in "xz"},
}


@routine
def mix(a: u32, b: u32, te: table):
    """A routine small enough to look through."""
    low = te[a & 255]
    high = te[256:][b >> 8 & 255]
    return low ^ high, rotl(b, 7) + 3


def test_listing_says_where_each_line_comes_from():
    rows = generate(mix.record(), "x86_64").listing()
    first = mix.function.__code__.co_firstlineno
    byte = next(row for row in rows if row["english"].endswith("byte 1 of b"))
    assert byte["text"].startswith("movzbl")
    assert (byte["line"], byte["source"]) == (first + 4, "high = te[256:][b >> 8 & 255]")
    folded = next(row for row in rows if "xor" in row["text"])
    assert folded["english"].endswith("low xor (the 32-bit word at te[v2 + 256])")
    assert set(byte["live"]) >= {"b", "te", "low"}


def test_budget_is_kept_and_registers_are_those_of_the_text():
    for seed in range(60):
        code = random_variant(random.Random(seed), "x86_64").code
        banks = ENCODINGS["x86_64"][code.encoding].registers
        admitted = {r for bank, budget in code.budgets.items() for r in banks[bank][:budget]}
        for i in code.instructions:
            named = {PARTS[name] for name in re.findall(r"%(\w+)", i.text) if name != "rip"}
            assert named == set(i.reads) | set(i.writes), i.text
            assert i.kind == "loop" or named <= admitted | {"rsp"}, i.text
            assert bool(i.address) == ("(" in i.text), i.text
            assert set(i.held) <= admitted


def test_aarch64_keeps_off_registers_that_are_not_its_own():
    for seed in range(30):
        code = random_variant(random.Random(seed), "aarch64").code
        named = set(re.findall(r"\b[wx](\d+)\b", code.text()))
        assert named <= {str(n) for n in range(29)} - {"18"}
        for i in code.instructions:
            used = {("x" if v in "wx" else "v") + n for v, n in re.findall(r"\b([wxvq])(\d+)\b", i.text)} - {"x16"}
            assert used == {r for r in (*i.reads, *i.writes) if r != "sp"}, i.text


def test_what_is_live_is_held_or_in_memory():
    code = generate(ttable.encrypt.record(), "x86_64", 7)
    assert all(set(i.live) >= {v for v in i.held.values() if v in i.live} for i in code.instructions)
    assert max(len(i.held) for i in code.instructions) == 7


def test_spills_are_told_from_key_loads():
    tight, roomy = (generate(ttable.encrypt.record(technique="merged"), "x86_64", b) for b in (6, 14))
    assert roomy.spills() == 0 < tight.spills()
    kinds = {row["kind"] for row in tight.listing()}
    assert {"spill", "reload", "load"} <= kinds
    for i in tight.instructions:
        if i.kind in ("spill", "reload"):
            assert i.address.region == "frame" and i.stores == (i.kind == "spill")
        if i.kind == "load":
            assert i.address.region in ("block", "keys", "te")


def test_fewer_registers_never_mean_fewer_accesses_to_the_frame_on_the_whole():
    for technique in ttable.TECHNIQUES:
        recording = ttable.encrypt.record(technique=technique)
        spills = [generate(recording, "x86_64", budget).spills() for budget in (4, 6, 8, 10, 14)]
        assert spills == sorted(spills, reverse=True)


def test_knees_merged_needs_two_registers_less_than_split():
    """A round's spills stop at 8 registers for merged and at 10 for split (DESIGN section 5)."""
    merged, split = (ttable.encrypt.record(technique=t, key_loads="4x32") for t in ttable.TECHNIQUES)
    spills = {(r, b): generate(r, "x86_64", b).spills() for r in (merged, split) for b in (7, 8, 9, 10)}
    assert spills[merged, 8] < 20 < spills[merged, 7]
    assert spills[split, 10] < 20 < spills[split, 9]


def test_impossible_budgets_name_the_smallest_that_works():
    for isa in ("x86_64", "aarch64"):
        for recording in (mix.record(), ttable.encrypt.record(), random_recording(random.Random(3))):
            with pytest.raises(BudgetError, match=r"at least \d registers") as caught:
                generate(recording, isa, -1)
            smallest = caught.value.smallest
            assert generate(recording, isa, smallest).budget == smallest
            with pytest.raises(BudgetError):
                generate(recording, isa, smallest - 1)


def test_unknown_instruction_set():
    with pytest.raises(ValueError, match="x86_64, aarch64"):
        generate(mix.record(), "mips")


@x86
def test_intel_view_means_the_same():
    for seed in range(40):
        v = random_variant(random.Random(seed), "x86_64")
        text = v.code.text(syntax="intel").replace(".text", ".intel_syntax noprefix", 1) + ".att_syntax\n"
        code = SimpleNamespace(recording=v.code.recording, isa="x86_64", text=lambda text=text: text)
        code.pack, code.unpack = v.code.pack, v.code.unpack
        assert not v.difference(*execute(code, v.words, v.memories, v.count)), seed


@x86
def test_more_memories_than_registers_come_from_the_stack():
    @routine
    def six(a: memory, b: memory, c: table, d: table, e: table, f: memory):
        a[0] = c[0] ^ d[1] ^ e[2]
        f[3] = b[1]
        return a, f

    inner = generate(six.record(), "x86_64").text("inner")
    outer = """\
.globl routine
routine:                        # six memories, 256 bytes apart, from one
    lea 1280(%rdx), %rax
    push %rax
    sub $256, %rax
    push %rax
    lea 768(%rdx), %r9
    lea 512(%rdx), %r8
    lea 256(%rdx), %rcx
    call inner
    add $16, %rsp
    ret
"""
    data = [0] * 384
    data[64 + 1], data[128], data[192 + 1], data[256 + 2] = 5, 0x111, 0x222, 0x400
    packed = b"".join(n.to_bytes(4, "little") for n in data)
    left = native.run(inner + outer, [native.Buffer(bytes(8)), 1, native.Buffer(packed)]).buffers[1]
    assert (left[:4], left[4 * 323 : 4 * 324]) == (bytes([0x33, 7, 0, 0]), bytes([5, 0, 0, 0]))


def test_code_for_another_machine_is_refused():
    other = {"x86_64": "aarch64", "aarch64": "x86_64"}[ISA]
    with pytest.raises(ValueError, match="this host"):
        execute(generate(mix.record(), other), [1, 2], [[0] * 512])
    with pytest.raises(ValueError, match="2 words and 1 memories"):
        execute(generate(mix.record(), ISA), [1], [[0] * 512])


def test_wide_numbers_and_parameters_that_change_places():
    @routine
    def swap(a: u64, b: u64, c: u64):
        return b, c, a, a ^ 0x123456789ABCDEF0, a + 0xFFFFFFFFFFFFFFFF

    for budget in (2, 3, 15):
        code = compiled(swap.record(), ISA, budget)
        assert execute(code, [1, 2, 3], count=2)[0] == [3, 1, 2, 2 ^ 0x123456789ABCDEF0, 1]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.randoms())
def test_moves_at_once_in_order(sources, rng):
    targets = rng.sample(range(6), len(sources))
    places = {i: f"value {i}" for i in range(6)}
    for source, target, _ in in_order(list(zip(sources, targets, "abcdef", strict=False)), "spare"):
        places[target] = places[source]
    assert [places[t] for t in targets] == [f"value {s}" for s in sources]


def test_registers_of_vectors_count_where_there_are_vectors():
    @routine
    def one(a: v128):
        return a ^ 1

    assert generate(mix.record(), "x86_64", 5).registers == X8664.registers["word"][:5]
    code = generate(one.record(), "x86_64", 3, 2)
    assert code.registers == (*X8664.registers["word"][:3], "xmm0", "xmm1")
    assert code.budgets == {"word": 3, "vector": 2}
