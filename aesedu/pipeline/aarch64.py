"""A64 instructions, as the cycle model sees them."""

import re

from aesedu.pipeline.operation import Operation, Place, Unknown, operands, table

_WORDS = table(
    {
        "alu": "add sub and orr eor bic eon mvn neg adds subs ands cmp cmn tst rev rev16 rev32 movz adr adrp",
        "shift": "lsl lsr asr",
        "rotate": "ror",
        "byte": "ubfx sbfx uxtb uxth sxtb sxth sxtw",
        "merge": "bfi bfxil movk",
        "mul": "mul madd msub umulh",
        "move": "mov",
        "branch": "b cbz cbnz tbz tbnz",
    }
)
_VECTORS = table(
    {
        "vlogic": "eor and orr bic mvn movi eor3",
        "vadd": "add sub",
        "vshift": "shl ushr sshr sri sli",
        "vshuffle": "ext rev64 rev32 zip1 zip2 uzp1 uzp2 trn1 trn2 dup",
        "vbytes": "tbl",
        "aes": "aese aesd aesmc aesimc",
        "clmul": "pmull pmull2",
        "vmove": "mov",
        "insert": "ins fmov",
        "extract": "umov",
    }
)
_KEEPS = {"aese", "aesd", "bfi", "bfxil", "movk", "ins", "sri", "sli"}  # what the register held goes into the result
_FLAGS = {"adds", "subs", "ands", "cmp", "cmn", "tst"}
_COMPARES = {"cmp", "cmn", "tst"}
_LOADS = {"ldr": 0, "ldur": 0, "ldp": 0, "ld1": 0, "ldrb": 1, "ldrh": 2, "ldrsw": 4}
_STORES = {"str": 0, "stur": 0, "stp": 0, "st1": 0, "strb": 1, "strh": 2}
_REGISTER = re.compile(r"([wxvqdsb])(\d+)|[wx]zr|w?sp")
_RANGE = re.compile(r"v(\d\d?)\.\w+\s*-\s*v(\d\d?)\.\w+")  # {v0.16b-v3.16b}
_BYTES = {"w": 4, "x": 8, "q": 16, "v": 16, "d": 8, "s": 4, "b": 1}
_ADDRESS = re.compile(r"\[(\w+)(?:,\s*(\S+?)(?:,\s*(\w+)\s*#(\d+))?)?\](!?)$")


def read(text):
    """The Operation of a line. Raises Unknown."""
    mnemonic, parts = operands(text)
    if mnemonic in _LOADS or mnemonic in _STORES:
        return _memory(text, mnemonic, parts)
    name = mnemonic.partition(".")[0]
    vector = any(re.match(r"\{?[vqd]\d", part) for part in parts)
    kind = (_VECTORS if vector else _WORDS).get(name)
    if kind is None or (name != mnemonic and kind != "branch"):
        raise Unknown
    if kind != "branch" and not _REGISTER.match(parts[0]):
        raise Unknown
    registers = [r for part in parts for r in _registers(part)]
    if kind == "branch":
        return Operation(text, kind, (*registers, *(("flags",) if "." in mnemonic else ())))
    if name == "mov" and vector:
        kind = _move(parts)
    return _plain(text, name, kind, registers, parts, vector)


def _plain(text, name, kind, registers, parts, vector):
    flags = ("flags",) if name in _FLAGS else ()
    if name in _COMPARES:
        return Operation(text, kind, tuple(registers), flags)
    keeps = name in _KEEPS or kind == "insert" and name == "mov"
    target, sources = _registers(parts[0]), registers[1:]
    reads = target * keeps + sources
    if name == "eor" and len(sources) == 2 and sources[0] == sources[1]:
        reads = []
    moved = _moved(name, target, parts) or tuple((r, "", 0) for r in target)
    return Operation(text, kind, tuple(dict.fromkeys(reads)), (*target, *flags), moved=moved, vector=vector)


def _move(parts):
    """MOV between banks and within the vector bank."""
    if re.match(r"[wx]\d", parts[0]):
        return "extract"
    return "insert" if "[" in parts[0] else "vmove"


def _moved(name, target, parts):
    """Where a register becomes another one plus a constant."""
    if not target or len(parts) < 2:
        return ()
    sources = _registers(parts[1])
    if name in ("add", "sub", "subs", "adds") and len(parts) == 3 and parts[2][0] == "#" and sources:
        n = _number(parts[2])
        return ((target[0], sources[0], n if name.startswith("add") else -n),)
    return ((target[0], sources[0], 0),) if name == "mov" and sources and "." not in parts[1] else ()


def _memory(text, mnemonic, parts):
    stores = mnemonic in _STORES
    at = next((n for n, part in enumerate(parts) if part[0] == "["), None)
    registers = [r for part in parts[:at] for r in _registers(part)] if at else _registers(parts[0])
    size = (_STORES if stores else _LOADS)[mnemonic] or _BYTES[parts[0].lstrip("{ ")[0]]
    if at is None:
        return _literal(text, registers, parts, size)
    if not all(re.match(rf"\{{?\s*({_REGISTER.pattern})", part) for part in parts[:at]):
        raise Unknown
    place, moved = _address(parts[at], parts[at + 1 :], size)
    count = max(at, len(registers))  # the zero register is none, yet it is stored
    places = tuple(Place(place.base, place.index, place.scale, place.offset + n * size, size) for n in range(count))
    vector = parts[0].lstrip("{ ")[0] in "vqdsb"
    data = tuple(registers)
    if stores:
        return Operation(text, "", reads=data, stores=places, moved=moved, vector=vector)
    moved = (*moved, *((r, "", 0) for r in data))
    return Operation(text, "", writes=data, loads=places, moved=moved, vector=vector)


def _literal(text, registers, parts, size):
    """A load from a label behind the code."""
    label, _, beyond = parts[1].partition("+")
    place = Place(f"label {label}", offset=_number(beyond or "0"), size=size)
    return Operation(text, "", writes=tuple(registers), loads=(place,), vector=parts[0][0] in "vqds")


def _address(operand, after, size):
    """The Place of [base, ...], and how the base moves on before or after."""
    found = _ADDRESS.match(operand)
    if not found:
        raise Unknown
    base, second, _, shift, before = found.groups()
    base = _registers(base)[0]
    if second and second[0] != "#":
        return Place(base, _registers(second)[0], 1 << int(shift or 0), 0, size), ()
    offset = _number(second or "#0")
    if before:
        return Place(base, offset=offset, size=size), ((base, base, offset),)
    moved = ((base, base, _number(after[0])),) if after else ()
    return Place(base, offset=offset, size=size), moved


def _number(text):
    try:
        return int(text.lstrip("#"), 0)
    except ValueError:
        raise Unknown from None


def _registers(operand):
    """The full names of the registers in an operand, x0 for w0, v0 for q0; the zero register is none."""
    found = []
    operand = _RANGE.sub(lambda ends: ", ".join(f"v{n}" for n in range(int(ends[1]), int(ends[2]) + 1)), operand)
    for match in re.finditer(rf"(?<![\w#])(?:{_REGISTER.pattern})", operand):
        if match[1]:
            found.append(("x" if match[1] in "wx" else "v") + match[2])
        elif match[0] in ("sp", "wsp"):
            found.append("sp")
    return found
