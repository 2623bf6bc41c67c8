"""Machine code of a recording: its instructions one by one, and the text that assembles."""

from dataclasses import dataclass

from aesedu.codegen.aarch64 import AArch64
from aesedu.codegen.allocate import Allocator, NoRegisterError
from aesedu.codegen.frame import Frame
from aesedu.codegen.instruction import Instruction
from aesedu.codegen.liveness import Program
from aesedu.codegen.select import lower, select
from aesedu.codegen.x86_64 import X8664, intel
from aesedu.routine.recording import Recording

TARGETS = {target.name: target for target in (X8664(), AArch64())}


class BudgetError(ValueError):
    """The budget of registers is impossible; `smallest` is the least that works."""

    def __init__(self, message, smallest):
        super().__init__(message)
        self.smallest = smallest


@dataclass(frozen=True, eq=False)
class Code:
    """A recording as machine code: a function ``routine(words, count, memory...)``, System V or AAPCS64.

    `words` points to 64-bit places: on entry the routine's u32 and u64 parameters in order, on return its results that
    are words. `count` is how often the body runs; in between, results take the places of parameters (see `Program`).
    The memory parameters follow in order.
    """

    recording: Recording
    isa: str
    budget: int
    instructions: tuple[Instruction, ...]  # the loop
    head: tuple[str, ...]
    tail: tuple[str, ...]

    def text(self, entry="routine", syntax="att"):
        """The whole function as assembly text; ``syntax`` "intel" is for reading (x86-64 only)."""
        loop = [i.text for i in self.instructions]
        body = [*self.head, "1:", *loop, "2:", *self.tail]
        if syntax == "intel":
            body = [line if line.endswith(":") else intel(line) for line in body]
        lines = [line if line.endswith(":") else f"    {line}" for line in body]
        return "\n".join([".text", ".p2align 6", f".globl {entry}", f"{entry}:", *lines, ""])

    def listing(self):
        """The loop, one dictionary an instruction, ready for a table."""
        return [
            {
                "text": i.text,
                "intel": intel(i.text) if self.isa == "x86_64" else "",
                "english": i.english,
                "kind": i.kind,
                "reads": i.reads,
                "writes": i.writes,
                "live": tuple(map(str, i.live)),
                "line": i.step.line if i.step else None,
                "source": i.step.source if i.step else "",
            }
            for i in self.instructions
        ]

    def spills(self):
        """How many stores to and loads from the stack frame the loop makes for want of registers."""
        return sum(i.kind in ("spill", "reload") for i in self.instructions)


def generate(recording, isa="x86_64", budget=None):
    """Machine code of a Recording with at most `budget` registers (None: all there are, the counter included).

    `isa` is "x86_64" or "aarch64". Raises ValueError for another one, BudgetError if the budget is impossible.
    """
    if isa not in TARGETS:
        raise ValueError(f"there is no instruction set {isa!r}; there are: {', '.join(TARGETS)}")
    target = TARGETS[isa]
    most = len(target.registers["word"])
    budget = most if budget is None else max(0, budget)
    lowered = lower(recording, target)
    try:
        return _generate(lowered, target, budget)
    except NoRegisterError:
        smallest = next(b for b in range(1, most + 1) if _possible(lowered, target, b))
    message = f"{recording.name} needs at least {smallest} registers on {isa}; the budget is {budget}"
    raise BudgetError(message, smallest) from None


def _possible(recording, target, budget):
    try:
        _generate(recording, target, budget)
    except NoRegisterError:
        return False
    return True


def _generate(recording, target, budget):
    program = Program(recording, select(recording, target))
    allocator = Allocator(program, target, budget)
    allocator.run()
    frame = Frame(allocator)
    return Code(recording, target.name, budget, tuple(allocator.code), frame.head(), frame.tail())
