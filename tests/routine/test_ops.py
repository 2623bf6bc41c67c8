"""The meanings in the table of operations, against NumPy's machine words and the struct module."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aesedu.routine import vectors
from aesedu.routine.ops import OPS

WORDS = {32: np.uint32, 64: np.uint64}
ORACLES = {
    "xor": lambda a, b, n, word: a ^ b,
    "and": lambda a, b, n, word: a & b,
    "or": lambda a, b, n, word: a | b,
    "add": lambda a, b, n, word: a + b,
    "sub": lambda a, b, n, word: a - b,
    "mul": lambda a, b, n, word: a * b,
    "invert": lambda a, b, n, word: ~a,
    "shl": lambda a, b, n, word: a << n,
    "shr": lambda a, b, n, word: a >> n,
    "rotl": lambda a, b, n, word: a << n | a >> -n % word(8 * a.itemsize) if n else a,
    "rotr": lambda a, b, n, word: a >> n | a << -n % word(8 * a.itemsize) if n else a,
    "bswap": lambda a, b, n, word: a.byteswap(),
    "byte0": lambda a, b, n, word: a.tobytes()[0],
    "byte1": lambda a, b, n, word: a.tobytes()[1],
    "join16": lambda a, b, n, word: np.frombuffer(b.tobytes()[:2] + a.tobytes()[2:], word)[0],
}


@pytest.mark.parametrize("name", ORACLES)
@given(st.data())
def test_words(name, data):
    bits = data.draw(st.sampled_from((32, 64)))
    word, ints = WORDS[bits], st.integers(0, (1 << bits) - 1)
    values = {"a": data.draw(ints), "b": data.draw(ints), "n": data.draw(st.integers(0, bits - 1))}
    got = OPS[name].compute([values[o] for o in OPS[name].operands], bits)
    with np.errstate(over="ignore"):
        assert got == int(ORACLES[name](*(word(v) for v in values.values()), word))


@given(st.binary(min_size=40, max_size=40), st.integers(0, 8), st.integers(0, (1 << 64) - 1))
def test_memory(data, at, wide):
    words = list(struct.unpack("<10I", data))
    assert OPS["load64"](words, at) == struct.unpack_from("<Q", data, 4 * at)[0]
    assert OPS["load32"](words, 1, at) == struct.unpack_from("<I", data, 4 * at + 4)[0]
    assert OPS["low32"](wide) == wide % 2**32
    OPS["store64"](words, at, wide)
    OPS["store32"](words, 9 - at, wide % 2**32)
    again = bytearray(data)
    struct.pack_into("<Q", again, 4 * at, wide)
    struct.pack_into("<I", again, 36 - 4 * at, wide % 2**32)
    assert struct.pack("<10I", *words) == again


def test_every_operation_is_compared():
    others = {"low32", "widen", "const", "load32", "load64", "store32", "store64", "advance"}
    assert set(OPS) == set(ORACLES) | others | {name for name, op in OPS.items() if vars(vectors).get(name) is op}
