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
table = Type("table", 64, is_memory=True)  # 32-bit words that nobody writes while the routine runs
memory = Type("memory", 64, is_memory=True)  # 32-bit words that may be written

# What may stand in a signature, and the types it stands for; equal letters stand for equal types.
# "n" is a number that is known when the routine is recorded, "i" a word or a number that picks an element.
KINDS = {
    "w": (u32, u64),
    "u32": (u32,),
    "u64": (u64,),
    "i": (u32, u64),
    "m": (table, memory),
    "out": (memory,),
    "n": (),
}
WORDS = ("w", "u32", "u64")
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

    def __call__(self, *arguments):
        """Record the operation if a symbol is among the arguments, else compute it (plain words have 32 bits)."""
        recorder = next((a.recorder for a in arguments if hasattr(a, "recorder")), None)
        if recorder:
            return recorder.step(self, arguments)
        return self.compute(arguments, 64 if self.result == "u64" else 32)

    def compute(self, arguments, bits):
        """The meaning on Python ints, cut to a result of `bits` bits."""
        value = self.meaning(*arguments, bits) if self.wants_bits else self.meaning(*arguments)
        return value & (1 << bits) - 1 if isinstance(value, int) else value


def op(signature, says, commutes=False):
    """Make the decorated function a row of the table, with a signature such as ``"w w -> w"``."""
    kinds, _, result = signature.partition("->")

    def add(meaning):
        names = tuple(inspect.signature(meaning).parameters)
        operands = tuple(n for n in names if n != "bits")
        name = meaning.__name__.rstrip("_")
        result_kind = result.strip() or None
        OPS[name] = Op(name, operands, tuple(kinds.split()), result_kind, says, meaning, commutes, operands != names)
        return OPS[name]

    return add


@op("w w -> w", "{a} xor {b}", commutes=True)
def xor(a, b):
    return a ^ b


@op("w w -> w", "{a} and {b}", commutes=True)
def and_(a, b):
    return a & b


@op("w w -> w", "{a} or {b}", commutes=True)
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
