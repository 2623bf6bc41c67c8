"""A row of a machine's table: assembly with holes, which is all that the allocator knows of an instruction.

    "xor? {b:?mi}, {d:?}"

A hole names an operand of the operation (`d` is the result, `m` memory that is read, `to` memory that is written), then
the view of its register, then what else may stand there: `m` memory, `i` a number. `?` is the view and suffix for the
width of the word. What is not written is a constraint too: no `{a}` above says that the result takes over the register
of the first operand (a two-address instruction).
"""

import functools
import re
from dataclasses import dataclass

from aesedu.routine.ops import OPS, u32

HOLE = re.compile(r"\{(\w+):?(\W?\w*)\}")


@dataclass(frozen=True)
class Hole:
    """Where an operand stands: the view of its register, and what else is welcome there."""

    view: str
    memory: bool
    immediate: bool


@dataclass(frozen=True)
class Template:
    """A parsed row. `overwrites` is the operand whose register the result takes over, or None."""

    lines: tuple[str, ...]
    holes: dict[str, Hole]
    overwrites: str | None = None

@dataclass(frozen=True)
class Address:
    """A memory operand: `base` + 4 * `index` + `offset` bytes. Base and index are values, or registers once chosen."""

    base: object
    index: object = None
    offset: int = 0
    region: str = "frame"  # the parameter it belongs to
    what: str = ""  # in words


class Target:
    """What an instruction set tells the allocator; x86_64 and aarch64 fill it in."""

    name: str
    registers: dict[str, tuple[str, ...]]  # by bank, in the order in which a budget takes them in
    views: dict[int, str]  # bits of a word: `?`
    rows: dict[str, str]

    def meanings(self, recorder):
        """What stands in for operations that this machine has no row for."""
        return {}

    def view(self, kind):
        """The letter for a type."""
        return self.views[kind.bits]

    @functools.cache  # noqa: B019 - the two targets live as long as the program
    def template(self, name, kind=u32):
        """The template of a row for words of a type."""
        view = self.view(kind)
        row = self.rows.get(f"{name}.{view}", self.rows.get(name, "")).replace("?", view)
        holes = {hole: Hole(flags[:1], "m" in flags[1:], "i" in flags[1:]) for hole, flags in HOLE.findall(row)}
        op = OPS.get(name)
        takes_word = op and op.result and op.kinds[0] in ("w", "u32", "u64")
        overwrites = op.operands[0] if takes_word and op.operands[0] not in holes else None
        return Template(tuple(row.split("\n")), holes, "d" if name == "count" else overwrites)

    def render(self, line, bound):
        """A line of a template with registers, numbers and addresses in its holes."""
        return HOLE.sub(lambda hole: self.write(bound[hole[1]], hole[2][:1]), line)

    def allowed(self, template, name):
        """The registers that may stand in a hole (None: any)."""
        return None
