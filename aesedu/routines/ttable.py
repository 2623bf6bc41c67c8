"""AES by table look-ups as a routine: the subject of source 000, taken apart.

A column of the state is a 32-bit word, its row r in bits 8r to 8r + 7. Each byte of a word goes to another column of
the next state, so every word is taken apart: x86-64 has byte registers for bytes 0 and 1 only, and the upper half must
come down first. Two techniques do that. *Merged* saves a register: the halves of two words that are still to come
share one, joined by a 16-bit move and turned by a rotation. *Split* spends one: a copy keeps the lower half while the
upper one is shifted down.

The second choice is how round keys are loaded: four times 32 bits ("4x32") or twice 64 bits ("2x64").

**Not for secrets:** which cache lines the look-ups load depends on key and data, and others can measure that.
"""

import functools

from aesedu.cipher import ttable
from aesedu.routine import load64, low32, memory, rotl, routine, table

TECHNIQUES = ("merged", "split")
KEY_LOADS = ("4x32", "2x64")
ROUNDS = {128: 10, 192: 12, 256: 14}  # by key bits (FIPS-197, table 3)


@routine
def encrypt(out: memory, block: memory, keys: table, te: table, *, rounds=10, technique="split", key_loads="2x64"):
    """Encrypt one block (FIPS-197 5.1) and return where the next one is.

    `block` and `out` are four words, `keys` 4 * (rounds + 1), `te` the 2048 of `tables(ttable.ENCRYPT)`.
    """
    return _cipher(out, block, keys, te, ttable.ENCRYPT, rounds, technique, key_loads)


@routine
def decrypt(out: memory, block: memory, keys: table, td: table, *, rounds=10, technique="split", key_loads="2x64"):
    """Decrypt one block by the equivalent inverse cipher (FIPS-197 5.3.5); otherwise as `encrypt`."""
    return _cipher(out, block, keys, td, ttable.DECRYPT, rounds, technique, key_loads)


def tables(step):
    """The words behind `te` or `td`: four tables for the inner rounds, then four for the last round."""
    inner, last = (ttable.TE, ttable.TE_LAST) if step == ttable.ENCRYPT else (ttable.TD, ttable.TD_LAST)
    return [word for entries in (*inner, *last) for word in entries]


def key_words(step, key):
    """The words behind `keys`, in order of use."""
    round_keys = ttable.encryption_keys(key) if step == ttable.ENCRYPT else ttable.decryption_keys(key)
    return [word for round_key in round_keys for word in round_key]


def _cipher(out, block, keys, entries, step, rounds, technique, key_loads):
    add_keys = {"4x32": _add_keys_4x32, "2x64": _add_keys_2x64}[key_loads]
    round_ = {"merged": _round_merged, "split": _round_split}[technique]
    four = [entries[256 * i : 256 * (i + 1)] for i in range(8)]
    state = [block[c] for c in range(4)]
    add_keys(state, keys, (0, 1))
    add_keys(state, keys, (2, 3))
    for r in range(1, rounds + 1):
        look = _LookUps(four[:4] if r < rounds else four[4:], step)
        state = round_(state, look, functools.partial(add_keys, look.columns, keys[4 * r :]))
    for c in range(4):
        out[c] = state[c]
    return out[4:], block[4:]


def _round_merged(state, look, add_keys):
    a, b, c, d = state
    look.up(a, 0, row=0)
    ac = rotl(a & 0xFFFF0000 | c & 0xFFFF, 16)  # what is left of a below, of c above: two words in one register
    look.up(c >> 16, 2, row=2)
    look.up(b, 1, row=0)
    bd = rotl(b & 0xFFFF0000 | d & 0xFFFF, 16)
    look.up(d >> 16, 3, row=2)
    add_keys((0, 1))
    look.up(ac, 0, row=2)
    look.up(ac >> 16, 2, row=0)
    add_keys((2, 3))
    look.up(bd, 1, row=2)
    look.up(bd >> 16, 3, row=0)
    return look.columns


def _round_split(state, look, add_keys):
    a, b, c, d = state
    look.up(a, 0, row=0)
    look.up(c >> 16, 2, row=2)  # c and d are needed whole later: each takes one more register here
    look.up(b, 1, row=0)
    look.up(d >> 16, 3, row=2)
    add_keys((0, 1))
    look.up(a >> 16, 0, row=2)
    look.up(c, 2, row=0)
    add_keys((2, 3))
    look.up(b >> 16, 1, row=2)
    look.up(d, 3, row=0)
    return look.columns


class _LookUps:
    """Gathers the columns of the next state: SubBytes, ShiftRows and MixColumns by four tables."""

    def __init__(self, tables, step):
        self.tables, self.step, self.columns = tables, step, [None] * 4

    def up(self, half, column, row):
        """Look up the two low bytes of `half`, which are rows `row` and `row` + 1 of a column."""
        for r, byte in ((row, half & 255), (row + 1, half >> 8 & 255)):
            target = (column - r * self.step) % 4
            entry = self.tables[r][byte]
            self.columns[target] = entry if self.columns[target] is None else self.columns[target] ^ entry


def _add_keys_4x32(state, keys, columns):
    for c in columns:
        state[c] = state[c] ^ keys[c]


def _add_keys_2x64(state, keys, columns):
    c, d = columns
    both = load64(keys, c)
    state[c] = state[c] ^ low32(both)
    state[d] = state[d] ^ low32(both >> 32)
