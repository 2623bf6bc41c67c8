"""A loop as text and as Code: statements, comments, lines, and the instruction set it is for."""

import pytest

from aesedu import machines, workbench
from aesedu.codegen import generate
from aesedu.pipeline import UnknownInstructionError, loop, simulate
from aesedu.pipeline.limits import critical_loop, limits
from aesedu.routines import ttable

TEXT = {"x86_64": "addq $1, %rax", "aarch64": "add x0, x0, #1"}


@pytest.mark.parametrize("name", machines.names())
@pytest.mark.parametrize("run", [simulate, limits, critical_loop])
def test_a_loop_for_another_instruction_set_is_refused(name, run):
    machine = machines.load(name)
    (other,) = set(machines.ISAS) - {machine.isa}
    for source in (generate(ttable.encrypt_round.record(), other), TEXT[other]):
        with pytest.raises(machines.MachineError, match=f"{name} runs {machine.isa}, and the loop is {other}"):
            run(loop(source, other), machine)
    run(loop(TEXT[machine.isa], machine.isa), machine)


def test_the_workbench_refuses_it_too():
    code = generate(ttable.encrypt_round.record(), "aarch64")
    for call in (workbench.timeline, lambda c, machine: workbench.model_table({"it": c}, [machine])):
        with pytest.raises(machines.MachineError, match="skylake runs x86_64, and the loop is aarch64"):
            call(code, machine="skylake")


@pytest.mark.parametrize(
    ("isa", "text", "expected"),
    [
        ("x86_64", "addq $1, %rax; negq %rbx;; 1: 2: notq %rcx", ["addq $1, %rax", "negq %rbx", "notq %rcx"]),
        ("x86_64", "negq %rax # a; b\nnegq %rbx // c; d\n#8; negq %rcx", ["negq %rax", "negq %rbx"]),
        ("x86_64", "negq %rax /* a\n; b */ ; negq /**/ %rbx", ["negq %rax", "negq %rbx"]),
        ("x86_64", '.p2align 4; negq %rax\r\n.ident "a; b # c"\n.loc 1 2 3; .cfi_endproc', ["negq %rax"]),
        ("aarch64", "add x0, x0, #1; add x1, x1, #2", ["add x0, x0, #1", "add x1, x1, #2"]),
        ("aarch64", "neg x0, x1 // a; b\n# c; d\nadd x1, x1, #2 # e", ["neg x0, x1", "add x1, x1, #2"]),
    ],
)
def test_statements_and_comments(isa, text, expected):
    assert [o.text for o in loop(text, isa)] == expected


@pytest.mark.parametrize(
    ("text", "isa", "named"),
    [
        ("addq $1, %rax\n\nnegq %rbx; frob; hop %rax", "x86_64", "line 3: frob; line 3: hop %rax"),
        ("/* two\nlines */ frob\nhop", "x86_64", "line 2: frob; line 3: hop"),
        ("negq %rax\x0b\u2028 # \x0c\nfrob", "x86_64", "line 2: frob"),  # lines as an editor counts them
        (".rept 3\nnegq %rax\n.endr", "x86_64", "line 1: .rept 3; line 3: .endr"),
        ("negq %rax\n.byte 0x90; .skip 1000000000000", "x86_64", "line 2: .byte 0x90; line 2: .skip"),
        (".inst 0x4e284820\nneg x0, x1", "aarch64", "line 1: .inst"),
    ],
)
def test_nothing_that_counts_is_left_out_and_its_line_is_told(text, isa, named):
    with pytest.raises(UnknownInstructionError) as caught:
        loop(text, isa)
    assert named in str(caught.value)


def test_a_text_for_the_other_instruction_set_is_told():
    for isa, other in [("x86_64", "aarch64"), ("aarch64", "x86_64")]:
        with pytest.raises(UnknownInstructionError, match=f"as {isa}.*it is {other}"):
            loop(TEXT[other], isa)


def test_what_a_core_lacks_is_told_by_an_example_of_each_class():
    text = "\n".join(f"aesenc %xmm{n}, %xmm0\npclmulqdq $0, %xmm{n}, %xmm1" for n in range(9))
    with pytest.raises(machines.MachineError) as caught:
        simulate(loop(text), machines.load("core2"))
    assert str(caught.value).count("(aes)") == str(caught.value).count("(clmul)") == 1
