"""The oracles of notebook 04's exercises against other people's code."""

from random import Random

import numpy
import pytest
from Crypto.Cipher import AES
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from aesedu.exercises import catalogue

ENTRIES = {entry.name: entry for entry in catalogue() if entry.notebook == "04"}
ORACLES = {name: entry.oracle for name, entry in ENTRIES.items()}


def ecb(key, data, back=False):
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    return (cipher.decryptor() if back else cipher.encryptor()).update(data)


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_doubling_makes_openssls_xts(seed):
    random = Random(seed)
    k1, k2, tweak, data = (random.randbytes(size) for size in (16, 16, 16, 64))
    mask, out = ecb(k2, tweak), b""
    for n in range(0, 64, 16):
        out += xor(ecb(k1, xor(data[n : n + 16], mask)), mask)
        mask = ORACLES["xts_double"](mask)
    assert out == Cipher(algorithms.AES(k1 + k2), modes.XTS(tweak)).encryptor().update(data)


@pytest.mark.parametrize("block", [bytes(16), b"\0" * 12 + b"\xff" * 4, b"\xff" * 16, bytes(range(16))])
def test_counters_are_openssls(block):
    key = bytes(16)
    keystream = Cipher(algorithms.AES(key), modes.CTR(block)).encryptor().update(bytes(32))
    assert ecb(key, keystream, back=True) == block + ORACLES["next_counter"](block, 128)


def test_counters_of_32_bits_are_pycryptodomes():
    key, nonce = bytes(16), bytes(range(12))
    keystream = AES.new(key, AES.MODE_CTR, nonce=nonce, initial_value=0xFFFF).encrypt(bytes(32))
    first, second = nonce + b"\0\0\xff\xff", nonce + b"\0\x01\0\0"
    assert ecb(key, keystream, back=True) == first + second == first + ORACLES["next_counter"](first, 32)


def test_a_counter_of_32_bits_keeps_its_carry():
    assert ORACLES["next_counter"](b"\xff" * 16, 32) == b"\xff" * 12 + bytes(4)


def test_lines_are_numpys():
    for sizes, times in (case.arguments for case in ENTRIES["fixed_and_slope"].cases):
        slope, fixed = numpy.polyfit(sizes, times, 1)
        assert ORACLES["fixed_and_slope"](sizes, times) == pytest.approx([fixed, slope])


def test_outliers_are_numpys():
    for (values,) in (case.arguments for case in ENTRIES["outlier"].cases):
        distances = numpy.abs(numpy.array(values) - numpy.median(values))
        assert distances.argmax() == ORACLES["outlier"](values) and (distances == distances.max()).sum() == 1
