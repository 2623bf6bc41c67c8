"""The meanings of vector operations: against OpenSSL, published examples, NumPy and arithmetic on spread-out bits."""

import struct

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings
from hypothesis import strategies as st

from aesedu.cipher import fips197
from aesedu.cipher.key_schedule import equivalent_inverse, expand_key
from aesedu.routine import RoutineError, routine, u32, v128, v512
from aesedu.routine import vectors as v
from aesedu.routine.ops import OPS

NUMBERS = st.integers(0, (1 << 128) - 1)
BYTES = st.binary(min_size=16, max_size=16)
KEYS = st.sampled_from((16, 24, 32)).flatmap(lambda n: st.binary(min_size=n, max_size=n))


def clmul(a, b):
    """Each bit in a digit of its own that 64 sums do not fill: then an ordinary product counts, and odd is 1."""
    spread = [int.from_bytes(bytes(map(int, f"{n:b}"))) for n in (a, b)]
    digits = (spread[0] * spread[1]).to_bytes(200, "little")
    return sum((digit & 1) << i for i, digit in enumerate(digits))


def packed(a, kind):
    return np.frombuffer(a.to_bytes(16, "little"), kind)


def number(array):
    return int.from_bytes(array.tobytes(), "little")


ORACLES = {
    "add32": lambda a, b, n: number(packed(a, "<u4") + packed(b, "<u4")),
    "add64": lambda a, b, n: number(packed(a, "<u8") + packed(b, "<u8")),
    "shl64": lambda a, b, n: number(packed(a, "<u8") << np.uint64(n)),
    "shr64": lambda a, b, n: number(packed(a, "<u8") >> np.uint64(n)),
    "shl_bytes": lambda a, b, n: number(np.concatenate([np.zeros(n, "u1"), packed(a, "u1")])[:16]),
    "shr_bytes": lambda a, b, n: number(packed(a, "u1")[n:]),
    "align": lambda a, b, n: number(np.concatenate([packed(b, "u1"), packed(a, "u1")])[n : n + 16]),
    "swap64": lambda a, b, n: number(packed(a, "<u8")[::-1]),
    "bswap128": lambda a, b, n: number(packed(a, "u1")[::-1]),
    "pshufb": lambda a, b, n: number(np.where(packed(b, "i1") < 0, 0, packed(a, "u1")[packed(b, "u1") % 16])),
    "clmul_low": lambda a, b, n: clmul(a % 2**64, b % 2**64),
    "clmul_high": lambda a, b, n: clmul(a >> 64, b >> 64),
    "clmul_cross": lambda a, b, n: clmul(a >> 64, b % 2**64),
}


@pytest.mark.parametrize("name", ORACLES)
@given(st.data())
def test_within_a_lane(name, data):
    op = OPS[name]
    lanes = [{"a": data.draw(NUMBERS), "b": data.draw(NUMBERS)} for _ in range(4)]
    n = data.draw(st.integers(0, {"n64": 63, "n16": 15}.get(op.kinds[-1], 0)))
    with np.errstate(over="ignore"):
        wanted = [ORACLES[name](lane["a"], lane["b"], n) for lane in lanes]
    assert op.compute([(lanes[0] | {"n": n})[o] for o in op.operands], 128) == wanted[0]
    wide = {o: sum(lane[o] << 128 * i for i, lane in enumerate(lanes)) for o in "ab"} | {"n": n}
    assert op.compute([wide[o] for o in op.operands], 512) == sum(w << 128 * i for i, w in enumerate(wanted))


def test_published_examples():
    """Intel's white paper on the AES instructions (Gueron, 2010) gives one of each, most significant byte first."""
    state, key = 0x7B5B54657374566563746F725D53475D, 0x48692853686179295B477565726F6E5D
    assert v.aesenc(state, key) == 0xA8311C2F9FDBA3C58B104B58DED7E595
    assert v.aesenclast(state, key) == 0xC7FB881E938C5964177EC42553FDC611
    assert v.aesdec(state, key) == 0x138AC342FAEA2787B58EB95EB730392A
    assert v.aesdeclast(state, key) == 0xC5A391EF6B317F95D410637B72A593D0


def rounds(block, keys, inner, last):
    """The cipher as x86-64 does it: the key comes last."""
    state = block ^ keys[0]
    for key in keys[1:-1]:
        state = inner(state, key)
    return last(state, keys[-1])


def arm_rounds(block, keys, step, mix):
    """The cipher as AArch64 does it: the key comes first, and the last one on its own."""
    for key in keys[:-2]:
        block = mix(step(block, key))
    return step(block, keys[-2]) ^ keys[-1]


@settings(max_examples=12)
@given(KEYS, BYTES)
def test_rounds_against_openssl_and_fips_197(key, block):
    cipher, number = Cipher(algorithms.AES(key), modes.ECB()), v.vector(block)
    there, back = cipher.encryptor().update(block), cipher.decryptor().update(block)
    keys = list(map(v.vector, expand_key(key)))
    inverse = [keys[-1], *map(v.aesimc, keys[-2:0:-1]), keys[0]]
    assert fips197.encrypt_block(key, block) == there
    assert inverse == list(map(v.vector, equivalent_inverse(expand_key(key))))
    for wanted, got in (
        (there, rounds(number, keys, v.aesenc, v.aesenclast)),
        (there, arm_rounds(number, keys, v.aese, v.aesmc)),
        (back, rounds(number, inverse, v.aesdec, v.aesdeclast)),
        (back, arm_rounds(number, inverse, v.aesd, v.aesimc)),
    ):
        assert got == v.vector(wanted)


@settings(max_examples=12)
@given(NUMBERS, NUMBERS)
def test_pairs_are_their_two_instructions(a, b):
    assert v.aese_aesmc(a, b) == v.aesmc(v.aese(a, b))
    assert v.aesd_aesimc(a, b) == v.aesimc(v.aesd(a, b))
    lanes = [a, b, a ^ b, 0]
    wide = sum(n << 128 * i for i, n in enumerate(lanes))
    for row in (v.aesenc, v.aesenclast, v.aesdec, v.aesdeclast):
        assert row.compute([wide, v.each(b)], 512) == sum(row(n, b) << 128 * i for i, n in enumerate(lanes))


@given(st.binary(min_size=80, max_size=80), st.integers(0, 4))
def test_memory(data, at):
    words = list(struct.unpack("<20I", data))
    one, four = v.load128(words, at), v.load512(words, at)
    assert one == v.vector(data[4 * at : 4 * at + 16])
    assert four == v.vector(data[4 * at : 4 * at + 64])
    assert v.load_broadcast(words, at) == v.broadcast(one) == v.vector(data[4 * at : 4 * at + 16] * 4)
    assert [v.lane(four, n) for n in range(4)] == [v.load128(words, at + 4 * n) for n in range(4)]
    assert v.insert32(one, 2, 7) == v.vector(data[4 * at : 4 * at + 8] + b"\7\0\0\0" + data[4 * at + 12 : 4 * at + 16])
    left = [0] * 20
    v.store512(left, at, four)
    assert left == [0] * at + words[at : at + 16] + [0] * (4 - at)
    v.store128(left, 0, one)
    assert left[:4] == words[at : at + 4]


def test_every_vector_operation_is_compared():
    here = {name for name, op in vars(v).items() if op is OPS.get(name)}
    aes = {"aesenc", "aesenclast", "aesdec", "aesdeclast", "aesimc", "aesmc", "aese", "aesd"}
    others = {"aese_aesmc", "aesd_aesimc", "insert32", "broadcast", "lane", "load128", "load512", "load_broadcast"}
    assert here == set(ORACLES) | aes | others | {"store128", "store512"}


def test_recording():
    @routine
    def f(a: v128, b: v512, w: u32, *more: v128):
        x = (a ^ v.lane(b, 3) & 0xFF) | v.insert32(0, 1, w)
        return v.broadcast(x) ^ v.each(3), v.swap64(x), *more

    recording = f.record(more=3)
    assert [f"{p}: {p.type}" for p in recording.parameters] == [
        "a: v128", "b: v512", "w: u32", "more: v128", "more_2: v128", "more_3: v128"
    ]  # fmt: skip
    assert f(5, 1 << 384 | 6, 2, 7, 8) == (v.each(2 << 32 | 4) ^ v.each(3), 4 << 64 | 2 << 96, 7, 8)


@pytest.mark.parametrize("wrong, words", [
    (lambda a, b: a ^ b, r"mixes v128 and v512: broadcast\(x\) makes v512"),
    (lambda a, b: v.lane(b, 4), "n is a number from 0 to 3, not 4"),
    (lambda a, b: v.shl64(a, 64), "n is a number from 0 to 63, not 64"),
    (lambda a, b: a + a, "add: a must be u32 or u64, not v128"),
    (lambda a, b: v.aesenc(a, 1 << 128), "does not fit in 128 bits"),
])  # fmt: skip
def test_errors(wrong, words):
    @routine
    def f(a: v128, b: v512):
        return wrong(a, b)

    with pytest.raises(RoutineError, match=words):
        f.record()
