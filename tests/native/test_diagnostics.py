"""From a process's end to words, for ends that this machine cannot produce as well."""

import pytest

from aesedu.native import AssemblyError, NativeCrash, UndefinedSymbol, child, diagnostics, wire

SOURCE = "  foo x\n    ^\n"


@pytest.mark.parametrize("line", ["<inline asm>:2:5: error: bad thing", "error: <inline asm>:2:5: bad thing"])
def test_both_of_llvms_spellings(line):
    error = diagnostics.assembly_error("nop\n  foo x\n", f"<inline asm>:1:1: warning: w\nnop\n{line}\n{SOURCE}")
    assert (error.line, error.column, error.message, error.source) == (2, 5, "bad thing", "  foo x\n    ^")


@pytest.mark.parametrize(
    "status, name",
    [(-11, "SIGSEGV"), (-4, "SIGILL"), (-99, "signal 99"), (3, "exit status 3"), (0, "exit status 0")]
    + [(0xC0000005, "SIGSEGV"), (0xC000001D, "SIGILL"), (0xC0000094, "SIGFPE"), (-0x3FFFFFFB + (1 << 32), "SIGSEGV")],
)
def test_names_of_ends(status, name):
    assert diagnostics.signal_name(status) == name
    crash = diagnostics.explain(status, "", "", "")
    assert type(crash) is NativeCrash and crash.signal == name and crash.hint


def test_what_it_was_doing_decides():
    crash = diagnostics.explain(-6, "error: <inline asm>:1:1: x\nfoo\n", "assembled", "foo")
    assert type(crash) is NativeCrash and "<inline asm>" in crash.stderr
    assert type(diagnostics.explain(1, "error: <inline asm>:1:1: x\nfoo\n", "assembling", "foo")) is AssemblyError
    undefined = diagnostics.explain(
        1, "error: <unknown>:0: Undefined temporary symbol .Lx\n", "assembling", "\njmp .Lx"
    )
    assert (type(undefined), undefined.name, undefined.line) == (UndefinedSymbol, ".Lx", 2)
    assert "LLVM ERROR: out of memory" in str(diagnostics.explain(-6, "LLVM ERROR: out of memory\n", "assembling", ""))
    assert "gave up: SIGSEGV" in str(diagnostics.explain(-11, "", "assembling", ""))


def test_stack_smashing_that_the_c_library_found():
    assert "stack smashing" in diagnostics.explain(-6, "*** stack smashing detected ***: terminated", "", "").hint


def test_windows_tells_of_a_crash_by_an_oserror(monkeypatch):
    def crash():
        raise OSError("exception: access violation writing 0x0000000000000000")

    monkeypatch.setattr(child, "load", lambda name: crash)
    kind, error = wire.message(child._answer({"id": 1, "call": "", "arguments": {}}).rstrip())[1:]
    assert (kind, type(error)) == ("error", NativeCrash) and "access violation writing" in str(error)


def test_a_line_is_emptied_but_for_its_label():
    assert diagnostics.without_line("a\n  here: bad\nc", 2) == "a\n  here:\nc"
    assert diagnostics.without_line("a\nbad\nc", 2) == "a\n\nc"
    assert diagnostics.without_line("a", 9) == "a"
