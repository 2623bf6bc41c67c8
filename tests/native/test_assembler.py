"""Texts that are wrong say where; those that are right end up in memory, once each, and leave it again."""

import re
import sys

import psutil
import pytest

from aesedu import native
from aesedu.native import AssemblyError, UndefinedSymbol, Worker, assembler
from aesedu.native.assembler import ISA

x86 = pytest.mark.skipif(ISA != "x86_64", reason="x86-64 texts")
START = ".globl routine\nroutine:\n"
RETURN_5 = START + {"x86_64": "    mov $5, %eax\n    ret\n", "aarch64": "    mov x0, #5\n    ret\n"}[ISA]


def error_of(text, error=AssemblyError, deadline=5.0):
    with pytest.raises(error) as caught:
        native.run(text, deadline=deadline)
    return caught.value


@x86
def test_all_errors_with_the_students_lines_and_columns():
    error = error_of(START + "\tmovq %rxx, %rax\n    ret\n    foo\n\n  label: mov %eax, %rbx  # no\n    ret")
    assert (error.line, error.column, error.message) == (3, 7, "invalid register name")
    assert error.errors[1:] == [[5, 5, "invalid instruction mnemonic 'foo'"], [7, 10, error.errors[2][2]]]
    assert error.source == "\tmovq %rxx, %rax\n\t     ^"
    assert str(error).splitlines()[0] == "line 3, column 7: invalid register name"
    assert "line 5, column 5: invalid instruction mnemonic 'foo'" in str(error)


@x86
def test_windows_line_ends():
    error = error_of(START.replace("\n", "\r\n") + "    foo\r\n    ret\r\n")
    assert (error.line, error.column, error.source) == (3, 5, "    foo\n    ^")


@x86
def test_columns_count_characters_and_not_bytes():
    error = error_of("/* \u00fc\U0001f512 */ foo\n")
    assert (error.line, error.column, error.source) == (1, 10, "/* \u00fc\U0001f512 */ foo\n         ^")


@x86
def test_not_more_than_five_errors():
    assert [line for line, *_ in error_of("\n".join(f"foo{n}" for n in range(9))).errors] == [1, 2, 3, 4, 5]


@x86
def test_errors_inside_macros_point_at_the_macros_line():
    error = error_of(".macro twice what\n    \\what\n    wrong %rax\n.endm\n" + START + "    twice nop\n")
    assert error.line == 3 and "wrong %rax" in error.message and error.source.startswith("    wrong %rax")
    error = error_of(START + '.include "/nonexistent"\n')
    assert error.line == 3 and "/nonexistent" in str(error)


@x86
def test_errors_are_counted_in_the_text_without_the_lead_of_a_placement():
    subject = native.Subject("", "aesedu.native.run:prepare", {"text": START + "    foo\n"})
    with pytest.raises(AssemblyError) as caught:
        native.sample(subject, 1, placement=7)
    assert caught.value.line == 3


def test_a_missing_routine_says_what_to_add():
    assert "'.globl routine'" in str(error_of("routine: ret", UndefinedSymbol))
    error = error_of("nop", UndefinedSymbol)
    assert error.name == "routine" and "'routine:'" in error.hint and ".globl routine" in error.hint
    with pytest.raises(UndefinedSymbol, match="'other'"):
        native.run(RETURN_5, entry="other")


@x86
def test_undefined_symbols_give_the_line_of_their_first_use():
    error = error_of(START + "    ret\n    call helper\n", UndefinedSymbol)
    assert (error.name, error.line) == ("helper", 4) and "no library" in str(error)


@x86
@pytest.mark.parametrize(
    "use, advice", [("mov table, %rax", r"table\(%rip\)"), ("movq .Ltable(,%rax,8), %rax", r"\(%rip\)")]
)
def test_absolute_addresses_get_advice(use, advice):
    error = error_of(f"{START}    {use}\n    ret\ntable:\n.Ltable: .quad 7\n")
    assert re.search(advice, str(error)) and "position-independent" in str(error)


@x86
def test_relative_addresses_table_and_data_work():
    text = f"""{START}
        mov table@GOTPCREL(%rip), %rax
        mov (%rax), %rax
        add other(%rip), %rax
        call more
        ret
    more:
        inc %rax
        ret
        .section .rodata
    table: .quad 40
        .data
    other: .quad 1, routine
        .section .more, "aw"
        .quad table
    """
    assert native.run(text).value == 42


@pytest.mark.parametrize("size", [100, 50_000_000])
def test_memory_that_the_object_does_not_hold(size):
    assert native.run(f"{RETURN_5}.bss\nroom: .skip {size}\n").value == 5


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere memory is not bounded")
@pytest.mark.parametrize("size", [1_200_000_000, 2_500_000_000])
def test_an_object_too_large_for_memory(size):
    assert "out of memory" in error_of(f"{RETURN_5}.data\n.skip {size}\n", deadline=60).message


def test_each_text_is_assembled_once():
    assert assembler.assemble(RETURN_5) is assembler.assemble(RETURN_5) is not assembler.assemble(RETURN_5, 1)


def test_code_no_longer_used_is_freed():
    """400 texts of 256 KiB each are four times what the cache holds: without freeing they would take 100 MB."""
    worker = Worker()

    def memory_after(numbers):
        for number in numbers:
            text = f"{RETURN_5}.fill 32768, 8, {number}\n"
            assert worker.call("aesedu.native.run:execute", text=text, arguments=[], entry="routine")[0] == 5
        return psutil.Process(worker.pid).memory_info().rss

    full = memory_after(range(150))
    growth = memory_after(range(150, 400)) - full
    worker.close()
    assert growth < 25 << 20


def test_placement_moves_code_within_its_page():
    addresses = {assembler.assemble(RETURN_5, placement).address("routine") % 4096 for placement in range(12)}
    assert len(addresses) > 8
    assert all(address % 16 == 0 for address in addresses)
