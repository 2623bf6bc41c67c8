"""Subjects that differ in one thing: where their key schedule lies (notebook 03).

"cipher" is the split T-table routine, "loads" its key loads and nothing else, so that no other work hides them.
"""

from aesedu import native
from aesedu.cipher import ttable
from aesedu.cipher.key_schedule import ROUNDS
from aesedu.engines.base import TIMING_KEY
from aesedu.layout import LINE, PAGE, Spot, loads, schedule_bytes
from aesedu.native.assembler import ISA

KINDS = ("cipher", "loads")
BLOCKS = 64  # in one call
_KEY_LOADS = {32: "4x32", 64: "2x64"}
_LOAD = {
    "x86_64": ("mov {at}(%rdi), %{register}", {32: ("eax", "ecx", "edx", "r8d"), 64: ("rax", "rcx", "rdx", "r8")}),
    "aarch64": ("ldr {register}, [x0, #{at}]", {32: ("w9", "w10", "w11", "w12"), 64: ("x9", "x10", "x11", "x12")}),
}
_LOOP = {"x86_64": "dec %rsi\n    jnz 1b", "aarch64": "subs x1, x1, #1\n    b.ne 1b"}


def reason():
    """Why these cannot run here, "" where they can."""
    return "" if ISA in _LOAD else f"there is no code for {ISA}"


def subject(kind, spot: Spot, key_bits=128):
    """A native.Subject: ``BLOCKS`` blocks (or readings of the round keys) a call, the key schedule at ``spot``."""
    what = {"engine": f"key-{kind}", "mode": "ecb", "direction": "enc", "key_bits": key_bits, "bytes": 16 * BLOCKS}
    what |= {"width": spot.width, "offset": spot.offset, "across": spot.across}
    arguments = {"key_bits": key_bits, "width": spot.width, "offset": spot.offset, "across": spot.across}
    return native.Subject(spot.label, f"aesedu.engines.key_offsets:prepare_{kind}", arguments, what=what)


def text(isa, key_bits, width):
    """Assembly of routine(round keys, count) that loads all round keys ``count`` times and uses none."""
    form, registers = _LOAD[isa]
    lines = [
        f"    {form.format(at=load.address, register=registers[width][load.number % 4])}"
        for load in loads(0, schedule_bytes(key_bits), width)
    ]
    return "\n".join([".globl routine", ".p2align 6", "routine:", "1:", *lines, f"    {_LOOP[isa]}", "    ret", ""])


def _schedule(data, offset, across):
    """The round keys in memory; without ``across`` the line, and with it the page, is up to the placement."""
    return native.Buffer(data, PAGE, PAGE - 2 * LINE + offset) if across else native.Buffer(data, LINE, offset)


def prepare_loads(key_bits, width, offset, across, placement):
    """The timed form of "loads"."""
    from aesedu.native.run import prepare

    keys = _schedule(bytes(schedule_bytes(key_bits)), offset, across)
    return prepare(text(ISA, key_bits, width), [keys, BLOCKS], placement=placement)


def prepare_cipher(key_bits, width, offset, across, placement):
    """The timed form of "cipher"."""
    from aesedu.engines import execute, routine_engines
    from aesedu.native.run import prepare
    from aesedu.routines import ttable as routine

    code = routine_engines.code("enc", ROUNDS[key_bits], "split", _KEY_LOADS[width])
    keys = routine.key_words(ttable.ENCRYPT, TIMING_KEY[: key_bits // 8])
    memories = [bytes(16 * BLOCKS), bytes(16 * BLOCKS), keys, routine.tables(ttable.ENCRYPT)]
    arguments = execute.arguments(code, (), memories, BLOCKS)
    arguments[4] = _schedule(arguments[4].data, offset, across)  # after words, count, out and block
    return prepare(code.text(), arguments, placement=placement)
