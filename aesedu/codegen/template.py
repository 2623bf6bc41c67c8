"""A row of a machine's table: assembly with holes, which is all that the allocator knows of an instruction.

    "xor? {b:?mi}, {d:?}"

A hole names an operand of the operation (`d` is the result, `m` memory that is read, `to` memory that is written), then
the view of its register, then what else may stand there: `m` memory, `i` a number. `?` is the view and suffix for the
width of the word. What is not written is a constraint too: no `{a}` above says that the result takes over the register
of the first operand (a two-address instruction).
"""

import functools
import re
from dataclasses import dataclass, field, replace

from aesedu.routine.ops import OPS, VALUES, u64

HOLE = re.compile(r"\{(\w+):?(\W?\w*)\}")


@dataclass(frozen=True)
class Hole:
    """Where an operand stands: the view of its register, and what else is welcome there."""

    view: str
    memory: bool
    immediate: bool


@dataclass(frozen=True)
class Template:
    """A parsed row, one or more lines. `overwrites` is the operand whose register the result takes over, or None."""

    lines: tuple[str, ...]
    holes: dict[str, Hole]
    overwrites: str | None


@dataclass(frozen=True)
class Address:
    """Memory at `base` + 4 * `index` + `offset` bytes; base and index are values, or registers once these are chosen.

    Without a base it is in the pool of constants behind the code, at the label 3. `region` names the parameter it
    belongs to, "frame" or "pool"; `what` says in words what is there; `folds`: it can stand in a `m` hole.
    """

    base: object
    index: object = None
    offset: int = 0
    region: str = field(default="frame", compare=False)
    what: str = field(default="", compare=False)
    folds: bool = field(default=True, compare=False)

    def beyond(self, n):
        """The address `n` bytes further on."""
        return replace(self, offset=self.offset + n)


class Target:
    """What an instruction set tells the rest of the code generator. X8664 and AArch64 fill it in."""

    name: str
    encoding: str  # the variant of the instruction set
    registers: dict[str, tuple[str, ...]]  # by bank, in the order in which a budget admits them
    kept: tuple[str, ...]  # a routine hands these back as it found them
    arguments: tuple[str, ...]
    scratch: tuple[str, str]  # free before and after the loop
    stack: str
    return_address: int  # bytes that a call puts on the stack
    views: dict[int, str]  # what `?` stands for, by bits
    rows: dict[str, str]  # a name with a view ("const.x"), or "v" for all vectors, goes before one without
    aligned = False  # whether a vector in memory that is an operand must lie at a multiple of 16 bytes

    def meanings(self, recorder):
        """What to record in place of operations that the machine has no row for (see `evaluate`)."""
        raise NotImplementedError

    def immediate(self, op, n, kind):
        """Whether an instruction can hold the number `n` of a type."""
        raise NotImplementedError

    def allowed(self, template, name):
        """The registers that may stand in a hole; None: any."""

    def write(self, operand, view):
        """Text of a register, number or address in a hole of this view."""
        raise NotImplementedError

    @functools.cache  # noqa: B019 - there are few targets, and they live as long as the program
    def template(self, name, kind=u64):
        """The template of a row for words of a type."""
        view = self.views[kind.bits]
        names = (f"{name}.{view}", f"{name}.v" if kind.bank == "vector" else name, name)
        row = next(self.rows[n] for n in names if n in self.rows).replace("?", view)
        holes = {hole: Hole(flags[:1], "m" in flags[1:], "i" in flags[1:]) for hole, flags in HOLE.findall(row)}
        lines, op = tuple(row.split("\n")), OPS.get(name)
        if not op:
            return Template(lines, holes, "d" if name == "count" else None)
        takes_word = op.result and op.kinds[0] in VALUES and op.operands[0] not in holes
        return Template(lines, holes, op.operands[0] if takes_word else None)

    def render(self, line, bound):
        """A line of a template with registers, numbers and addresses in its holes."""
        return HOLE.sub(lambda hole: self.write(bound[hole[1]], hole[2][:1]), line)
