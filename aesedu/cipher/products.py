"""One product in a binary field, step by step, by four methods: bits, 4-bit tables, four products, three (Karatsuba).

Two fields of the same kind: GF(2^8) of FIPS-197 4.2, small enough to play with, and GF(2^128) of SP 800-38D 6.3.
Elements are ints whose bit i is the coefficient of x^i, as in ``gf128``.
"""

from typing import NamedTuple

from aesedu.cipher.gf128 import POLYNOMIAL, carryless

POLYNOMIALS = {8: 0x11B, 128: POLYNOMIAL}
METHODS = ("bit by bit", "4 bits at a time", "four products", "three products")


class Step(NamedTuple):
    """What one step makes. ``known`` has all values so far by name, ``rows`` how many bits of b have been used.

    ``products`` counts carry-less multiplications of half-width operands; ``phase`` is "rows", "halves" or "fold".
    """

    phase: str
    name: str
    says: str
    known: dict[str, int]
    rows: range = range(0)
    products: int = 0

    @property
    def value(self):
        """What this step has made."""
        return self.known[self.name]


def steps(a, b, width, method):
    """The Steps from two operands to their product in the field of ``width`` bits, 8 or 128.

    Raises ValueError for another width or method, or an operand that does not fit.
    """
    if width not in POLYNOMIALS or method not in METHODS:
        raise ValueError(f"width is 8 or 128 and method one of {', '.join(METHODS)}, not {width!r} and {method!r}")
    if not all(0 <= each < 1 << width for each in (a, b)):
        raise ValueError(f"operands have {width} bits")
    made = list(_MAKERS[method](a, b, width))
    return made + list(_folds(made[-1], width))


def halves(a, width):
    """The low and the high half of an operand."""
    return a & (1 << width // 2) - 1, a >> width // 2


def _bits(a, b, width):
    product = 0
    for i in range(width):
        product ^= a << i if b >> i & 1 else 0
        says = f"b has x^{i}: add a, {i} places up" if b >> i & 1 else f"b has no x^{i}: nothing to add"
        yield Step("rows", "product", says, {"a": a, "b": b, "product": product}, range(i + 1))


def _nibbles(a, b, width):
    """Highest coefficients first; the 16 products of a with four bits are made once.

    A program moves its sum up by 4 before each look-up (Horner's rule); here each entry is added at its own place.
    """
    product = 0
    for i in range(width - 4, -1, -4):
        nibble = b >> i & 15
        product ^= carryless(a, nibble) << i
        says = f"look up entry {nibble:x}, a times bits {i + 3} to {i} of b, and add it, {i} places up"
        yield Step("rows", "product", says, {"a": a, "b": b, "product": product}, range(i, width))


def _four(a, b, width):
    (a0, a1), (b0, b1) = halves(a, width), halves(b, width)
    low, high, cross, other = (carryless(*pair) for pair in ((a0, b0), (a1, b1), (a0, b1), (a1, b0)))
    return _halves(a, b, width, [
        ("low", low, "a0 times b0", 1),
        ("high", high, "a1 times b1", 2),
        ("cross 1", cross, "a0 times b1", 3),
        ("cross 2", other, "a1 times b0", 4),
        ("middle", cross ^ other, "the two crosswise products have the same place: add them", 4),
    ])  # fmt: skip


def _three(a, b, width):
    (a0, a1), (b0, b1) = halves(a, width), halves(b, width)
    low, high, both = carryless(a0, b0), carryless(a1, b1), carryless(a0 ^ a1, b0 ^ b1)
    return _halves(a, b, width, [
        ("low", low, "a0 times b0", 1),
        ("high", high, "a1 times b1", 2),
        ("a0 + a1", a0 ^ a1, "the sum of a's halves: one XOR, and no carry makes it longer", 2),
        ("b0 + b1", b0 ^ b1, "the sum of b's halves", 2),
        ("both", both, "(a0 + a1) times (b0 + b1) holds all four products at once", 3),
        ("middle", both ^ low ^ high, "take low and high out again: the crosswise products are left", 3),
    ])  # fmt: skip


def _halves(a, b, width, made):
    """Steps of the products of halves, and the sum of all at their places."""
    known = {"a": a, "b": b}
    for name, value, says, products in made:
        known = known | {name: value}
        yield Step("halves", name, says, known, products=products)
    half = width // 2
    whole = known["high"] << width ^ known["middle"] << half ^ known["low"]
    says = f"high moves up by {width} places, middle by {half}, low stays: the product has {2 * width - 1} bits"
    yield Step("halves", "product", says, known | {"product": whole}, products=made[-1][3])


def _folds(last, width):
    """What stands above x^(width-1) is worth a few lower powers, because the polynomial is worth nothing."""
    known, rest = last.known, last.known["product"]
    tail, number = POLYNOMIALS[width] ^ 1 << width, 0
    while high := rest >> width:
        number += 1
        rest = rest & (1 << width) - 1 ^ carryless(high, tail)
        known = known | {f"above {number}": high, f"fold {number}": rest}
        says = f"x^{width} is worth {powers(tail)}: what stood above comes down {tail.bit_count()} times"
        yield Step("fold", f"fold {number}", says, known, last.rows, last.products)
    says = f"nothing is left above x^{width - 1}: this is a times b in GF(2^{width})"
    yield Step("fold", "result", says, known | {"result": rest}, last.rows, last.products)


_MAKERS = dict(zip(METHODS, (_bits, _nibbles, _four, _three), strict=True))


def powers(a, most=None):
    """A polynomial in words: x^7 + x^2 + x + 1; with ``most`` only that many terms, highest first."""
    exponents = [i for i in range(a.bit_length() - 1, -1, -1) if a >> i & 1]
    names = [{0: "1", 1: "x"}.get(i, f"x^{i}") for i in exponents]
    if most and len(names) > most:
        names[most:] = [f"... ({len(names)} terms)"]
    return " + ".join(names) or "0"
