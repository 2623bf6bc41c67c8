"""NIST's known answers and multi-block messages for ECB, and the Monte Carlo rule of AESAVS 6.4.1."""

import re
from functools import cache

import cryptography_vectors
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

KEY_BITS = (128, 192, 256)
KINDS = {"GFSbox": 36, "KeySbox": 122, "VarKey": 1152, "VarTxt": 768, "MMT": 60}  # and how many messages there are


@cache
def records(kind):
    """(direction, key, input, output) for every message in the three key sizes' files of that kind."""
    found = []
    for bits in KEY_BITS:
        with cryptography_vectors.open_vector_file(f"ciphers/AES/ECB/ECB{kind}{bits}.rsp", "r") as file:
            sections = re.split(r"\[(?=ENCRYPT|DECRYPT)", file.read())[1:]
        for section in sections:
            direction = section[:3].lower()
            names = ("KEY", "PLAINTEXT", "CIPHERTEXT") if direction == "enc" else ("KEY", "CIPHERTEXT", "PLAINTEXT")
            values = [re.findall(rf"^{name} = (\w+)", section, re.M) for name in names]
            found += [(direction, *map(bytes.fromhex, message)) for message in zip(*values, strict=True)]
    assert len(found) == KINDS[kind]
    return found


def openssl(direction, key):
    """The independent AES: a function from data to data."""
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    return (cipher.encryptor() if direction == "enc" else cipher.decryptor()).update


def chain(crypt, block, count=1000):
    """The last two blocks of ``count`` calls, each on the result of the one before."""
    for _ in range(count):
        before, block = block, crypt(block)
    return before, block


def monte_carlo(last_two, key_bits, outer):
    """The (key, block) after each of ``outer`` steps; ``last_two(key, block)`` makes a step's thousand calls.

    The next key is this one XOR as many of the last two blocks' bytes, from the end, as it has.
    """
    key, block = bytes(range(key_bits // 8)), bytes(range(100, 116))
    for _ in range(outer):
        before, block = last_two(key, block)
        key = bytes(k ^ b for k, b in zip(key, (before + block)[-len(key) :], strict=True))
        yield key, block


def openssl_monte_carlo(direction, key_bits, outer):
    return list(monte_carlo(lambda key, block: chain(openssl(direction, key), block), key_bits, outer))
