"""The wiring of the modes: what overlaps in which direction, random access, the counter, the keys."""

from itertools import pairwise

import mode_oracles
import pytest

from aesedu.cipher import modes

KEY, IV, DATA = bytes(range(16)), bytes(range(100, 116)), bytes(i % 251 for i in range(10 * 16))


class Counting(mode_oracles.OpenSSL):
    """A block cipher that notes how many blocks each call has."""

    def __init__(self):
        super().__init__(KEY)
        self.calls = []

    def encrypt_blocks(self, data):
        self.calls.append(len(data) // 16)
        return super().encrypt_blocks(data)

    def decrypt_blocks(self, data):
        self.calls.append(len(data) // 16)
        return super().decrypt_blocks(data)


@pytest.mark.parametrize(
    ("mode", "encryption", "decryption"),
    [
        ("cbc", [1] * 10, [10]),
        ("cfb128", [1] * 10, [10]),
        ("ofb", [1] * 10, [1] * 10),
        ("ctr", [10], [10]),
    ],
)
def test_what_can_overlap(mode, encryption, decryption):
    for direction, expected in (("encrypt", encryption), ("decrypt", decryption)):
        cipher = Counting()
        getattr(modes, f"{mode}_{direction}")(cipher, IV, DATA)
        assert cipher.calls == expected


@pytest.mark.parametrize("offset", [0, 1, 15, 16, 17, 100, 159, 160])
def test_ctr_begins_anywhere(offset):
    cipher = mode_oracles.OpenSSL(KEY)
    assert modes.ctr(cipher, IV, DATA[offset:], offset=offset) == modes.ctr(cipher, IV, DATA)[offset:]


def test_counter_wraps_inside_its_width():
    blocks = modes.counter_blocks(bytes(12) + b"\xff\xff\xff\xfe", 0, 3, width=32)
    assert [blocks[i : i + 16].hex()[20:] for i in (0, 16, 32)] == ["0000fffffffe", "0000ffffffff", "000000000000"]
    assert modes.counter_blocks(b"\xff" * 16, 0, 2) == b"\xff" * 16 + bytes(16)


def test_cfb_of_a_short_last_segment_is_a_prefix():
    cipher = mode_oracles.OpenSSL(KEY)
    for size in range(33):
        assert modes.cfb128_encrypt(cipher, IV, DATA[:size]) == modes.cfb128_encrypt(cipher, IV, DATA)[:size]


@pytest.mark.parametrize("size", range(17, 49))
def test_stealing_keeps_the_length_and_the_whole_blocks_before(size):
    cipher, other = mode_oracles.OpenSSL(KEY), mode_oracles.OpenSSL(IV)
    ciphertext = modes.xts_encrypt(cipher, other, IV, DATA[:size])
    untouched = (size // 16 - (size % 16 > 0)) * 16
    assert len(ciphertext) == size
    assert ciphertext[:untouched] == modes.xts_encrypt(cipher, other, IV, DATA)[:untouched]
    assert modes.xts_decrypt(cipher, other, IV, ciphertext) == DATA[:size]


def test_xts_tweaks_are_doublings():
    tweaks = modes.xts_tweaks(mode_oracles.OpenSSL(KEY), IV, 200)
    for before, after in pairwise(tweaks[i : i + 16] for i in range(0, len(tweaks), 16)):
        doubled = int.from_bytes(before, "little") * 2
        assert int.from_bytes(after, "little") == (doubled ^ (0x87 + 2**128) if doubled >> 128 else doubled)


def test_any_buffer_is_taken():
    cipher = mode_oracles.OpenSSL(KEY)
    backwards = memoryview(DATA[::-1])[::-1]
    for data in (bytearray(DATA), memoryview(DATA), backwards):
        assert modes.ctr(cipher, memoryview(IV), data) == modes.ctr(cipher, IV, DATA)
