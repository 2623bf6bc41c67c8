"""What the cycle model knows of an instruction: its class, the registers and the memory that it reads and writes."""

import re
from dataclasses import dataclass


class UnknownInstructionError(ValueError):
    """Text holds instructions that the model does not know; `lines` are (number, text)."""

    def __init__(self, lines):
        self.lines = tuple(lines)
        named = "; ".join(f"line {number}: {text}" for number, text in self.lines)
        super().__init__(f"not known, and a guess would be worth nothing: {named}")


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


def table(rows):
    """{mnemonic: class} of {class: mnemonics in a line}."""
    return {name: kind for kind, names in rows.items() for name in names.split()}


def lines(text):
    """(number, text) of the instructions in assembly text, without comments, labels and directives."""
    for number, line in enumerate(text.splitlines(), start=1):
        bare = re.sub(r"(#(?![-\d(])|//|;).*$|/\*.*?\*/", "", line).strip()
        bare = re.sub(r"^[\w.$]+:\s*", "", bare)
        if bare and not bare.startswith("."):
            yield number, " ".join(bare.split())


_OPERAND = re.compile(r"(?:\([^)]*\)|\[[^]]*\]!?|\{[^}]*\}|[^,([{])+")


def operands(text):
    """Mnemonic and operands of a line; brackets keep their commas."""
    mnemonic, _, rest = text.partition(" ")
    return mnemonic.lower(), [operand.strip() for operand in _OPERAND.findall(rest)]
