"""What the cycle model knows of an instruction: its class, the registers and the memory that it reads and writes."""

import re
from dataclasses import dataclass


class UnknownInstructionError(ValueError):
    """Text holds instructions that the model does not know; `lines` are (number, text), `hint` what may be wrong."""

    def __init__(self, lines, hint=""):
        self.lines = tuple(lines)
        named = "; ".join(f"line {number}: {text}" for number, text in self.lines)
        super().__init__(f"not known, and a guess would be worth nothing: {named}{hint}")


@dataclass(frozen=True)
class Place:
    """Memory at `base` + `scale` * `index` + `offset`, `size` bytes. A base without a register is a label."""

    base: str
    index: str = ""
    scale: int = 1
    offset: int = 0
    size: int = 8

    @property
    def registers(self):
        """The registers that the address is made of."""
        return tuple(r for r in (self.base, self.index) if r and not r.startswith("label "))


@dataclass(frozen=True)
class Operation:
    """One instruction. `kind` is its class on a machine, empty for one that only loads or stores.

    `reads` and `writes` are full names of registers, without those of addresses. Without a kind, the registers that are
    written take one of `loads` each, and those that are read go to one of `stores` each. `moved` are (register, source,
    bytes): the register becomes the source plus a constant, or something new without a source. `parts` are (register,
    bytes) of those that are only named in part, less than four bytes (for %ah: 2). `isa` is the set of instructions
    that it was read from.
    """

    text: str
    kind: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    loads: tuple[Place, ...] = ()
    stores: tuple[Place, ...] = ()
    moved: tuple[tuple[str, str, int], ...] = ()
    vector: bool = False
    wide: bool = False
    parts: tuple[tuple[str, int], ...] = ()
    isa: str = ""

    @property
    def mnemonic(self):
        """The name of the instruction as written."""
        return self.text.split()[0]


class Unknown(Exception):  # noqa: N818 - never leaves this package
    """Raised by a reader of lines for an instruction that it does not know."""


def table(*rows):
    """{mnemonic: (class, operands)} of (class, operands, mnemonics in a line); each reader has letters for operands."""
    return {name: (kind, form) for kind, form, names in rows for name in names.split()}


_COMMENT = {"x86_64": "(#|//).*", "aarch64": r"//.*|(^|\s)#(\s.*|$)"}  # A64 has # before immediates
_INSERTS = re.compile(  # what puts more, or less, between the instructions than is written
    r"\.(rept|irpc?|macro|if\w*|else\w*|endr|endm|endif|inst|include|incbin|ascii|asciz|string\w*|skip|space|zero|fill"
    r"|org|[1248]?byte|hword|x?word|short|long|int|quad|octa|single|float|double)\b"
)


def lines(text, isa):
    """(number, text) of the instructions in assembly text, without comments, labels and directives.

    Directives that put something between the instructions are among them, as nothing that is left out may count.
    """
    text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n") or " ", text, flags=re.DOTALL)
    for number, line in enumerate(text.split("\n"), start=1):
        bare = re.sub(_COMMENT[isa], "", re.sub(r'"(\\.|[^"\\])*"', '""', line))
        for statement in bare.split(";"):
            statement = " ".join(re.sub(r"^\s*([\w.$]+:\s*)+", "", statement).split())
            if statement and (statement[0] != "." or _INSERTS.match(statement)):
                yield number, statement


def number(text):
    """An immediate or an offset. Raises Unknown, for what has more than 64 bits as well."""
    if not re.fullmatch(r"-?(0[xX][\da-fA-F]{1,16}|[1-9]\d{0,19}|0)", text):
        raise Unknown
    return int(text, 0)


_LABEL = re.compile(r"(?:(-?\w+)\+)?([A-Za-z_.$][\w.$@]*|\d+[bf])((?:[-+]\w+)*)")


def label(text):
    """(label, bytes beyond it) of an address that is made of one. Raises Unknown."""
    found = _LABEL.fullmatch(text)
    if not found:
        raise Unknown
    before, name, after = found.groups()
    return name, sum((number(n.lstrip("+")) for n in re.findall(r"[-+]\w+", after)), number(before or "0"))


_OPERAND = re.compile(r"(?:\([^)]*\)|\[[^]]*\]!?|\{[^}]*\}|[^,([{])+")


def operands(text):
    """Mnemonic and operands of a line; brackets keep their commas."""
    mnemonic, _, rest = text.partition(" ")
    return mnemonic.lower(), [operand.strip() for operand in _OPERAND.findall(rest)]
