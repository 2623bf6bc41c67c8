"""AES by table look-ups as a routine: the subject of source 000, taken apart.

A column of the state is a 32-bit word, its row r in bits 8r to 8r + 7. Each byte of a word goes to another column of
the next state, so every word is taken apart: x86-64 has byte registers for bytes 0 and 1 only, and the upper half must
come down first. Two techniques do that. *Merged* saves a register: the halves of two words that are still to come
share one, joined by a 16-bit move and turned by a rotation. *Split* spends one: a copy keeps the lower half while the
upper one is shifted down.

The second choice is how round keys are loaded: four times 32 bits ("4x32") or twice 64 bits ("2x64").

**Not for secrets:** which cache lines the look-ups load depends on key and data, and others can measure that.
"""

from aesedu.cipher import ttable
from aesedu.routine import load64, low32, memory, rotl, routine, table, u32

TECHNIQUES = ("merged", "split")
KEY_LOADS = ("4x32", "2x64")


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


@routine
def encrypt_round(s0: u32, s1: u32, s2: u32, s3: u32, keys: table, te: table, *, technique="split", key_loads="2x64"):
    """One inner round on the four columns of a state (FIPS-197 5.1.1 to 5.1.4): the whole cipher's middle, to look at.

    `keys` are the 4 words of the round key, `te` is as in `encrypt`.
    """
    return _round([s0, s1, s2, s3], keys, _four_tables(te, 0), ttable.ENCRYPT, technique, key_loads)


def tables(step):
    """The words behind `te` or `td`: four tables for the inner rounds, then four for the last round."""
    inner, last = (ttable.TE, ttable.TE_LAST) if step == ttable.ENCRYPT else (ttable.TD, ttable.TD_LAST)
    return [word for entries in (*inner, *last) for word in entries]


def key_words(step, key):
    """The words behind `keys`, in order of use. Raises ValueError or TypeError for a wrong key."""
    round_keys = ttable.encryption_keys(key) if step == ttable.ENCRYPT else ttable.decryption_keys(key)
    return [word for round_key in round_keys for word in round_key]


def _cipher(out, block, keys, entries, step, rounds, technique, key_loads):
    inner, last = _four_tables(entries, 0), _four_tables(entries, 1024)
    state = [block[c] for c in range(4)]
    _ADD_KEYS[key_loads](state, keys)
    for r in range(1, rounds + 1):
        state = _round(state, keys[4 * r :], inner if r < rounds else last, step, technique, key_loads)
    for c in range(4):
        out[c] = state[c]
    return out[4:], block[4:]


def _four_tables(entries, first):
    return [entries[i : i + 256] for i in range(first, first + 1024, 256)]


def _round(state, keys, tables, step, technique, key_loads):
    """Half of the look-ups, the rest of those of columns 0 and 2, the round key, the rest of those of 1 and 3."""
    new = _Columns(tables, step)
    even, odd = (_TAKE_APART[technique](new, state, c, c + 2) for c in (0, 1))
    next(even), next(odd)
    next(even, None)
    _ADD_KEYS[key_loads](new.words, keys)
    next(odd, None)
    return new.words


def _merged(new, state, a, c):
    """Look up columns `a` and `c`, half of each at a time; the halves that wait share one register."""
    new.look_up(state[a], a, row=0)
    waiting = rotl(state[a] & 0xFFFF0000 | state[c] & 0x0000FFFF, 16)
    new.look_up(state[c] >> 16, c, row=2)
    yield
    new.look_up(waiting, a, row=2)
    new.look_up(waiting >> 16, c, row=0)


def _split(new, state, a, c):
    """Look up columns `a` and `c`, half of each at a time; `c` is shifted while it waits, so it needs a copy."""
    new.look_up(state[a], a, row=0)
    new.look_up(state[c] >> 16, c, row=2)
    yield
    new.look_up(state[a] >> 16, a, row=2)
    new.look_up(state[c], c, row=0)


class _Columns:
    """The columns of the next state, while SubBytes, ShiftRows and MixColumns gather them from four tables."""

    def __init__(self, tables, step):
        self.tables, self.step, self.words = tables, step, [None] * 4

    def look_up(self, half, c, row):
        """Add what the two low bytes of `half` contribute, which are rows `row` and `row` + 1 of column `c`."""
        self._add((c - row * self.step) % 4, self.tables[row][half & 255])
        self._add((c - (row + 1) * self.step) % 4, self.tables[row + 1][half >> 8 & 255])

    def _add(self, c, entry):
        self.words[c] = entry if self.words[c] is None else self.words[c] ^ entry


def _add_keys_4x32(words, keys):
    for c in range(4):
        words[c] = words[c] ^ keys[c]


def _add_keys_2x64(words, keys):
    for c in (0, 2):
        both = load64(keys, c)
        words[c] = words[c] ^ low32(both)
        words[c + 1] = words[c + 1] ^ low32(both >> 32)


_TAKE_APART = {"merged": _merged, "split": _split}
_ADD_KEYS = {"4x32": _add_keys_4x32, "2x64": _add_keys_2x64}
