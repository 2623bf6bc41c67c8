"""Exercises of notebook 03, Key schedule layout."""

import csv

from aesedu.exercises.definition import Exercise, Mistake


def _key_address(base, padded, direction, r):
    """By the C compiler's rules, as ctypes knows them."""
    import ctypes

    pad = [("_pad1", ctypes.c_uint32)] if padded else []
    keys = [(name, ctypes.c_uint32 * 60) for name in ("key_enc", "key_dec")]
    struct = type("Struct", (ctypes.Structure,), {"_fields_": [("key_length", ctypes.c_uint32), *pad, *keys]})
    return base + getattr(struct, "key_enc" if direction == "encrypt" else "key_dec").offset + r * 16


def _draw_addresses(random):
    return [
        (4 * random.randrange(0x400, 0x800), random.random() < 0.5, random.choice(["encrypt", "decrypt"]),
         random.randrange(15)) for _ in range(20)
    ]  # fmt: skip


KEY_ADDRESS = Exercise(
    name="key_address",
    notebook="03",
    stub='''
@exercise("key_address")
def key_address(base, padded, direction, r):
    """The address of round key `r` in a crypto_aes_ctx at `base` (roughly 3 lines).

    padded: with _pad1 (True) or without it (False); direction: "encrypt" reads
    key_enc, "decrypt" reads key_dec. Each of the two arrays has 60 words.
    """
    ...
''',
    solution='''
def key_address(base, padded, direction, r):
    key_enc = base + (8 if padded else 4)
    start = key_enc if direction == "encrypt" else key_enc + 4 * 60
    return start + 16 * r
''',
    hints=(
        "key_length takes the first 4 bytes, _pad1 the next 4 where there is one.",
        "key_enc has 60 words of 4 bytes, whatever the key size; key_dec begins after all of them.",
        "A round key is 16 bytes.",
    ),
    known=lambda: [
        ((0x1000, False, "encrypt", 0), 0x1004), ((0x1000, True, "encrypt", 0), 0x1008),
        ((0x1000, False, "decrypt", 0), 0x10F4), ((0x1000, True, "decrypt", 10), 0x1198),
    ],
    source="the struct of source 000, counted by hand",
    draw=_draw_addresses,
    oracle=_key_address,
    mistakes=(
        Mistake("(8 if padded else 4)", "4", "_pad1 is a word of its own: with it the arrays begin 4 bytes later."),
        Mistake("4 * 60", "60", "60 is a number of words. Addresses count bytes, 4 to a word."),
        Mistake("4 * 60", "4 * 44",
                "44 words are what AES-128 uses. The array has room for 60, and key_dec begins after all of it."),
        Mistake("16 * r", "4 * r", "A round key is four words of 4 bytes: 16 bytes."),
    ),
    digits=4,
)  # fmt: skip


def _words(key):
    from aesedu.cipher.key_schedule import expand_key

    return [round_key[n : n + 4] for round_key in expand_key(key) for n in range(0, 16, 4)]


def _appendix_a3():
    """The words of FIPS-197's example for 256-bit keys: the key's own, then the column w of its table."""
    from aesedu import data

    with data.path("vectors/fips197_key_expansion.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if len(row["key"]) == 64]
    key = bytes.fromhex(rows[0]["key"])
    return [((key,), [key[n : n + 4] for n in range(0, 32, 4)] + [bytes.fromhex(row["w"]) for row in rows])]


EXPAND_KEY_256 = Exercise(
    name="expand_key_256",
    notebook="03",
    stub='''
@exercise("expand_key_256")
def expand_key_256(key):
    """The 60 words of an AES-256 key schedule, each 4 bytes (roughly 10 lines).

    The cell above has imported sub_word, rot_word and RCON.
    """
    ...
''',
    solution='''
from aesedu.cipher.key_schedule import RCON, rot_word, sub_word


def expand_key_256(key):
    w = [key[4 * n : 4 * n + 4] for n in range(8)]
    for i in range(8, 60):
        temp = w[i - 1]
        if i % 8 == 0:
            temp = sub_word(rot_word(temp))
            temp = bytes(t ^ c for t, c in zip(temp, RCON[i // 8]))
        elif i % 8 == 4:
            temp = sub_word(temp)
        w.append(bytes(t ^ b for t, b in zip(temp, w[i - 8])))
    return w
''',
    hints=(
        "The first eight words are the key itself. Word i is w[i-8] XOR temp, and temp begins as w[i-1].",
        "Where i is a multiple of 8, temp goes through rot_word, then sub_word, then XOR with RCON[i // 8].",
        "There is one more case, for 256-bit keys alone: i mod 8 = 4.",
    ),
    known=_appendix_a3,
    source="FIPS-197 appendix A.3",
    draw=lambda random: [(random.randbytes(32),) for _ in range(10)],
    oracle=_words,
    mistakes=(
        Mistake("elif i % 8 == 4:\n            temp = sub_word(temp)\n        w", "w",
                "The case of 256-bit keys is missing: where i mod 8 is 4, temp goes through sub_word."),
        Mistake("            temp = sub_word(temp)", "            temp = sub_word(rot_word(temp))",
                "Where i mod 8 is 4 there is no rotation, only sub_word."),
        Mistake("sub_word(rot_word(temp))\n", "sub_word(temp)\n",
                "The rotation is missing where i is a multiple of 8."),
        Mistake("w[i - 8]", "w[i - 4]", "w[i-4] belongs to 128-bit keys: here Nk is 8."),
        Mistake("RCON[i // 8]", "RCON[i // 8][::-1]",
                "The round constant is added to byte 0 of the word, not to byte 3."),
        Mistake("range(8, 60)", "range(8, 52)", "52 words are AES-192's thirteen round keys; AES-256 has fifteen."),
    ),
    parts=("word", "byte"),
)  # fmt: skip


def _two_keys(schedule, width, granule):
    """Tries every offset, byte by byte, for every base that the allocator may return."""
    if _first_fit(0, schedule, width, granule) != 0:
        return []
    length = (second := _first_fit(schedule, schedule, width, granule)) + schedule
    return [0, second, length, _first_fit(length + 4, schedule, width, granule)]


def _first_fit(start, schedule, width, granule):
    """The least offset from ``start`` on at which no load of a schedule lies on two lines; None if there is none."""
    fits = (
        offset
        for offset in range(start, start + 64, 4)
        if all(
            len({(base + offset + first + byte) // 64 for byte in range(width)}) == 1
            for base in range(0, 64, granule)
            for first in range(0, schedule, width)
        )
    )
    return next(fits, None)


def _draw_structs(random):
    every = [(s, w, g) for s in (176, 208, 240) for w in (4, 8, 16, 32, 64) for g in (4, 8, 16, 64)]
    return random.sample(every, 24)


TWO_KEYS = Exercise(
    name="two_keys",
    notebook="03",
    stub='''
@exercise("two_keys")
def two_keys(schedule, width, granule):
    """Lay out two key schedules: [first, second, length, size] (roughly 6 lines).

    The struct holds two schedules of `schedule` bytes, then a length of 4 bytes: give
    the three offsets, each the least possible, and the size. No load of `width` bytes
    may lie on two lines, also in an array of such structs. The allocator returns any
    multiple of `granule`; where no layout can promise that much, return [].
    """
    ...
''',
    solution='''
def two_keys(schedule, width, granule):
    if granule % width:
        return []
    second = -(-schedule // width) * width
    length = second + schedule
    size = -(-(length + 4) // width) * width
    return [0, second, length, size]
''',
    hints=(
        "Loads of 8 bytes stay within a line if they all begin at multiples of 8. So where must each schedule begin?",
        "-(-n // width) * width is n rounded up to a multiple of width.",
        "In an array the next struct begins where this one ends, so the size is a multiple of width, too.",
        "The base is added to every offset: if it need not be a multiple of width, offsets cannot help.",
    ),
    known=lambda: [
        ((240, 8, 8), [0, 240, 480, 488]), ((176, 16, 16), [0, 176, 352, 368]), ((176, 64, 64), [0, 192, 368, 384]),
        ((176, 8, 4), []),
    ],
    source="examples worked by hand",
    draw=_draw_structs,
    oracle=_two_keys,
    mistakes=(
        Mistake("if granule % width:\n        return []\n    ", "",
                "The allocator may return a base that is no multiple of width, and it shifts every load: return []."),
        Mistake("granule % width", "width % granule",
                "The other way round: every multiple of the granule must be a multiple of the width."),
        Mistake("-(-schedule // width) * width", "schedule",
                "The second schedule begins where the first ends, which need not be a multiple of the width."),
        Mistake("-(-schedule // width) * width", "(schedule // width + 1) * width",
                "What is a multiple already stays as it is; this moves it on by a whole width."),
        Mistake("-(-(length + 4) // width) * width", "length + 4",
                "One struct is right. In an array the next one begins at this size, so round it up, too."),
    ),
    parts=("entry",),
)  # fmt: skip

EXERCISES = [KEY_ADDRESS, EXPAND_KEY_256, TWO_KEYS]
