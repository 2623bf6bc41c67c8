"""Reading a compiler's assembly: texts written by hand, and what numba makes here."""

import pytest

from aesedu.engines import inspection
from aesedu.native.assembler import ISA

LOOK_UPS = "\n".join(f"\txorl\t{1024 * (n % 4)}(%r14,%rax,4), %ebx" for n in range(20))
ROUND = f"""\
f:
\tsubq\t$16, %rsp
\tmovq\t%rdi, 8(%rsp)
\tjmp\t.LBB0_2
\t.p2align\t4
.LBB0_2:
\tmovq\t8(%rsp), %rcx
.LBB0_3:                  # in the loop
\tmovq\t%rcx, %rdx
\tmovl\t%eax, 4(%rsp)     # 4-byte Spill
{LOOK_UPS}
\taddl\t4(%rsp), %ebx
\tmovzbl\t%dh, %ebp
\tdecq\t%rcx
\tjg\t.LBB0_3
\tmovq\t%rcx, 8(%rsp)
\tjne\t.LBB0_2
\tretq
"""
ARM = """\
{0}LBB0_1:
	str	x8, [sp, #16]
{1}
	mov	w9, w10
	ldr	x8, [sp, #16]
	b.ne	{0}LBB0_1            // of macOS: no dot
"""
ARM_LOADS = "\n".join("\tldr\tw9, [x10, x11, lsl #2]" for _ in range(40))


def test_the_loop_of_the_rounds():
    loop, around = inspection.loops(ROUND)
    assert (loop.rounds, loop.copies, loop.spills, loop.reloads) == (1, 1, 1, 1)
    assert len(loop.lines) == 26 and loop.lines[0] == "movq %rcx, %rdx" and loop.lines[-1] == "jg .LBB0_3"
    assert (around.rounds, around.copies, around.spills, around.reloads) == (0, 0, 1, 1)


@pytest.mark.parametrize("dot", [".", ""])
def test_two_rounds_a_pass_on_aarch64(dot):
    loop, around = inspection.loops(ARM.format(dot, ARM_LOADS))
    assert (loop.rounds, loop.copies, loop.spills, loop.reloads) == (2, 1, 1, 1) and around.lines == ()


@pytest.mark.parametrize("text", ["", "f:\n\tret\n", ROUND.replace("jg\t.LBB0_3", "jg\t.LBB0_9")[:400]])
def test_no_such_loop(text):
    with pytest.raises(ValueError, match="no loop"):
        inspection.loops(text)


@pytest.mark.skipif(ISA not in ("x86_64", "aarch64"), reason="other assembly languages are not read")
def test_what_numba_makes_here():
    loop, _ = inspection.compiled_loops()
    assert loop.rounds >= 1 and 40 * loop.rounds <= len(loop.lines) <= 120 * loop.rounds
