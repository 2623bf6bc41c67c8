"""The rows of the table of operations whose values are vectors: 128 bits, or four lanes of 128.

Row by row the meaning is that of one lane. AESENC and its like are named after x86-64, AESE and its like after AArch64:
x86-64 adds the round key last and AArch64 first (Intel SDM volume 2A; Arm ARM C7.2). Either machine takes both.
"""

from aesedu.cipher import transformations as aes
from aesedu.cipher.gf128 import carryless
from aesedu.routine.ops import op

_LOW = (1 << 64) - 1
_EACH = sum(1 << at for at in range(0, 512, 128))


def each(n):
    """The 512-bit number that has the 128-bit number `n` in each of its four lanes."""
    return n * _EACH


def vector(data):
    """Bytes as they stand in memory, as the number a vector of them is."""
    return int.from_bytes(data, "little")


# Arithmetic and moves within a lane.


@op("v v -> v", "{a} plus {b}, each 32 bits apart", commutes=True, lane=32)
def add32(a, b):
    return a + b


@op("v v -> v", "{a} plus {b}, each 64 bits apart", commutes=True, lane=64)
def add64(a, b):
    return a + b


@op("v n64 -> v", "each 64 bits of {a} shifted left by {n} bits", lane=64)
def shl64(a, n):
    return a << n


@op("v n64 -> v", "each 64 bits of {a} shifted right by {n} bits", lane=64)
def shr64(a, n):
    return a >> n


@op("v n16 -> v", "{a} shifted left by {n} bytes", lane=128)
def shl_bytes(a, n):
    return a << 8 * n


@op("v n16 -> v", "{a} shifted right by {n} bytes", lane=128)
def shr_bytes(a, n):
    return a >> 8 * n


@op("v v n16 -> v", "16 bytes from byte {n} on of {b} with {a} above it", lane=128)
def align(a, b, n):
    return (a << 128 | b) >> 8 * n


@op("v -> v", "{a} with its 64-bit halves exchanged", lane=128)
def swap64(a):
    return a >> 64 | a << 64


@op("v -> v", "{a} with its 16 bytes in reverse order", lane=128)
def bswap128(a):
    return int.from_bytes(a.to_bytes(16, "little"), "big")


@op("v v -> v", "the bytes of {a} in the places that {b} names (0 where its bit 7 is set)", lane=128)
def pshufb(a, b):
    source, places = _state(a), _state(b)
    return vector(bytes(0 if place & 128 else source[place & 15] for place in places))


# Carry-less products: GF(2)[x], bit i is the coefficient of x^i.


@op("v v -> v", "carry-less product of the low halves of {a} and {b}", commutes=True, lane=128)
def clmul_low(a, b):
    return carryless(a & _LOW, b & _LOW)


@op("v v -> v", "carry-less product of the high halves of {a} and {b}", commutes=True, lane=128)
def clmul_high(a, b):
    return carryless(a >> 64, b >> 64)


@op("v v -> v", "carry-less product of the high half of {a} and the low half of {b}", lane=128)
def clmul_cross(a, b):
    return carryless(a >> 64, b & _LOW)


# Rounds of AES: `a` is the state, `b` the round key.


@op("v v -> v", "AESENC: ShiftRows, SubBytes and MixColumns of {a}, then the key {b}", lane=128)
def aesenc(a, b):
    return aesmc.meaning(aesenclast.meaning(a, 0)) ^ b


@op("v v -> v", "AESENCLAST: ShiftRows and SubBytes of {a}, then the key {b}", lane=128)
def aesenclast(a, b):
    return vector(aes.sub_bytes(aes.shift_rows(_state(a)))) ^ b


@op("v v -> v", "AESDEC: InvShiftRows, InvSubBytes and InvMixColumns of {a}, then the key {b}", lane=128)
def aesdec(a, b):
    return aesimc.meaning(aesdeclast.meaning(a, 0)) ^ b


@op("v v -> v", "AESDECLAST: InvShiftRows and InvSubBytes of {a}, then the key {b}", lane=128)
def aesdeclast(a, b):
    return vector(aes.inv_sub_bytes(aes.inv_shift_rows(_state(a)))) ^ b


@op("v128 -> v128", "AESIMC: InvMixColumns of {a}")
def aesimc(a):
    return vector(aes.inv_mix_columns(_state(a)))


@op("v128 -> v128", "AESMC: MixColumns of {a}")
def aesmc(a):
    return vector(aes.mix_columns(_state(a)))


@op("v128 v128 -> v128", "AESE: {a} with the key {b}, then ShiftRows and SubBytes", commutes=True)
def aese(a, b):
    return aesenclast.meaning(a ^ b, 0)


@op("v128 v128 -> v128", "AESD: {a} with the key {b}, then InvShiftRows and InvSubBytes", commutes=True)
def aesd(a, b):
    return aesdeclast.meaning(a ^ b, 0)


@op("v128 v128 -> v128", "AESE and AESMC: {a} with the key {b}, then a whole round", commutes=True)
def aese_aesmc(a, b):
    return aesenc.meaning(a ^ b, 0)


@op("v128 v128 -> v128", "AESD and AESIMC: {a} with the key {b}, then a whole inverse round", commutes=True)
def aesd_aesimc(a, b):
    return aesdec.meaning(a ^ b, 0)


# In and out.


@op("v128 n4 u32 -> v128", "{a} with its 32 bits number {n} replaced by {w}")
def insert32(a, n, w):
    return a & ~(0xFFFFFFFF << 32 * n) | w << 32 * n


@op("v128 -> v512", "{a} in each of four lanes")
def broadcast(a):
    return each(a)


@op("v512 n4 -> v128", "lane {n} of {a}")
def lane(a, n):
    return a >> 128 * n


@op("m n -> v128", "the 16 bytes at {m}[{at}]")
def load128(m, at):
    return _load(m, at, 4)


@op("m n -> v512", "the 64 bytes at {m}[{at}]")
def load512(m, at):
    return _load(m, at, 16)


@op("m n -> v512", "the 16 bytes at {m}[{at}] in each of four lanes")
def load_broadcast(m, at):
    return each(_load(m, at, 4))


@op("out n v128 ->", "store {v} at {m}[{at}]")
def store128(m, at, v):
    _store(m, at, v, 4)


@op("out n v512 ->", "store {v} at {m}[{at}]")
def store512(m, at, v):
    _store(m, at, v, 16)


def _load(m, at, words):
    return sum(int(m[at + i]) << 32 * i for i in range(words))


def _store(m, at, v, words):
    for i in range(words):
        m[at + i] = v >> 32 * i & 0xFFFFFFFF


def _state(a):
    return a.to_bytes(16, "little")
