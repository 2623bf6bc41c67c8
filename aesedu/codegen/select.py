"""Choose an instruction for every step: a template, and operands that are values, numbers or addresses.

Two kinds of step vanish here. The low half of a 64-bit word is the word itself, seen through a narrower view. A load
from a table that is used once becomes a memory operand of its user, where the template has room for one.
"""

from collections import Counter
from dataclasses import dataclass

from aesedu.codegen.template import Address, Template
from aesedu.routine import ops
from aesedu.routine.ops import KINDS, VALUES, table
from aesedu.routine.recorder import Recorder, replay
from aesedu.routine.recording import Value


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
    meanings = target.meanings(recorder)
    if not meanings:
        return recording
    symbols = [recorder.parameter(p.name, p.type) for p in recording.parameters]
    results = replay(recorder, recording, symbols, meanings)
    news = dict(zip(recording.parameters, recorder.parameters, strict=True))
    return recorder.finish(results, {news[p]: recording.results.index(r) for p, r in recording.becomes.items()})


def select(recording, target):
    """The items of a lowered recording, in program order."""
    halves = _halves(recording)
    items = []
    for step in recording.steps:
        if step in halves:
            continue
        operands, template = _operands(step, halves), target.template(step.op.name, _word(step))
        for name, kind in _numbers(step, operands, target, template):
            constant = Value(ops.const, (operands[name], kind), kind, step.line, step.source)
            items.append(Item(constant, target.template("const", kind), {"n": operands[name]}))
            operands[name] = constant
        items.append(Item(step, template, operands))
    folded = _fold(items, _loads(recording))
    return [item for item in items if item.step not in folded]


def _halves(recording):
    """Low halves that may have rubbish above them; an index, a result, and what is only written in part may not."""
    indexes = {s.operands[1] for s in recording.steps if s.op is ops.load32}
    exact = indexes.union(recording.results, (s.operands[0] for s in recording.steps if s.op is ops.join16))
    return {s: s.operands[0] for s in recording.steps if s.op is ops.low32 and s not in exact}


def _operands(step, halves):
    named = {n: halves.get(o, o) for n, o in zip(step.op.operands, step.operands, strict=True)}
    if "at" in named:
        named["m" if step.type else "to"] = _address(step)
    return {n: o for n, o in named.items() if isinstance(o, Address) or n not in ("m", "i", "at", "kind")}


def _address(step):
    fields = dict(zip(step.op.operands, step.operands, strict=True))
    base, index = fields["m"], fields.get("i")
    return Address(base, index if isinstance(index, Value) else None, 4 * fields["at"], str(base), step.english())


def _word(step):
    """The type that decides between 32- and 64-bit forms: that of the result, or of what is stored."""
    return step.type or KINDS[step.op.kinds[-1]][0]


def _numbers(step, operands, target, template):
    """Names and types of numbers that need a register, as no instruction holds them."""
    for name, kind in zip(step.op.operands, step.op.kinds, strict=True):
        if kind in VALUES and isinstance(operands[name], int):
            word = _word(step) if kind in ("w", "x", "v") else KINDS[kind][0]
            if not (template.holes[name].immediate and target.immediate(step.op, operands[name], word)):
                yield name, word


def _loads(recording):
    """Addresses of the table loads that are used once."""
    uses = Counter(recording.results) + Counter(source for step in recording.steps for source in step.sources())
    loads = (s for s in recording.steps if s.op in (ops.load32, ops.load64) and s.operands[0].type is table)
    return {s: _address(s) for s in loads if uses[s] == 1 and s not in recording.results}


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
