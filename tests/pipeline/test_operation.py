"""What is read off a line of assembly: against what the code generator knows of it, and by hand."""

import re
from dataclasses import replace

import pytest

from aesedu.codegen import generate, weave
from aesedu.codegen.code import ENCODINGS
from aesedu.pipeline import UnknownInstructionError, loop
from aesedu.pipeline.operation import Place
from aesedu.routines import aes_rounds, gcm, ttable

RECORDINGS = [
    lambda: ttable.encrypt_round.record(technique="merged", key_loads="4x32"),
    lambda: ttable.decrypt.record(rounds=2),
    lambda: aes_rounds.decrypt.record(rounds=3, vectors=5),
    lambda: aes_rounds.ctr.record(rounds=2, vectors=3),
    lambda: weave(*gcm.parts("enc", "lagged", 4, rounds=2)),
]


@pytest.mark.parametrize("make", RECORDINGS)
@pytest.mark.parametrize(("isa", "encoding"), [(isa, e) for isa, each in ENCODINGS.items() for e in each])
@pytest.mark.parametrize("budget", [7, None])
def test_registers_and_addresses_are_those_of_the_code_generator(make, isa, encoding, budget):
    code = generate(make(), isa, budget, encoding=encoding)
    for known, found in zip(code.instructions, loop(code), strict=True):
        if "16" in known.text and isa == "aarch64":  # x16 is the generator's own, between instructions
            continue
        places = (*found.loads, *found.stores)
        reads = {*found.reads, *(r for place in places for r in place.registers)} - {"flags"}
        assert reads == set(known.reads), known.text
        assert set(found.writes) - {"flags"} == set(known.writes), known.text
        if known.address and places:
            offsets = {place.offset for place in places}
            assert known.address.offset in offsets and bool(found.stores) == known.stores, known.text


def one(text, isa="x86_64"):
    (found,) = loop(text, isa)
    return found


@pytest.mark.parametrize(
    ("text", "kind", "reads", "writes"),
    [
        ("addl %eax, %ebx", "alu", "rax rbx", "rbx flags"),
        ("add %rax, %r9", "alu", "rax r9", "r9 flags"),
        ("movb %ah, %cl", "merge", "rax rcx", "rcx"),
        ("movw %ax, %r9w", "merge", "rax r9", "r9"),
        ("movzbl %ah, %ecx", "byte", "rax", "rcx"),
        ("mov $5, %edi", "move", "", "rdi"),
        ("shrl $16, %esi", "shift", "rsi", "rsi flags"),
        ("cmpq %rax, %rbx", "alu", "rax rbx", "flags"),
        ("notl %eax", "alu", "rax", "rax"),
        ("imulq $3, %rax, %rbx", "mul", "rax", "rbx flags"),
        ("imulq %rax, %rbx", "mul", "rax rbx", "rbx flags"),
        ("leaq 8(%rax,%rbx,4), %rcx", "lea", "rax rbx", "rcx"),
        ("jne .L3", "branch", "flags", ""),
        ("jmp .L3", "branch", "", ""),
        ("xorl %eax, %eax", "alu", "", "rax flags"),
        ("vpxor %xmm1, %xmm1, %xmm2", "vlogic", "", "xmm2"),
        ("vpxord %zmm1, %zmm3, %zmm2", "vlogic", "xmm1 xmm3", "xmm2"),
        ("psubw %xmm1, %xmm1", "vadd", "", "xmm1"),
        ("xorb %ah, %al", "alu", "rax", "rax flags"),  # two bytes
        ("xorw %ax, %ax", "alu", "rax", "rax flags"),  # the rest stays
        ("vpternlogq $150, %ymm1, %ymm3, %ymm2", "vlogic", "xmm1 xmm3 xmm2", "xmm2"),
        ("aesenc %xmm1, %xmm2", "aes", "xmm1 xmm2", "xmm2"),
        ("aesimc %xmm1, %xmm2", "aes", "xmm1", "xmm2"),
        ("pshufd $78, %xmm1, %xmm2", "vshuffle", "xmm1", "xmm2"),
        ("movq %rax, %xmm2", "insert", "rax", "xmm2"),
        ("movq %xmm2, %rax", "extract", "xmm2", "rax"),
        ("movdqa %xmm1, %xmm2", "vmove", "xmm1", "xmm2"),
    ],
)
def test_x86_64(text, kind, reads, writes):
    found = one(text)
    assert (found.kind, set(found.reads), set(found.writes)) == (kind, set(reads.split()), set(writes.split()))


@pytest.mark.parametrize(
    ("text", "kind", "reads", "writes"),
    [
        ("eor w0, w1, w2, ror #8", "alu", "x1 x2", "x0"),
        ("add x0, sp, #16", "alu", "sp", "x0"),
        ("subs x2, x2, #1", "alu", "x2", "x2 flags"),
        ("cmp x1, x2", "alu", "x1 x2", "flags"),
        ("b.ne 1b", "branch", "flags", ""),
        ("cbnz x3, 1b", "branch", "x3", ""),
        ("movk w1, #7, lsl #16", "merge", "x1", "x1"),
        ("mov w1, wzr", "move", "", "x1"),
        ("aese v0.16b, v9.16b", "aes", "v0 v9", "v0"),
        ("aesmc v0.16b, v9.16b", "aes", "v9", "v0"),
        ("pmull2 v0.1q, v1.2d, v2.2d", "clmul", "v1 v2", "v0"),
        ("tbl v0.16b, {v1.16b}, v2.16b", "vbytes", "v1 v2", "v0"),
        ("ins v0.s[1], w3", "insert", "v0 x3", "v0"),
        ("mov v0.16b, v1.16b", "vmove", "v1", "v0"),
        ("eor v0.16b, v1.16b, v1.16b", "vlogic", "v1", "v0"),
        ("movi v0.16b, #0", "vlogic", "", "v0"),
        ("umov w3, v0.s[1]", "extract", "v0", "x3"),
    ],
)
def test_aarch64(text, kind, reads, writes):
    found = one(text, "aarch64")
    assert (found.kind, set(found.reads), set(found.writes)) == (kind, set(reads.split()), set(writes.split()))


def test_memory():
    assert one("xorl -4(%rsi,%r8,4), %eax").loads == (Place("rsi", "r8", 4, -4, 4),)
    assert one("movdqu %xmm0, 0x10(%rdi)").stores == (Place("rdi", offset=16, size=16),)
    assert one("movdqu %xmm0, (%rdi)").kind == ""
    assert one("vmovdqu64 (%rdi), %zmm3").loads[0].size == 64
    assert one("vbroadcasti32x4 (%rdi), %zmm3").loads[0].size == 16
    assert one("movzbl 3(%rsi), %eax").loads[0].size == 1
    both = one("subq $1, 24(%rsp)")
    assert both.loads == both.stores == (Place("rsp", offset=24),)
    assert not one("cmpq $0, 24(%rsp)").stores
    assert one("pxor mask+16(%rip), %xmm0").loads == (Place("label mask", offset=16, size=16),)
    assert one("movq mask-8+2(%rip), %rax").loads == (Place("label mask", offset=-6),)
    assert one("pushq %rax").stores == (Place("rsp", offset=-8),)
    assert one("ldp q1, q2, [x0, #32]", "aarch64").loads == (
        Place("x0", offset=32, size=16),
        Place("x0", offset=48, size=16),
    )
    for plain in (
        "add x0, x0, 16",
        "ldr x1, [x0, 16]",
        "str x1, [x0], 16",
        "ldr w1, [x0, w2, sxtw 2]",
    ):  # as GCC has it
        signed = one(re.sub(r"(?<= )(?=\d)", "#", plain), "aarch64")
        assert replace(one(plain, "aarch64"), text="") == replace(signed, text="") and "#" in signed.text
    assert one("ldr w1, [x0, w2, uxtw #2]", "aarch64").loads == (Place("x0", "x2", 4, 0, 4),)
    assert one("st1 {v0.16b, v1.16b}, [x3], #32", "aarch64").moved == (("x3", "x3", 32),)
    assert one("ldr q0, 3f+16", "aarch64").loads == (Place("label 3f", offset=16, size=16),)


def test_a_pasted_loop_may_have_labels_comments_and_directives():
    text = """
    .p2align 4
1:  addl $1, %eax      # one more
    /* nothing */
    jnz 1b             // again
    """
    assert [o.text for o in loop(text)] == ["addl $1, %eax", "jnz 1b"]


def test_what_is_not_known_is_named_and_not_guessed():
    with pytest.raises(UnknownInstructionError, match="line 2: frobl %eax; line 4: vaddps") as caught:
        loop("addl %eax, %eax\nfrobl %eax\nnegl %eax\nvaddps %ymm0, %ymm1, %ymm2")
    assert [number for number, _ in caught.value.lines] == [2, 4]
    for isa, text in [
        ("x86_64", "movl %eax"),
        ("x86_64", "movl table, %eax"),
        ("x86_64", "imulq %rax"),
        ("x86_64", "adcl %eax, %ebx"),
        ("aarch64", "ldr x0, [x1, x2, lsl x3]"),
        ("aarch64", "fadd d0, d1, d2"),
        ("aarch64", "aesenc xmm0, xmm1"),
        ("aarch64", "eor w77, w1, w2"),
        ("aarch64", "mov 1, w2"),
        ("aarch64", "ldr w{0,], [x1]"),
        ("x86_64", "movl %exa, %ebx"),
        ("x86_64", "movl (%rdx,%rbz), %ebx"),
        ("x86_64", "addl %, %eax"),
        ("x86_64", "movdqu %xmm0, %xmm1, %xmm2"),
        ("x86_64", "movq (%rax), %rbx, %rcx"),
        *[
            ("x86_64", text)
            for text in ("addq", "xmm", "vpxor %xmm0", "vpxor %xmm0, %xmm1", "pushq", "popq $5", "vaesimc")
        ],
        *[("x86_64", text) for text in ("addq %eax, %rbx", "movdqu %rax, %xmm0", "negq %r16", "pxor %xmm16, %xmm1")],
        *[
            ("x86_64", text)
            for text in ("movzbl %ah, %r8d", "leaq 1(%rax,%rsp), %rax", "shlq $1000000000000, %rax", "jeq 1b")
        ],
        *[
            ("aarch64", text)
            for text in ("add x0, w1, v2", "add x0, x31, x1", "add x0", "cbz x0", "b.foo 1b", "ldr x0")
        ],
        *[
            ("aarch64", text)
            for text in ("lsl x0, x1, #1000000000000", "ldr x0, [x1, x2, lsl #1000000000000]", "umov w0, v0")
        ],
    ]:
        with pytest.raises(UnknownInstructionError):
            loop(text, isa)


@pytest.mark.parametrize(
    ("text", "isa", "message"),
    [
        ("", "x86_64", "no instruction"),
        ("1:\n.text", "x86_64", "no instruction"),
        ("jnz 1b\naddl %eax, %eax", "x86_64", "a branch before"),
        (None, "x86_64", "a Code or a text, not NoneType"),
        ("nop", "riscv", "no instruction set 'riscv'"),
    ],
)
def test_what_is_no_loop_is_refused(text, isa, message):
    with pytest.raises(ValueError, match=message):
        loop(text, isa)


def test_a_range_of_registers_and_the_zero_register():
    two = one("ld1 {v30.16b-v31.16b}, [x0], #32", "aarch64")
    assert two.writes == ("v30", "v31") and [place.offset for place in two.loads] == [0, 16]
    pair = one("stp xzr, x1, [x0]", "aarch64")
    assert pair.reads == ("x1",) and [place.offset for place in pair.stores] == [0, 8]
    assert one("ldr wzr, [x0]", "aarch64").loads
