"""x86-64: templates in AT&T syntax, register views, and the frame of a routine."""

import re

from aesedu.codegen.template import Address, Target

_LEGACY = ("rax", "rcx", "rdx", "rbx", "rsi", "rdi", "rbp")
_HIGH_BYTE = frozenset(_LEGACY[:4])  # ah, ch, dh, bh
_NO_REX = frozenset(_LEGACY)  # an instruction with a REX prefix cannot name ah, ch, dh, bh


class X8664(Target):
    """System V calling convention; a routine's first 6 arguments are in registers."""

    name = "x86_64"
    registers = {"word": (*_LEGACY, *(f"r{i}" for i in range(8, 16)))}
    kept = ("rbx", "rbp", "r12", "r13", "r14", "r15")
    arguments = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
    scratch = ("rax", "r11")
    stack = "rsp"
    return_address = 8
    views = {32: "l", 64: "q"}
    rows = {
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
        if isinstance(operand, Address):
            index = f",%{operand.index},4" if operand.index else ""
            return f"{operand.offset or ''}(%{operand.base}{index})"
        return "%" + _view(operand, view)


def _view(register, view):
    """The name of a register's part: rax is rax, eax, ax, al, ah."""
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
    if mnemonic in ("jz", "jnz", "ret"):
        return text
    size = _SIZES[mnemonic[-1]]
    name = "movzx" if mnemonic == "movzbl" else mnemonic[:-1]
    operands = [_intel_operand(o.strip(), "" if name == "lea" else f"{size} ptr ") for o in _OPERAND.findall(operands)]
    return f"{name} {', '.join(reversed(operands))}"


def _intel_operand(operand, size):
    if "(" not in operand:
        return operand.lstrip("$%")
    offset, inside = operand.rstrip(")").split("(")
    base, index, scale = (*inside.replace("%", "").split(","), "", "")[:3]
    return f"{size}[{' + '.join(filter(None, [base, index and f'{scale}*{index}', offset]))}]"
