"""x86-64 instructions in AT&T syntax, as the cycle model sees them."""

import re
from dataclasses import replace

from aesedu.pipeline.operation import Operation, Place, Unknown, operands, table

_WORDS = table(
    {
        "alu": "add sub and or xor not neg inc dec cmp test bswap",
        "shift": "shl shr sar sal",
        "rotate": "rol ror",
        "mul": "imul",
        "move": "mov movabs",
        "byte": "movzb movzw movsb movsw movsl",
        "lea": "lea",
        "branch": "jmp je jz jne jnz ja jae jb jbe jc jnc jg jge jl jle js jns",
    }
)
_VECTORS = table(
    {
        "vlogic": "pxor pand por pandn pternlog xorps andps orps",
        "vadd": "paddb paddw paddd paddq psubb psubw psubd psubq",
        "vshift": "psllw pslld psllq psrlw psrld psrlq psrad",
        "vshuffle": "pshufd punpckhqdq punpcklqdq punpckhdq punpckldq shufps",
        "vbytes": "pshufb palignr pslldq psrldq",
        "aes": "aesenc aesenclast aesdec aesdeclast aesimc",
        "clmul": "pclmulqdq pclmullqlqdq pclmulhqhqdq pclmullqhqdq pclmulhqlqdq",
        "insert": "pinsrd pinsrq",
        "vlane": "shufi64x2 shufi32x4 extracti32x4 extracti64x2 extracti128",
        "vmove": "movdqa movdqu movaps movups lddqu broadcasti32x4",
    }
)
_FRESH = {"move", "byte", "lea", "vmove", "vlane"}  # the result replaces what the register held ...
_FRESH_NAMES = {"pshufd", "aesimc"}  # ... as it does here
_ALONE = {"not", "neg", "inc", "dec", "bswap", "shl", "shr", "sar", "sal", "rol", "ror"}  # with one operand
_NO_FLAGS = {"not", "bswap"}
_ZERO = {"xor", "sub", "pxor", "psubq", "psubd", "xorps"}  # of a register with itself: there is nothing to wait for
_SIZES = {"b": 1, "w": 2, "l": 4, "q": 8}
_MEMORY = re.compile(r"([^(]*)\((?:%(\w+))?(?:,\s*%(\w+))?(?:,\s*([1248]))?\)$")
_LETTERS = {"a": "rax", "b": "rbx", "c": "rcx", "d": "rdx", "si": "rsi", "di": "rdi", "bp": "rbp", "sp": "rsp"}


def read(text):
    """The Operation of a line. Raises Unknown."""
    mnemonic, parts = operands(text)
    if mnemonic.removeprefix("push") in ("", "q") or mnemonic.removeprefix("pop") in ("", "q"):
        return _stack(text, mnemonic, parts[0])
    if "mm" in text or mnemonic[0] == "v":
        return _vector(text, mnemonic, parts)
    name = mnemonic if mnemonic in _WORDS else mnemonic[:-1]
    if name not in _WORDS:
        raise Unknown
    kind = _WORDS[name]
    if kind == "branch":
        return Operation(text, kind, reads=() if name == "jmp" else ("flags",))
    return _word(text, name, kind, _size(mnemonic, name, parts), parts)


def _size(mnemonic, name, parts):
    """Bytes of the operands: by the suffix, or by the last register."""
    if mnemonic != name:
        return _SIZES.get(mnemonic[-1], 8)
    return _bytes(parts[-1].lstrip("%"))


def _word(text, name, kind, size, parts):
    *sources, target = parts
    moved = _moved(name, parts)
    if kind == "lea":
        into = _full(target)
        return Operation(text, kind, _place(sources[0], 8).registers, (into,), moved=moved or ((into, "", 0),))
    narrow = {"b": 1, "w": 2, "l": 4}[name[4]] if kind == "byte" else size
    keeps = kind not in _FRESH and not (kind == "mul" and len(sources) == 2)
    merges = size < 4 and target[0] == "%"  # the rest of the register stays
    kind = "merge" if kind == "move" and merges else kind
    flags = () if kind in _FRESH | {"merge"} or name in _NO_FLAGS else ("flags",)
    compares = name in ("cmp", "test")
    merged = _assemble(text, name, kind, sources, target, keeps or merges, narrow, compares, flags, moved)
    return replace(merged, parts=_parts(parts))


def _parts(operands):
    """(register, bytes) of those that are only named in part; %ah lies in the two low bytes."""
    named = {o: 2 if o[-1] == "h" else _bytes(o[1:]) for o in operands if o[0] == "%"}
    return tuple((_full(o), size) for o, size in named.items() if size < 4)


def _vector(text, mnemonic, parts):
    new = mnemonic[0] == "v"
    name = re.sub(
        r"(?<=pternlog)[dq]$|(?<=pxor)[dq]$|(?<=pand)[dq]$|(?<=por)[dq]$|(?<=movdq[au])\d+$", "", mnemonic[new:]
    )
    *sources, target = parts
    wide = "zmm" in text
    if name in ("movd", "movq"):
        return _between(text, name, sources[0], target)
    if name == "zeroupper" or name not in _VECTORS:
        raise Unknown
    kind = _VECTORS[name]
    keeps = name == "pternlog" or not new and kind not in _FRESH and name not in _FRESH_NAMES
    size = 16 if name == "broadcasti32x4" else 64 if wide else 32 if "ymm" in text else 16
    size = 4 if name == "pinsrd" else 8 if name == "pinsrq" else size
    return _assemble(text, name, kind, sources, target, keeps, size, vector=True, wide=wide)


def _between(text, name, source, target):
    """MOVD and MOVQ: between the banks, or within one, or memory."""
    banks = ["mm" in operand for operand in (source, target)]
    kind = {(True, True): "vmove", (False, True): "insert", (True, False): "extract"}.get(tuple(banks), "move")
    if "(" in source + target:
        kind = "vmove" if any(banks) else "move"
    return _assemble(text, name, kind, [source], target, False, 4 if name == "movd" else 8, vector=any(banks))


def _assemble(text, name, kind, sources, target, keeps, size, compares=False, flags=(), moved=(), **facts):
    """An Operation from its operands; `keeps`: what the target held goes into the result."""
    if (not sources and name not in _ALONE) or not all(o[0] in "%$" or "(" in o for o in (*sources, target)):
        raise Unknown
    registers = [_full(s) for s in sources if s[0] == "%"]
    loads = [_place(s, size) for s in sources if "(" in s]
    stores, writes = [], flags
    if "(" in target:
        loads += [_place(target, size)] if keeps else []
        stores += [] if compares else [_place(target, size)]
    else:
        registers += [_full(target)] if keeps else []
        writes = flags if compares else (_full(target), *flags)
    if name in _ZERO and len(registers) == 2 and registers[0] == registers[1]:
        registers = []
    if kind in ("move", "vmove"):
        if len(sources) > 1:
            raise Unknown
        kind = "" if loads or stores else kind
    moved = moved or tuple((r, "", 0) for r in writes)
    reads = tuple(dict.fromkeys(registers))
    return Operation(text, kind, reads, tuple(writes), tuple(loads), tuple(stores), moved, **facts)


def _moved(name, parts):
    """Where a register becomes another one plus a constant."""
    *sources, target = parts
    if target[0] != "%":
        return ()
    into = _full(target)
    if name == "lea":
        place = _place(sources[0], 8)
        return () if place.index or place.base.startswith("label ") else ((into, place.base, place.offset),)
    if name in ("add", "sub") and sources[0][0] == "$":
        return ((into, into, _number(sources[0][1:]) * (1 if name == "add" else -1)),)
    if name in ("inc", "dec"):
        return ((into, into, 1 if name == "inc" else -1),)
    return ((into, _full(sources[0]), 0),) if name == "mov" and sources[0][0] == "%" else ()


def _stack(text, mnemonic, operand):
    """PUSH and POP; the stack pointer moves without a micro-operation."""
    pushes = mnemonic.startswith("push")
    top = Place("rsp", offset=-8 if pushes else 0)
    other = (_place(operand, 8),) if "(" in operand else ()
    register = (_full(operand),) if operand[0] == "%" else ()
    moved = (("rsp", "rsp", -8 if pushes else 8),)
    if pushes:
        return Operation(text, "", reads=register, loads=other, stores=(top,), moved=moved)
    return Operation(text, "", writes=register, loads=(top,), stores=other, moved=moved)


def _place(operand, size):
    found = _MEMORY.match(operand)
    if not found:
        raise Unknown
    offset, base, index, scale = found.groups()
    if base == "rip":
        label, _, beyond = offset.partition("+")
        return Place(f"label {label}", offset=_number(beyond or "0"), size=size)
    return Place(_full(base or ""), _full(index or ""), int(scale or 1), _number(offset or "0"), size)


def _number(text):
    try:
        return int(text, 0)
    except ValueError:
        raise Unknown from None


def _bytes(register):
    """How many bytes of a register a name means."""
    if re.fullmatch(r"r\d+[bwd]?|r\w\w", register):
        return {"b": 1, "w": 2, "d": 4}.get(register[-1], 8) if register[1].isdigit() else 8
    return 4 if register[0] == "e" else 1 if register[-1] in "lh" else 2


def _full(operand):
    """The name of the whole register: %ah and %eax are parts of rax."""
    name = operand.lstrip("%")
    if found := re.fullmatch(r"([xyz]mm)(\d+)", name):
        return f"xmm{found[2]}"
    if found := re.fullmatch(r"r(\d+)[bwd]?", name):
        return f"r{found[1]}"
    bare = re.sub(r"^[re]|[xlh]$", "", name)
    return _LETTERS.get(bare, name)
