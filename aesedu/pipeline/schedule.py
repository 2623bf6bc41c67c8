"""List scheduling: the steps of a recording in an order that suits a machine, within a budget of registers.

Cycle by cycle the scheduler issues, of the steps whose operands are there and for which a port is free, the one with
the longest way to the end (its critical path). What a step costs is read off its instruction by the cycle model, so
there is no second table of latencies. Where one more live value would not fit the budget, only steps that do not add
one may go; if there is none, the earliest as written goes. That leads a little above the bound, so the pass is made
again with lower ones until no more than the budget is live.

Memory: a step stays behind an earlier one if one of them stores and they may meet. Two memory parameters are taken to
be the same place or apart, so that encryption in place stays right; tables are never written.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from math import inf

from aesedu.codegen.code import target_for
from aesedu.codegen.liveness import Program
from aesedu.codegen.select import lower, select, word_type
from aesedu.codegen.template import Address
from aesedu.pipeline.loop import loop
from aesedu.pipeline.micro import decode
from aesedu.routine.ops import table
from aesedu.routine.recording import Value

_LOWER = 7  # passes


def schedule(recording, machine, budget=None, vectors=None, encoding=None):
    """The same routine with its steps in an order for a Machine: a Recording in operations that its ISA has.

    `budget` and `vectors` bound the live words and vectors (None: the registers there are; math.inf: no bound). They
    bound the order; `generate` bounds the code. Raises what `generate` raises for the encoding, and MachineError for an
    instruction that the machine says nothing of.
    """
    target = target_for(recording, machine.isa, encoding)
    lowered = lower(recording, target)
    items, _ = select(lowered, target)
    given = {"word": budget, "vector": vectors}
    bounds = {bank: len(rs) if given[bank] is None else given[bank] for bank, rs in target.registers.items()}
    nodes = _nodes(lowered, items, lambda item: _cost(item, target, machine))
    order = _within(nodes, Program(lowered, items), machine, bounds)
    steps = tuple(_steps(lowered, [node.item for node in order]))
    for number, step in enumerate(steps):
        step.number = number
    return replace(lowered, steps=steps)


@dataclass(eq=False)
class _Node:
    """An item on its way: `load` cycles go by until what it reads from memory is there, `latency` until its result."""

    item: object
    reads: frozenset
    micros: list
    slots: int
    load: int
    latency: int
    before: dict = field(default_factory=dict)  # node: cycles from its start to the earliest of this one
    after: list = field(default_factory=list)
    height: float = 0  # cycles from its start to the end of all that waits for it


def _cost(item, target, machine):
    """The _Node of an item: its instruction with some registers, as the cycle model takes it."""
    text = "\n".join(target.render(line, _bound(item, target)) for line in item.template.lines)
    decoded = decode(loop(text, machine.isa), machine)
    micros = [micro for one in decoded for micro in one.micros]
    load = sum(m.latency for m in micros if m.role == "load")
    work = sum(m.latency for m in micros if m.role in ("work", "data"))
    return _Node(item, frozenset(item.reads()), micros, sum(one.slots for one in decoded), load, max(1, load + work))


def _bound(item, target):
    """A register for each hole that wants one, no two alike."""
    free = {bank: list(registers) for bank, registers in target.registers.items()}

    def take(name, bank):
        allowed = target.allowed(item.template, name) or free[bank]
        free[bank].remove(register := next(r for r in free[bank] if r in allowed))
        return register

    operands = {n: take(n, o.type.bank) if isinstance(o, Value) else o for n, o in item.operands.items()}
    if item.step.type:
        operands["d"] = operands.get(item.template.overwrites) or take("d", item.step.type.bank)
    far = {n: replace(o, base=free["word"][-1], index=o.index and free["word"][-2])
           for n, o in operands.items() if isinstance(o, Address) and o.base}  # fmt: skip
    return operands | far


# What must wait for what.


def _nodes(lowered, items, cost):
    nodes = [cost(item) for item in items]
    makers = {node.item.step: node for node in nodes}
    for node in nodes:
        for operand in node.item.operands.values():
            early = 0 if isinstance(operand, Address) else node.load  # an address is needed first, the rest later
            for value in _values(operand):
                if value in makers:
                    _wait(node, makers[value], max(0, makers[value].latency - early))
    for first, second in _meetings(nodes):
        _wait(second, first, first.latency)
    last = [n for n in nodes if n.item.step in lowered.results and n.item.step.type.is_memory and not n.after]
    for move in last:  # a pointer moves on behind all that use it, and needs no second register
        for node in nodes:
            if node not in last and move.reads & node.reads:
                _wait(move, node, 0)
    for node in reversed(nodes):
        node.height = max([node.latency, *(n.before[node] + n.height for n in node.after)])
    return nodes


def _values(operand):
    parts = (operand.base, operand.index) if isinstance(operand, Address) else (operand,)
    return [part for part in parts if isinstance(part, Value)]


def _wait(node, earlier, cycles):
    if earlier not in node.before:
        earlier.after.append(node)
    node.before[earlier] = max(cycles, node.before.get(earlier, 0))


def _meetings(nodes):
    """Pairs of nodes in program order that may touch the same memory, and one of them stores."""
    touched = []
    for node in nodes:
        for operand in node.item.operands.values():
            if isinstance(operand, Address) and operand.base and node.item.step.op.name != "advance":
                here = _where(operand, node.item.step)
                if here is None:
                    continue
                for other, there in touched:
                    if (here[0] or there[0]) and here[1] < there[2] and there[1] < here[2]:
                        yield other, node
                touched.append((node, here))


def _where(address, step):
    """(whether it is stored to, first byte, the one after the last) from the start of a parameter; None: a table."""
    base, first = address.base, address.offset
    while base.op:
        base, first = base.operands[0], first + 4 * base.operands[1]
    if base.type is table:
        return None
    stores = step.type is None
    return (stores, -inf, inf) if address.index else (stores, first, first + word_type(step).bits // 8)


def _steps(lowered, items):
    """The steps in the order of items; what has no instruction of its own comes right before it is needed."""
    done, own = set(), {item.step for item in items}

    def needed(step):
        for source in step.sources():
            if source.op and source not in done and source not in own:
                yield from needed(source)
        done.add(step)
        yield step

    known = set(lowered.steps)
    for item in items:
        yield from (step for step in needed(item.step) if step in known)
    yield from (step for step in lowered.steps if step not in done)


def _within(nodes, program, machine, bounds):
    """The nodes in an order within the bounds, or as near to them as lower ones on the way bring it."""
    passes = []
    for lower_by in range(_LOWER):
        one = _List(nodes, program, machine, {bank: n - lower_by for bank, n in bounds.items()})
        order = one.run()
        over = max(one.most[bank] - bounds[bank] for bank in bounds)
        if over <= 0:
            return order
        passes.append((over, lower_by, order))
    return min(passes)[2]


class _List:
    """The state of the pass: the cycle, what is available, how many values are live in each bank."""

    def __init__(self, nodes, program, machine, bounds):
        self.machine, self.bounds = machine, bounds
        self.place = {node: n for n, node in enumerate(nodes)}
        self.left = {v: sum(t < len(nodes) for t in times) + (times[-1] >= len(nodes) if times else 0)
                     for v, times in program.uses.items()}  # fmt: skip
        self.live = Counter(p.type.bank for p in program.parameters if self.left.get(p))
        self.most = self.live.copy()
        self.waits = {node: len(node.before) for node in nodes}
        self.available = [node for node in nodes if not node.before]
        self.cycle, self.slots, self.free, self.start = 0, 0, defaultdict(int), defaultdict(int)

    def run(self):
        """The nodes in their new order."""
        order = []
        while self.available:
            ready = [n for n in self.available if self.start[n] <= self.cycle and self._ports(n) is not None]
            ready.sort(key=lambda n: (-n.height, self.place[n]))
            node, stuck = next(filter(self._fits, ready), None), False
            if node is None and not any(map(self._fits, self.available)):
                node, stuck = min(self.available, key=self.place.get), True
                self.cycle = max(self.cycle, self.start[node])
            if node and (stuck or self._room(node)):
                self._issue(node)
                order.append(node)
            else:
                self.cycle, self.slots = self.cycle + 1, 0
        return order

    def _room(self, node):
        return self.slots == 0 or self.slots + node.slots <= self.machine.dispatch

    def _ports(self, node):
        """{port: cycles} that its micro-operations take, or None while one finds no free port."""
        taken = Counter()
        for micro in node.micros:
            free = [p for p in micro.ports if self.free[p] <= self.cycle]
            if not free:
                return None
            taken[min(free, key=lambda p: (taken[p], self.free[p]))] += micro.occupancy
        return taken

    def _grows(self, node):
        """{bank: by how many live values it grows}, or shrinks."""
        step = node.item.step
        grows = {step.type.bank: 1} if step.type and self.left.get(step) else {}
        for value in node.reads:
            if self.left[value] == 1:
                grows[value.type.bank] = grows.get(value.type.bank, 0) - 1
        return grows

    def _fits(self, node):
        return all(n <= 0 or self.live[bank] + n <= self.bounds[bank] for bank, n in self._grows(node).items())

    def _issue(self, node):
        self.live.update(self._grows(node))
        self.most |= self.live
        for value in node.reads:
            self.left[value] -= 1
        self.available.remove(node)
        self.slots += node.slots
        for port, cycles in (self._ports(node) or {}).items():
            self.free[port] = self.cycle + cycles
        for other in node.after:
            self.start[other] = max(self.start[other], self.cycle + other.before[node])
            self.waits[other] -= 1
            if not self.waits[other]:
                self.available.append(other)
