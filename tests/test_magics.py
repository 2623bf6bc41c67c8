"""%%asm: results, errors with their place, and two hundred hostile texts that leave the notebook as it was."""

import json
import sys
from types import SimpleNamespace

import pytest
from IPython.core.interactiveshell import InteractiveShell

from aesedu import magics, native
from aesedu.native.assembler import ISA

sys.path.insert(0, str(__import__("pathlib").Path(__file__).parent / "native"))
import hostile  # noqa: E402 - lies beside the tests of native

pytestmark = pytest.mark.skipif(ISA != "x86_64", reason="these texts are x86-64 code")


def asm(line, cell, **names):
    """The answer, which can always be shown."""
    answer = magics.asm(SimpleNamespace(ev=lambda word: eval(word, names)), line, cell)
    json.dumps([answer.html(), answer.text()]).encode("utf-8")
    assert "Traceback" not in answer.text()
    return answer


def test_the_magic_in_a_shell():
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "aesedu.magics")
    shell.user_ns["three"] = 3
    answer = shell.run_cell_magic("asm", "three 4", "lea (%rdi,%rsi), %rax\nret\n")
    assert answer.value == 7 and answer.error is None and "for a call" in answer.timing
    assert answer.text().startswith("Result: 0x7 = 7\n")


def test_arguments_and_memory():
    answer = asm("data 0x10 words", "mov %rsi, (%rdi)\nmov 8(%rdx), %eax\nret", data=bytes(20), words=[1, 2, 3])
    assert answer.value == 3 and answer.buffers[0] == bytes([16]) + bytes(19)
    assert "10 00 00" in answer.text() and "the same" in answer.text()


def test_a_negative_result_is_spelt_both_ways():
    assert asm("", "mov $-2, %rax\nret").text().startswith("Result: 0xfffffffffffffffe = -2")


@pytest.mark.parametrize("own", ["", "routine:\n", ".globl routine\nroutine:\n"])
def test_errors_name_the_line_of_the_cell_with_a_caret(own):
    lead = own.count("\n")
    answer = asm("", f"{own}nop\n  movq %rxx, %rax\n\tfoo\nret\n")
    assert [place[:2] for place in answer.places] == [(2 + lead, 8), (3 + lead, 2)]
    first, second = answer.text().split("line ")[1:]
    assert first.splitlines()[1:3] == ["      movq %rxx, %rax", "           ^"]
    assert second.splitlines()[1:3] == ["    \tfoo", "    \t^"]


def test_an_undefined_symbol_names_its_line():
    answer = asm("", "nop\ncall nowhere\nret")
    assert answer.places[0][0] == 2 and "line 2:\n    call nowhere" in answer.text()


def test_registers_that_are_not_preserved():
    answer = asm("", "mov $7, %rbx\nmov $7, %r12\nret")
    assert answer.clobbered == ("rbx", "r12") and "Not preserved: rbx, r12." in answer.text() and not answer.timing


def test_a_forgotten_ret_is_guessed():
    assert "There is no ret" in asm("", "ud2").text()
    assert "There is no ret" not in asm("", "ud2\nret").text()


def test_what_works_once_only_is_not_timed():
    once = "mov (%rdi), %rax\nmovq $0, (%rdi)\ntest %rax, %rax\njz 1f\nret\n1: ud2"
    assert "again and again, it fails (SIGILL" in asm("flag", once, flag=b"\1" + bytes(7)).timing


def test_text_for_another_machine_is_not_run():
    answer = asm("--isa aarch64", "mov x0, #1\nret")
    assert answer.value is None and "was not run" in answer.text()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nothing", "cannot be evaluated"), ("'x'", "is a str"), ("--what", "unrecognized"), ("1<<70", "64 bits"),
        ("1 2 3 4 5 6 7", "at most 6"), ("[1<<32]", ""), ("--deadline soon", "invalid float"), ("1/0", "division"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_explained(line, says):
    answer = asm(line, "ret")
    assert answer.error is not None and says in answer.text()


def test_what_cannot_be_seen_or_sent_is_replaced():
    for cell in ("\ud800", "nop\x01\x7f\x1b[2J", "x" * 100_000, "<script>alert(1)</script>"):
        answer = asm("", cell)
        assert answer.error is not None and len(answer.html()) < 30_000
        assert "\x1b" not in answer.text() and "<script>" not in answer.html()


CASES = hostile.cases()
FIRST = [n for n, case in enumerate(CASES) if case.family not in {c.family for c in CASES[:n]}]


def attack(case):
    names = {f"a{n}": argument for n, argument in enumerate(case.arguments)}
    deadline = min(case.deadline, 5)
    return asm(f"--deadline {deadline} --untimed {' '.join(names)}", case.text, **names)


@pytest.mark.skipif(sys.platform != "linux", reason="the hostile routines make Linux system calls")
@pytest.mark.parametrize(
    "number", [pytest.param(n, marks=[] if n in FIRST else pytest.mark.slow) for n in range(len(CASES))]
)
def test_hostile_text_never_harms_the_notebook(number):
    answer = attack(CASES[number])
    assert isinstance(answer.error, native.NativeError) or answer.value is not None
    assert asm("20 22", "lea (%rdi,%rsi), %rax\nret").value == 42
