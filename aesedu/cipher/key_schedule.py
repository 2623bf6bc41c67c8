"""Key expansion for 128-, 192- and 256-bit keys (FIPS-197 5.2), and the keys of the equivalent inverse cipher (5.3.5).

Words are 4 bytes, w[0] first; four words are a round key.
"""

from typing import NamedTuple

from aesedu.cipher import check_key
from aesedu.cipher.transformations import SBOX, inv_mix_columns, xtime

ROUNDS = {128: 10, 192: 12, 256: 14}  # by key bits (FIPS-197, table 3)


def _round_constants():
    constant = 1
    for _ in range(10):
        yield bytes([constant, 0, 0, 0])
        constant = xtime(constant)


RCON = (None, *_round_constants())  # Rcon[1] ... Rcon[10]; FIPS-197 has no Rcon[0]


class Expansion(NamedTuple):
    """How one word comes about: a row of the tables in FIPS-197 appendix A, None where the table is blank."""

    i: int
    temp: bytes  # w[i-1]
    after_rot_word: bytes | None
    after_sub_word: bytes | None
    rcon: bytes | None  # Rcon[i/Nk]
    after_xor_rcon: bytes | None
    w_i_minus_nk: bytes  # w[i-Nk]
    w: bytes  # w[i]


def rot_word(word):
    """[a0, a1, a2, a3] becomes [a1, a2, a3, a0]: ROTWORD() (5.2)."""
    return word[1:] + word[:1]


def sub_word(word):
    """Each byte through the S-box: SUBWORD() (5.2)."""
    return bytes(SBOX[b] for b in word)


def expand_key(key):
    """The Nr + 1 round keys of 16 bytes: KEYEXPANSION() (5.2, Algorithm 2); Nr is 10, 12 or 14.

    Raises ValueError or TypeError for anything but a key of 16, 24 or 32 bytes.
    """
    words = check_key(key) + b"".join(row.w for row in trace(key))
    return [words[i : i + 16] for i in range(0, len(words), 16)]


def trace(key):
    """The rows of FIPS-197 appendix A for this key: one ``Expansion`` for each word after the key's own Nk.

    Raises as ``expand_key`` does.
    """
    key = check_key(key)
    return _expansion([key[i : i + 4] for i in range(0, len(key), 4)])


def _expansion(w):
    nk = len(w)
    for i in range(nk, 4 * (nk + 7)):
        temp = w[i - 1]
        rotated = substituted = rcon = summed = None
        if i % nk == 0:
            rotated = rot_word(temp)
            substituted = sub_word(rotated)
            rcon = RCON[i // nk]
            summed = _xor(substituted, rcon)
        elif nk == 8 and i % nk == 4:  # 256-bit keys alone
            substituted = sub_word(temp)
        w.append(_xor(w[i - nk], summed or substituted or temp))
        yield Expansion(i, temp, rotated, substituted, rcon, summed, w[i - nk], w[i])


def _xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def equivalent_inverse(round_keys):
    """The round keys of the equivalent inverse cipher, in their order of use (5.3.5, Algorithm 5).

    They are the encryption's backwards, and INVMIXCOLUMNS() goes over all but the first and the last.
    """
    last, *middle, first = reversed(round_keys)
    return [last, *(inv_mix_columns(round_key) for round_key in middle), first]
