"""AES by table look-ups: SubBytes, ShiftRows and MixColumns of a column become four look-ups and four XORs.

The idea is the Rijndael proposal's (Daemen and Rijmen 1999, 5.2.1). A state is four words, one a column, and a word is
an int that holds its column's row r in bits 8r to 8r + 7 (little-endian). The inner rounds take one set of four tables,
the last round, which has no MixColumns, another; decryption takes the inverse's tables and counts columns backwards.

**Not for secrets:** which cache lines the look-ups load depends on key and data, and others can measure that.
"""

import struct
from typing import NamedTuple

from aesedu.cipher import check_block
from aesedu.cipher.key_schedule import equivalent_inverse, expand_key
from aesedu.cipher.transformations import INV_SBOX, SBOX, inv_mix_columns, mix_columns


def to_words(data):
    """Bytes as a tuple of little-endian words; ``len(data)`` is a multiple of 4."""
    return struct.unpack(f"<{len(data) // 4}I", data)


def to_bytes(words):
    """Little-endian words as bytes."""
    return struct.pack(f"<{len(words)}I", *words)


def rotate(word, r):
    """The word whose bytes stand r rows further down: a rotation to the left by 8r bits."""
    return (word << 8 * r | word >> 32 - 8 * r) & 0xFFFFFFFF


def _four(table):
    return tuple(tuple(rotate(word, r) for word in table) for r in range(4))


# A column whose row 0 is S(x), the rest 0, for every x: the last round's table, and after MixColumns the inner rounds'.
_COLUMNS = b"".join(bytes([s, 0, 0, 0]) for s in SBOX)
_INV_COLUMNS = b"".join(bytes([s, 0, 0, 0]) for s in INV_SBOX)
TE = TE0, TE1, TE2, TE3 = _four(to_words(mix_columns(_COLUMNS)))
TD = TD0, TD1, TD2, TD3 = _four(to_words(inv_mix_columns(_INV_COLUMNS)))
TE_LAST = _four(to_words(_COLUMNS))
TD_LAST = _four(to_words(_INV_COLUMNS))
ENCRYPT, DECRYPT = 1, -1  # how many columns further each next row comes from: ShiftRows or InvShiftRows


class Lookup(NamedTuple):
    """One look-up: the byte at ``row`` and ``column`` of the state is ``index``, and the row's table holds ``word``."""

    row: int  # also the number of the table
    column: int
    index: int
    word: int


def lookups(tables, state, c, step=ENCRYPT):
    """The four look-ups that make column c of the next state; XORed with the round key's word they are ``column``.

    ``tables`` is TE, TD, TE_LAST or TD_LAST, ``state`` four words, ``step`` ENCRYPT or DECRYPT as the tables ask.
    """
    for row in range(4):
        source = (c + row * step) % 4
        index = state[source] >> 8 * row & 0xFF
        yield Lookup(row, source, index, tables[row][index])


def column(tables, state, c, key, step=ENCRYPT):
    """Column c of the next state, by four tables; ``key`` is the round key's word c, the rest as in ``lookups``."""
    t0, t1, t2, t3 = tables
    return (
        t0[state[c] & 0xFF]
        ^ t1[state[(c + step) % 4] >> 8 & 0xFF]
        ^ t2[state[(c + 2) % 4] >> 16 & 0xFF]
        ^ t3[state[(c - step) % 4] >> 24]
        ^ key
    )


def column_rotated(tables, state, c, key, step=ENCRYPT):
    """The same by the first table alone, whose words are rotated to their rows: a quarter of the cache, more work."""
    t0 = tables[0]
    return (
        t0[state[c] & 0xFF]
        ^ rotate(t0[state[(c + step) % 4] >> 8 & 0xFF], 1)
        ^ rotate(t0[state[(c + 2) % 4] >> 16 & 0xFF], 2)
        ^ rotate(t0[state[(c - step) % 4] >> 24], 3)
        ^ key
    )


def encryption_keys(key):
    """The round keys as tuples of four words; raises ValueError or TypeError for a wrong key."""
    return [to_words(round_key) for round_key in expand_key(key)]


def decryption_keys(key):
    """The equivalent inverse cipher's round keys, in their order of use, as tuples of four words; raises likewise."""
    return [to_words(round_key) for round_key in equivalent_inverse(expand_key(key))]


def cipher(block, keys, column=column):
    """Encrypt one block; ``keys`` as from ``encryption_keys``, ``column`` may be ``column_rotated``.

    Raises ValueError or TypeError for anything but a block of 16 bytes.
    """
    return to_bytes(_rounds(to_words(check_block(block)), keys, TE, TE_LAST, ENCRYPT, column))


def eq_inv_cipher(block, keys, column=column):
    """Decrypt one block; ``keys`` as from ``decryption_keys``, the rest as in ``cipher``."""
    return to_bytes(_rounds(to_words(check_block(block)), keys, TD, TD_LAST, DECRYPT, column))


def _rounds(state, keys, tables, last_tables, step, column):
    state = [word ^ k for word, k in zip(state, keys[0], strict=True)]
    for key in keys[1:-1]:
        state = [column(tables, state, c, key[c], step) for c in range(4)]
    return [column(last_tables, state, c, keys[-1][c], step) for c in range(4)]


def encrypt_block(key, block, column=column):
    """Encrypt 16 bytes under a key of 16, 24 or 32 bytes; raises ValueError or TypeError for anything else."""
    return cipher(block, encryption_keys(key), column)


def decrypt_block(key, block, column=column):
    """Decrypt 16 bytes under a key of 16, 24 or 32 bytes; raises ValueError or TypeError for anything else."""
    return eq_inv_cipher(block, decryption_keys(key), column)
