"""Call assembled routines: once with everything checked (`run`), or many times at machine-code speed (`prepare`)."""

import ctypes
from typing import NamedTuple

from aesedu.native import assembler
from aesedu.native.errors import NativeCrash, NativeError
from aesedu.native.features import lacking
from aesedu.native.helpers import helper
from aesedu.native.wire import Buffer
from aesedu.native.worker import worker

PRESERVED = {
    "x86_64": ["rsp", "rbx", "rbp", "r12", "r13", "r14", "r15", "direction flag", "mxcsr"],
    "aarch64": ["sp", *(f"x{n}" for n in range(19, 30)), *(f"d{n}" for n in range(8, 16)), "fpcr"],
}
GUARD = 256  # bytes watched before and after each buffer
_PATTERN = bytes(0xA5 ^ n for n in range(GUARD))
_MOST_ARGUMENTS = 6  # what System V passes in registers; AAPCS64 would take 8


class RunResult(NamedTuple):
    """What a routine returned (unsigned 64 bits), left in its buffers, and failed to preserve (register names)."""

    value: int
    buffers: list
    clobbered: list


def run(text, arguments=(), entry="routine", deadline=5.0):
    """Assemble `text` for this host, call `entry`, and return a `RunResult`.

    `arguments`: up to six ints and `Buffer`s, passed in rdi, rsi, rdx, rcx, r8, r9 (System V, on Windows too) or
    x0 to x5. `deadline`: seconds that assembling and running may take, each. Raises AssemblyError, UndefinedSymbol,
    NativeTimeout, Cancelled, and NativeCrash - also for bytes written outside a buffer or above the routine's stack.
    """
    request = {"text": text, "arguments": list(arguments), "entry": entry}
    try:
        answer = worker().call("aesedu.native.run:execute", deadline, **request)
    except NativeCrash as crash:
        needs = lacking(text) if crash.signal == "SIGILL" else []
        if needs:
            raise NativeCrash("SIGILL", f"this machine lacks {', '.join(needs)}", crash.stderr) from None
        raise
    return RunResult(*answer)


class Memory:
    """The arguments of a call: buffers at their addresses between guard bytes, and the six words for the registers."""

    def __init__(self, arguments, placement=0):
        if len(arguments) > _MOST_ARGUMENTS:
            raise ValueError(f"a routine takes at most {_MOST_ARGUMENTS} arguments, not {len(arguments)}")
        self._buffers = []
        words = [self._word(argument, placement + n if placement else 0) for n, argument in enumerate(arguments)]
        self.words = (ctypes.c_uint64 * _MOST_ARGUMENTS)(*words)
        self.address = ctypes.addressof(self.words)

    def _word(self, argument, placement):
        if isinstance(argument, Buffer):
            return self._place(argument, placement)
        if not isinstance(argument, int) or not -(1 << 63) <= argument < 1 << 64:
            raise TypeError(f"an argument is a Buffer or an int of 64 bits, not {argument!r}")
        return argument & (1 << 64) - 1

    def _place(self, buffer, placement):
        """Copy a buffer to memory; with a placement, to a page offset that depends on it."""
        align, offset = buffer.align, buffer.offset
        if placement:
            align, offset = max(align, 4096), offset + assembler.page_offset(placement, min(align, 4096))
        size = len(buffer.data)
        raw = (ctypes.c_char * (align + offset + size + 2 * GUARD))()
        address = -(-(ctypes.addressof(raw) + GUARD) // align) * align + offset
        start = address - ctypes.addressof(raw)
        view = memoryview(raw).cast("B")[start - GUARD : start + size + GUARD]
        view[:] = _PATTERN + buffer.data + _PATTERN
        self._buffers.append(view)
        return address

    def contents(self):
        """The bytes of each buffer now."""
        return [bytes(view[GUARD:-GUARD]) for view in self._buffers]

    def check_guards(self):
        """Raise NativeCrash if bytes around a buffer changed."""
        for number, view in enumerate(self._buffers, 1):
            for where, guard in (("before the start", view[:GUARD]), ("after the end", view[-GUARD:])):
                if guard != _PATTERN:
                    changed = sum(a != b for a, b in zip(guard, _PATTERN, strict=True))
                    plural = "s" * (changed != 1)
                    raise NativeCrash("buffer overrun", f"{changed} byte{plural} changed {where} of buffer {number}")


def execute(text, arguments, entry):
    """The child's half of `run`."""
    code, memory = assembler.assemble(text), Memory(arguments)
    value, clobbered = call(code.address(entry), memory)
    return [value, memory.contents(), clobbered]


def call(address, memory):
    """Call a routine once, with all it could damage watched: its value, and the names of what it did not preserve."""
    report = (ctypes.c_uint64 * 2)()
    value = helper("call")(address, memory.address, ctypes.addressof(report))
    mask, smashed = report
    if smashed:
        raise NativeCrash("stack smashing", f"{8 * smashed} bytes overwritten above the routine's stack frame")
    memory.check_guards()
    return value, [name for bit, name in enumerate(PRESERVED[assembler.ISA]) if mask >> bit & 1]


def prepare(text, arguments=(), entry="routine", placement=0):
    """A callable run(count) that calls a routine `count` times in a machine-code loop: a factory for `Subject`.

    Code and buffers lie at page offsets that depend on `placement`. The routine runs once, checked; a NativeError says
    which registers it failed to preserve.
    """
    code, memory = assembler.assemble(text, placement), Memory(arguments, placement)
    address = code.address(entry)
    clobbered = call(address, memory)[1]
    if clobbered:
        raise NativeError(f"the routine must preserve {', '.join(clobbered)} before it can be timed")
    loop = helper("loop")

    def repeat(count):
        loop(count, address, memory.address)

    repeat.keeps = code, memory  # the loop uses their addresses
    return repeat
