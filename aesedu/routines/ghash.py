"""GHASH (SP 800-38D 6.4) as a routine: n blocks, n powers of H, one reduction.

**Bits.** A block is read with its bytes reversed; then bit i of the 128 is the coefficient of x^(127-i) (6.3). The
carry-less product of two such numbers has 255 bits, of which bit k belongs to x^(254-k). Read as 256 bits, where bit k
belongs to x^(255-k), it is the product times x. So the powers are stored times x^-1, and nothing is shifted.

**Halves.** With a = a1:a0 a product is a0 b0, a1 b1 and, 64 bits further up, a0 b1 + a1 b0. *Schoolbook* multiplies
four times. *Karatsuba* multiplies three times, because (a0 + a1)(b0 + b1) holds all four products and two are known;
the sums b0 + b1 of the powers are kept beside them.

**Aggregation.** ((Y + X1) H + X2) H ... is (Y + X1) H^n + X2 H^(n-1) + ...: products that wait for nothing, and one
reduction for their sum.
"""

from functools import reduce as fold
from operator import xor

from aesedu.cipher import gf128
from aesedu.routine import memory, routine, table, v128
from aesedu.routine.vectors import (
    bswap128,
    clmul_cross,
    clmul_high,
    clmul_low,
    each,
    lane,
    load128,
    load512,
    shl_bytes,
    shr_bytes,
    swap64,
    vector,
)

MULTIPLICATIONS = ("schoolbook", "karatsuba")
MOST = 64  # powers that `powers` makes, and blocks that a routine takes at once
_SUMS = 4 * MOST  # words before the sums of the halves of the powers
_TAIL = 0xC2 << 56  # x^127 + x^126 + x^121 as reflected numbers have it: see `reduce`
_LOAD = {1: load128, 4: load512}
_INVERSE_OF_X = gf128.reduce(1 << 127 ^ 1 << 6 ^ 1 << 1 ^ 1)  # x (x^127 + x^6 + x + 1) = x^128 + x^7 + x^2 + x = 1


@routine
def ghash(y: v128, data: memory, powers: table, *, blocks=4, multiplication="karatsuba"):
    """Continue GHASH from `y` over `blocks` blocks of `data`; return the new value and where the next blocks are.

    `y` is reversed as above (`vector` of a block's bytes from last to first), `powers` the words of `powers(h)`.
    """
    return absorb(y, lambda i: load128(data, 4 * i), blocks, powers, multiplication), data[4 * blocks :]


def absorb(y, load, vectors, powers, multiplication, lanes=1):
    """The new value after `y` and the blocks that `load(i)` gives, one or four `lanes` to a vector.

    The first vector comes last, because it waits for `y`; the sum of all others is there by then.
    """
    total = Sum(multiplication, lanes)
    for i in (*range(1, vectors), 0):
        x = bswap128(load(i))
        total.add(x if i else x ^ y, *_power(powers, lanes * (vectors - i), _LOAD[lanes]))
    return total.reduced()


def _power(powers, i, load):
    """H^i times x^-1, and what gives the sum of its halves, in the low half; in four lanes H^i to H^(i-3)."""
    return load(powers, 4 * (MOST - i)), lambda: load(powers, _SUMS + 4 * (MOST - i))


class Sum:
    """A sum of products that have not been reduced: low, middle and high parts."""

    def __init__(self, multiplication, lanes=1):
        self.parts, self._products, self._lanes = [None] * 3, _PRODUCTS[multiplication], lanes

    def add(self, a, b, b_sum):
        """Add the product of `a` and the power `b`; `b_sum()` is the sum of its halves."""
        for n, product in enumerate(self._products(a, b, b_sum)):
            self.parts[n] = product if self.parts[n] is None else self.parts[n] ^ product

    def reduced(self):
        """The sum as an element of the field; four lanes are added up last."""
        low, middle, high = self.parts
        if self._products is _karatsuba:
            middle = middle ^ low ^ high
        total = reduce(low ^ shl_bytes(middle, 8), high ^ shr_bytes(middle, 8), self._lanes)
        return fold(xor, [lane(total, n) for n in range(4)]) if self._lanes == 4 else total


def _schoolbook(a, b, b_sum):
    return clmul_low(a, b), clmul_cross(a, b) ^ clmul_cross(b, a), clmul_high(a, b)


def _karatsuba(a, b, b_sum):
    return clmul_low(a, b), clmul_low(a ^ swap64(a), b_sum()), clmul_high(a, b)


_PRODUCTS = dict(zip(MULTIPLICATIONS, (_schoolbook, _karatsuba), strict=True))


def reduce(low, high, lanes=1):
    """The 256 bits high:low modulo x^128 + x^7 + x^2 + x + 1; bit k belongs to x^(255-k).

    The lowest 64 bits belong to x^192 ... x^255. x^e is x^(e-128) + x^(e-127) + x^(e-126) + x^(e-121), which for bit k
    are bits k + 128, k + 127, k + 126 and k + 121. So those 64 bits come back 128 places further up, as they are, and
    64 places further up, times 2^63 + 2^62 + 2^57 = _TAIL. That clears 64 bits; a second time clears the other 64.
    """
    tail = each(_TAIL) if lanes == 4 else _TAIL
    folded = swap64(low) ^ clmul_low(low, tail)
    return high ^ swap64(folded) ^ clmul_low(folded, tail)


def powers(h):
    """The words behind `powers` for the 16-byte key `h`: H^64 ... H^1 times x^-1, then sums of halves."""
    h = gf128.load_ghash(h)
    times_h, made = gf128.multiplier(h), [gf128.multiply(h, _INVERSE_OF_X)]
    while len(made) < MOST:
        made.append(times_h(made[-1]))
    made = [reflected(element) for element in reversed(made)]
    sums = [number ^ number >> 64 for number in made]
    return [number >> 32 * i & 0xFFFFFFFF for number in made + sums for i in range(4)]


def reflected(element):
    """An element as a routine has it in a register: bit i is the coefficient of x^(127-i)."""
    return vector(gf128.store_ghash(element)[::-1])
