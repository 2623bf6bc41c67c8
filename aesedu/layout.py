"""Where a key schedule lies: the struct ``crypto_aes_ctx`` of Linux, the loads that read it, lines and pages.

Addresses and sizes are in bytes unless a name says otherwise.
"""

from typing import NamedTuple

LINE, PAGE, WORD = 64, 4096, 4
BASES = range(0, LINE, WORD)  # where in a line a struct of 32-bit words can begin
WIDTHS = (32, 64)  # bits of a load

# The fields in order, each with its number of 32-bit words: before source 000, with it, and in later versions of Linux.
_LENGTH, _KEYS = ("key_length", 1), (("key_enc", 60), ("key_dec", 60))
LAYOUTS = {
    "no padding": (_LENGTH, *_KEYS),
    "_pad1": (_LENGTH, ("_pad1", 1), *_KEYS),
    "length last": (*_KEYS, _LENGTH),
}
LONGEST = WORD * max(sum(words for _, words in fields) for fields in LAYOUTS.values())  # bytes
FIELD = {"encrypt": "key_enc", "decrypt": "key_dec"}  # what each direction reads


class Field(NamedTuple):
    """A field of a struct; ``offset`` and ``size`` in bytes."""

    name: str
    offset: int
    size: int


class Load(NamedTuple):
    """One load: its number from 0, its address and size in bytes."""

    number: int
    address: int
    size: int

    @property
    def crosses_line(self):
        """Whether its bytes lie in two cache lines."""
        return self.address // LINE != (self.address + self.size - 1) // LINE

    @property
    def crosses_page(self):
        """Whether its bytes lie in two pages."""
        return self.address // PAGE != (self.address + self.size - 1) // PAGE


def fields(layout) -> list[Field]:
    """The fields of one of LAYOUTS. All are 32-bit words, so a compiler puts nothing between them."""
    found, at = [], 0
    for name, words in LAYOUTS[layout]:
        found.append(Field(name, at, WORD * words))
        at += WORD * words
    return found


def offset(layout, direction):
    """Where in the struct the round keys of a direction ("encrypt" or "decrypt") begin."""
    return next(field.offset for field in fields(layout) if field.name == FIELD[direction])


def schedule_bytes(key_bits):
    """The size of Nr + 1 round keys: 176, 208 or 240 (FIPS-197 5.2)."""
    return 16 * (key_bits // 32 + 7)


def loads(address, size, width) -> list[Load]:
    """The loads of ``width`` bits, one behind the other, that read ``size`` bytes from ``address`` on."""
    step = width // 8
    return [Load(n, address + step * n, step) for n in range(size // step)]


def key_loads(layout, base, direction, key_bits, width) -> list[Load]:
    """The loads of ``width`` bits that bring all round keys of one block, for a struct that begins at ``base``."""
    return loads(base + offset(layout, direction), schedule_bytes(key_bits), width)


def crossings(layout, direction, key_bits, width) -> dict[int, int]:
    """How many of the key loads cross a line, for each of BASES."""
    found = {base: key_loads(layout, base, direction, key_bits, width) for base in BASES}
    return {base: sum(load.crosses_line for load in each) for base, each in found.items()}


class Spot(NamedTuple):
    """A place of a key schedule for timing: ``offset`` bytes past the start of a line, read by loads of ``width`` bits.

    ``across``: a page ends after two of its lines. ``again``: marks the control, which is offset 0 once more.
    """

    width: int
    offset: int
    across: bool = False
    again: bool = False

    @property
    def label(self):
        """Its name in charts, tables and records."""
        where = "0 again" if self.again else f"{self.offset} across a page" if self.across else f"{self.offset}"
        return f"{self.width}-bit loads, {where}"

    def crossing(self, key_bits):
        """How many loads of all round keys cross a line."""
        return sum(load.crosses_line for load in loads(self.offset, schedule_bytes(key_bits), self.width))


def spots(width) -> list[Spot]:
    """What is timed against offset 0: the other offsets, 0 itself as the control, and two across a page."""
    others = [Spot(width, base) for base in BASES[1:]]
    return [*others, Spot(width, 0, again=True), Spot(width, 0, across=True), Spot(width, 4, across=True)]
