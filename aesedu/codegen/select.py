"""Choose an instruction for every step: a template, and operands that are values, numbers or addresses.

Two kinds of step vanish here. The low half of a 64-bit word is the word itself, seen through a narrower view. A load
from a table that is used once becomes a memory operand of its user, where the template has room for one.
"""

from collections import Counter
from dataclasses import dataclass

from aesedu.codegen.template import Address, Template
from aesedu.routine import ops
from aesedu.routine.ops import KINDS, table
from aesedu.routine.record import Recorder, replay
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


def lower(recording, target):
    """The recording in operations that `target` has: it is evaluated once more, with other meanings."""
    recorder = Recorder(recording.name)
    symbols = [recorder.parameter(p.name, p.type) for p in recording.parameters]
    results = replay(recorder, recording, symbols, target.meanings(recorder))
    news = dict(zip(recording.parameters, recorder.parameters, strict=True))
    return recorder.finish(results, {news[p]: recording.results.index(r) for p, r in recording.becomes.items()})


def select(recording, target):
    """The items of a lowered recording, in program order."""
    uses = Counter(recording.results)
    uses.update(source for step in recording.steps for source in step.sources())
    halves = _halves(recording)
    loads = {s: _address(s) for s in recording.steps if uses[s] == 1 and _may_fold(s, recording)}
    items = []
    for step in recording.steps:
        if step in halves:
            continue
        operands = _operands(step, halves)
        template = target.template(step.op.name, _word(step))
        for name, kind in _numbers(step, operands, target, template):
            constant = Value(ops.const, (operands[name], kind), kind, step.line, step.source)
            items.append(Item(constant, target.template("const", kind), {"n": operands[name]}))
            operands[name] = constant
        items.append(Item(step, template, operands))
    return _fold(items, loads, target)


def _halves(recording):
    """Uses of a low half that must be exact in all 64 bits - an index, a result - need the half for themselves."""
    exact = set(recording.results) | {s.operands[1] for s in recording.steps if s.op is ops.load32}
    return {s: s.operands[0] for s in recording.steps if s.op is ops.low32 and s not in exact}


def _operands(step, halves):
    named = {n: halves.get(o, o) if isinstance(o, Value) else o for n, o in zip(step.op.operands, step.operands)}
    if step.op.kinds[0] in ("m", "out"):
        place = "m" if step.type else "to"
        named = {n: o for n, o in named.items() if n not in ("m", "i", "at")} | {place: _address(step)}
    return named


def _address(step):
    fields = dict(zip(step.op.operands, step.operands))
    base, index = fields["m"], fields.get("i")
    return Address(base, index if isinstance(index, Value) else None, 4 * fields["at"], str(base), step.english())


def _word(step):
    """The type that decides between 32- and 64-bit forms: that of the operand for a store, else of the result."""
    return step.type or step.operands[-1].type


def _numbers(step, operands, target, template):
    """Names and types of the numbers that stand where a word is wanted and no immediate will do."""
    for name, kind in zip(step.op.operands, step.op.kinds, strict=True):
        if kind in ("w", "u32", "u64") and isinstance(operands[name], int):
            word = step.operands[0].type if kind == "w" else KINDS[kind][0]
            if not (template.holes[name].immediate and target.immediate(step.op, operands[name], word)):
                yield name, word


def _may_fold(step, recording):
    reads_table = step.op in (ops.load32, ops.load64) and step.operands[0].type is table
    return reads_table and step not in recording.results


def _fold(items, loads, target):
    """Loads that go where a template welcomes memory; commuting operands change places for it."""
    folded = set()
    for item in items:
        for name, hole in item.template.holes.items():
            if not hole.memory or not isinstance(item.operands.get(name), Value):
                continue
            if item.step.op.commutes and item.operands["b"] not in loads and item.operands["a"] in loads:
                item.operands["a"], item.operands["b"] = item.operands["b"], item.operands["a"]
            load = item.operands[name]
            if load in loads and target.view(load.type) == hole.view:
                item.operands[name] = loads[load]
                folded.add(load)
    return [item for item in items if item.step not in folded]
