"""Exercises of notebook 01, T-table rounds. Words are little-endian: row r of a column is bits 8r to 8r + 7."""

from aesedu.exercises.definition import Exercise, Mistake

_X_TIMES = [0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1B]  # x times each bit; FIPS-197 4.2.1 for the last


def _xtime(b):
    """The map is linear: the XOR of what becomes of each bit."""
    result = 0
    for bit, image in enumerate(_X_TIMES):
        result ^= image * (b >> bit & 1)
    return result


XTIME = Exercise(
    name="xtime",
    notebook="01",
    stub='''
@exercise("xtime")
def xtime(b):
    """The byte `b` times x in GF(2^8), modulo x^8 + x^4 + x^3 + x + 1 (roughly 2 lines)."""
    ...
''',
    solution='''
def xtime(b):
    doubled = b << 1
    return doubled ^ 0x11B if b & 0x80 else doubled
''',
    hints=(
        "Times x moves every bit one place up: b << 1. What if the top bit was 1?",
        "Then bit 8 stands for x^8, and x^8 = x^4 + x^3 + x + 1: XOR with 0x11B clears bit 8 and adds the rest.",
    ),
    known=lambda: [((0x57,), 0xAE), ((0xAE,), 0x47), ((0x47,), 0x8E), ((0x8E,), 0x07)],
    source="FIPS-197 4.2.1",
    draw=lambda random: [(b,) for b in range(256)],
    oracle=_xtime,
    mistakes=(
        Mistake("doubled ^ 0x11B if b & 0x80 else doubled", "doubled",
                "The result has nine bits where the top bit of b is 1: reduce it by the polynomial, 0x11B."),
        Mistake("doubled ^ 0x11B if b & 0x80 else doubled", "doubled & 0xFF",
                "The bit that fell off stood for x^8, equal to x^4 + x^3 + x + 1: XOR 0x1B where b has its top bit."),
        Mistake("doubled ^ 0x11B if b & 0x80 else doubled", "(doubled ^ 0x1B) & 0xFF",
                "Reduce only where the top bit of b is 1; otherwise there is no x^8 to replace."),
        Mistake("doubled ^ 0x11B if b & 0x80 else doubled", "doubled % 0x11B",
                "% divides integers, with carries. In this field subtraction is XOR: ^ 0x11B where b has its top bit."),
        Mistake("0x11B", "0x1B", "Bit 8 is still there: XOR with 0x11B, or cut the result to eight bits."),
        Mistake("0x11B", "0x11D", "0x11D belongs to the field of Reed-Solomon codes; that of AES has 0x11B."),
        Mistake("b & 0x80", "b & 80", "80 is decimal: the top bit of a byte is 0x80."),
    ),
    digits=2,
)  # fmt: skip


def _te0(sbox):
    """Each entry as MixColumns of the column (s, 0, 0, 0), FIPS-197 5.1.3."""
    from aesedu.cipher.fips197 import mix_columns

    return [int.from_bytes(mix_columns(bytes([s, 0, 0, 0] * 4))[:4], "little") for s in sbox]


def _known_te0():
    from aesedu.cipher import fips197, ttable

    return [((fips197.SBOX,), list(ttable.TE0))]


def _shuffled(random):
    return [(bytes(random.sample(range(256), 256)),)]


TE0 = Exercise(
    name="te0",
    notebook="01",
    stub='''
@exercise("te0")
def te0(sbox):
    """The 256 words of Te0 for an S-box of 256 bytes (roughly 5 lines).

    Entry x is the column (2s, s, s, 3s) with s = sbox[x], as a little-endian word.
    """
    ...
''',
    solution='''
def te0(sbox):
    table = []
    for s in sbox:
        double = s << 1 ^ (0x11B if s & 0x80 else 0)
        table.append(int.from_bytes([double, s, s, double ^ s], "little"))
    return table
''',
    hints=(
        "2s is xtime(s), and 3s is 2s ^ s.",
        'int.from_bytes([row0, row1, row2, row3], "little") makes the word; row 0 becomes its lowest byte.',
    ),
    known=_known_te0,
    source="the tables of AES",
    draw=_shuffled,
    oracle=_te0,
    mistakes=(
        Mistake('"little"', '"big"',
                "2s and 3s have changed places: row 0 (2s) is the lowest byte of the word, so Te0[0] is 0xa56363c6."),
        Mistake("in sbox", "in range(256)", "The S-box is missing: entry x is made from s = sbox[x]."),
        Mistake("s << 1 ^ (0x11B if s & 0x80 else 0)", "s << 1 & 0xFF",
                "2s is not reduced by 0x11B where the top bit of s is 1."),
        Mistake("[double, s, s, double ^ s]", "[double ^ s, double, s, s]",
                "That is Te1: the same bytes, turned by one row."),
        Mistake("double ^ s]", "double + s & 0xFF]", "3s is 2s ^ s: addition in this field is XOR, without carries."),
    ),
    parts=("entry",),
    digits=8,
)  # fmt: skip


def _words(state):
    return [int.from_bytes(state[i : i + 4], "little") for i in range(0, 16, 4)]


def _tables():
    from aesedu.cipher import ttable

    return [list(table) for table in (ttable.TE0, ttable.TE1, ttable.TE2, ttable.TE3)]


def _column(_tables, words, key_word, c):
    """A round the FIPS-197 way, of which one column is taken."""
    from aesedu.cipher.fips197 import mix_columns, shift_rows, sub_bytes

    state = b"".join(word.to_bytes(4, "little") for word in words)
    return _words(mix_columns(shift_rows(sub_bytes(state))))[c] ^ key_word


def _known_columns():
    """Round 1 of appendix B: state, round key 1, state at the start of round 2."""
    texts = "193de3bea0f4e22b9ac68d2ae9f84808", "a0fafe1788542cb123a339392a6c7605", "a49c7ff2689f352b6b5bea43026a5049"
    state, key, after = (_words(bytes.fromhex(text)) for text in texts)
    return [((_tables(), state, key[c], c), after[c]) for c in range(4)]


COLUMN = Exercise(
    name="column",
    notebook="01",
    stub='''
@exercise("column")
def column(tables, words, key_word, c):
    """Column `c` after a middle round, as a little-endian word (roughly 4 lines).

    tables: Te0 to Te3; words: the four columns before the round, row r in bits 8r to
    8r + 7; key_word: the word of the round key for column c.
    """
    ...
''',
    solution='''
def column(tables, words, key_word, c):
    result = key_word
    for r in range(4):
        byte = words[(c + r) % 4] >> 8 * r & 0xFF
        result ^= tables[r][byte]
    return result
''',
    hints=(
        "Row r takes its byte from column c + r, counted round: ShiftRows has moved it r places to the left.",
        "Row r of a word is word >> 8 * r & 0xFF, and it is looked up in tables[r].",
        "XOR the four table words and the key word.",
    ),
    known=_known_columns,
    source="FIPS-197 appendix B",
    draw=lambda random: [(_tables(), _words(random.randbytes(16)), random.getrandbits(32), c % 4) for c in range(12)],
    oracle=_column,
    mistakes=(
        Mistake("c + r", "c - r",
                "The rows move the other way: row r comes from column c + r. c - r is right for decryption."),
        Mistake("(c + r) % 4", "c", "ShiftRows is missing: row r comes from column c + r, counted round."),
        Mistake("tables[r]", "tables[0]",
                "Row r is looked up in tables[r]. Te0 alone would need its words rotated by r bytes."),
        Mistake("result = key_word", "result = 0", "The key word is missing: AddRoundKey is the fourth XOR."),
        Mistake("8 * r", "8 * (3 - r)", "Row 0 is the lowest byte of a word, not the highest: shift by 8 * r."),
        Mistake("result ^=", "result |=", "That is OR. The four products of a column are added, and addition is XOR."),
    ),
    digits=8,
)  # fmt: skip


# k_sch and ik_sch of the key 00 01 ... 0f
_KEYS = """
000102030405060708090a0b0c0d0e0f d6aa74fdd2af72fadaa678f1d6ab76fe b692cf0b643dbdf1be9bc5006830b3fe
b6ff744ed2c2c9bf6c590cbf0469bf41 47f7f7bc95353e03f96c32bcfd058dfd 3caaa3e8a99f9deb50f3af57adf622aa
5e390f7df7a69296a7553dc10aa31f6b 14f9701ae35fe28c440adf4d4ea9c026 47438735a41c65b9e016baf4aebf7ad2
549932d1f08557681093ed9cbe2c974e 13111d7fe3944a17f307a78b4d2b30c5
"""
_INVERSE_KEYS = """
13111d7fe3944a17f307a78b4d2b30c5 13aa29be9c8faff6f770f58000f7bf03 1362a4638f2586486bff5a76f7874a83
8d82fc749c47222be4dadc3e9c7810f5 72e3098d11c5de5f789dfe1578a2cccb 2ec410276326d7d26958204a003f32de
a8a2f5044de2c7f50a7ef79869671294 c7c6e391e54032f1479c306d6319e50c a0db02992286d160a2dc029c2485d561
8c56dff0825dd3f9805ad3fc8659d7fd 000102030405060708090a0b0c0d0e0f
"""


def _in_16s(text):
    return [bytes.fromhex(key) for key in text.split()]


def _inverse_round_keys(round_keys):
    """MixColumns has order 4, so InvMixColumns is MixColumns three times."""
    from aesedu.cipher.fips197 import mix_columns

    middle = [mix_columns(mix_columns(mix_columns(key))) for key in round_keys[1:-1]]
    return [round_keys[-1], *middle[::-1], round_keys[0]]


INVERSE_ROUND_KEYS = Exercise(
    name="inverse_round_keys",
    notebook="01",
    stub='''
@exercise("inverse_round_keys")
def inverse_round_keys(round_keys):
    """Round keys of the equivalent inverse cipher, in order of use (roughly 2 lines).

    round_keys: the 11, 13 or 15 round keys of encryption, 16 bytes each, in order of
    use. The cell above has imported inv_mix_columns.
    """
    ...
''',
    solution='''
from aesedu.cipher.fips197 import inv_mix_columns


def inverse_round_keys(round_keys):
    first, *middle, last = round_keys
    return [last, *(inv_mix_columns(key) for key in reversed(middle)), first]
''',
    hints=(
        "Decryption begins with the last round key of encryption.",
        "InvMixColumns has moved in front of AddRoundKey, so the keys it now meets must pass through it too. "
        "Which rounds have no InvMixColumns?",
        "first, *middle, last = round_keys; only the middle ones change.",
    ),
    known=lambda: [((_in_16s(_KEYS),), _in_16s(_INVERSE_KEYS))],
    source="FIPS-197 appendix C.1",
    draw=lambda random: [([random.randbytes(16) for _ in range(count)],) for count in (11, 13, 15)],
    oracle=_inverse_round_keys,
    mistakes=(
        Mistake("[last, *(inv_mix_columns(key) for key in reversed(middle)), first]",
                "[inv_mix_columns(key) for key in reversed(round_keys)]",
                "The first and the last key stay as they are: no InvMixColumns follows in those rounds."),
        Mistake("inv_mix_columns(key) for key", "key for key",
                "The order is right; the middle keys have not been through InvMixColumns."),
        Mistake("reversed(middle)", "middle", "The middle keys are in the order of encryption: turn them round too."),
        Mistake("[last, *(inv_mix_columns(key) for key in reversed(middle)), first]",
                "[first, *(inv_mix_columns(key) for key in middle), last]",
                "This is the order of encryption. Decryption begins with the last round key."),
        Mistake("inv_mix_columns", "mix_columns", "That is MixColumns; the inverse cipher needs InvMixColumns."),
    ),
    parts=("round key", "byte"),
)  # fmt: skip

EXERCISES = [XTIME, TE0, COLUMN, INVERSE_ROUND_KEYS]
