"""``%load_ext aesedu.magics`` brings ``%%asm``: raw assembly for this machine, run and timed in the worker process.

    %%asm 3 4
    lea (%rdi,%rsi), %rax
    ret

What follows ``%%asm`` are arguments, up to six: Python expressions without blanks that give ints, bytes or lists of
32-bit words. They arrive in rdi, rsi, rdx, rcx, r8, r9 (x0 to x5 on AArch64), bytes and lists as addresses; the result
is what rax (x0) holds at ``ret``. Whatever the text does, the notebook's own process is out of its reach.
"""

import argparse
import re
import struct
import time
from dataclasses import dataclass
from functools import partial

from aesedu import bench, native
from aesedu.exercises.outcome import Shown
from aesedu.native.assembler import ISA
from aesedu.views import assembly as view
from aesedu.views.chart import number

_SHORT = 0.1  # seconds: only what ends so soon is run again and again to be timed
_NOTHING = ".globl routine\nroutine: ret\n"
_REFUSALS = (native.NativeError, ValueError, TypeError, struct.error)


class _Options(argparse.ArgumentParser):
    def error(self, message):
        """Raises ValueError, where argparse would end the process."""
        raise ValueError(f"%%asm: {message}")


_options = _Options("%%asm", add_help=False, exit_on_error=False, allow_abbrev=False)
_options.add_argument("arguments", nargs="*")
_options.add_argument("--entry", default="routine")
_options.add_argument("--deadline", type=float, default=5.0)
_options.add_argument("--isa", default=ISA)
_options.add_argument("--untimed", action="store_true")


@dataclass(frozen=True)
class Answer(Shown):
    """What came of a ``%%asm`` cell: the fields of ``native.RunResult``, the time as a sentence, or what went wrong.

    ``given`` holds the buffers as they were, ``error`` the exception, None if all went well; ``cell`` is the text.
    """

    cell: str
    value: int | None = None
    given: tuple = ()
    buffers: tuple = ()
    clobbered: tuple = ()
    timing: str = ""
    error: Exception | None = None
    places: tuple = ()  # (line, column, message) of errors in the cell

    def html(self):
        """What a notebook shows."""
        return view.answer_html(self)

    def text(self):
        """What a terminal shows."""
        return view.answer_text(self)


def load_ipython_extension(shell):
    """Called by ``%load_ext``."""
    shell.register_magic_function(partial(asm, shell), "cell", "asm")


def asm(shell, line, cell):
    """The magic: never raises for what stands in the cell or behind ``%%asm``."""
    try:
        options = _options.parse_args(line.split())
        if options.isa != ISA:
            return Answer(cell, timing=f"This text is for {options.isa}, and this machine has {ISA}: it was not run.")
        arguments = [_argument(shell, word) for word in options.arguments]
        return _run(cell, arguments, options)
    except (*_REFUSALS, argparse.ArgumentError) as error:
        return Answer(cell, error=error)


def _argument(shell, word):
    """An int or a native.Buffer."""
    try:
        value = shell.ev(word)
    except Exception as error:
        raise ValueError(f"the argument {word} cannot be evaluated: {error}") from None
    if isinstance(value, list | tuple):
        return native.Buffer(struct.pack(f"<{len(value)}I", *value))
    if isinstance(value, bytes | bytearray):
        return native.Buffer(bytes(value))
    if isinstance(value, int | native.Buffer):
        return value
    raise TypeError(f"the argument {word} is a {type(value).__name__}: give an int, bytes, or a list of 32-bit words")


def _run(cell, arguments, options):
    text, lead = _whole(cell, options.entry)
    native.run(_NOTHING)  # so that a worker that must start first does not count
    began = time.perf_counter()
    try:
        result = native.run(text, arguments, options.entry, options.deadline)
    except native.AssemblyError as error:
        places = tuple((line - lead, column, message) for line, column, message in error.errors)
        return Answer(cell, error=error, places=places)
    except native.UndefinedSymbol as error:
        return Answer(cell, error=error, places=((error.line - lead, 0, ""),))
    given = tuple(a.data for a in arguments if isinstance(a, native.Buffer))
    quick = time.perf_counter() - began < _SHORT
    timing = _time(text, arguments, options) if quick and not (options.untimed or result.clobbered) else ""
    return Answer(cell, result.value, given, tuple(result.buffers), tuple(result.clobbered), timing)


def _whole(cell, entry):
    """The text with its entry made known, and the number of lines that stand before the cell's own."""
    lead = f".globl {entry}\n"
    if not re.search(rf"^\s*{re.escape(entry)}\s*:", cell, re.MULTILINE):
        lead += f"{entry}:\n"
    return lead + cell, lead.count("\n")


def _time(text, arguments, options):
    """The time of a call as a sentence, or why there is none."""
    call = {"text": text, "arguments": arguments, "entry": options.entry}
    subject = native.Subject("asm", "aesedu.native.run:prepare", call, what={"engine": "asm"})
    try:
        measured = bench.measure(subject, quick=True, sampler=partial(native.samples, deadline=options.deadline))
    except _REFUSALS as error:
        return f"Not timed: called again and again, it fails ({error})."
    if measured.core_hz:
        measured = measured.in_core_cycles()
    middle, low, high = map(number, (measured.estimate, *measured.interval))
    return f"{middle} {measured.unit} ({low} to {high}) for a call, the call itself included."
