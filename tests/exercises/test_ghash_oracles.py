"""The oracles of notebook 06's exercises: together they make a GMAC, and OpenSSL has the same."""

import struct
from random import Random

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aesedu.cipher.gf128 import carryless
from aesedu.exercises import catalogue

ENTRIES = {entry.name: entry for entry in catalogue()}


def test_products_and_powers_make_openssls_gmac():
    random = Random(6)
    key, iv, data = random.randbytes(16), random.randbytes(12), random.randbytes(16 * 7)
    encrypt = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update
    message = data + struct.pack(">QQ", 8 * len(data), 0)
    blocks = [message[i : i + 16] for i in range(0, len(message), 16)]
    powers = ENTRIES["powers_of_h"].oracle(encrypt(bytes(16)), len(blocks))
    total = int.from_bytes(encrypt(iv + b"\0\0\0\1"), "big")
    for block, power in zip(blocks, powers, strict=True):
        total ^= int.from_bytes(ENTRIES["ghash_multiply"].oracle(block, power), "big")
    assert total.to_bytes(16, "big") == AESGCM(key).encrypt(iv, b"", data)


def test_karatsuba_oracle_against_long_multiplication():
    for (a, b), ((low, high), _) in ENTRIES["karatsuba"].cases:
        assert high << 128 | low == carryless(a, b)
