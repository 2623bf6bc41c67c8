"""Choose an instruction for every step: a template, and operands that are values, numbers or addresses.

Two kinds of step vanish here. The low half of a 64-bit word is the word itself, seen through a narrower view. A load
from a table that is used once becomes a memory operand of its user, where the template has room for one. Constants
that no instruction holds appear: words from instructions, vectors from a pool behind the code.
"""

from collections import Counter
from dataclasses import dataclass

from aesedu.codegen.template import Address, Template
from aesedu.routine import ops, vectors
from aesedu.routine.ops import KINDS, VALUES, table
from aesedu.routine.recorder import Recorder, replay
from aesedu.routine.recording import Value

_LOADED = (ops.load32, ops.load64, ops.const, vectors.load128, vectors.load512)


@dataclass(eq=False)
class Item:
    """A step on its way to becoming an instruction."""

    step: Value
    template: Template
    operands: dict[str, object]

    def reads(self):
        """The values it needs; an address needs its base and index."""
        for operand in self.operands.values():
            parts = (operand.base, operand.index) if isinstance(operand, Address) else (operand,)
            yield from (part for part in parts if isinstance(part, Value))

    def english(self):
        """What it does, in words, with what was folded into it."""
        if not self.step.type:
            return self.step.english()
        folded = {n: f"({o.what})" for n, o in self.operands.items() if isinstance(o, Address) and n != "m"}
        return f"{self.step} = {self.step.english(**folded)}"


def lower(recording, target):
    """The recording in operations that `target` has: it is evaluated once more, with other meanings."""
    recorder = Recorder(recording.name)
    symbols = [recorder.parameter(p.name, p.type) for p in recording.parameters]
    results = replay(recorder, recording, symbols, target.meanings(recorder))
    news = dict(zip(recording.parameters, recorder.parameters, strict=True))
    return recorder.finish(results, {news[p]: recording.results.index(r) for p, r in recording.becomes.items()})


def select(recording, target):
    """The items of a lowered recording, in program order, and the pool of its constants (bytes)."""
    selector = _Selector(recording, target)
    for step in recording.steps:
        if step not in selector.halves:
            selector.add(step)
    folded = _fold(selector.items, _loads(recording, selector.items))
    return [item for item in selector.items if item.step not in folded], bytes(selector.pool)


class _Selector:
    """Makes items; equal vector constants are one value, which waits in a register or is loaded again."""

    def __init__(self, recording, target):
        self.recording, self.target = recording, target
        self.halves = _halves(recording)
        self.items, self.pool, self.constants = [], bytearray(), {}

    def add(self, step):
        """Append the item of a step, after those of its constants."""
        if step.op is ops.const:
            self._add_constant(step)
            return
        template, operands = self.target.template(step.op.name, word_type(step)), self._operands(step)
        for name, kind in _numbers(step, operands, self.target, template):
            operands[name] = self._constant(operands[name], kind, step)
        self.items.append(Item(step, template, operands))

    def _constant(self, n, kind, step):
        """A value for a number: for a vector, the one there is."""
        if (n, kind) not in self.constants or kind.bank == "word":
            self.constants[n, kind] = Value(ops.const, (n, kind), kind, step.line, step.source)
            self._add_constant(self.constants[n, kind])
        return self.constants[n, kind]

    def _add_constant(self, value):
        n, kind = value.operands
        operands = {"m": self._place(n, kind)} if kind.bank == "vector" else {"n": n}
        self.items.append(Item(value, self.target.template("const", kind), operands))

    def _place(self, n, kind):
        """Where a constant lies in the pool, at a multiple of its size."""
        size = kind.bits // 8
        self.pool += bytes(-len(self.pool) % size) + n.to_bytes(size, "little")
        return Address(None, None, len(self.pool) - size, "pool", f"the constant {n:#x}")

    def _operands(self, step):
        named = {n: self.halves.get(o, o) for n, o in zip(step.op.operands, step.operands, strict=True)}
        if "at" in named:
            named["m" if step.type else "to"] = self._address(step)
        return {n: o for n, o in named.items() if isinstance(o, Address) or n not in ("m", "i", "at", "kind")}

    def _address(self, step):
        fields = dict(zip(step.op.operands, step.operands, strict=True))
        base, index, offset = fields["m"], fields.get("i"), 4 * fields["at"]
        anywhere = base.op or base in self.recording.becomes or offset % 16
        folds = step.op is not vectors.load_broadcast  # what is in memory is not the value
        folds = folds and not (self.target.aligned and anywhere and word_type(step).bank == "vector")
        return Address(base, index if isinstance(index, Value) else None, offset, str(base), step.english(), folds)


def _halves(recording):
    """Low halves that may have rubbish above them; an index, a result, and what is only written in part may not."""
    indexes = {s.operands[1] for s in recording.steps if s.op is ops.load32}
    exact = indexes.union(recording.results, (s.operands[0] for s in recording.steps if s.op is ops.join16))
    return {s: s.operands[0] for s in recording.steps if s.op is ops.low32 and s not in exact}


def word_type(step):
    """The type that decides the form of an instruction: that of the result, or of what is stored."""
    return step.type or KINDS[step.op.kinds[-1]][0]


def _numbers(step, operands, target, template):
    """Names and types of numbers that need a register, as no instruction holds them."""
    for name, kind in zip(step.op.operands, step.op.kinds, strict=True):
        if kind in VALUES and isinstance(operands[name], int):
            word = word_type(step) if kind in ("w", "x", "v") else KINDS[kind][0]
            if not (template.holes[name].immediate and target.immediate(step.op, operands[name], word)):
                yield name, word


def _loads(recording, items):
    """Addresses of the values that are used once and come from a table or the pool."""
    uses = Counter(value for item in items for value in item.reads())
    places = {i.step: i.operands["m"] for i in items if i.step.op in _LOADED and "m" in i.operands}
    steady = {v: a for v, a in places.items() if a.folds and (a.base is None or a.base.type is table)}
    return {v: a for v, a in steady.items() if uses[v] == 1 and v not in recording.results}


def _fold(items, loads):
    """Put loads where a template welcomes memory, and return them; commuting operands change places for it."""
    folded = set()
    for item in items:
        if "b" not in item.template.holes or not item.template.holes["b"].memory:
            continue
        a, b = item.operands["a"], item.operands["b"]
        if item.step.op.commutes and isinstance(b, Value) and b not in loads and a in loads:
            a, b = b, a
        if b in loads and b.type is item.step.type:
            item.operands.update(a=a, b=loads[b])
            folded.add(b)
    return folded
