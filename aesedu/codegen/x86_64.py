"""x86-64: templates in AT&T syntax, register views, and the frame of a routine."""

import re

from aesedu.codegen.template import Address, Target
from aesedu.routine import vectors
from aesedu.routine.ops import OPS, VALUES, v512

_LEGACY = ("rax", "rcx", "rdx", "rbx", "rsi", "rdi", "rbp")
_REVERSED = vectors.vector(bytes(range(15, -1, -1)))
_HIGH_BYTE = frozenset(_LEGACY[:4])  # ah, ch, dh, bh
_NO_REX = frozenset(_LEGACY)  # an instruction with a REX prefix cannot name ah, ch, dh, bh


_VECTORS = {  # the legacy SSE form; the others follow from it
    "xor.v": "pxor {b:?m}, {d:?}",
    "and.v": "pand {b:?m}, {d:?}",
    "or.v": "por {b:?m}, {d:?}",
    "add32": "paddd {b:?m}, {d:?}",
    "add64": "paddq {b:?m}, {d:?}",
    "shl64": "psllq {n:?i}, {d:?}",
    "shr64": "psrlq {n:?i}, {d:?}",
    "shl_bytes": "pslldq {n:?i}, {d:?}",
    "shr_bytes": "psrldq {n:?i}, {d:?}",
    "align": "palignr {n:?i}, {b:?m}, {d:?}",
    "swap64": "pshufd $78, {a:?m}, {d:?}",
    "pshufb": "pshufb {b:?m}, {d:?}",
    "clmul_low": "pclmulqdq $0, {b:?m}, {d:?}",
    "clmul_high": "pclmulqdq $17, {b:?m}, {d:?}",
    "clmul_cross": "pclmulqdq $1, {b:?m}, {d:?}",
    "aesenc": "aesenc {b:?m}, {d:?}",
    "aesenclast": "aesenclast {b:?m}, {d:?}",
    "aesdec": "aesdec {b:?m}, {d:?}",
    "aesdeclast": "aesdeclast {b:?m}, {d:?}",
    "aesimc": "aesimc {a:?m}, {d:?}",
    "insert32": "pinsrd {n:?i}, {w:l}, {d:?}",
    "load128": "movdqu {m}, {d:?}",
    "store128": "movdqu {v:?}, {to}",
    "const.v": "movdqa {m}, {d:?}",
    "copy.v": "movdqa {a:?}, {d:?}",
    "reload.v": "movdqu {m}, {d:?}",
    "spill.v": "movdqu {a:?}, {to}",
}


def _vex(name, row):
    """The three-address form: v before the name, and the first operand before the result that took its register."""
    op = OPS.get(name.removesuffix(".v"))
    overwrites = op and op.kinds[0] in VALUES and "{" + op.operands[0] not in row and op.result
    return "v" + (row.replace("{d:", f"{{{op.operands[0]}:?}}, {{d:") if overwrites else row)


_EVEX = {"vpxor": "vpxord", "vpand": "vpandd", "vpor": "vpord", "vmovdqa": "vmovdqa64", "vmovdqu": "vmovdqu64"}


def _evex(row):
    """The form with 32 registers of 512 bits: some names tell how wide an element is."""
    mnemonic, _, operands = row.partition(" ")
    return f"{_EVEX.get(mnemonic, mnemonic)} {operands}"


class X8664(Target):
    """System V calling convention; a routine's first 6 arguments are in registers. Vector instructions are SSE's."""

    name, encoding = "x86_64", "sse"
    registers = {
        "word": (*_LEGACY, *(f"r{i}" for i in range(8, 16))),
        "vector": tuple(f"xmm{i}" for i in range(16)),
    }
    kept = ("rbx", "rbp", "r12", "r13", "r14", "r15")
    arguments = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
    scratch = ("rax", "r11")
    stack = "rsp"
    return_address = 8
    views = {32: "l", 64: "q", 128: "x"}
    aligned = True
    rows = _VECTORS | {
        "xor": "xor? {b:?mi}, {d:?}",
        "and": "and? {b:?mi}, {d:?}",
        "or": "or? {b:?mi}, {d:?}",
        "add": "add? {b:?mi}, {d:?}",
        "sub": "sub? {b:?mi}, {d:?}",
        "mul": "imul? {b:?mi}, {d:?}",
        "invert": "not? {d:?}",
        "shl": "shl? {n:?i}, {d:?}",
        "shr": "shr? {n:?i}, {d:?}",
        "rotl": "rol? {n:?i}, {d:?}",
        "rotr": "ror? {n:?i}, {d:?}",
        "bswap": "bswap? {d:?}",
        "byte0": "movzbl {a:b}, {d:l}",
        "byte1": "movzbl {a:h}, {d:l}",
        "join16": "movw {b:w}, {d:w}",
        "low32": "movl {a:l}, {d:l}",
        "widen": "movl {a:l}, {d:l}",
        "const": "mov? {n:?i}, {d:?}",
        "load32": "movl {m}, {d:l}",
        "load64": "movq {m}, {d:q}",
        "store32": "movl {v:li}, {to}",
        "store64": "movq {v:qi}, {to}",
        "advance": "leaq {m}, {d:q}",
        "copy": "mov? {a:?}, {d:?}",
        "reload": "mov? {m}, {d:?}",
        "spill": "mov? {a:?}, {to}",
        "fetch": "pushq {m}",
        "put": "popq {to}",
        "enter": "subq {n:qi}, %rsp",
        "leave": "addq {n:qi}, %rsp",
        "test": "testq {a:q}, {a:q}\njz 2f",
        "test in frame": "cmpq $0, {m}\njz 2f",
        "count": "subq $1, {d:q}\njnz 1b",
        "count in frame": "subq $1, {to}\njnz 1b",
        "return": "ret",
    }

    def meanings(self, recorder):
        """Reversed bytes by PSHUFB; AArch64's rounds, which begin with the key, by our own."""
        return {
            "bswap128": lambda a: vectors.pshufb(a, (vectors.each if a.value.type is v512 else int)(_REVERSED)),
            "aese": lambda a, b: vectors.aesenclast(a ^ b, 0),
            "aesd": lambda a, b: vectors.aesdeclast(a ^ b, 0),
            "aese_aesmc": lambda a, b: vectors.aesenc(a ^ b, 0),
            "aesd_aesimc": lambda a, b: vectors.aesdec(a ^ b, 0),
            "aesmc": lambda a: vectors.aesenc(vectors.aesdeclast(a, 0), 0),
        }

    def immediate(self, op, n, kind):
        """Whether an instruction can hold the number: 64-bit ones extend 32 bits by sign."""
        return kind.bits == 32 or n < 1 << 31 or n >= (1 << 64) - (1 << 31)

    def allowed(self, template, name):
        """%ah and its like exist in four registers, and only in instructions without a REX prefix."""
        views = {hole: flags.view for hole, flags in template.holes.items()}
        if views.get(name) == "h":
            return _HIGH_BYTE
        return _NO_REX if "h" in views.values() else None

    def write(self, operand, view):
        """An operand as it stands in the text: a register's view, a number, an address."""
        if isinstance(operand, int):
            return f"${operand - (1 << 64) if view == 'q' and operand >> 63 else operand}"
        if isinstance(operand, Address) and not operand.base:
            return f"3f+{operand.offset}(%rip)"
        if isinstance(operand, Address):
            index = f",%{operand.index},4" if operand.index else ""
            return f"{operand.offset or ''}(%{operand.base}{index})"
        return "%" + _view(operand, view)


class Vex(X8664):
    """AVX: three operands, memory operands at any address."""

    encoding, aligned = "vex", False
    rows = X8664.rows | {name: _vex(name, row) for name, row in _VECTORS.items()}


class Evex(Vex):
    """AVX-512 (F, VL, BW, DQ) with VAES and VPCLMULQDQ: 32 registers, and v512."""

    encoding = "evex"
    registers = X8664.registers | {"vector": tuple(f"xmm{i}" for i in range(32))}
    views = X8664.views | {512: "z"}
    rows = X8664.rows | {name: _evex(_vex(name, row)) for name, row in _VECTORS.items()}
    rows |= {
        "broadcast": "vshufi64x2 $0, {a:z}, {a:z}, {d:z}",
        "lane": "vextracti32x4 {n:xi}, {a:z}, {d:x}",
        "load512": "vmovdqu64 {m}, {d:z}",
        "load_broadcast": "vbroadcasti32x4 {m}, {d:z}",
        "store512": "vmovdqu64 {v:z}, {to}",
        "clear": "vzeroupper",
    }

    def allowed(self, template, name):
        """VAESIMC was left behind with 16 registers."""
        if template.lines[0].startswith("vaesimc"):
            return self.registers["vector"][:16]
        return super().allowed(template, name)


def _view(register, view):
    """The name of a register's part: rax is rax, eax, ax, al, ah; xmm0 is xmm0, zmm0."""
    if register.startswith("xmm"):
        return register.replace("x", view, 1)
    if view == "q":
        return register
    if register[1:].isdigit():
        return register + {"l": "d"}.get(view, view)
    short = register[1:]
    letter = short[0] if short.endswith("x") else short
    return {"l": "e" + short, "w": short, "b": letter + "l", "h": letter + "h"}[view]


_SIZES = {"b": "byte", "w": "word", "l": "dword", "q": "qword"}
_OPERAND = re.compile(r"[^,(]*\([^)]*\)|[^,]+")


def intel(text):
    """A line of our AT&T text in Intel's syntax: result first, no sigils, a size at every memory operand."""
    mnemonic, _, operands = text.partition(" ")
    if mnemonic in ("jz", "jnz", "ret", "vzeroupper") or mnemonic.startswith("."):
        return text
    if "mm" in operands:
        name, size = mnemonic, "zmmword" if "%zmm" in operands and mnemonic != "vbroadcasti32x4" else "xmmword"
    else:
        name, size = "movzx" if mnemonic == "movzbl" else mnemonic[:-1], _SIZES[mnemonic[-1]]
    operands = [_intel_operand(o.strip(), "" if name == "lea" else f"{size} ptr ") for o in _OPERAND.findall(operands)]
    return f"{name} {', '.join(reversed(operands))}"


def _intel_operand(operand, size):
    if "(" not in operand:
        return operand.lstrip("$%")
    offset, inside = operand.rstrip(")").split("(")
    base, index, scale = (*inside.replace("%", "").split(","), "", "")[:3]
    return f"{size}[{' + '.join(filter(None, [base, index and f'{scale}*{index}', offset]))}]"
