"""GHASH as a routine against OpenSSL's GMAC and the published product, for every number of blocks a reduction."""

import struct
from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aesedu.cipher import gf128
from aesedu.routines import ghash as routines

IV = bytes(range(12))


def words(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def hashed(h, data, blocks, multiplication="karatsuba"):
    """GHASH of whole blocks by the routine, `blocks` a reduction and the rest one by one."""
    y, left, powers = 0, words(data), routines.powers(h)
    while left:
        n = blocks if len(left) >= 4 * blocks else 1
        y, left = routines.ghash(y, left, powers, blocks=n, multiplication=multiplication)
    return y.to_bytes(16, "big")


def openssl(key, data):
    """H, and GHASH of `data` (whole blocks) and its lengths block, from a GMAC by OpenSSL."""
    encrypt = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update
    tag = AESGCM(key).encrypt(IV, b"", data)
    return encrypt(bytes(16)), bytes(a ^ b for a, b in zip(tag, encrypt(IV + b"\0\0\0\1"), strict=True))


@pytest.mark.parametrize("multiplication", routines.MULTIPLICATIONS)
@pytest.mark.parametrize("blocks", range(1, 17))
def test_gmac_of_openssl(blocks, multiplication):
    random = Random(blocks)
    for count in (blocks - 1, blocks, 2 * blocks):
        data = random.randbytes(16 * count)
        h, expected = openssl(random.randbytes(16), data)
        lengths = struct.pack(">QQ", 8 * len(data), 0)
        assert hashed(h, data + lengths, blocks, multiplication) == expected


def test_the_product_of_the_gcm_specification():
    h, x, product = (
        "66e94bd4ef8a2c3b884cfa59ca342b2e",
        "0388dace60b6a392f328c2b971b2fe78",
        "5e2ec746917062882c85b0685353deb7",
    )
    assert hashed(bytes.fromhex(h), bytes.fromhex(x), 1).hex() == product


@pytest.mark.parametrize("bit", range(0, 128, 9))
def test_every_power_of_x_is_reduced(bit):
    """x^127 times x^e: what the two folds must bring down, against the readable field."""
    h, x = gf128.store_ghash(1 << bit), gf128.store_ghash(1 << 127)
    assert hashed(h, x, 1) == gf128.store_ghash(gf128.multiply(1 << bit, 1 << 127))


def test_counted_multiplications():
    """Four or three a block and two for the reduction, whatever the number of blocks."""
    for name, each in zip(routines.MULTIPLICATIONS, (4, 3), strict=True):
        steps = routines.ghash.record(blocks=8, multiplication=name).steps
        assert sum(step.op.name.startswith("clmul") for step in steps) == 8 * each + 2


@pytest.mark.parametrize("fault", ["_TAIL", "_INVERSE_OF_X"])
def test_planted_faults_are_caught(fault, monkeypatch):
    h, expected = openssl(bytes(16), b"")
    monkeypatch.setattr(routines, fault, getattr(routines, fault) ^ 1 << 60)
    assert hashed(h, bytes(16), 1) == expected  # zeros hide everything
    data = b"\xff" * 16
    h, expected = openssl(bytes(16), data)
    assert hashed(h, data + struct.pack(">QQ", 128, 0), 2) != expected
