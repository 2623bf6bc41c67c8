"""What the round explorer shows at one step: every value of one round, by look-ups and by FIPS-197's steps."""

import re
from functools import lru_cache
from typing import NamedTuple

from aesedu.cipher import fips197, ttable
from aesedu.cipher.fips197 import inv_mix_columns, mix_columns
from aesedu.cipher.key_schedule import expand_key
from aesedu.cipher.ttable import Lookup, to_bytes, to_words

DIRECTIONS = ("encrypt", "decrypt")  # decrypt is the equivalent inverse cipher


class Place(NamedTuple):
    """Where we are: ``word`` counts the words XORed into ``column``, from 0; round 0 only adds the key."""

    round: int
    column: int
    word: int

    def in_round(self, number):
        """The same column and, as far as that round has it, the same word."""
        return Place(number, self.column, min(self.word, words_a_column(number) - 1))


class Term(NamedTuple):
    """One of the words that are XORed into a column; words are 4 bytes, row 0 first."""

    label: str  # as code would have it: Te2[e0], rk[5]
    word: bytes
    total: bytes  # this word XORed with those before it
    lookup: Lookup | None = None  # None for a word of the state or of the round key


class Frame(NamedTuple):
    """One step of the explorer. States are 16 bytes, column-major; a step that the round lacks is None."""

    direction: str
    rounds: int
    place: Place
    known: Place  # up to where the picture shows the round: the place, or the round's end
    before: bytes
    after: bytes  # by the tables; ``added`` is the same by FIPS-197's steps
    sub_bytes: bytes | None
    shift_rows: bytes | None
    mix_columns: bytes | None
    round_key: bytes
    added: bytes
    terms: tuple[Term, ...]
    schedule_word: int  # which word w[i] of the key schedule the column's key word is, or is made from
    schedule: bytes  # that word

    @property
    def step(self):
        """1 or -1: how many columns further on ShiftRows or InvShiftRows finds the byte of the next row."""
        return ttable.ENCRYPT if self.direction == "encrypt" else ttable.DECRYPT

    @property
    def last(self):
        """Whether this is the last round, which has no (Inv)MixColumns."""
        return self.place.round == self.rounds

    @property
    def mixed_key(self):
        """Whether the round's key went through InvMixColumns (5.3.5)."""
        return self.direction == "decrypt" and 0 < self.place.round < self.rounds

    @property
    def term(self):
        """The word that is XORed in now."""
        return self.terms[self.place.word]

    @property
    def words(self):
        """The terms of the column that are known."""
        return self.terms if self.known.column > self.place.column else self.terms[: self.known.word + 1]

    @property
    def total(self):
        """What the column's known words come to."""
        return self.words[-1].total

    def target(self, row, column):
        """The column that a byte of the state before ends in."""
        return (column - row * self.step) % 4 if self.place.round else column

    def look_up(self, row, column):
        """The place where that byte of the state before is looked up, in round 0 where its column is taken."""
        return Place(self.place.round, self.target(row, column), row if self.place.round else 0)

    def moved(self, rows, columns):
        """The place of the byte so many rows down and columns right of the one looked up now, or last."""
        hits = [t.lookup for t in self.terms[: self.place.word + 1] if t.lookup]
        row, column = hits[-1][:2] if hits else (0, self.place.column)
        return self.look_up((row + rows) % 4, (column + columns) % 4)


def from_hex(name, digits, sizes):
    """The bytes of hexadecimal ``digits``; blanks, colons and 0x are passed over.

    Raises ValueError, with ``name`` in it, unless they are as many bytes as one of ``sizes``.
    """
    digits = re.sub(r"0x|[\s:]", "", digits.lower())
    if wrong := re.search("[^0-9a-f]", digits):
        raise ValueError(f"{name} has {wrong[0]!r} in it; use the hexadecimal digits 0 to 9 and a to f.")
    if len(digits) not in [2 * size for size in sizes]:
        allowed = " or ".join(", ".join(f"{2 * size}" for size in sizes).rsplit(", ", 1))
        raise ValueError(f"{name} has {len(digits)} hexadecimal digits; it needs {allowed}.")
    return bytes.fromhex(digits)


def words_a_column(round_number):
    """How many words a column of this round is the XOR of."""
    return 5 if round_number else 2


def rounds_of(key):
    """Nr of FIPS-197: 10, 12 or 14 for a key of 16, 24 or 32 bytes."""
    return len(key) // 4 + 6


def steps(rounds):
    """How many steps the whole of an encryption has."""
    return 8 + 20 * rounds


def place_of(step):
    """The place of step 0, 1, 2 ..."""
    number, rest = (0, step) if step < 8 else (1 + (step - 8) // 20, (step - 8) % 20)
    return Place(number, *divmod(rest, words_a_column(number)))


def step_of(place):
    """The step of a place, the inverse of ``place_of``."""
    return max(0, 20 * place.round - 12) + words_a_column(place.round) * place.column + place.word


@lru_cache(8)
def _states(key, block, direction):
    """For each round the state before, the steps' values (None where the round lacks one), its key, the state after."""
    inverse = direction == "decrypt"
    rounds = [{} for _ in range(rounds_of(key) + 1)]
    for number, name, value in fips197.trace(key, block, "equivalent inverse" if inverse else "encrypt"):
        rounds[number][name[inverse:]] = value  # the inverse's names have an i in front
    ends = [values["start"] for values in rounds[1:]] + [rounds[-1]["output"]]
    rounds[0]["start"] = rounds[0]["input"]
    names = ("start", "s_box", "s_row", "m_col", "k_sch")
    return tuple((*map(values.get, names), end) for values, end in zip(rounds, ends, strict=True))


def result(key, block, direction):
    """The block encrypted or decrypted."""
    return _states(bytes(key), bytes(block), direction)[-1][-1]


def frame(key, block, direction, place, whole=False):
    """The ``Frame`` of a place; with ``whole`` everything in its round is known.

    ``direction`` is "encrypt" or "decrypt". Raises ValueError or TypeError for a wrong key, block, direction or place.
    """
    if direction not in DIRECTIONS:
        raise ValueError(f"direction is 'encrypt' or 'decrypt', not {direction!r}")
    if not (step_of(place) < steps(rounds_of(key)) and place_of(step_of(place)) == place):
        raise ValueError(f"there is no {place}: rounds are 0 to {rounds_of(key)}, columns 0 to 3, words 0 to 4")
    before, sub, shift, mix, round_key, added = _states(bytes(key), bytes(block), direction)[place.round]
    columns = [_terms(direction, rounds_of(key), place.round, before, round_key, c) for c in range(4)]
    after = b"".join(terms[-1].total for terms in columns)
    used = place.round if direction == "encrypt" else rounds_of(key) - place.round
    schedule = expand_key(key)[used][4 * place.column :][:4]
    known = Place(place.round, 3, words_a_column(place.round) - 1) if whole else place
    return Frame(direction, rounds_of(key), place, known, before, after, sub, shift, mix, round_key, added,
                 columns[place.column], 4 * used + place.column, schedule)  # fmt: skip


def _terms(direction, rounds, number, before, round_key, c):
    """The words of column c, with their running XOR."""
    inverse = direction == "decrypt"
    key_word = f"{'dk' if inverse else 'rk'}[{4 * number + c}]", round_key[4 * c : 4 * c + 4], None
    if number == 0:
        words = [(f"s{c}", before[4 * c : 4 * c + 4], None), key_word]
    else:
        last = number == rounds
        tables = (ttable.TD_LAST if last else ttable.TD) if inverse else (ttable.TE_LAST if last else ttable.TE)
        found = ttable.lookups(tables, to_words(before), c, ttable.DECRYPT if inverse else ttable.ENCRYPT)
        words = [(_table(inverse, last, hit), to_bytes([hit.word]), hit) for hit in found] + [key_word]
    return _running(words)


def _table(inverse, last, hit):
    name = ("InvS" if inverse else "S") if last else f"{'Td' if inverse else 'Te'}{hit.row}"
    return f"{name}[{hit.index:02x}]"


def _running(words):
    total, terms = 0, []
    for label, word, lookup in words:
        total ^= to_words(word)[0]
        terms.append(Term(label, word, to_bytes([total]), lookup))
    return tuple(terms)


def coefficients(frame, row):
    """The four factors that take a byte of ``row`` into its column: a column of (Inv)MixColumns' matrix (5.1.3)."""
    unit = bytes(r == row for r in range(4))
    if frame.last:
        return unit
    return (mix_columns if frame.direction == "encrypt" else inv_mix_columns)(unit)
