"""Why a worker process ended: from its exit status and last words to the error that its caller sees."""

import re
import signal

from aesedu.native.errors import AssemblyError, NativeCrash, UndefinedSymbol

_HINTS = {
    "SIGSEGV": "it read, wrote or jumped to an address that is not its own (or its stack overflowed)",
    "SIGBUS": "it used an address that does not exist or is not aligned",
    "SIGILL": "not an instruction, or one that this machine lacks",
    "SIGFPE": "a division by zero, or a quotient too large for its register",
    "SIGTRAP": "it ran into a breakpoint instruction (int3, brk)",
    "SIGABRT": "a check in the C library or in LLVM ended the process",
    "SIGKILL": "the process was killed: by itself, by the system for want of memory, or after it closed its pipes",
    "SIGSYS": "it made a system call that is not allowed",
}
# Windows' exit statuses (NTSTATUS)
_WINDOWS = {
    0xC0000005: "SIGSEGV",
    0xC00000FD: "SIGSEGV",
    0xC000001D: "SIGILL",
    0xC0000096: "SIGILL",
    0xC0000094: "SIGFPE",
    0xC0000095: "SIGFPE",
    0x80000003: "SIGTRAP",
    0x80000002: "SIGBUS",
    0xC0000409: "SIGABRT",
}
# "error: FILE:LINE:COLUMN: text" since LLVM 22, "FILE:LINE:COLUMN: error: text" before; then the source line
_ERROR = re.compile(r"^(error: )?(.+?):(\d+)(?::(\d+))?: (?(1)|error: )(.*)\n?(.*)", re.MULTILINE)


def explain(status, stderr, doing, text):
    """The exception for a worker that ended with `status` while `doing` something with an assembly `text`."""
    if doing == "assembling":
        error = assembly_error(text, stderr)
        return error or AssemblyError(0, 0, f"the assembler gave up: {_last_words(status, stderr)}")
    name = signal_name(status)
    hint = _HINTS.get(name, "the routine ended its own process")
    if "stack smashing" in stderr:
        hint = "stack smashing: it overwrote its caller's stack"
    return NativeCrash(name, hint, stderr[-2000:].strip())


def signal_name(status):
    """Name of the signal behind a process's exit status, or "exit status N"."""
    if status >= 0:
        return _WINDOWS.get(status & 0xFFFFFFFF, f"exit status {status}")
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def _last_words(status, stderr):
    return next((line for line in reversed(stderr.splitlines()) if "ERROR" in line), signal_name(status))


def assembly_error(text, stderr):
    """The error that LLVM printed, with the student's own line; None if it printed none."""
    found = _ERROR.search(stderr)
    if not found:
        return None
    file, line, column, message, culprit = found.groups()[1:]
    line, column = int(line), int(column or 0)
    if undefined := re.fullmatch(r"Undefined temporary symbol (\S+)", message):
        return UndefinedSymbol(undefined[1], "no line defines it", line_with(text, undefined[1]))
    lines = text.split("\n")
    if file != "<inline asm>":
        (line, column), message = _outer_place(lines, file, culprit), f"{message} (in {file}: {culprit.strip()})"
    source = lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else ""
    column = len(source.encode()[: column - 1].decode("utf-8", "ignore")) + 1 if column else 0  # LLVM counts bytes
    error = AssemblyError(line, column, message, source=_with_caret(source, column))
    error.text = text
    return error


def _outer_place(lines, file, source):
    """Line and column in the student's text of an error inside a macro, a repetition or an included file."""
    for number, line in enumerate(lines, 1):
        if (line.strip() == source.strip() != "") or (".incl" in line and file in line):
            return number, len(line) - len(line.lstrip()) + 1
    return 0, 0


def _with_caret(source, column):
    indent = re.sub(r"[^\t]", " ", source[: column - 1]) if column else ""
    return f"{source}\n{indent}^" if source.strip() else ""


def line_with(text, name):
    """Number of the first line that uses `name` other than as a label or in .globl; 0 if there is none."""
    use = re.compile(rf"(?<![\w.@]){re.escape(name)}(?![\w.$:])")
    lines = enumerate(text.split("\n"), 1)
    return next((n for n, line in lines if name and use.search(line) and not line.lstrip().startswith(".glob")), 0)


def without_line(text, number):
    """The text with one line emptied but for its label: what is left to look for further errors in."""
    lines = text.split("\n")
    if 0 < number <= len(lines):
        lines[number - 1] = re.match(r"\s*(?:[\w.$]+:)?", lines[number - 1])[0]
    return "\n".join(lines)
