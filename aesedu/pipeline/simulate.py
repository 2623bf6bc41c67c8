"""The cycle model: a loop on a machine, cycle by cycle.

Each cycle retires in program order what is done, issues what is ready to free ports, oldest first, and dispatches in
program order while there are slots, room in the reorder buffer and room in the queues. Registers are renamed: an
operand waits for the last writer only. A port is chosen at dispatch: of those that can do the work the one with the
least work pending, and of these the one that was chosen longest ago. A core with `in_order` issues in program order and
takes any port that is free. Not in the model: caches beyond the first, fetch and decode, mispredicted branches.
"""

import gc
from bisect import insort
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import replace
from statistics import linear_regression

from aesedu.machines import MachineError
from aesedu.pipeline.memory import Memory
from aesedu.pipeline.micro import LOADED, RESULT, decode
from aesedu.pipeline.trace import BLOCKED, FORWARDED, Flight, Instance, Trace

LIMITS = ("dispatch", "window", "ports", "order")  # what `without` can lift; window: reorder buffer, registers, queues
_ENDLESS = 1 << 60
_LEAST, _MOST = 50, 8000  # iterations to begin with, and instances to go on to while a loop is not steady
_LONGEST = 20_000  # instructions; a loop that long takes some 250 MB
_AHEAD = 8  # cycles that microcode is read ahead of a dispatch that waits; more makes no difference


def simulate(operations, machine, iterations=None, without=(), places=None):
    """Run a loop (see `loop`) that often (None: until it is steady); `without` some of LIMITS: what they cost shows.

    Raises MachineError for an instruction that the machine does not have, and ValueError for no iteration.

    `places` {register: bytes} says how far beyond a 64-byte line registers point when the loop starts; loads by way of
    others, or with an index, are taken to cross no line. `loop.pointer` finds the register of a routine's parameter.

    The first half is for warming up; a loop's cycles are the slope over the second. More iterations follow, as many as
    the reorder buffer holds, so that the last ones that count have as much behind them as those before.
    """
    with _without_collector():
        return _run(operations, machine, iterations, without, places)[1]


def cycles(operations, machine, iterations=None, without=(), places=None):
    """The cycles of `simulate` alone, in two thirds of its time: what holds one another is let go at once, so that the
    collector need not walk through it.
    """
    with _without_collector():
        core, trace = _run(operations, machine, iterations, without, places)
        core.release()
        return trace.cycles


def _run(operations, machine, iterations, without, places):
    """The _Core and the Trace of so many iterations; of None twice as many, until they are steady."""
    if not operations or iterations is not None and iterations < 1:
        raise ValueError(f"{iterations} iterations of {len(operations)} instructions take no time")
    if len(operations) > _LONGEST:
        raise ValueError(f"the model takes loops of at most {_LONGEST} instructions, not {len(operations)}")
    decoded = decode(operations, machine)
    n = iterations or enough(decoded, machine)
    while True:
        core = _Core(machine, decoded, n, set(without), places or {})
        trace = core.run(tuple(operations))
        if iterations or 2 * n * len(decoded) > _MOST or _is_steady(trace):
            return core, trace
        core.release()
        n *= 2


def enough(decoded, machine):
    """Iterations to begin with: they fill the reorder buffer twice for warming up, and twice to count."""
    least = max(12, min(_LEAST, 50_000 // len(decoded)))
    return max(least, 4 * machine.rob // max(1, sum(d.slots for d in decoded)))


def _is_steady(trace):
    """Whether the two halves of what counts take as long as each other, to a cycle and one in a hundred."""
    n = trace.iterations // 4
    end, middle, start = (trace.iteration(trace.iterations - 1 - at * n)[-1].retired for at in range(3))
    return abs((end - middle) - (middle - start)) <= 1 + (end - middle) / 100


@contextmanager
def _without_collector():
    """Thousands of objects that refer to each other: the collector would walk through them all, many times."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class _Core:
    def __init__(self, machine, decoded, iterations, without, places):
        self.machine, self.memory = machine, Memory(places)
        self.forward = (machine.forward, machine.forward if machine.vforward is None else machine.vforward)
        self.bound = "ports" not in without
        self.in_order = machine.in_order and "order" not in without
        self.dispatch = _ENDLESS if "dispatch" in without else machine.dispatch
        self.retire = _ENDLESS if "dispatch" in without else machine.retire
        self.rob = _ENDLESS if "window" in without else machine.rob
        self.group = {port: ports for ports in machine.groups for port in ports}
        banks = {"words": machine.words, "vectors": machine.vectors}
        self.registers = {bank: _ENDLESS if "window" in without or n is None else n for bank, n in banks.items()}
        sizes = machine.groups.items()
        self.room = {ports: _ENDLESS if "window" in without else size for ports, size in sizes}
        self.size = dict(self.room)
        self.last = iterations * len(decoded)  # how many instances count
        more = 1 + machine.rob // max(1, sum(d.slots for d in decoded))
        each = [(n, i, d) for n in range(iterations + more) for i, d in enumerate(decoded)]
        self.instances = [Instance(number, *one) for number, one in enumerate(each)]
        self.cycle, self.head, self.next = 0, 0, 0  # oldest not retired, next to dispatch
        self.slots = 0  # in use in the reorder buffer
        self.again = 0  # the cycle in which microcode is free
        self.stalled = 0  # cycles that dispatch has stopped for the next instruction's merges
        self.entering = self.leaving = 0  # slots dispatched and retired in this cycle, with what is left of the last
        self.writer = {}  # register: Flight that makes it
        self.pending, self.chosen = defaultdict(int), defaultdict(int)
        self.free = defaultdict(int)  # port: the cycle from which it is free
        self.queue, self.wake, self.flights = [], defaultdict(list), 0

    def release(self):
        """Let go of what holds one another."""
        for instance in self.instances:
            for part in (instance, *instance.flights):
                part.waiting.clear()
            instance.flights.clear()

    def run(self, operations):
        quiet = 0
        while self.head < self.last:
            before = self.head, self.next, len(self.queue)
            self._retire()
            self._issue()
            self._dispatch()
            self.cycle += 1
            quiet = quiet + 1 if before == (self.head, self.next, len(self.queue)) else 0
            if quiet > 10_000:
                raise MachineError(f"{self.machine.name}: nothing moves any more in cycle {self.cycle}")
        return self._trace(operations)

    def _retire(self):
        self.leaving = max(0, self.leaving - self.retire)
        while self.head < self.next:
            instance = self.instances[self.head]
            slots = instance.decoded.slots
            late = instance.open or instance.done > self.cycle
            if late or (self.leaving and self.leaving + slots > self.retire):
                return
            self.leaving += slots
            instance.retired = self.cycle
            self.slots -= slots
            for bank, n in instance.decoded.results:
                self.registers[bank] += n
            self.head += 1
            for load, store in instance.waiting:
                self._arrives(load, BLOCKED, store, self.cycle + self.machine.blocked)

    def _issue(self):
        for flight in self.wake.pop(self.cycle, ()):
            insort(self.queue, flight, key=_age)
        if self.in_order:
            self._issue_in_order()
            return
        left = []
        for flight in self.queue:
            if not self.bound or self.free[flight.port] <= self.cycle:
                self._start(flight)
            else:
                left.append(flight)
        self.queue = left

    def _issue_in_order(self):
        """At most as many instructions a cycle as are dispatched; the first that cannot stops all behind it."""
        issued = set()
        while self.queue:
            flight = self.queue[0]
            issued.add(flight.instance.number)
            flight.port = self._any(flight) if self.bound else None
            late = flight.missing or flight.ready > self.cycle
            if late or (self.bound and flight.port is None) or len(issued) > self.dispatch:
                return
            self._start(self.queue.pop(0))

    def _any(self, flight):
        return next((port for port in flight.micro.ports if self.free[port] <= self.cycle), None)

    def _start(self, flight):
        flight.issued = self.cycle
        if flight.store:
            forward = self.forward[flight.instance.decoded.operation.vector]
            there = max(flight.early + flight.latency, flight.store.done + forward)
            flight.latency = max(1, there - self.cycle)
        if self.bound:
            self.free[flight.port] = self.cycle + flight.micro.occupancy
            self.pending[flight.port] -= flight.micro.occupancy
        self.room[flight.queue] += 1
        instance = flight.instance
        instance.open -= 1
        instance.done = max(instance.done, flight.done)
        for other, register in flight.waiting:
            self._arrives(other, register, flight, flight.done)
        flight.waiting.clear()

    def _arrives(self, flight, register, source, at):
        """An operand that was missing will be there at a cycle."""
        flight.missing -= 1
        self._latest(flight, register, source, at)
        if not flight.missing:
            self._ready(flight)

    def _latest(self, flight, register, source, at):
        """Note the last operand."""
        if at > flight.ready:
            flight.ready, flight.last = at, (register, source)
        if register != FORWARDED:
            flight.early = max(flight.early, at)

    def _ready(self, flight):
        if not self.in_order:
            self.wake[max(flight.ready, self.cycle + 1)].append(flight)

    def _dispatch(self):
        self.entering = max(0, self.entering - self.dispatch)
        while self.next < len(self.instances):
            instance = self.instances[self.next]
            reason = self._full(instance.decoded)
            if reason:
                instance.held.append((self.cycle, reason))
                return
            self.entering += instance.decoded.slots
            self._enter(instance)

    def _full(self, decoded):
        """Why an instruction cannot be dispatched now, or None. What fits nowhere goes alone."""
        if self.entering and self.entering + decoded.slots > self.dispatch:
            return "slots"
        if decoded.every and self.cycle < self.again and self.dispatch < _ENDLESS:
            return "microcode"
        if decoded.stall > self.stalled and self.dispatch < _ENDLESS:
            self.stalled += not self.entering
            return "merge"
        if self.slots and self.slots + decoded.slots > self.rob:
            return "reorder buffer"
        for bank, n in decoded.results:
            if self.registers[bank] < n and self.slots:
                return bank
        return self._choose(decoded)

    def _choose(self, decoded):
        """Choose ports for the micro-operations of the next instruction; the queue that is full, if one is."""
        self.choice, taken = [], defaultdict(int)
        for micro in decoded.micros:
            port = min(micro.ports, key=self._load)
            queue = self.group[port]
            if not self._room(queue, taken):
                return queue
            taken[queue] += 1
            self.choice.append(port)
        return None

    def _load(self, port):
        """What speaks against a port; where ports are no limit, the queue with most room is taken."""
        return (self.pending[port], self.chosen[port]) if self.bound else (-self.room[self.group[port]], 0)

    def _room(self, ports, taken):
        """Whether a queue has room beside what the instruction has taken; one that is empty takes any."""
        return self.room[ports] > taken[ports] or self.room[ports] == self.size[ports]

    def _enter(self, instance):
        self.next, self.stalled = self.next + 1, 0
        if instance.decoded.every:
            self.again = max(self.again, self.cycle - _AHEAD) + instance.decoded.every
        instance.dispatched, instance.done = self.cycle, self.cycle + 1
        self.slots += instance.decoded.slots
        for bank, n in instance.decoded.results:
            self.registers[bank] -= n
        for micro, port in zip(map(self._crossing, instance.decoded.micros), self.choice, strict=True):
            flight = Flight(self.flights, micro, instance, ready=self.cycle + 1, latency=max(1, micro.latency))
            flight.early = flight.ready
            self.flights += 1
            instance.flights.append(flight)
            self._bind(flight, port)
            self._link(flight)
        for register, source in instance.decoded.alias:
            if source in self.writer:
                self.writer[register] = self.writer[source]
            else:
                self.writer.pop(register, None)
        self.memory.moved(instance.decoded.operation)

    def _crossing(self, micro):
        """The micro-operation, longer if it loads across a line."""
        more = self.machine.crossing
        if not (more and micro.loads and self.memory.crosses(micro.loads)):
            return micro
        return replace(micro, latency=micro.latency + more, occupancy=micro.occupancy + more)

    def _bind(self, flight, port):
        instance, micro = flight.instance, flight.micro
        instance.open += 1
        flight.queue = self.group[port]
        self.room[flight.queue] -= 1
        if self.in_order:
            self.queue.append(flight)
        elif self.bound:
            flight.port = port
            self.pending[port] += micro.occupancy
            self.chosen[port] = flight.number + 1

    def _link(self, flight):
        """Find out what it waits for, and become what others wait for."""
        micro = flight.micro
        for register in micro.reads:
            self._wait(flight, register, self.writer.get(register))
        if micro.loads:
            self._forwarded(flight)
        for register in micro.writes:
            self.writer[register] = flight
        if micro.stores:
            data = [r for r in micro.reads if r not in (LOADED, RESULT, *micro.stores.registers)]
            self.memory.store(micro.stores, flight, data[0] if data else None)
        if not flight.missing:
            self._ready(flight)

    def _wait(self, flight, register, source):
        if source is None:
            return
        if source.issued is None:
            flight.missing += 1
            source.waiting.append((flight, register))
        else:
            self._latest(flight, register, source, source.done)

    def _forwarded(self, flight):
        """Bytes that an earlier store has not brought to the cache: they are forwarded, or must be waited for."""
        found = self.memory.source(flight.micro.loads)
        if not found:
            return
        stored, whole = found
        instance = stored.flight.instance
        if whole:
            flight.store = stored.flight
            self._wait(flight, FORWARDED, stored.flight)
        elif instance.retired is None:
            flight.missing += 1
            instance.waiting.append((flight, stored.flight))
        else:
            self._latest(flight, BLOCKED, stored.flight, instance.retired + self.machine.blocked)

    def _trace(self, operations):
        instances, size = self.instances[: self.last], len(operations)
        ends = [instance.retired for instance in instances[size - 1 :: size]]
        half = len(ends) // 2
        steady = ends[half:]
        cycles = linear_regression(range(len(steady)), steady).slope if len(steady) > 1 else ends[-1]
        used = self._used(ends[half - 1] if half else 0, ends[-1])
        return Trace(self.machine, operations, len(ends), tuple(instances), float(cycles), used)

    def _used(self, first, end):
        """{port: share of the cycles from the first to the end in which it is busy, whatever pass that is for}."""
        used = dict.fromkeys(self.machine.ports, 0.0)
        for flight in (f for instance in self.instances[: self.next] for f in instance.flights if f.port):
            if flight.issued is not None:
                cycles = min(end, flight.issued + flight.micro.occupancy) - max(first, flight.issued)
                used[flight.port] += max(0, cycles) / max(1, end - first)  # passes may end in one cycle
        return used


def _age(flight):
    return flight.number
