"""x86-64 instructions in AT&T syntax, as the cycle model sees them.

The operands that an instruction may have are regular expressions over their letters: i immediate, m memory, L label;
registers b (c is %cl, h is %ah and its like), w, l, q, x, y, z. S stands for the size that the instruction has, R for
one of two bytes or more, V for the width of its vectors.
"""

import re
from dataclasses import replace
from functools import lru_cache

from aesedu.pipeline.operation import Operation, Place, Unknown, label, number, operands, table

_WORDS = table(
    ("alu", "(i|S)(S|m)|mS", "add sub and or xor cmp test"),
    ("alu", "S|m", "not neg inc dec"),
    ("alu", "(?!w)R", "bswap"),
    ("shift", "[ic]?(S|m)", "shl shr sar sal"),
    ("rotate", "[ic]?(S|m)", "rol ror"),
    ("mul", "([Rm]|i|i[Rm])R", "imul"),
    ("move", "(i|S)(S|m)|mS", "mov"),
    ("move", "(?=.q)iS", "movabs"),
    ("byte", "([bch]|m)R", "movzb movsb"),
    ("byte", "(?!.w)[wm]R", "movzw movsw"),
    ("byte", "(?!.[wl])[lm]R", "movsl"),
    ("lea", "mR", "lea"),
    ("branch", "L", "jmp je jz jne jnz ja jae jb jbe jc jnc jg jge jl jle js jns"),
)
_VECTORS = table(
    ("vlogic", "[Vm]V", "pxor pand por pandn pxord pxorq pandd pandq pandnd pandnq pord porq xorps andps orps"),
    ("vlogic", "i[Vm]VV", "pternlogd pternlogq"),
    ("vadd", "[Vm]V", "paddb paddw paddd paddq psubb psubw psubd psubq"),
    ("vshift", "[ixm]V", "psllw pslld psllq psrlw psrld psrlq psrad"),
    ("vshuffle", "i[Vm]V", "pshufd shufps"),
    ("vshuffle", "[Vm]V", "punpckhqdq punpcklqdq punpckhdq punpckldq"),
    ("vbytes", "[Vm]V", "pshufb"),
    ("vbytes", "i[Vm]V", "palignr"),
    ("vbytes", "iV", "pslldq psrldq"),
    ("aes", "[Vm]V", "aesenc aesenclast aesdec aesdeclast"),
    ("aes", "[xm]x", "aesimc"),
    ("clmul", "i[Vm]V", "pclmulqdq"),
    ("clmul", "[Vm]V", "pclmullqlqdq pclmulhqhqdq pclmullqhqdq pclmulhqlqdq"),
    ("insert", "i[lm]x", "pinsrd"),
    ("insert", "i[qm]x", "pinsrq"),
    ("vlane", "i[ym]yy|i[zm]zz", "shufi64x2 shufi32x4"),
    ("vlane", "i[yz][xm]", "extracti32x4 extracti64x2"),
    ("vlane", "iy[xm]", "extracti128"),
    ("vmove", "[Vm]V|Vm", "movdqa movdqu movaps movups movdqa32 movdqa64 movdqu32 movdqu64"),
    ("vmove", "mV", "lddqu"),
    ("vmove", "m[yz]", "broadcasti32x4"),
)
_FRESH = {"move", "byte", "lea", "vmove", "vlane"}  # the result replaces what the register held ...
_FRESH_NAMES = {"pshufd", "aesimc"}  # ... as it does here
_EVEX = re.compile(r"(pxor|pandn?|por|pternlog)[dq]|(movdq[au]|shufi|extracti|broadcasti)[36].*")
_VEX = {"pxor", "pand", "por", "pandn", "movdqa", "movdqu", "lddqu", "aesimc", "extracti128"}  # and no EVEX
_NO_FLAGS = {"not", "bswap"}
_ZERO = {"xor", "sub", "pxor", "pxord", "pxorq", "psubb", "psubw", "psubd", "psubq", "xorps"}  # register with itself
_SIZES = {"b": 1, "w": 2, "l": 4, "q": 8}
_BYTE = str.maketrans("ch", "bb")
_MEMORY = re.compile(r"([^(]*)\((%\w+)?(?:,\s*(%\w+))?(?:,\s*([1248]))?\)")


def _names():
    """(name, whole register, letter) of every register."""
    for whole in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp"):
        low = whole.replace("x", "") + "l"
        yield from zip(("r" + whole, "e" + whole, whole, low), ["r" + whole] * 4, "qlwb", strict=True)
    yield from ((letter + "h", f"r{letter}x", "h") for letter in "abcd")
    yield "cl", "rcx", "c"
    for n in range(8, 16):
        yield from ((f"r{n}{end}", f"r{n}", letter) for end, letter in zip(("", "d", "w", "b"), "qlwb", strict=True))
    for n in range(32):
        yield from ((f"{letter}mm{n}", f"xmm{n}", letter) for letter in "xyz")


_REGISTERS = {"%" + name: (whole, letter) for name, whole, letter in _names()}


def read(text):
    """The Operation of a line. Raises Unknown."""
    mnemonic, parts = operands(text)
    shape = "".join(map(_letter, parts))
    if re.search("[xyz]", shape) or mnemonic[0] == "v":
        return _vector(text, mnemonic, parts, shape)
    if re.fullmatch("pushq?:[qmi]|popq?:[qm]", f"{mnemonic}:{shape}"):
        _check(parts[0], 32, "q")
        return _stack(text, mnemonic, parts[0])
    name = mnemonic if mnemonic in _WORDS else mnemonic[:-1]
    if name not in _WORDS:
        raise Unknown
    kind, form = _WORDS[name]
    if kind == "branch" and name == mnemonic and shape == "L":
        return Operation(text, kind, reads=() if name == "jmp" else ("flags",))
    size = _size(mnemonic, name, shape)
    if not _matches(form, shape, size) or "h" in shape and (size == "q" or re.search(r"%(r\d|[sd]il|[sb]pl)", text)):
        raise Unknown  # with a REX prefix there is no %ah
    whole = kind == "move" and shape == "iq"  # the only one of 64 bits; others are extended by their sign
    _check(parts[0], 8 if kind in ("shift", "rotate") else 32 if size == "q" and not whole else 8 * _SIZES[size], size)
    return _word(text, name, kind, _SIZES[size], parts)


def _letter(operand):
    if operand[:1] == "%":
        return _register(operand)[1]
    if re.fullmatch(r"\$(-?\w+|[A-Za-z_.][\w.$]*)", operand):
        return "i"
    if operand[-1:] == ")":
        _place(operand, 8)
        return "m"
    if re.fullmatch(r"[\w.$]+", operand):
        return "L"
    raise Unknown


def _register(operand):
    """(the whole register, the letter) of a name."""
    if operand not in _REGISTERS:
        raise Unknown
    return _REGISTERS[operand]


def _check(operand, bits, size=""):
    """Whether an immediate, if it is one and a number, fits into that many bits."""
    signed = size == "q" and bits == 32
    if re.match(r"\$-?\d", operand) and not -1 << (bits - 1) <= number(operand[1:]) < 1 << (bits - signed):
        raise Unknown


def _size(mnemonic, name, shape):
    """The letter of the operands' size: the suffix, or that of the last register."""
    return mnemonic[len(name) :] or re.sub("[^bchwlq]", "", shape)[-1:].translate(_BYTE)


@lru_cache(1024)
def _matches(form, shape, size):
    sizes = {"b": "[bch]", "w": "w", "l": "l", "q": "q"}
    if size not in sizes:
        return False
    wide = "" if size == "b" else size
    return bool(re.fullmatch(form.replace("S", sizes[size]).replace("R", wide or "(?!)"), shape))


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
    named = {o: _register(o) for o in operands if o[0] == "%"}
    return tuple((whole, 2 if letter in "hw" else 1) for whole, letter in named.values() if letter in "bchw")


def _vector(text, mnemonic, parts, shape):
    new = mnemonic[0] == "v"
    name = mnemonic[new:]
    if not _encodes(name, new, text):
        raise Unknown
    if name in ("movd", "movq"):
        return _between(text, name, parts, shape)
    if name not in _VECTORS:
        raise Unknown
    kind, form = _VECTORS[name]
    keeps = name.startswith("pternlog") or not new and kind not in _FRESH and name not in _FRESH_NAMES
    if new and not (kind in _FRESH or name in _FRESH_NAMES or name.startswith("pternlog")):
        form += form[-1]  # a source more
    fits = any(re.fullmatch(form.replace("V", w), shape) for w in ("xyz" if new else "x"))
    if not fits:
        raise Unknown
    _check(parts[0], 8)
    size = {"x": 16, "y": 32, "z": 64}[max(re.sub("[^xyz]", "", shape))]
    size = {"pinsrd": 4, "pinsrq": 8, "broadcasti32x4": 16}.get(name, 16 if "extract" in name else size)
    return _assemble(text, name, kind, parts[:-1], parts[-1], keeps, size, vector=True, wide="zmm" in text)


def _encodes(name, new, text):
    """Whether an instruction can name its registers: without AVX-512 there are 16, and no zmm."""
    if _EVEX.fullmatch(name) or new and name not in _VEX:
        return new
    return not re.search(r"zmm|mm(1[6-9]|[23]\d)", text)


def _between(text, name, parts, shape):
    """MOVD and MOVQ: between the banks, or within one, or memory."""
    if not re.fullmatch("[lqm]x|x[lqm]" if name == "movd" else "[qmx]x|x[qm]", shape):
        raise Unknown
    kind = "vmove" if "m" in shape or shape == "xx" else "insert" if shape[1] == "x" else "extract"
    return _assemble(text, name, kind, parts[:1], parts[1], False, 4 if name == "movd" else 8, vector=True)


def _assemble(text, name, kind, sources, target, keeps, size, compares=False, flags=(), moved=(), **facts):
    """An Operation from its operands; `keeps`: what the target held goes into the result."""
    registers = [_full(s) for s in sources if s[0] == "%"]
    loads = [_place(s, size) for s in sources if s[-1] == ")"]
    stores, writes = [], flags
    if target[-1] == ")":
        loads += [_place(target, size)] if keeps else []
        stores += [] if compares else [_place(target, size)]
    else:
        registers += [_full(target)] if keeps else []
        writes = flags if compares else (_full(target), *flags)
    if name in _ZERO and size > 2 and len(registers) == 2 and registers[0] == registers[1]:
        registers = []
    if kind in ("move", "vmove") and (loads or stores):
        kind = ""
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
        return ((into, into, number(sources[0][1:]) * (1 if name == "add" else -1)),)
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
    found = _MEMORY.fullmatch(operand)
    if not found:
        raise Unknown
    offset, base, index, scale = found.groups()
    if base == "%rip" and not index:
        name, beyond = label(offset)
        return Place(f"label {name}", offset=beyond, size=size)
    named = [_register(r) for r in (base, index) if r]
    if {letter for _, letter in named} not in ({"q"}, {"l"}) or index in ("%rsp", "%esp"):
        raise Unknown
    if not -1 << 31 <= number(offset or "0") < 1 << 31:
        raise Unknown
    return Place(_full(base or ""), _full(index or ""), int(scale or 1), number(offset or "0"), size)


def _full(operand):
    """The name of the whole register: %ah and %eax are parts of rax."""
    return operand and _register(operand)[0]
