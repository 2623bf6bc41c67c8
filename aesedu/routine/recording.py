"""What is left of a routine once it has been recorded: its values in program order. Plain data."""

from dataclasses import dataclass

from aesedu.routine.ops import Op, Type


class RoutineError(Exception):
    """A routine cannot be recorded, run or compiled. `line` is the line of the student's file to look at, or None."""

    def __init__(self, message, name="", line=None, source=""):
        where = f"{name}, line {line}: {source.strip()}\n" if line else f"{name}: " if name else ""
        super().__init__(where + message)
        self.line = line


@dataclass(eq=False, repr=False)
class Value:
    """One step of a routine: an operation on earlier values and constants, and the value it makes.

    A parameter has no operation; a store makes no value and has no type. `line` and `source` are where the function
    asks for it, `name` the local variable that holds it, if there is one.
    """

    op: Op | None
    operands: tuple
    type: Type | None
    line: int | None = None
    source: str = ""
    name: str = ""
    number: int = 0

    def __str__(self):
        return self.name or f"v{self.number}"

    __repr__ = __str__  # with its operands, and theirs, it would have no end

    def sources(self):
        """The operands that are values themselves."""
        return [o for o in self.operands if isinstance(o, Value)]

    def english(self, **others):
        """What the step does, in words; `others` replace operands by name."""
        text = self.op.says.format(**dict(zip(self.op.operands, self.operands, strict=True)) | others)
        return text.replace("[0 + ", "[").replace(" + 0]", "]")


@dataclass(frozen=True, eq=False)
class Recording:
    """A recorded routine: its parameters, its steps in program order, its results.

    Run again and again, a parameter `becomes` the result it maps to; one that is not in the mapping stays the same.
    """

    name: str
    parameters: tuple[Value, ...]
    steps: tuple[Value, ...]
    results: tuple[Value, ...]
    becomes: dict[Value, Value]

    def fault(self, message, step=None):
        """A RoutineError that points at the source of `step`."""
        return RoutineError(message, self.name, step and step.line, step.source if step else "")

    def __str__(self):
        """The dataflow as text, one line a value."""
        rows = [f"{self.name}({', '.join(f'{p}: {p.type}' for p in self.parameters)})"]
        for step in self.steps:
            call = f"{step.op.name}({', '.join(map(_shown, step.operands))})"
            made = f"  {step} = {call}" if step.type else f"  {call}"
            rows.append(f"{made:<48}line {step.line}" if step.line else made)
        return "\n".join([*rows, f"  return {', '.join(map(str, self.results))}"])


def _shown(operand):
    """An operand as text; a long number in hexadecimal."""
    return f"{operand:#x}" if isinstance(operand, int) and operand > 0xFFFF else str(operand)
