"""Calls: what goes in, what comes out, and what is noticed on the way."""

import ctypes
import importlib
import itertools

import pytest

from aesedu import native
from aesedu.native import Buffer, NativeCrash, NativeError, assembler, helpers
from aesedu.native.assembler import ISA
from aesedu.native.run import Memory, prepare

pytestmark = pytest.mark.skipif(ISA != "x86_64", reason="x86-64 texts")
START = ".globl routine\nroutine:\n"


def test_six_arguments_arrive_in_order():
    body = "lea (%rdi,%rsi,8), %rax\n shl $6, %rdx\n add %rdx, %rax\n shl $9, %rcx\n add %rcx, %rax\n"
    body += " shl $12, %r8\n add %r8, %rax\n shl $15, %r9\n add %r9, %rax\n ret\n"
    assert oct(native.run(START + body, [1, 2, 3, 4, 5, 6]).value) == "0o654321"
    with pytest.raises(ValueError, match="at most 6"):
        native.run(START + "ret\n", [0] * 7)


@pytest.mark.parametrize("sent, found", [(-1, 2**64 - 1), (-(2**63), 2**63), (2**64 - 1, 2**64 - 1), (True, 1)])
def test_words(sent, found):
    assert native.run(START + "mov %rdi, %rax\n ret\n", [sent]).value == found


@pytest.mark.parametrize("sent", [2**64, -(2**63) - 1, 1.0, None, b"bytes"])
def test_what_no_register_takes(sent):
    with pytest.raises(TypeError, match="Buffer or an int"):
        native.run(START + "ret\n", [sent])


def test_another_entry():
    assert native.run(".globl a\n.globl b\na: mov $1, %eax\n ret\nb: mov $2, %eax\n ret\n", entry="b").value == 2


def test_buffers_change_in_place_and_come_back():
    result = native.run(
        START + "mov (%rdi), %al\n xchg %al, (%rsi)\n mov %al, (%rdi)\n ret\n", [Buffer(b"ab"), Buffer(b"cd")]
    )
    assert result.buffers == [b"cb", b"ad"] and result.clobbered == []


@pytest.mark.parametrize("align, offset", [(1, 0), (16, 0), (64, 1), (4096, 0), (4096, 4095), (1 << 16, 24)])
def test_alignment_and_offset(align, offset):
    assert native.run(START + "mov %rdi, %rax\n ret\n", [Buffer(b"x", align, offset)]).value % align == offset % align


@pytest.mark.parametrize("offset, where", [(-1, "before the start"), (-256, "before the start"), (40, "after the end")])
def test_guards_notice_single_bytes(offset, where):
    with pytest.raises(NativeCrash, match=f"buffer overrun: 1 byte changed {where} of buffer 2"):
        native.run(START + f"notb {offset}(%rsi)\n ret\n", [Buffer(bytes(40)), Buffer(bytes(40))])
    with pytest.raises(NativeCrash, match="8 bytes changed after the end of buffer 1"):
        native.run(START + "notq 288(%rdi)\n ret\n", [Buffer(bytes(40))])


def test_the_stack_is_aligned_and_flags_are_clear():
    assert native.run(START + "mov %rsp, %rax\n ret\n").value % 16 == 8
    assert not native.run(START + "pushfq\n pop %rax\n ret\n").value >> 10 & 1


def every_subset(names):
    return itertools.chain.from_iterable(itertools.combinations(names, n) for n in range(len(names) + 1))


def test_every_set_of_clobbered_registers_is_named():
    for names in every_subset(["rbx", "rbp", "r12", "r13", "r14", "r15"]):
        text = START + "".join(f"    not %{name}\n" for name in names) + "    ret\n"
        assert native.run(text).clobbered == list(names)


@pytest.mark.parametrize(
    "body, names",
    [
        ("std", ["direction flag"]),
        ("pushq $0x3f80\n ldmxcsr (%rsp)\n pop %rax", ["mxcsr"]),
        ("pop %rcx\n sub $64, %rsp\n std\n xor %ebx, %ebx\n jmp *%rcx", ["rsp", "rbx", "direction flag"]),
        ("push %rax\n stmxcsr (%rsp)\n xorl $0x20, (%rsp)\n ldmxcsr (%rsp)\n pop %rax", []),  # a status bit is free
        ("mov $-1, %rcx\n mov %rcx, %rdx\n mov %rcx, %rsi\n mov %rcx, %rdi", []),
        ("mov $-1, %r8\n mov %r8, %r9\n mov %r8, %r10\n mov %r8, %r11", []),
    ],
)
def test_flags_and_stack_pointer_are_watched_too(body, names):
    assert native.run(START + f"{body}\n ret\n").clobbered == names


def test_a_register_put_back_is_not_clobbered():
    assert native.run(START + "push %rbx\n xor %ebx, %ebx\n pop %rbx\n std\n cld\n ret\n").clobbered == []


def test_what_a_routine_leaves_behind_is_put_right():
    """Rounding mode, direction flag, alignment checks: the next routine sees none of it."""
    native.run(START + "pushq $0x7f80\n ldmxcsr (%rsp)\n pop %rax\n pushfq\n orl $0x40400, (%rsp)\n popfq\n ret\n")
    flags = native.run(START + "pushfq\n pop %rax\n and $0x40400, %eax\n ret\n").value
    mxcsr = native.run(START + "push %rax\n stmxcsr (%rsp)\n pop %rax\n and $0xffc0, %eax\n ret\n").value
    assert (flags, mxcsr) == (0, 0x1F80)


def through_a_thunk(thunk, victim, arguments=()):
    """Value of a text called as routine(address of the victim, its words, report): it plays the caller of a helper."""
    memory, report = Memory(arguments), (ctypes.c_uint64 * 2)()
    play = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * 3)(assembler.assemble(thunk).address("routine"))
    value = play(assembler.assemble(victim).address("routine"), memory.address, ctypes.addressof(report))
    return value, list(report)


@pytest.mark.skipif("avx512f" not in native.features(), reason="XGETBV with ecx = 1 came to x86-64 before AVX-512")
@pytest.mark.parametrize("after, in_use", [("ret", 4), ("vzeroupper\n ret", 0)])
def test_upper_halves_are_clean_after_a_call(after, in_use):
    """XGETBV with ecx = 1 tells which register files are in use: bit 2, the upper halves of ymm."""
    dirty = START + f"vpcmpeqd %ymm1, %ymm1, %ymm1\n {after}\n"
    tell = "mov $1, %ecx\n xgetbv\n and $4, %eax\n pop %rcx\n ret\n"
    assert through_a_thunk(START + "push %rax\n call *%rdi\n" + tell, dirty)[0] == in_use
    helper = START + f"push %rax\n movabs ${helpers.code().address('aesedu_call')}, %rax\n call *%rax\n"
    assert through_a_thunk(helper + tell, dirty)[0] == 0


def test_smashed_words_are_counted():
    with pytest.raises(NativeCrash, match="stack smashing: 24 bytes"):
        native.run(START + "movq $0, 8(%rsp)\n movups %xmm0, 16368(%rsp)\n ret\n")


def test_a_routine_without_a_value_returns_0():
    assert native.run(START + "ret\n").value == 0


def test_an_illegal_instruction_names_the_missing_feature(monkeypatch):
    module = importlib.import_module("aesedu.native.run")  # as an attribute, `run` is the function
    monkeypatch.setattr(module, "lacking", lambda text: ["gfni"])
    with pytest.raises(NativeCrash, match="SIGILL: this machine lacks gfni"):
        native.run(START + "ud2\n")


def test_prepared_loop_runs_so_many_times_with_all_arguments():
    add = "".join(f" add %{name}, (%rdi)\n" for name in ("rsi", "rdx", "rcx", "r8", "r9"))
    run = prepare(f"{START}{add} xor %r9, %r9\n ret\n", [Buffer(bytes(8)), 1, 10, 100, 1000, 10000])
    run(1000)
    assert int.from_bytes(run.keeps[1].contents()[0], "little") == 1001 * 11111  # once when it was prepared


def test_a_routine_that_clobbers_is_not_timed():
    with pytest.raises(NativeError, match="must preserve rbx, r12"):
        prepare(START + "xor %ebx, %ebx\n xor %r12, %r12\n ret\n")


def test_placement_moves_buffers_within_their_pages():
    def offsets(placement):
        return [
            word % 4096
            for word in prepare(START + "ret\n", [Buffer(bytes(64))] * 2, placement=placement).keeps[1].words[:2]
        ]

    found = [offsets(placement) for placement in range(1, 13)]
    assert len({first for first, _ in found}) > 8 and len({second for _, second in found}) > 8
    assert all(offset % 64 == 0 for pair in found for offset in pair)
    assert offsets(5) == offsets(5)


def test_the_door_from_windows_calling_convention():
    """Windows passes rcx, rdx, r8 and wants rdi, rsi and xmm6 to xmm15 preserved. A thunk plays the Windows caller."""
    windows = helpers.code().address("aesedu_call_windows")
    thunk = f"""{START}
        push %rbx
        sub $48, %rsp
        mov %rdi, %rcx
        xchg %rsi, %rdx
        mov %rsi, %r8
        movq $77, %rdi
        movq $78, %rsi
        pcmpeqd %xmm6, %xmm6
        movabs ${windows}, %rax
        call *%rax
        sub %rdi, %rax
        sub %rsi, %rax
        movq %xmm6, %rcx
        sub %rcx, %rax
        add $48, %rsp
        pop %rbx
        ret
    """
    victim = START + "pxor %xmm6, %xmm6\n xor %esi, %esi\n mov (%rdi), %eax\n xor %edi, %edi\n ret\n"
    thousand = Buffer((1000).to_bytes(4, "little"))
    assert through_a_thunk(thunk, victim, [thousand]) == (1000 - 77 - 78 + 1, [0, 0])
