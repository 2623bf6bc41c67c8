"""What a routine can do: one table, one row an operation.

A row is a Python function on ints - its meaning - under a line with its operand types and its plain English. Called
on ints an operation computes; called with a symbol among its operands it records itself. Nothing else in the suite
says what an operation means: the evaluator runs these functions, and machine code is tested against them.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Type:
    """A kind of value: its width in bits, the bank of registers that holds it, and whether it is an address."""

    name: str
    bits: int
    bank: str = "word"
    is_memory: bool = False

    def __repr__(self):
        return self.name


u32 = Type("u32", 32)
u64 = Type("u64", 64)
v128 = Type("v128", 128, "vector")  # byte 0, the one that comes first in memory, stands in the lowest 8 bits
v512 = Type("v512", 512, "vector")  # four lanes of 128 bits, lane 0 the lowest
table = Type("table", 64, is_memory=True)  # 32-bit words that nobody writes while the routine runs
memory = Type("memory", 64, is_memory=True)  # 32-bit words that may be written

# What may stand in a signature, and the types it stands for; equal letters stand for equal types.
# "n" is a number that is known when the routine is recorded ("n4": below 4), "i" a word or a number that picks an
# element.
KINDS = {
    "w": (u32, u64),
    "v": (v128, v512),
    "x": (u32, u64, v128, v512),
    "u32": (u32,),
    "u64": (u64,),
    "v128": (v128,),
    "v512": (v512,),
    "i": (u32, u64),
    "m": (table, memory),
    "out": (memory,),
}
NUMBERS = {"n": None, "n4": 4, "n16": 16, "n64": 64}
VALUES = ("w", "v", "x", "u32", "u64", "v128", "v512")  # where a number may stand for a value
_PLAIN = {"u64": 64, "v": 128, "v128": 128, "v512": 512}  # bits of a result when all operands are plain ints
OPS = {}


@dataclass(frozen=True, eq=False)
class Op:
    """One row: `kinds` are the letters of the operands, `result` that of the result (None: it only stores)."""

    name: str
    operands: tuple[str, ...]
    kinds: tuple[str, ...]
    result: str | None
    says: str
    meaning: Callable
    commutes: bool
    wants_bits: bool  # the meaning's last parameter is the width of a word
    lane: int | None  # the meaning is that of one lane of so many bits

    def __call__(self, *arguments):
        """Record the operation if a symbol is among the arguments, else compute it (plain words have 32 bits)."""
        recorder = next((a.recorder for a in arguments if hasattr(a, "recorder")), None)
        if recorder:
            return recorder.step(self, arguments)
        return self.compute(arguments, _PLAIN.get(self.result, 32))

    def compute(self, arguments, bits):
        """The meaning on Python ints, cut to a result of `bits` bits."""
        if self.lane and bits > self.lane:
            return sum(self.compute(self._lane(arguments, at), self.lane) << at for at in range(0, bits, self.lane))
        value = self.meaning(*arguments, bits) if self.wants_bits else self.meaning(*arguments)
        return value & (1 << bits) - 1 if isinstance(value, int) else value

    def _lane(self, arguments, at):
        """The operands of the lane that begins at bit `at`; a number that is none of the values serves all lanes."""
        both = zip(self.kinds, arguments, strict=True)
        return [a >> at & (1 << self.lane) - 1 if kind in VALUES else a for kind, a in both]


def op(signature, says, commutes=False, lane=None):
    """Make the decorated function a row of the table, with a signature such as ``"w w -> w"``."""
    kinds, _, result = signature.partition("->")

    def add(meaning):
        names = tuple(inspect.signature(meaning).parameters)
        operands = tuple(n for n in names if n != "bits")
        name = meaning.__name__.rstrip("_")
        result_kind = result.strip() or None
        wants_bits = operands != names
        OPS[name] = Op(name, operands, tuple(kinds.split()), result_kind, says, meaning, commutes, wants_bits, lane)
        return OPS[name]

    return add


@op("x x -> x", "{a} xor {b}", commutes=True)
def xor(a, b):
    return a ^ b


@op("x x -> x", "{a} and {b}", commutes=True)
def and_(a, b):
    return a & b


@op("x x -> x", "{a} or {b}", commutes=True)
def or_(a, b):
    return a | b


@op("w w -> w", "{a} plus {b}", commutes=True)
def add(a, b):
    return a + b


@op("w w -> w", "{a} minus {b}")
def sub(a, b):
    return a - b


@op("w w -> w", "{a} times {b}", commutes=True)
def mul(a, b):
    return a * b


@op("w -> w", "{a} with every bit turned over")
def invert(a):
    return ~a


@op("w n -> w", "{a} shifted left by {n} bits")
def shl(a, n):
    return a << n


@op("w n -> w", "{a} shifted right by {n} bits")
def shr(a, n):
    return a >> n


@op("w n -> w", "{a} rotated left by {n} bits")
def rotl(a, n, bits):
    return a << n | a >> bits - n


@op("w n -> w", "{a} rotated right by {n} bits")
def rotr(a, n, bits):
    return a >> n | a << bits - n


@op("w -> w", "{a} with its bytes in reverse order")
def bswap(a, bits):
    return int.from_bytes(a.to_bytes(bits // 8, "little"), "big")


@op("w -> w", "byte 0 (the lowest) of {a}")
def byte0(a):
    return a & 255


@op("w -> w", "byte 1 of {a}")
def byte1(a):
    return a >> 8 & 255


@op("w w -> w", "{a} with its low 16 bits replaced by those of {b}")
def join16(a, b):
    return a >> 16 << 16 | b & 0xFFFF


@op("u64 -> u32", "the low half of {a}")
def low32(a):
    return a & 0xFFFFFFFF


@op("u32 -> u64", "{a} with 32 zero bits above it")
def widen(a):
    return a


@op("n n -> w", "the constant {n:#x}")
def const(n, kind):
    return n


@op("m i n -> u32", "the 32-bit word at {m}[{i} + {at}]")
def load32(m, i, at):
    return int(m[i + at])


@op("m n -> u64", "the two words at {m}[{at}] as one 64-bit word")
def load64(m, at):
    return int(m[at]) | int(m[at + 1]) << 32


@op("out n u32 ->", "store {v} at {m}[{at}]")
def store32(m, at, v):
    m[at] = v


@op("out n u64 ->", "store the two halves of {v} at {m}[{at}]")
def store64(m, at, v):
    m[at], m[at + 1] = v & 0xFFFFFFFF, v >> 32


@op("m n -> m", "the address {at} words beyond {m}")
def advance(m, at):
    return m[at:]
