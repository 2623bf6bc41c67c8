"""One line of machine code with all that is known of it, and the writer that makes it from a template."""

from dataclasses import dataclass

from aesedu.codegen.template import HOLE, Address
from aesedu.routine.recording import Value


@dataclass(frozen=True)
class Instruction:
    """One line of machine code. `kind` is operation, load, constant, copy, spill, reload or loop.

    `reads` and `writes` are full names of registers. `address` is the memory it touches, `stores` whether it writes
    there. `step` is the value it belongs to (with its line of the Python function); `live` are the values still needed
    afterwards, and `held` says which of them is in which register then.
    """

    text: str
    kind: str
    english: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    address: Address | None
    stores: bool
    step: Value | None
    live: tuple[Value, ...]
    held: dict[str, Value]


def instructions(target, template, bound, **facts):
    """The Instructions of a template: `bound` fills its holes with registers, numbers and addresses."""
    made = template.overwrites is not None  # whether `d` holds something before the line
    for line in template.lines:
        holes = HOLE.findall(line)
        names, touched = [name for name, _ in holes], [name for name, view in holes if view != "+"]
        inputs = [bound[n] for n in names if n != "d" or made]
        yield Instruction(
            text=target.render(line, bound),
            reads=tuple(dict.fromkeys(r for operand in inputs for r in _registers(operand))),
            writes=(bound["d"],) if "d" in names else (),
            address=next((bound[n] for n in touched if isinstance(bound[n], Address)), None),
            stores="to" in touched,
            **facts,
        )
        made = made or "d" in names


def _registers(operand):
    parts = (operand.base, operand.index) if isinstance(operand, Address) else (operand,)
    return [part for part in parts if isinstance(part, str)]
