"""Machine code of a recording: its instructions one by one, and the text that assembles."""

from dataclasses import dataclass

from aesedu.codegen.aarch64 import AArch64, BigEndian
from aesedu.codegen.allocate import Allocator, NoRegisterError
from aesedu.codegen.frame import Frame, words_bytes
from aesedu.codegen.instruction import Instruction
from aesedu.codegen.liveness import Program
from aesedu.codegen.select import lower, select
from aesedu.codegen.x86_64 import X8664, Evex, Vex, intel
from aesedu.routine.recording import Recording

ENCODINGS = {  # by instruction set, the one that is meant if none is named first
    "x86_64": {"sse": X8664(), "vex": Vex(), "evex": Evex()},
    "aarch64": {"little": AArch64(), "big": BigEndian()},
}
TARGETS = {isa: next(iter(encodings.values())) for isa, encodings in ENCODINGS.items()}


class BudgetError(ValueError):
    """The budget of registers of a `bank` ("word" or "vector") is impossible; `smallest` is the least that works."""

    def __init__(self, message, smallest, bank="word"):
        super().__init__(message)
        self.smallest, self.bank = smallest, bank


@dataclass(frozen=True, eq=False)
class Code:
    """A recording as machine code: a function ``routine(words, count, memory...)``, System V or AAPCS64.

    `words` points to 64-bit places: on entry the routine's u32 and u64 parameters in order, on return its results that
    are words; a v128 takes two places and a v512 eight (see `pack`). `count` is how often the body runs; in between,
    results take the places of parameters (see `Program`). The memory parameters follow in order. A table from which
    vectors are loaded starts at a multiple of 16 bytes.
    """

    original: Recording
    recording: Recording  # in operations that the machine has
    isa: str
    encoding: str
    budgets: dict[str, int]  # registers by bank
    instructions: tuple[Instruction, ...]  # the loop
    head: tuple[str, ...]
    tail: tuple[str, ...]
    pool: bytes  # constants, behind the code

    @property
    def budget(self):
        """How many word registers there may be."""
        return self.budgets["word"]

    @property
    def registers(self):
        """The registers that it may use, in order; those of vectors only where it has any."""
        banks = ENCODINGS[self.isa][self.encoding].registers
        values = (*self.recording.parameters, *self.recording.steps)
        vectors = any(v.type and v.type.bank == "vector" for v in values)
        return banks["word"][: self.budget] + (banks["vector"][: self.budgets["vector"]] if vectors else ())

    def pack(self, words, order="little"):
        """The bytes behind `words` for ints that go to the parameters in order, in the machine's order of bytes."""
        values = [p for p in self.original.parameters if not p.type.is_memory]
        pairs = zip(values, words, strict=True)
        data = b"".join(n.to_bytes(words_bytes([value]), order) for value, n in pairs)
        return data.ljust(max(8, words_bytes(self.original.results)), b"\0")

    def unpack(self, data, order="little"):
        """The results that are no memory, ints, from the bytes behind `words` afterwards."""
        results, at = [], 0
        for value in (r for r in self.original.results if not r.type.is_memory):
            size = words_bytes([value])
            results.append(int.from_bytes(data[at : at + size], order))
            at += size
        return results

    def text(self, entry="routine", syntax="att"):
        """The whole function as assembly text; ``syntax`` "intel" is for reading (x86-64 only)."""
        loop = [i.text for i in self.instructions]
        body = [*self.head, "1:", *loop, "2:", *self.tail]
        if syntax == "intel":
            body = [line if line.endswith(":") else intel(line) for line in body]
        lines = [line if line.endswith(":") else f"    {line}" for line in [*body, *self._pool()]]
        return "\n".join([".text", ".p2align 6", f".globl {entry}", f"{entry}:", *lines, ""])

    def _pool(self):
        """The lines of the constants, at the label 3."""
        rows = [self.pool[at : at + 16] for at in range(0, len(self.pool), 16)]
        return [".p2align 6", "3:", *(f".byte {', '.join(map(hex, row))}" for row in rows)] if rows else []

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


def generate(recording, isa="x86_64", budget=None, vectors=None, encoding=None):
    """Machine code of a Recording with at most `budget` registers (None: all there are, the counter included).

    `vectors` is the budget of vector registers. `isa` is "x86_64" with the encodings "sse", "vex" or "evex" of vector
    instructions, or "aarch64" with "little" or "big" endian; the first is the default. Raises ValueError for anything
    else, RoutineError for v512 without EVEX, BudgetError if a budget is impossible.
    """
    target = target_for(recording, isa, encoding)
    most = {bank: len(registers) for bank, registers in target.registers.items()}
    given = {"word": budget, "vector": vectors}
    for bound in given.values():
        if bound is not None and not hasattr(bound, "__index__"):
            raise TypeError(f"a budget is a whole number of registers, or None for all, not {bound!r}")
    budgets = {bank: most[bank] if given[bank] is None else max(0, given[bank]) for bank in most}
    lowered = lower(recording, target)
    try:
        return _generate(recording, lowered, target, budgets)
    except NoRegisterError as error:
        bank = error.bank
    possible = (n for n in range(1, most[bank] + 1) if _possible(recording, lowered, target, most | {bank: n}))
    smallest, what = next(possible), "registers" if bank == "word" else "vector registers"
    message = f"{recording.name} needs at least {smallest} {what} on {isa}; the budget is {budgets[bank]}"
    raise BudgetError(message, smallest, bank) from None


def target_for(recording, isa, encoding=None):
    """The Target that an instruction set and encoding name. Errors as `generate`, but for BudgetError."""
    if isa not in ENCODINGS:
        raise ValueError(f"there is no instruction set {isa!r}; there are: {', '.join(ENCODINGS)}")
    if encoding is not None and encoding not in ENCODINGS[isa]:
        raise ValueError(f"{isa} has no encoding {encoding!r}; it has: {', '.join(ENCODINGS[isa])}")
    target = ENCODINGS[isa][encoding] if encoding else TARGETS[isa]
    for value in (*recording.parameters, *recording.steps):
        if value.type and value.type.bits not in target.views:
            raise recording.fault(f"{value} is a {value.type}: no register of {isa} {target.encoding} holds it", value)
    return target


def _possible(*arguments):
    try:
        _generate(*arguments)
    except NoRegisterError:
        return False
    return True


def _generate(original, recording, target, budgets):
    items, pool = select(recording, target)
    allocator = Allocator(Program(recording, items), target, budgets)
    allocator.run()
    frame = Frame(allocator)
    facts = {"original": original, "recording": recording, "budgets": budgets, "pool": pool}
    code, head, tail = tuple(allocator.code), frame.head(), frame.tail()
    return Code(**facts, isa=target.name, encoding=target.encoding, instructions=code, head=head, tail=tail)
