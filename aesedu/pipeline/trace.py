"""What happened when a loop ran: every instruction of every iteration, and its micro-operations, with their cycles."""

from dataclasses import dataclass, field
from functools import cached_property

from aesedu.machines import Machine
from aesedu.pipeline.micro import Decoded, Micro

FORWARDED, BLOCKED = "(forwarded)", "(blocked)"  # how a store's data reach a load: at once, or when it has retired


@dataclass(eq=False, slots=True, repr=False)  # they hold one another
class Flight:
    """A Micro on its way. Cycles: `ready` when its last operand is there, `issued`; `last` is that operand:
    (register, Flight it comes from), or through a store, FORWARDED or BLOCKED in place of a register.
    """

    number: int
    micro: Micro
    instance: object
    port: str | None = None
    queue: tuple | None = None  # the ports whose entries it takes until it is issued
    missing: int = 0
    ready: int = 0
    latency: int = 0
    early: int = 0  # when the last operand that is no memory is there
    store: object = None  # the Flight with a store's data that this load takes
    issued: int | None = None
    last: tuple | None = None
    waiting: list = field(default_factory=list)  # (Flight, register) that need its result

    @property
    def done(self):
        """The cycle in which its result is there."""
        return self.issued + self.latency


@dataclass(eq=False, slots=True, repr=False)
class Instance:
    """One pass of an instruction. `held` are (cycle, reason) of the dispatch that had to stop before it."""

    number: int
    iteration: int
    index: int
    decoded: Decoded
    flights: list = field(default_factory=list)
    held: list = field(default_factory=list)
    open: int = 0
    dispatched: int | None = None
    done: int = 0
    retired: int | None = None
    waiting: list = field(default_factory=list)  # (load, store): Flights, of which the load needs the store to retire


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """What happened: all Instances in program order. `cycles` a loop are the slope of retirement times."""

    machine: Machine
    operations: tuple
    iterations: int
    instances: tuple
    cycles: float
    used: dict  # {port: share of the cycles of the steady half in which it is busy}

    def __repr__(self):
        return f"{len(self.operations)} instructions, {self.cycles:.1f} cycles a loop on {self.machine.title}"

    def iteration(self, n):
        """The Instances of one iteration."""
        size = len(self.operations)
        return self.instances[n * size : (n + 1) * size]

    @cached_property
    def users(self):
        """{(port, cycle): the Instance that keeps it busy}."""
        flights = [f for instance in self.instances for f in instance.flights if f.port]
        return {(f.port, f.issued + n): f.instance for f in flights for n in range(f.micro.occupancy)}
