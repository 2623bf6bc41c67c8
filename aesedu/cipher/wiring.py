"""The modes as wiring around one block: what each value is made from, and where it stands in a picture.

A wiring is one text. ``X 2,1 = P ^ C'`` says: X stands in lane 2 at level 1 and is P XOR the C of the block before
(C+ would be that of the block after). An entry without ``=`` is given. Pictures, steps and what is said about overlap
follow from these texts alone; ``mode_trace`` has the values, from the modes themselves. P is plaintext, C ciphertext;
E and D are CIPH and its inverse (SP 800-38A), IV, K, H, L and names in ``FIXED`` do not come from a block.
"""

import re
from functools import cache
from typing import NamedTuple

FIXED = ("IV", "Index", "i", "K", "H", "J0", "Ctr0", "S0", "Lengths", "L$", "Tag")


class Op(NamedTuple):
    """``sign`` for pictures, ``formula`` for texts; ``time`` in calls of the cipher, 0 where it hardly counts."""

    sign: str
    formula: str
    time: float = 0


OPS = {
    "E": Op("CIPH", "CIPH({})", 1),
    "D": Op("CIPH⁻¹", "CIPH⁻¹({})", 1),
    "E2": Op("CIPH, K2", "CIPH({}) under K2", 1),
    "^": Op("⊕", "{} ⊕ {}"),
    "* x": Op("· x", "{} · x"),
    "*": Op("·", "{} · {}", 0.4),  # a product in GF(2^128); its true time is the machine's affair
    "+": Op("+ 1", "{} + 1"),
    "|": Op("join", "{} and the end of {}"),
    "head": Op("cut", "the start of {}"),
    "=": Op("", "{}"),
}


class Line(NamedTuple):
    """One value and where it stands, in lanes and levels; ``op`` is "" and ``inputs`` empty where it is given."""

    name: str
    lane: float
    level: float
    op: str = ""
    inputs: tuple = ()


def parse(text):
    """Return the Lines of a wiring."""
    return tuple(_line(*entry.partition("=")[::2]) for entry in text.split(";") if text)


def _line(what, formula):
    name, place = what.split()
    lane, level = map(float, place.split(","))
    return Line(name, lane, level, *_formula(formula.strip()))


def _formula(text):
    if not text:
        return "", ()
    if call := re.fullmatch(r"(\w+)\((\S+)\)", text):
        return call[1], (call[2],)
    first, *rest = text.split()
    if not rest:
        return "=", (first,)
    sign, second = rest
    if sign == "+" or second == "x":
        return "+" if sign == "+" else "* x", (first,)
    return sign, (first, second)


_COUNTER = "T' 0,0; T 0,1 = T' + 1; O 0,2 = E(T)"
_XEX = "P 2,0; X 2,1 = P ^ T; Y 2,2 = E(X); C 2,3 = Y ^ T"
_TWEAK = "T' 1,.5; T 1,1.5 = T' * x"
_OFFSET = "L 0,1.5; Offset' 1,1; Offset 1,2 = Offset' ^ L"

# (mode, direction) -> one block's wiring. Where decryption is not listed, P and C (and E and D) change places.
_EACH = {
    ("ECB", "enc"): "P 1.5,0; C 1.5,1 = E(P)",
    ("CBC", "enc"): "P 2,0; C' 1,.5; X 2,1 = P ^ C'; C 2,2 = E(X)",
    ("CBC", "dec"): "C 2,0; C' 1,1.5; Y 2,1 = D(C); P 2,2 = Y ^ C'",
    ("CFB128", "enc"): "C' 2,0; O 2,1 = E(C'); P 1,1.5; C 2,2 = P ^ O",
    ("CFB128", "dec"): "C' 2,0; O 2,1 = E(C'); C 1,1.5; P 2,2 = C ^ O",
    ("OFB", "enc"): "O' 2,0; O 2,1 = E(O'); P 1,1.5; C 2,2 = P ^ O",
    ("OFB", "dec"): "O' 2,0; O 2,1 = E(O'); C 1,1.5; P 2,2 = C ^ O",
    ("CTR", "enc"): "T' 2,0; T 2,1 = T' + 1; O 2,2 = E(T); P 1,2.5; C 2,3 = P ^ O",
    ("CTR", "dec"): "T' 2,0; T 2,1 = T' + 1; O 2,2 = E(T); C 1,2.5; P 2,3 = C ^ O",
    ("LRW", "enc"): f"I' 1,0; I 1,1 = I' + 1; K 0,1.5; T 1,2 = I * K; {_XEX}",
    ("XTS", "enc"): f"{_TWEAK}; {_XEX}",
    ("CCM", "enc"): f"{_COUNTER}; P 1,1.5; C 1,2.5 = P ^ O; M' 2,1; Z 2,2 = P ^ M'; M 2,3 = E(Z)",
    ("CCM", "dec"): f"{_COUNTER}; C 1,1.5; P 1,2.5 = C ^ O; M' 2,2; Z 2,3 = P ^ M'; M 2,4 = E(Z)",
    ("GCM", "enc"): f"{_COUNTER}; P 1,1.5; C 1,2.5 = P ^ O; Y' 2,2; Z 2,3 = C ^ Y'; H 3,3.5; Y 2,4 = Z * H",
    ("GCM", "dec"): f"{_COUNTER}; C 1,1.5; P 1,2.5 = C ^ O; Y' 2,1; Z 2,2 = C ^ Y'; H 3,2.5; Y 2,3 = Z * H",
    ("OCB", "enc"): f"{_OFFSET}; P 2,.5; X 2,1.5 = P ^ Offset; Y 2,2.5 = E(X); C 2,3.5 = Y ^ Offset;"
    "Checksum' 3,0; Checksum 3,1 = Checksum' ^ P",
    ("OCB", "dec"): f"{_OFFSET}; C 2,0; X 2,1 = C ^ Offset; Y 2,2 = D(X); P 2,3 = Y ^ Offset;"
    "Checksum' 3,2.5; Checksum 3,3.5 = Checksum' ^ P",
}

# What stands in the first block for what comes from the block before: texts to replace, in turn.
_FIRST = {
    "CBC": [("C'", "IV")],
    "CFB128": [("C'", "IV")],
    "OFB": [("O'", "IV")],
    "CTR": [("T' + 1", "IV"), ("T'", "IV")],
    "LRW": [("I' + 1", "Index"), ("I'", "Index")],
    "XTS": [("T' * x", "E2(i)"), ("T'", "i")],
    "CCM": [("T'", "Ctr0")],
    "GCM": [("T'", "J0")],
}

# XTS, where the last part is shorter than a block: the last whole block, and the part. T+ is T of the block after.
_STEALING = {
    "enc": (
        f"{_TWEAK}; {_XEX}".replace("C 2", "CC 2"),
        "T' 0,1.5; T 0,2.5 = T' * x; CC' 1,0; P 2,.5; PP 1,1 = P | CC'; C 3,.5 = head(CC');"
        "X 1,2 = PP ^ T; Y 1,3 = E(X); C' 1,4 = Y ^ T",
    ),
    "dec": (
        "T' 1,.5; T 1,1.5 = T' * x; T+ 1,2.5 = T * x; C 2,0; X 2,1 = C ^ T+; Y 2,2 = D(X); PP 2,3 = Y ^ T+",
        "PP' 1,0; C 2,.5; CC 1,1 = C | PP'; P 3,.5 = head(PP'); T' 0,2;X 1,2 = CC ^ T'; Y 1,3 = D(X); P' 1,4 = Y ^ T'",
    ),
}

# How the tag comes about after the last block, without associated data.
_TAG = {
    "CCM": "Ctr0 1,.5; S0 1,1.5 = E(Ctr0); M' 2,1; Tag 2,2 = M' ^ S0",
    "GCM": "Y' 2,0; Lengths 1,.5; Z 2,1 = Y' ^ Lengths; H 3,1.5; Y 2,2 = Z * H; J0 1,1.5; S0 1,2.5 = E(J0);"
    "Tag 2,3 = Y ^ S0",
    "OCB": "Checksum' 2,0; Offset' 1,.5; X 2,1 = Checksum' ^ Offset'; L$ 3,1.5; Z 2,2 = X ^ L$; Tag 2,3 = E(Z)",
}

MODES = tuple(dict.fromkeys(mode for mode, _ in _EACH))


def _swapped(text):
    return text.translate(str.maketrans("PCED", "CPDE"))


@cache
def wiring(mode, direction):
    """Return the Lines of a block with others before it; ``direction`` is "enc" or "dec". Raises ValueError."""
    if mode not in MODES or direction not in ("enc", "dec"):
        raise ValueError(f"there is no wiring of {mode!r} {direction!r}; modes: {', '.join(MODES)}; enc or dec")
    return parse(_text(mode, direction))


def _text(mode, direction):
    return _EACH.get((mode, direction)) or _swapped(_EACH[mode, "enc"])


def first(mode, direction):
    """Return the Lines of the first block."""
    return parse(_as_first(mode, _text(mode, direction)))


def _as_first(mode, text):
    for old, new in _FIRST.get(mode, ()):
        text = text.replace(old, new)
    return text


def stealing(direction, alone=False):
    """Return the Lines of XTS's last whole block and of the part after it; ``alone``: no block before the two."""
    whole, part = _STEALING[direction]
    return parse(_as_first("XTS", whole) if alone else whole), parse(part)


def tag(mode):
    """Return the Lines of the tag, () for a mode without one."""
    return parse(_TAG.get(mode, ""))


def label(name, number):
    """Return a value's name in block ``number``: C' in block 2 is C1."""
    if name == "L":
        return f"L{(number & -number).bit_length() - 1}"  # L_{ntz(i)}, RFC 7253
    if name in FIXED:
        return name
    base = name.rstrip("'+")
    return f"{base}{' ' * (len(base) > 2)}{number - name.count(chr(39)) + name.count('+')}"


def formula(line, number):
    """Return how a value is made, in words and signs: "P2 ⊕ C1"."""
    return OPS[line.op].formula.format(*(label(name, number) for name in line.inputs))


# --- which blocks can overlap -----------------------------------------------------------------------------------------


class Call(NamedTuple):
    """A use of the cipher, or a product: block, Line, start and end, counted in calls of the cipher."""

    block: int
    line: Line
    start: float
    end: float


def schedule(mode, direction, blocks=4, steals=False):
    """Return the earliest Calls, everything given at time 0 and with room for any number at once.

    ``steals``: the last block is a short one of XTS.
    """
    ready, calls = {}, []
    ends = stealing(direction) if steals else ()
    plan = [wiring(mode, direction)] * (blocks - len(ends)) + [*ends]
    for number, lines in enumerate(plan, start=1):
        for line in lines:
            if line.op:
                start = max(ready.get(label(name, number), 0) for name in line.inputs)
                ready[label(line.name, number)] = end = start + OPS[line.op].time
                if end > start:
                    calls.append(Call(number, line, start, end))
    return calls


def waits(mode, direction):
    """Return {name: chain} for each use of the cipher and each product: why block 2's has to wait for block 1's.

    The chain is the (Line, block) pairs from the one to the other, both included; () where no block has to wait.
    """
    lines = {line.name: line for line in wiring(mode, direction)}
    uses = [line for line in lines.values() if line.op and OPS[line.op].time]
    return {use.name: _chain(lines, use, 2, (use, 1)) for use in uses}


def overlaps(mode, direction):
    """Return whether no block has to wait for another: all can be worked on at once."""
    return not any(waits(mode, direction).values())


def _chain(lines, line, block, goal):
    """Follow inputs, from block to block where they are primed, until ``goal`` is met."""
    if (line, block) == goal:
        return (goal,)
    for name in line.inputs if block else ():
        made = lines.get(name.rstrip("'"))
        if made and (found := _chain(lines, made, block - name.count("'"), goal)):
            return ((line, block), *found)
    return ()
