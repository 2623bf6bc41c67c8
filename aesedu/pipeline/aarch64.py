"""A64 instructions, as the cycle model sees them.

The operands that an instruction may have are regular expressions over their letters: w x words, P p their stack
pointers; k t j g q vectors as scalars of 1 to 16 bytes; a A h H f F d D Q as lanes (8b 16b 4h 8h 2s 4s 1d 2d 1q), and
{ before these a list; 0 1 2 3 one lane of 1 to 8 bytes; # immediate, < a shift, e an extension; m memory, L a label.
"""

import re
from itertools import pairwise

from aesedu.pipeline.operation import Operation, Place, Unknown, label, number, operands, table

_ADD = "([xp][xp]([#o]<?|x|[wx]e)|xxx<|[wP][wP]([#o]<?|w|we)|www<)"
_SAME = "([aAhHfFD])"
_WORDS = table(
    ("alu", _ADD, "add sub"),
    ("alu", f"(?![pP]){_ADD}", "adds subs"),
    ("alu", "(www|xxx)<?|(xx|ww|px|Pw)#", "and orr eor"),
    ("alu", "(www|xxx)<?|(xx|ww)#", "ands"),
    ("alu", "(www|xxx)<?", "bic eon"),
    ("alu", "(ww|xx)<?", "mvn neg"),
    ("alu", "x#|w#|(xx|ww)<?", "tst"),
    ("alu", "[xp](#<?|x|[wx]e)|xx<|[wP](#<?|w|we)|ww<", "cmp cmn"),
    ("alu", "ww|xx", "rev rev16"),
    ("alu", "xx", "rev32"),
    ("alu", "[wx]#<?", "movz"),
    ("alu", "xL", "adr adrp"),
    ("shift", "ww[w#]|xx[x#]", "lsl lsr asr"),
    ("rotate", "ww[w#]|xx[x#]", "ror"),
    ("byte", "(ww|xx)##", "ubfx sbfx"),
    ("byte", "ww", "uxtb uxth"),
    ("byte", "[wx]w", "sxtb sxth"),
    ("byte", "xw", "sxtw"),
    ("merge", "(ww|xx)##", "bfi bfxil"),
    ("merge", "[wx]#<?", "movk"),
    ("mul", "www|xxx", "mul"),
    ("mul", "wwww|xxxx", "madd msub"),
    ("mul", "xxx", "umulh"),
    ("move", "[xp][xp]|[wP][wP]|[wx]#", "mov"),
    ("branch", "L", "b"),
    ("branch", "[wx]L", "cbz cbnz"),
    ("branch", "[wx]#L", "tbz tbnz"),
)
_VECTORS = table(
    ("vlogic", "AAA|aaa", "eor and orr bic"),
    ("vlogic", "AA|aa", "mvn"),
    ("vlogic", "[aADg]#|[hHfF]#<?", "movi"),
    ("vlogic", "AAAA", "eor3"),
    ("vadd", _SAME + r"\1\1|ggg", "add sub"),
    ("vshift", _SAME + r"\1#|gg#", "shl ushr sshr sri sli"),
    ("vshuffle", "AAA#|aaa#", "ext"),
    ("vshuffle", r"([aAhHfF])\1", "rev64"),
    ("vshuffle", r"([aAhH])\1", "rev32"),
    ("vshuffle", _SAME + r"\1\1", "zip1 zip2 uzp1 uzp2 trn1 trn2"),
    ("vshuffle", "[aA][0w]|[hH][1w]|[fF][2w]|D[3x]", "dup"),
    ("vbytes", "A{AA|a{Aa", "tbl"),
    ("aes", "AA", "aese aesd aesmc aesimc"),
    ("clmul", "Qdd|Haa", "pmull"),
    ("clmul", "QDD|HAA", "pmull2"),
    ("vmove", r"AA|aa|[012]w|3x|([0-3])\1|w2|x3", "mov"),
    ("insert", r"[012]w|3x|([0-3])\1", "ins"),
    ("insert", "gx|jw|xg|wj|gg|jj", "fmov"),
    ("extract", "w[012]|x3", "umov"),
)
_KEEPS = {"aese", "aesd", "bfi", "bfxil", "movk", "sri", "sli"}  # what the register held goes into the result
_FLAGS = {"adds", "subs", "ands", "cmp", "cmn", "tst"}
_COMPARES = {"cmp", "cmn", "tst"}
_CONDITION = re.compile("eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al")
_LOADS = {"ldr": 0, "ldur": 0, "ldp": 0, "ld1": 0, "ldrb": 1, "ldrh": 2, "ldrsw": 4}
_STORES = {"str": 0, "stur": 0, "stp": 0, "st1": 0, "strb": 1, "strh": 2}
_MEMORY = table(
    ("", "[wxktjgq]m#?|[wxjgq][L=]", "ldr"),
    ("", "[wxktjgq]m#?", "str"),
    ("", "[wxktjgq]m", "ldur stur"),
    ("", "(ww|xx|jj|gg|qq)m#?", "ldp stp"),
    ("", "{[aAhHfFdD]m#?", "ld1 st1"),
    ("", "wm#?", "ldrb ldrh strb strh"),
    ("", "xm#?", "ldrsw"),
)
_LANES = {"8b": "a", "16b": "A", "4h": "h", "8h": "H", "2s": "f", "4s": "F", "1d": "d", "2d": "D", "1q": "Q"}
_BITS = dict(zip("wxPpaAhHfFdDgktjq", (32, 64, 32, 64, 8, 8, 16, 16, 32, 32, 64, 64, 64, 8, 16, 32, 128), strict=True))
_WORD, _VECTOR, _LANE = r"(?:\d|[12]\d|30|zr)", r"(?:\d|[12]\d|3[01])", "(8b|16b|4h|8h|2s|4s|1d|2d|1q)"
_LETTERS = tuple(
    (re.compile(pattern), letter)
    for pattern, letter in (
        (rf"([wx]){_WORD}", lambda found: found[1]),
        (r"w?sp", lambda found: "pP"[len(found[0]) > 2]),
        (rf"([bhsdq]){_VECTOR}", lambda found: "ktjgq"["bhsdq".index(found[1])]),
        (rf"v{_VECTOR}\.{_LANE}", lambda found: _LANES[found[1]]),
        (rf"v{_VECTOR}\.(b\[(1[0-5]|\d)|h\[[0-7]|s\[[0-3]|d\[[01])\]", lambda found: str("bhsd".index(found[1][0]))),
        (rf"\{{\s*v\d+\.{_LANE}(\s*[-,]\s*v\d+\.\1)*\s*\}}", lambda found: _list(found)),
        (r"#-?\w+|-?(0x[\da-fA-F]+|\d+)", lambda found: "#"),  # compilers leave out the sign
        (r"#?:lo12:[\w.$]+", lambda found: "o"),
        (r"(lsl|lsr|asr|ror) ?#?\w+", lambda found: "<"),
        (r"[us]xt[bhwx]( #?[0-4])?", lambda found: "e"),
        (r"\[.*\]!?", lambda found: "m"),
        (r"=[\w.$]+", lambda found: "="),
        (r"([A-Za-z_.$][\w.$]*|\d+[bf])([-+]\w+)*", lambda found: "L"),
    )
)
_RANGE = re.compile(r"v(\d\d?)\.\w+\s*-\s*v(\d\d?)\.\w+")  # {v0.16b-v3.16b}
_REGISTER = re.compile(r"(?<![\w#.])(?:([wxvqdshb])(\d+)|w?sp)\b")
_ADDRESS = re.compile(r"\[(\w+)(?:,\s*(#?-?\w+)(?:,\s*([a-z]+)(?:\s*#?(\d))?)?)?\](!?)")


def read(text):
    """The Operation of a line. Raises Unknown."""
    mnemonic, parts = operands(text)
    letters = [_letter(part) for part in parts]
    shape = "".join(letters)
    if mnemonic in _MEMORY:
        return _memory(text, mnemonic, parts, shape)
    name, dot, condition = mnemonic.partition(".")
    vector = bool(re.search("[aAhHfFdDQktjgq0-3]", shape))
    kind, form = (_VECTORS if vector else _WORDS).get(name, ("", "(?!)"))
    if not re.fullmatch(form, shape) or dot and (name != "b" or not _CONDITION.fullmatch(condition)):
        raise Unknown
    numbers = [number(part.lstrip("#")) for part, letter in zip(parts, letters, strict=True) if letter == "#"]
    shift = re.fullmatch(r"([a-z]+) ?#?(\w+)", parts[-1]) if shape[-1] == "<" else None
    if not _fits(name, kind, shape, numbers) or shift and not _shifts(name, shape, shift[1], number(shift[2])):
        raise Unknown
    registers = [r for part, letter in zip(parts, letters, strict=True) if letter not in "Lo" for r in _registers(part)]
    if kind == "branch":
        return Operation(text, kind, (*registers, *(("flags",) if dot else ())))
    if name in ("mov", "fmov") and vector:
        kind = _move(parts)
    return _plain(text, name, kind, registers, parts, vector)


def _letter(operand):
    for pattern, letter in _LETTERS:
        if found := pattern.fullmatch(operand):
            return letter(found)
    raise Unknown


def _list(found):
    """The letters of up to four registers that follow one another."""
    numbers = [int(register[1:]) for register in _registers(found[0])]
    if not 0 < len(numbers) <= 4 or any((b - a) % 32 != 1 for a, b in pairwise(numbers)) or max(numbers) > 31:
        raise Unknown
    return "{" + _LANES[found[1]]


def _fits(name, kind, shape, numbers):
    """Whether the immediates can be encoded."""
    if not numbers:
        return True
    n, bits = numbers[0], _BITS[shape[0]]
    if kind in ("shift", "rotate") or name in ("tbz", "tbnz", "shl", "sli"):
        return 0 <= n < bits
    if kind == "vshift":
        return 0 < n <= bits
    if len(numbers) == 2:  # a field
        return 0 <= n < bits and 0 < numbers[1] <= bits - n
    if name == "ext":
        return 0 <= n < (16 if shape[0] == "A" else 8)
    if name in ("movz", "movk"):
        return 0 <= n < 1 << 16
    if name == "movi":
        return 0 <= n < 256 if shape[0] not in "Dg" else all(byte in (0, 255) for byte in _bytes(n, 64))
    if name in ("mov", "and", "orr", "eor", "ands", "tst"):
        fits = _repeats(n, bits) or name == "mov" and _moves(n, bits)
        return fits and -1 << (bits - 1) <= n < 1 << bits
    return abs(n) < 1 << 12 or "<" not in shape and n % 4096 == 0 and abs(n) < 1 << 24


def _shifts(name, shape, how, n):
    """Whether the last operand can shift the one before it."""
    if name in ("movz", "movk"):
        return how == "lsl" and n in range(0, _BITS[shape[0]], 16)
    if name == "movi":
        return how == "lsl" and n in range(0, _BITS[shape[0]], 8)
    if "#" in shape:
        return how == "lsl" and n in (0, 12)
    return n < _BITS[shape[0]] and (how != "ror" or name in ("and", "orr", "eor", "bic", "eon", "mvn", "ands", "tst"))


def _bytes(n, bits):
    return (n & (1 << bits) - 1).to_bytes(bits // 8, "little")


def _moves(n, bits):
    """Whether all 16 bits but one time are zeros, or ones: MOVZ or MOVN."""
    halves = memoryview(_bytes(n, bits)).cast("H")
    return any(sum(half != same for half in halves) < 2 for same in (0, 0xFFFF))


def _repeats(n, bits):
    """Whether a number is one run of ones, turned, and repeated: an immediate of logic."""
    n &= (1 << bits) - 1
    for size in (2, 4, 8, 16, 32, 64):
        one = n & (1 << size) - 1
        if size <= bits and n == sum(one << at for at in range(0, bits, size)):
            return (one ^ (one >> 1 | (one & 1) << (size - 1))).bit_count() == 2
    return False


def _plain(text, name, kind, registers, parts, vector):
    flags = ("flags",) if name in _FLAGS else ()
    if name in _COMPARES:
        return Operation(text, kind, tuple(registers), flags)
    keeps = name in _KEEPS or "[" in parts[0]
    target, sources = _registers(parts[0]), registers[1:]
    reads = target * keeps + sources
    moved = _moved(name, target, parts) or tuple((r, "", 0) for r in target)
    return Operation(text, kind, tuple(dict.fromkeys(reads)), (*target, *flags), moved=moved, vector=vector)


def _move(parts):
    """MOV and FMOV between the banks and within that of vectors."""
    if parts[0][0] in "wx":
        return "extract"
    return "insert" if "[" in parts[0] or parts[1][0] in "wx" else "vmove"


def _moved(name, target, parts):
    """Where a register becomes another one plus a constant."""
    if not target or len(parts) < 2:
        return ()
    sources = _registers(parts[1])
    if name in ("add", "sub", "subs", "adds") and len(parts) == 3 and _letter(parts[2]) == "#" and sources:
        n = number(parts[2].lstrip("#"))
        return ((target[0], sources[0], n if name.startswith("add") else -n),)
    return ((target[0], sources[0], 0),) if name == "mov" and sources and "." not in parts[1] else ()


def _memory(text, mnemonic, parts, shape):
    if not re.fullmatch(_MEMORY[mnemonic][1], shape):
        raise Unknown
    at = next((n for n, part in enumerate(parts) if part[0] == "["), 1)
    registers = [r for part in parts[:at] for r in _registers(part)]
    stores, vector = mnemonic in _STORES, shape[0] not in "wx"
    size = (_STORES if stores else _LOADS)[mnemonic] or _size(shape)
    if shape[-1] in "L=":
        return _literal(text, registers, parts, size, vector)
    count = max(at, len(registers))  # the zero register is none, yet it is stored
    place, moved = _address(mnemonic, parts[at], parts[at + 1 :], size, count)
    places = tuple(Place(place.base, place.index, place.scale, place.offset + n * size, size) for n in range(count))
    data = tuple(registers)
    if stores:
        return Operation(text, "", reads=data, stores=places, moved=moved, vector=vector)
    moved = (*moved, *((r, "", 0) for r in data))
    return Operation(text, "", writes=data, loads=places, moved=moved, vector=vector)


def _size(shape):
    """Bytes of a register that is loaded or stored."""
    if shape[0] == "{":
        return 8 if shape[1] in "ahfd" else 16
    return _BITS[shape[0]] // 8


def _literal(text, registers, parts, size, vector):
    """A load from a label behind the code."""
    name, beyond = label(parts[1].lstrip("="))
    place = Place(f"label {name}", offset=beyond, size=size)
    return Operation(text, "", writes=tuple(registers), loads=(place,), vector=vector)


def _address(mnemonic, operand, after, size, count):
    """The Place of [base, ...], and how the base moves on before or after."""
    found = _ADDRESS.fullmatch(operand)
    if not found or _letter(found[1]) not in "xp" or found[1] == "xzr" or after and (found[2] or found[5]):
        raise Unknown
    base, second, how, shift, before = found.groups()
    base = _registers(base)[0]
    if second and _letter(second) != "#":
        _check_index(mnemonic, second, how, int(shift or 0), size, before)
        return Place(base, (_registers(second) or [""])[0], 1 << int(shift or 0), 0, size), ()
    moves = bool(before or after)
    offset = number((after[0] if after else second or "#0").lstrip("#"))
    if how or before and mnemonic[2:] == "1" or not _reaches(mnemonic, offset, size, count, moves):
        raise Unknown
    return Place(base, offset=0 if after else offset, size=size), ((base, base, offset),) * moves


def _check_index(mnemonic, index, how, shift, size, before):
    extends = {"x": (None, "lsl", "sxtx"), "w": ("uxtw", "sxtw")}.get(_letter(index), ())
    scaled = shift in (0, size.bit_length() - 1) and (how != "lsl" or shift)
    if how not in extends or not scaled or before or mnemonic[2:] not in ("r", "rb", "rh", "rsw"):
        raise Unknown


def _reaches(mnemonic, offset, size, count, moves):
    """Whether an offset, or a step of the base, can be encoded."""
    if mnemonic[2:] == "1":
        return offset == moves * count * size
    if mnemonic[2:] == "p":
        return offset % size == 0 and -64 <= offset // size < 64
    near, far = -256 <= offset < 256, offset % size == 0 and 0 <= offset // size < 4096
    return near and not moves if mnemonic[2:] == "ur" else near or far and not moves


def _registers(operand):
    """The full names of the registers in an operand, x0 for w0, v0 for q0; the zero register is none."""
    operand = _RANGE.sub(lambda ends: ", ".join(f"v{n}" for n in range(int(ends[1]), int(ends[2]) + 1)), operand)
    found = _REGISTER.finditer(operand)
    return [("x" if one[1] in "wx" else "v") + one[2] if one[1] else "sp" for one in found]
