"""Exercises of notebook 06, GHASH and Karatsuba. Blocks are 16 bytes in GHASH's order: 1 is 80 00 ... 00."""

from aesedu.exercises.definition import Exercise, Mistake
from aesedu.exercises.register_pressure import measured

_ONE = "80" + "00" * 15
_PRODUCT = ("0388dace60b6a392f328c2b971b2fe78", "66e94bd4ef8a2c3b884cfa59ca342b2e", "5e2ec746917062882c85b0685353deb7")


def _multiply(x, y):
    """By long multiplication and folding, not by the standard's bit-serial way."""
    from aesedu.cipher import gf128

    return gf128.GHASH.multiply(x, y)


def _blocks(*texts):
    return tuple(bytes.fromhex(text) for text in texts)


GHASH_MULTIPLY = Exercise(
    name="ghash_multiply",
    notebook="06",
    stub='''
@exercise("ghash_multiply")
def ghash_multiply(a, b):
    """The product of two blocks in GHASH's bit order, a block (roughly 9 lines)."""
    ...
''',
    solution='''
def ghash_multiply(a, b):
    a, v = int.from_bytes(a, "big"), int.from_bytes(b, "big")
    z = 0
    for i in range(128):
        if a >> 127 - i & 1:
            z ^= v
        lost = v & 1
        v >>= 1
        if lost:
            v ^= 0xE1 << 120
    return z.to_bytes(16, "big")
''',
    hints=(
        "Read both blocks as big-endian numbers. Then bit 127 is the coefficient of 1, and times x is a shift right.",
        "The bit that a shift right loses belonged to x^127, so it is now x^128 = x^7 + x^2 + x + 1: 0xE1 at the top.",
        "z starts as 0. For each bit of a, from bit 127 down: XOR v into z if it is 1, then make v times x.",
    ),
    known=lambda: [
        (_blocks(*_PRODUCT[:2]), *_blocks(_PRODUCT[2])), (_blocks(_ONE, _PRODUCT[1]), *_blocks(_PRODUCT[1])),
    ],
    source="the GCM specification",
    draw=lambda random: [(random.randbytes(16), random.randbytes(16)) for _ in range(12)],
    oracle=_multiply,
    mistakes=(
        Mistake("a >> 127 - i & 1", "a >> i & 1",
                "The bits of a come from the wrong end: bit 127 of the number, the coefficient of 1, is first."),
        Mistake('b, "big")\n', 'b, "little")\n',
                "b is read the other way round: the first byte holds the lowest powers, as in a."),
        Mistake("v & 1\n        v >>= 1\n", "v >> 127\n        v = v << 1 & (1 << 128) - 1\n",
                "Times x is a shift right here. This shifts left, as XTS and AES's own field do."),
        Mistake("v ^= 0xE1 << 120", "v ^= 0x87",
                "0x87 is x^7 + x^2 + x + 1 where bit 0 is 1. Here bit 127 is: turned round it is 0xE1, at the top."),
        Mistake("        if lost:\n            v ^= 0xE1 << 120\n", "",
                "The bit that is shifted out stood for x^127 and has become x^128: the polynomial reduces it."),
    ),
    parts=("byte",),
)  # fmt: skip


def _halves_product(a, b):
    """Digit by digit, by Python's own products of numbers whose binary digits stand far apart: no sum ever carries."""
    spread = [sum(1 << 16 * i for i in range(128) if n >> i & 1) for n in (a, b)]
    product = spread[0] * spread[1]
    bits = sum((product >> 16 * i & 1) << i for i in range(255))
    return [[bits & (1 << 128) - 1, bits >> 128], "3 multiplications"]


def karatsuba_measured(function):
    """The learner's function as a recorded routine: its results, and how many carry-less products it asks for."""
    from aesedu.routine import v128

    return measured(function, {"a": v128, "b": v128}, _products)


def _products(recording):
    return f"{sum(step.op.name.startswith('clmul') for step in recording.steps)} multiplications"


_A, _B = 0x7B5B54657374566563746F725D53475D, 0x48692853686179295B477565726F6E5D

KARATSUBA = Exercise(
    name="karatsuba",
    notebook="06",
    stub='''
@exercise("karatsuba")
def karatsuba(a, b):
    """The product of two v128 as [low, high], by three multiplications (roughly 5 lines).

    The cell above has imported clmul_low, clmul_high, swap64, shl_bytes and shr_bytes.
    """
    ...
''',
    solution='''
from aesedu.routine.vectors import clmul_cross, clmul_high, clmul_low, shl_bytes, shr_bytes, swap64


def karatsuba(a, b):
    low, high = clmul_low(a, b), clmul_high(a, b)
    both = clmul_low(a ^ swap64(a), b ^ swap64(b))
    middle = both ^ low ^ high
    return [low ^ shl_bytes(middle, 8), high ^ shr_bytes(middle, 8)]
''',
    hints=(
        "clmul_low(a, b) is a0 b0 and clmul_high(a, b) is a1 b1. The third product is (a0 + a1)(b0 + b1).",
        "a ^ swap64(a) has a0 + a1 in its low half (and in its high half).",
        "The middle term stands 64 bits up: its low half goes to the top of low, its high half to the bottom of high.",
    ),
    known=lambda: [((_A, _B), _halves_product(_A, _B)), ((1, 1), [[1, 0], "3 multiplications"])],
    source="operands of Intel's paper on carry-less multiplication, multiplied by hand",
    draw=lambda random: [(random.getrandbits(128), random.getrandbits(128)) for _ in range(8)],
    oracle=_halves_product,
    mistakes=(
        Mistake("both = clmul_low(a ^ swap64(a), b ^ swap64(b))\n    middle = both ^ low ^ high",
                "middle = clmul_cross(a, b) ^ clmul_cross(b, a)",
                "The product is right, by four multiplications. (a0 + a1)(b0 + b1) holds all four: three are enough."),
        Mistake("both ^ low ^ high", "both",
                "(a0 + a1)(b0 + b1) also holds a0 b0 and a1 b1: take low and high out again."),
        Mistake("shl_bytes(middle, 8)", "middle",
                "The middle term stands 64 bits further up than low: move it by 8 bytes."),
        Mistake("high ^ shr_bytes(middle, 8)", "high",
                "The upper half of the middle term is missing: it belongs to the bottom of high."),
        Mistake("b ^ swap64(b)", "b", "The third product is of two sums. Here a's halves are added and b's are not."),
    ),
    parts=("item", "word"),
    digits=32,
    around="aesedu.exercises.ghash:karatsuba_measured",
)  # fmt: skip


def _powers(h, n):
    """Each power by itself, by squaring and multiplying."""
    one = bytes.fromhex(_ONE)
    powers = []
    for exponent in range(n, 0, -1):
        result = one
        for bit in f"{exponent:b}":
            result = _multiply(result, result)
            result = _multiply(result, h) if bit == "1" else result
        powers.append(result)
    return powers


POWERS_OF_H = Exercise(
    name="powers_of_h",
    notebook="06",
    stub='''
@exercise("powers_of_h")
def powers_of_h(h, n):
    """[H^n, ..., H^2, H]: what n blocks are multiplied by, in their order (roughly 4 lines).

    The cell above has imported GHASH; GHASH.multiply(a, b) takes and returns blocks.
    """
    ...
''',
    solution='''
from aesedu.cipher.gf128 import GHASH


def powers_of_h(h, n):
    powers = [h]
    while len(powers) < n:
        powers.insert(0, GHASH.multiply(powers[0], h))
    return powers
''',
    hints=(
        "The last block is multiplied once, by H; the one before it twice, by H^2; the first one by H^n.",
        "Each power is the one after it in the list, times h.",
    ),
    known=lambda: [((bytes.fromhex(_ONE), 3), [bytes.fromhex(_ONE)] * 3),
                   (_blocks(_PRODUCT[1]) + (1,), [*_blocks(_PRODUCT[1])])],
    source="the field's own rules: powers of 1 are 1, and H^1 is H",
    draw=lambda random: [(random.randbytes(16), n) for n in (1, 2, 3, 4, 8, 16)],
    oracle=_powers,
    mistakes=(
        Mistake("powers.insert(0, GHASH.multiply(powers[0], h))", "powers.append(GHASH.multiply(powers[-1], h))",
                "These are the powers in rising order. The first block waits longest, so the highest comes first."),
        Mistake("powers[0], h", "powers[0], powers[0]",
                "Squaring gives H, H^2, H^4, H^8: exponents double. Multiply by h, so that they go up by one."),
        Mistake("    powers = [h]", '    powers = [b"\\x80" + bytes(15)]',
                "The list ends with H^0 = 1. Even the last block is multiplied once, by H."),
        Mistake("len(powers) < n", "len(powers) <= n", "That is one power too many: n blocks need n."),
    ),
    parts=("power", "byte"),
)  # fmt: skip


def _field(tail):
    """A multiply function on blocks in GHASH's order, modulo x^128 + tail."""
    from aesedu.cipher import gf128

    def multiply(x, y):
        product = gf128.carryless(gf128.load_ghash(x), gf128.load_ghash(y))
        while high := product >> 128:
            product = product & (1 << 128) - 1 ^ gf128.carryless(high, tail)
        return gf128.store_ghash(product)

    return multiply


def with_multiply(function):
    """The learner's function, given a multiply function for each tail of a polynomial."""
    return lambda tail: function(_field(tail))


_RIGHT, _TURNED, _SHORT = 0x87, 0xE1, 0x07  # x^7 + x^2 + x + 1; its bits turned round; x^7 forgotten

WHICH_POLYNOMIAL = Exercise(
    name="which_polynomial",
    notebook="06",
    stub='''
@exercise("which_polynomial")
def which_polynomial(multiply):
    """What `multiply` takes x^128 to be, as an int: bit i is the coefficient of x^i (roughly 4 lines).

    multiply(a, b) takes and returns blocks in GHASH's order; a right one gives 0x87. The
    cell above has imported load_ghash and store_ghash.
    """
    ...
''',
    solution='''
from aesedu.cipher.gf128 import load_ghash, store_ghash


def which_polynomial(multiply):
    x = store_ghash(1 << 1)
    highest = store_ghash(1 << 127)
    product = multiply(highest, x)
    return load_ghash(product)
''',
    hints=(
        "You want to see x^128 after it has been reduced. Which two elements have it as their product?",
        "x^127 is the last bit of a block and x is 40 00 ... 00. store_ghash(1 << i) is x^i.",
        "load_ghash turns the product into an int whose bit i is the coefficient of x^i.",
    ),
    known=lambda: [((_RIGHT,), _RIGHT), ((_TURNED,), _TURNED), ((_SHORT,), _SHORT)],
    source="SP 800-38D 6.3, and two mistakes people make",
    draw=lambda random: [(random.randrange(1, 1 << 16) | 1,) for _ in range(8)],
    oracle=lambda tail: tail,
    mistakes=(
        Mistake("1 << 1)", "1)", "This is x^127, which needs no reduction: the two powers must add up to 128."),
        Mistake("load_ghash(product)", 'int.from_bytes(product, "big")',
                "The product is a block in GHASH's order: its first bit is the coefficient of 1, not of x^127."),
        Mistake("load_ghash(product)", 'int.from_bytes(product, "little")',
                "The bytes are in the right order, the bits in each byte are not: load_ghash turns both."),
        Mistake("multiply(highest, x)", "multiply(highest, highest)",
                "x^254 is reduced more than once. x^128 itself shows the polynomial."),
    ),
    digits=2,
    around="aesedu.exercises.ghash:with_multiply",
)  # fmt: skip

EXERCISES = [GHASH_MULTIPLY, KARATSUBA, POWERS_OF_H, WHICH_POLYNOMIAL]
