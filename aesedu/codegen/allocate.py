"""Give every value a register, and memory when there are too few: one pass over the items of a loop.

Who gives way is decided by the furthest next use, divided by what coming back costs: a value with a home in memory (a
constant, a word of a table, a parameter that stays the same, one that was spilled before) is only loaded again; any
other must be stored first.
"""

import math
from dataclasses import replace
from typing import NamedTuple

from aesedu.codegen.frame import Slots
from aesedu.codegen.instruction import instructions
from aesedu.codegen.template import Address
from aesedu.routine import ops
from aesedu.routine.ops import table, u64
from aesedu.routine.recording import Value


class NoRegisterError(Exception):
    """An instruction needs more registers of a `bank` at once than the budget has."""

    def __init__(self, bank):
        super().__init__(bank)
        self.bank = bank


class Wish(NamedTuple):
    """The registers in which a value is wanted, and when for the first time."""

    registers: tuple = ()
    time: float = math.inf


NO_WISH = Wish()


class Allocator:
    """The state of the pass: what is in which register, what has a place in the frame, the code so far.

    `heads` are the registers of parameters where the loop begins, `places` their places in the frame; `counter` is
    the register (one outside the budget, or one that is left) or place that counts iterations.
    """

    def __init__(self, program, target, budgets):
        self.program, self.target = program, target
        self.registers = {bank: registers[: budgets[bank]] for bank, registers in target.registers.items()}
        self.slots = Slots(target.stack)
        self.held, self.where = {}, {}  # register -> value, value -> register
        self.saved = {}  # value -> place in the frame where it stands as well
        self.homes = {i.step: i for i in program.items if _comes_back(i, program)}
        self.busy = set()  # registers that the present item needs
        self.now = -1
        self.live = program.live()
        self.code = []
        self.places = {p: self.slots.take(p, p.type) for p in program.parameters}
        self.outs = {}  # result that no parameter becomes -> place
        self.wishes = _wishes(program, target, {})
        self.heads = self._heads()
        self.wishes = _wishes(program, target, self.heads)
        spare = target.registers["word"][budgets["word"] :]
        self.counter = spare[-1] if spare else self.slots.take("the count")

    def run(self):
        """Allocate the loop's body and its end; raises NoRegisterError."""
        for parameter in self.program.parameters:
            if parameter in self.heads:
                self._hold(parameter, self.heads[parameter])
            if parameter not in self.heads or parameter not in self.program.becomes:
                self.saved[parameter] = self.places[parameter]
        for item in self.program.items:
            self.now += 1
            self._place(item)
        self.now += 1
        self._end_loop()

    def outcomes(self):
        """The results that are no memory, in order, each with its place after the loop."""
        places = {self.program.becomes.get(p, p): place for p, place in self.places.items()} | self.outs
        return [(result, places[result]) for result in self.program.words]

    def _heads(self):
        """Parameters that start in registers: data, then as many addresses as the body leaves room for, by use."""
        memories = [p for p in self.program.parameters if p.type.is_memory]
        values = self.program.busiest([p for p in self.program.parameters if p not in memories])
        peak = max((sum(v.type.bank == "word" and v not in memories for v in live) for live in self.live), default=0)
        chosen = {b: [p for p in values if p.type.bank == b][: len(rs)] for b, rs in self.registers.items()}
        room = len(self.registers["word"]) - max(peak, len(chosen["word"]))
        chosen["word"] += self.program.busiest(memories)[: max(0, room)]
        free, heads = {bank: list(registers) for bank, registers in self.registers.items()}, {}
        for parameter in sorted(sum(chosen.values(), []), key=lambda p: self._wish(p).time):
            heads[parameter] = self._choose(free[parameter.type.bank], parameter)
            free[parameter.type.bank].remove(heads[parameter])
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
        self._emit(item.template, bound, _kind(item), item.english(), item.step, self.live[self.now])
        self._give_back(item)

    def _commute(self, item):
        """Overwrite the operand that nobody needs any more; else one in a register, best where the result is wanted."""
        a, b = item.operands.get("a"), item.operands.get("b")
        if not (item.step.op.commutes and item.template.overwrites and isinstance(b, Value)):
            return
        wish = self._wish(item.step).registers

        def cost(value):
            register = self.where.get(value)
            return self._lives_on(value), not register, register not in wish

        if cost(b) < cost(a):
            item.operands.update(a=b, b=a)

    def _bind(self, item, name, operand):
        """A register, number or address for an operand."""
        if isinstance(operand, int):
            return operand
        if isinstance(operand, Address) and not operand.base:
            return operand
        if isinstance(operand, Address):
            index = operand.index and self._bring(operand.index)
            return replace(operand, base=self._bring(operand.base), index=index)
        hole = item.template.holes.get(name)
        if hole and hole.memory and operand not in self.where:
            home = self._home(operand)
            if home and (not self._lives_on(operand) or not self._free(operand)):
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
            register = self._room(item.step, self.target.allowed(item.template, "d"))
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
        copy = self._room(source if moves_away else item.step)
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
        new = self._room(value, allowed)
        if register:
            self._copy(value, register, new)
            self.busy.discard(register)
        else:
            self._restore(value, new)
        self._hold(value, new)
        self.busy.add(new)
        return new

    def _room(self, value, allowed=None):
        """An empty register for a value, emptied if need be."""
        allowed = [r for r in self.registers[value.type.bank] if allowed is None or r in allowed]
        if free := [r for r in allowed if r not in self.held]:
            return self._choose(free, value)
        victims = [r for r in allowed if r not in self.busy]
        if not victims:
            raise NoRegisterError(value.type.bank)
        if spare := self._free(value):
            register = max(victims, key=lambda r: self._wish(self.held[r]).time)
            self._copy(self.held[register], register, spare[-1])
            self._hold(self.held[register], spare[-1])
        else:
            register = max(victims, key=self._patience)
            self._evict(register)
        return register

    def _choose(self, free, value):
        """The free register that suits a value best.

        One that the value wishes for, but not the last of these if another value needs such a one sooner; else the
        one that fewest instructions ask for (no instruction asks for a vector register).
        """
        wish = self._wish(value)
        others_ask = -1 if value.type.bank == "word" else 0
        liked = [r for r in free if r in wish.registers]
        if not liked:
            return free[others_ask]
        others = ((self._wish(other), register) for other, register in self.where.items())
        waiting = any(w.time < wish.time and register not in w.registers for w, register in others)
        return liked[0] if len(liked) > waiting else free[others_ask]

    def _patience(self, register):
        """How well the value in a register can wait: time to its next use, over the accesses that leaving costs."""
        value = self.held[register]
        return (self._next(value) - self.now) / (1 if value in self.saved or value in self.homes else 2)

    def _evict(self, register):
        value = self.held[register]
        self._let_go(value)
        if value not in self.saved and value not in self.homes:
            self.saved[value] = place = self.slots.take(value, value.type)
            self._line("spill", value, f"no register left: store {value} in the stack frame", a=register, to=place)

    def _restore(self, value, register):
        """Bring a value back from its place in the frame, or by running its item again."""
        if value in self.saved:
            self._line("reload", value, f"load {value} back from the stack frame", d=register, m=self.saved[value])
            return
        item, bound = self.homes[value], {"d": register}
        for name, operand in item.operands.items():
            if isinstance(operand, Address) and operand.base:
                operand = replace(operand, base=self._base(operand.base, value, register))
            bound[name] = operand
        self._emit(item.template, bound, _kind(item), f"{item.english()}, again", value, self._before())

    def _base(self, base, value, register):
        """The register of the address that `register` is loaded from: at need a word's own register."""
        if base not in self.where and value.type.bank == "word":
            self._restore(base, register)
            return register
        return self._bring(base)

    def _home(self, value):
        """Where in memory a value can be read, if no register is missing for that."""
        if value in self.saved:
            return self.saved[value]
        address = value in self.homes and self.homes[value].operands.get("m")
        if not address or not address.folds or (address.base and address.base not in self.where):
            return None
        return replace(address, base=self.where.get(address.base))

    def _hold(self, value, register):
        self._let_go(value)
        self.held[register], self.where[value] = value, register

    def _let_go(self, value):
        register = self.where.pop(value, None)
        if register and self.held[register] is value:
            del self.held[register]

    def _release_dead(self, item):
        for value in item.reads():
            if not self._lives_on(value):
                self._let_go(value)

    def _give_back(self, item):
        """The places of dead operands: not before the instruction, which may read them."""
        for value in dict.fromkeys(item.reads()):
            if not self._lives_on(value) and value in self.saved and value not in self.places:
                self.slots.give(self.saved.pop(value), value.type)

    def _free(self, value):
        return [r for r in self.registers[value.type.bank] if r not in self.held]

    def _wish(self, value):
        return self.wishes.get(value, NO_WISH)

    def _next(self, value):
        return self.program.next_use(value, self.now)

    def _lives_on(self, value):
        return self._next(value) is not None

    # The loop's end: results take the places of the parameters.

    def _end_loop(self):
        self.outs = {result: self.slots.take(result, result.type) for result in self.program.extra}
        targets = [(self.program.becomes.get(p, p), self.heads.get(p, self.places[p])) for p in self.program.parameters]
        targets = [(v, t) for v, t in targets if self._lives_on(v) or v in self.where or v in self.saved]
        moves = [(self.where.get(v) or self.saved[v], target, v) for v, target in [*targets, *self.outs.items()]]
        widest = max((value.type for *_, value in moves), key=lambda kind: kind.bits, default=u64)
        for source, target, value in in_order(moves, self.slots.take("one of those that change places", widest)):
            self._move(source, target, value)
        used = {r for i in self.code for r in (*i.reads, *i.writes)}
        used.update(self.heads.values(), self.target.arguments, self.target.scratch)  # what comes in is in the latter
        if isinstance(self.counter, Address) and (idle := [r for r in self.registers["word"] if r not in used]):
            self.counter = idle[0]
        place = "to" if isinstance(self.counter, Address) else "d"
        row = self.target.template("count in frame" if place == "to" else "count")
        self._emit(row, {place: self.counter}, "loop", "one iteration less to go", None, self._before())

    def _move(self, source, target, value):
        english = f"the next iteration wants {value} here"
        if isinstance(source, Address) and isinstance(target, Address):
            for n in range(0, value.type.bits // 8, 8):
                self._word("fetch", value, english, m=source.beyond(n))
                self._word("put", value, english, to=target.beyond(n))
        elif isinstance(source, Address):
            self._line("reload", value, english, "loop", d=target, m=source)
        else:
            row = "spill" if isinstance(target, Address) else "copy"
            self._line(row, value, english, "loop", a=source, d=target, to=target)

    # Code.

    def _copy(self, value, source, target):
        self._line("copy", value, f"copy {value} to another register", a=source, d=target)

    def _line(self, row, value, english, kind=None, **bound):
        self._emit(self.target.template(row, value.type), bound, kind or row, english, value, self._before())

    def _word(self, row, value, english, **bound):
        self._emit(self.target.template(row), bound, "loop", english, value, self._before())

    def _emit(self, template, bound, kind, english, step, live):
        facts = {"kind": kind, "english": english, "step": step, "live": live, "held": dict(self.held)}
        self.code += instructions(self.target, template, bound, **facts)

    def _before(self):
        """The values that are live before the present item."""
        return self.live[self.now - 1] if self.now > 0 else self.program.parameters


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
            source, _, value = waiting[0]
            yield source, spare, value
            waiting = [(spare if m[0] == source else m[0], *m[1:]) for m in waiting]


def _comes_back(item, program):
    """Whether running the item again gives its value again, with no more than a base address in a register."""
    if item.step in program.words:
        return False
    if item.step.op is ops.const:
        return True
    address = item.operands.get("m")
    stays = address and address.base.type is table and not address.base.op and address.base not in program.becomes
    return bool(stays and not address.index and item.step.op is not ops.advance)


def _kind(item):
    name = item.step.op.name
    return "constant" if name == "const" else "load" if name.startswith("load") else "operation"


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
