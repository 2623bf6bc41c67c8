"""GF(2^128), the field in GHASH, XTS, LRW and OCB: one field, and three ways to write an element as 16 bytes.

In here an element is an int whose bit i is the coefficient of x^i. A sum is XOR; a product is taken modulo
x^128 + x^7 + x^2 + x + 1. The standards differ only in which bit of a block is the coefficient of x^0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

POLYNOMIAL = 1 << 128 | 0x87
_ALL = (1 << 128) - 1
_BITS_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def carryless(a, b):
    """Return the product of two polynomials over GF(2), not reduced: long multiplication with XOR for the sums."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a, b = a << 1, b >> 1
    return product


def reduce(product):
    """Return a polynomial of any degree modulo the field's: x^128 is worth x^7 + x^2 + x + 1."""
    while high := product >> 128:
        product = product & _ALL ^ high ^ high << 1 ^ high << 2 ^ high << 7
    return product


def multiply(a, b):
    """Return the product of two elements."""
    return reduce(carryless(a, b))


def double(a):
    """Return a times x: one shift, and the polynomial subtracted if x^128 came up."""
    return a << 1 ^ (POLYNOMIAL if a >> 127 else 0)


def multiplier(h):
    """Return the function a -> a times h, by a table of the 16 products of h with four bits (Shoup's method)."""
    table = [carryless(h, nibble) for nibble in range(16)]

    def times_h(a):
        product = 0
        for byte in a.to_bytes(16, "big"):  # Horner's rule, highest coefficients first
            product = product << 8 ^ table[byte >> 4] << 4 ^ table[byte & 15]
        return reduce(product)

    return times_h


def load_ghash(block):
    """Read a block in GHASH's order: the first, most significant bit is x^0 (SP 800-38D 6.3). 1 is 80 00 ... 00."""
    return int.from_bytes(block.translate(_BITS_REVERSED), "little")


def store_ghash(a):
    """Write an element in GHASH's order."""
    return a.to_bytes(16, "little").translate(_BITS_REVERSED)


@dataclass(frozen=True)
class Order:
    """A way to write elements as blocks, with the field's arithmetic on blocks."""

    name: str
    source: str
    load: Callable[[bytes], int]
    store: Callable[[int], bytes]

    def double(self, block):
        """Return the block times x."""
        return self.store(double(self.load(block)))

    def multiply(self, a, b):
        """Return the product of two blocks."""
        return self.store(multiply(self.load(a), self.load(b)))

    def multiplier(self, h):
        """Return the function block -> block times h."""
        times_h = multiplier(self.load(h))
        return lambda block: self.store(times_h(self.load(block)))


def _number(name, source, end):
    """An Order that reads a block as one number, its ``end`` ("little" or "big") first in memory."""
    return Order(name, source, partial(int.from_bytes, byteorder=end), partial(int.to_bytes, length=16, byteorder=end))


GHASH = Order("GHASH", "SP 800-38D 6.3", load_ghash, store_ghash)
XTS = _number("XTS", "IEEE 1619 5.2", "little")  # 1 is 01 00 ... 00
OCB = _number("OCB and CMAC", "RFC 7253 2", "big")  # 1 is 00 ... 00 01
LRW = _number("LRW", "IEEE P1619 draft", "big")
