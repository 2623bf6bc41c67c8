"""Give every value a register, and memory when there are too few: one pass over the items of a loop.

Who gives way is decided by the furthest next use, divided by what coming back costs: a value with a home in memory (a
constant, a word of a table, a parameter that stays the same, one that was spilled before) is only loaded again; any
other must be stored first.
"""

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import NamedTuple

from aesedu.codegen.template import HOLE, Address
from aesedu.routine import ops
from aesedu.routine.ops import KINDS, table, u64
from aesedu.routine.recording import Value


class TooFewRegisters(Exception):
    """An instruction needs more registers at once than the budget has."""


@dataclass(frozen=True)
class Instruction:
    """One line of machine code. `kind` is operation, load, copy, constant, spill, reload or loop.

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


class Wish(NamedTuple):
    """The registers in which a value is wanted, and when for the first time."""

    registers: tuple = ()
    time: float = math.inf


NO_WISH = Wish()


class Slots:
    """Places in the stack frame, handed out again once they are free."""

    def __init__(self, stack):
        self.stack, self.size, self.free = stack, 0, defaultdict(list)

    def take(self, what, size=8):
        """The address of a free place of `size` bytes, aligned to its size."""
        if self.free[size]:
            offset = self.free[size].pop()
        else:
            offset = -(-self.size // size) * size
            self.size = offset + size
        return Address(self.stack, None, offset, "frame", str(what))

    def give(self, place, size=8):
        """Take back a place."""
        self.free[size].append(place.offset)


class Allocator:
    """The state of the pass: what is in which register, what has a place in the frame, the code so far."""

    def __init__(self, program, target, budget):
        self.program, self.target = program, target
        self.registers = target.registers["word"][:budget]
        self.frame = Slots(target.stack)
        self.held, self.where = {}, {}  # register -> value, value -> register
        self.saved = {}  # value -> place in the frame where it stands as well
        self.homes = {i.step: i for i in program.items if _comes_back(i) and i.step not in program.words}
        self.busy = set()  # registers that the present instruction needs
        self.now = -1
        self.live = program.live()
        self.code = []
        self.places = {p: self.frame.take(p) for p in program.parameters}
        self.heads = self._heads()
        spare = target.registers["word"][budget:]
        self.counter = spare[-1] if spare else self.frame.take("the count")
        self.wishes = _wishes(program, target, self.heads)

    def run(self):
        """Allocate the loop's body and its end; raises TooFewRegisters."""
        for parameter in self.program.parameters:
            if parameter in self.heads:
                self._hold(parameter, self.heads[parameter])
            if parameter not in self.heads or parameter not in self.program.becomes:
                self.saved[parameter] = self.places[parameter]
        for self.now, item in enumerate(self.program.items):
            self._place(item)
        self.now += 1
        self._close_loop()

    def outcomes(self):
        """The results that are words, in order, each with the place where it is after the loop."""
        places = {self.program.becomes.get(p, p): place for p, place in self.places.items()} | self.outs
        return [(result, places[result]) for result in self.program.words]

    # The loop's head: parameters in registers by use count, as far as the body leaves room for them.

    def _heads(self):
        program = self.program
        pointers = [p for p in program.parameters if p.type in KINDS["m"]]
        peak = max((sum(v not in pointers for v in live) for live in self.live), default=0)
        words = [p for p in program.parameters if p not in pointers]
        chosen = _by_use(words, program)[: len(self.registers)]
        chosen += _by_use(pointers, program)[: max(0, len(self.registers) - max(peak, len(chosen)))]
        self.wishes, free = _wishes(program, self.target, {}), list(self.registers)
        heads = {}
        for parameter in sorted(chosen, key=lambda p: self._wish(p).time):
            heads[parameter] = self._choose(free, parameter)
            free.remove(heads[parameter])
        return heads

    # One item.

    def _place(self, item):
        self._commute(item)
        self.busy = {self.where[v] for v in item.reads() if v in self.where}
        bound = {name: self._bind(item, name, operand) for name, operand in item.operands.items()}
        if item.step.type:
            bound["d"] = self._result(item, bound)
        else:
            self._release_dead(item)
        self._emit(item.template, bound, *_about(item), item.step, self.live[self.now])

    def _commute(self, item):
        """Overwrite the operand that nobody needs any more; else the one that is in a register."""
        a, b = item.operands.get("a"), item.operands.get("b")
        if item.step.op.commutes and item.template.overwrites and isinstance(b, Value):
            if (self._lives_on(b), b not in self.where) < (self._lives_on(a), a not in self.where):
                item.operands.update(a=b, b=a)

    def _bind(self, item, name, operand):
        """A register, number or address for an operand."""
        if isinstance(operand, int):
            return operand
        if isinstance(operand, Address):
            index = operand.index and self._bring(operand.index)
            return replace(operand, base=self._bring(operand.base), index=index)
        hole = item.template.holes.get(name)
        if hole and hole.memory and operand not in self.where:
            home = self._home(operand)
            if home and (not self._lives_on(operand) or not self._free()):
                self.busy.add(home.base)
                return home
        return self._bring(operand, self.target.allowed(item.template, name))

    def _result(self, item, bound):
        """The register of the result."""
        if item.template.overwrites:
            register = self._take_over(item, bound[item.template.overwrites])
            self._release_dead(item)
        else:
            self._release_dead(item)
            register = self._room(self.target.allowed(item.template, "d"), item.step)
        self._hold(item.step, register)
        return register

    def _take_over(self, item, register):
        """A two-address instruction overwrites `register`: if its value lives on, one of the two must go elsewhere.

        The one that is needed first stays and does not wait for the copy, unless it would soon have to move anyway.
        """
        source = item.operands[item.template.overwrites]
        if not self._lives_on(source):
            return register
        wish = self._wish(item.step).registers
        moves_away = self._next(source) > self._next(item.step) and (not wish or register in wish)
        copy = self._room(None, source if moves_away else item.step)
        self._copy(source, register, copy)
        if not moves_away:
            return copy
        self._hold(source, copy)
        return register

    # Registers.

    def _bring(self, value, allowed=None):
        """The register of a value, which comes from memory or another register if it must."""
        register = self.where.get(value)
        if register and (allowed is None or register in allowed):
            return register
        new = self._room(allowed, value)
        if register:
            self._copy(value, register, new)
            self.busy.discard(register)
        else:
            self._restore(value, new)
        self._hold(value, new)
        self.busy.add(new)
        return new

    def _room(self, allowed, value):
        """An empty register among those allowed, emptied if need be."""
        allowed = [r for r in self.registers if allowed is None or r in allowed]
        if free := [r for r in allowed if r not in self.held]:
            return self._choose(free, value)
        victims = [r for r in allowed if r not in self.busy]
        if not victims:
            raise TooFewRegisters
        if spare := self._free():
            register = max(victims, key=lambda r: self._wish(self.held[r]).time)
            moved = self.held[register]
            self._copy(moved, register, spare[-1])
            self._hold(moved, spare[-1])
        else:
            register = max(victims, key=self._patience)
            self._evict(register)
        return register

    def _choose(self, free, value):
        """The free register that suits a value best.

        One that the value wishes for, but not the last of these if another value needs such a one sooner; else the
        one that fewest instructions ask for.
        """
        wish = self._wish(value)
        liked = [r for r in free if r in wish.registers]
        waiting = any(self._wish(v).time < wish.time and r not in self._wish(v).registers for v, r in self.where.items())
        return liked[0] if len(liked) > waiting else free[-1]

    def _wish(self, value):
        return self.wishes.get(value, NO_WISH)

    def _patience(self, register):
        value = self.held[register]
        comes_back_cheaply = value in self.saved or value in self.homes
        return (self._next(value) - self.now) / (1 if comes_back_cheaply else 2)

    def _evict(self, register):
        value = self._let_go(self.held[register])
        if value not in self.saved and value not in self.homes:
            self.saved[value] = self.frame.take(value)
            self._line("spill", value, f"no register left: store {value} in the stack frame",
                       a=register, to=self.saved[value])  # fmt: skip

    def _restore(self, value, register):
        """Bring a value back from its place in the frame, or by running its item again."""
        if value in self.saved:
            self._line("reload", value, f"load {value} back from the stack frame", d=register, m=self.saved[value])
            return
        item, bound = self.homes[value], {"d": register}
        for name, operand in item.operands.items():
            bound[name] = operand
            if isinstance(operand, Address):
                if operand.base not in self.where:
                    self._restore(operand.base, register)
                bound[name] = replace(operand, base=self.where.get(operand.base, register))
        kind, english = _about(item)
        self._emit(item.template, bound, kind, f"{english}, again", value, self._before())

    def _home(self, value):
        """Where in memory a value can be read, if no register is missing for that."""
        if value in self.saved:
            return self.saved[value]
        address = value in self.homes and self.homes[value].operands.get("m")
        return replace(address, base=self.where[address.base]) if address and address.base in self.where else None

    def _hold(self, value, register):
        self._let_go(value)
        self.held[register], self.where[value] = value, register

    def _let_go(self, value):
        register = self.where.pop(value, None)
        if register and self.held.get(register) is value:
            del self.held[register]
        return value

    def _release_dead(self, item):
        for value in item.reads():
            if not self._lives_on(value):
                self._let_go(value)
                if value in self.saved and value not in self.places:
                    self.frame.give(self.saved.pop(value))

    def _free(self):
        return [r for r in self.registers if r not in self.held]

    def _next(self, value):
        return self.program.next_use(value, self.now)

    def _lives_on(self, value):
        return self._next(value) is not None

    # The loop's end: results take the places of the parameters.

    def _close_loop(self):
        self.busy = set()
        moves = []
        for parameter in self.program.parameters:
            value = self.program.becomes.get(parameter, parameter)
            target = self.heads.get(parameter, self.places[parameter])
            if value in self.where or value in self.saved:
                moves.append((self.where.get(value) or self.saved[value], target, value))
        self.outs = {result: self.frame.take(result) for result in self.program.extra}
        moves += [(self.where.get(r) or self.saved[r], place, r) for r, place in self.outs.items()]
        spare = self.frame.take("a turn of places")
        for source, target, value in in_order(moves, spare):
            self._move(source, target, value)
        at = {"to" if isinstance(self.counter, Address) else "d": self.counter}
        row = self.target.template("count in frame" if "to" in at else "count", u64)
        self._emit(row, at, "loop", "one iteration less to go", None, self._before())

    def _move(self, source, target, value):
        english = f"the next iteration wants {value} here"
        if isinstance(source, Address) and isinstance(target, Address):
            self._line("fetch", value, english, "loop", m=source)
            self._line("put", value, english, "loop", to=target)
        elif isinstance(source, Address):
            self._line("reload", value, english, "loop", d=target, m=source)
        elif isinstance(target, Address):
            self._line("spill", value, english, "loop", a=source, to=target)
        else:
            self._line("copy", value, english, "loop", a=source, d=target)

    # Code.

    def _copy(self, value, source, target):
        self._line("copy", value, f"copy {value} to another register", a=source, d=target)

    def _line(self, row, value, english, kind=None, **bound):
        self._emit(self.target.template(row, value.type), bound, kind or row, english, value, self._before())

    def _before(self):
        """The values that are live before the present item."""
        return self.live[self.now - 1] if self.now > 0 else self.program.parameters

    def _emit(self, template, bound, kind, english, step, live):
        made = template.overwrites is not None  # whether `d` has a value before the line
        for line in template.lines:
            names = [name for name, _ in HOLE.findall(line)]
            inputs = [bound[n] for n in names if n != "d" or made]
            reads = tuple(dict.fromkeys(r for operand in inputs for r in _registers(operand)))
            writes = (bound["d"],) if "d" in names else ()
            address = next((bound[n] for n in names if isinstance(bound[n], Address)), None)
            text, stores, held = self.target.render(line, bound), "to" in names, dict(self.held)
            self.code.append(Instruction(text, kind, english, reads, writes, address, stores, step, live, held))
            made = made or "d" in names


def in_order(moves, spare):
    """Order moves ``(source, target, value)`` that happen at once, so that none overwrites what another still reads.

    Moves in a circle go through `spare`.
    """
    waiting = [m for m in moves if m[0] != m[1]]
    while waiting:
        ready = next((m for m in waiting if not any(o is not m and o[0] == m[1] for o in waiting)), None)
        if ready:
            waiting.remove(ready)
            yield ready
        else:
            source = waiting[0][0]
            yield source, spare, waiting[0][2]
            waiting = [(spare if m[0] == source else m[0], *m[1:]) for m in waiting]


def _registers(operand):
    parts = (operand.base, operand.index) if isinstance(operand, Address) else (operand,)
    return [part for part in parts if isinstance(part, str)]


def _comes_back(item):
    """Whether running the item again gives its value again, with no more than a base address in a register."""
    address = item.operands.get("m")
    from_table = address and address.index is None and item.step.op in (ops.load32, ops.load64)
    return item.step.op is ops.const or bool(from_table and address.base.type is table)


def _about(item):
    """Kind of instruction and plain English."""
    step = item.step
    if "to" in item.operands:
        return "operation", step.english()
    folded = {n: f"({o.what})" for n, o in item.operands.items() if isinstance(o, Address) and n != "m"}
    kind = {"load32": "load", "load64": "load", "const": "constant"}.get(step.op.name, "operation")
    return kind, f"{step} = {step.english(**folded)}"


def _by_use(parameters, program):
    """Those that are read, the busiest first."""
    return sorted((p for p in parameters if program.uses[p]), key=lambda p: -len(program.uses[p]))


def _wishes(program, target, heads):
    """Where values are wanted later, seen from the end: a result that takes over a register passes its wish on."""
    wishes = {program.becomes[p]: Wish((r,), len(program.items)) for p, r in heads.items() if p in program.becomes}
    for time, item in reversed(list(enumerate(program.items))):
        for name in item.template.holes:
            allowed = target.allowed(item.template, name)
            if allowed and isinstance(item.operands.get(name), Value):
                wishes[item.operands[name]] = Wish(allowed, time)
        if item.template.overwrites and item.step in wishes:
            wishes.setdefault(item.operands[item.template.overwrites], wishes[item.step])
    return wishes
