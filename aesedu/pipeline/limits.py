"""What limits a loop: each limit alone, and the chain of operands that cannot be shortened by more hardware."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import accumulate

from aesedu.pipeline.micro import decode
from aesedu.pipeline.simulate import LIMITS, cycles, simulate
from aesedu.pipeline.trace import BLOCKED


def limits(operations, machine, iterations=None):
    """{limit: cycles a loop if nothing else were in the way}.

    dispatch and retire: slots by width. ports: the busiest set of ports, shared in the best way. operands: latencies
    alone. The model is never faster than any of these. window: latencies, reorder buffer and queues, simulated with a
    queue chosen by its room; for every GCM on every core of ours the model is not faster than that either.
    """
    decoded = decode(operations, machine)
    slots = sum(d.slots for d in decoded)
    window = cycles(operations, machine, iterations, ("dispatch", "ports", "order"))
    return {
        "dispatch": slots / machine.dispatch,
        "retire": slots / machine.retire,
        "ports": busiest(decoded)[0],
        "operands": cycles(operations, machine, iterations, LIMITS),
        "window": window,
    }


def busiest(decoded):
    """(cycles, ports): the set of ports that no way to share the work makes less busy."""
    work = defaultdict(int)
    for micro in (micro for d in decoded for micro in d.micros):
        work[frozenset(micro.ports)] += micro.occupancy
    sets = set()
    for ports in work:
        sets |= {ports} | {ports | other for other in sets}
    loads = ((sum(n for ports, n in work.items() if ports <= s) / len(s), tuple(sorted(s))) for s in sets)
    return max(loads, default=(0.0, ()))


@dataclass(frozen=True)
class CriticalLoop:
    """A chain of operands from an instruction to itself `distance` iterations later.

    `steps` are (instruction's place in the loop, what goes on to the next step, cycles until it is there).
    """

    steps: tuple[tuple[int, str, int], ...]
    distance: int

    @property
    def cycles(self):
        """Cycles a loop that the chain alone takes."""
        return sum(step[2] for step in self.steps) / self.distance


def critical_loop(operations, machine, iterations=None):
    """The CriticalLoop that limits the dataflow, or None where iterations do not wait for each other.

    It is found by running the loop with operands as the only limit and going back from the last result.
    """
    trace = simulate(operations, machine, iterations, LIMITS)
    ends = [flight for instance in trace.iteration(trace.iterations - 1) for flight in instance.flights]
    flight, latest = max(ends, key=lambda f: f.done, default=None), _latest(trace.instances)
    steps, seen, best = [], {}, None
    while flight and flight.instance.iteration >= trace.iterations // 4:
        at = seen.setdefault((flight.instance.index, flight.micro), len(steps))
        if at < len(steps):  # the last results may hang on another loop than the longest, so the way goes on
            best = max(best or _chain(steps[at:]), _chain(steps[at:]), key=lambda chain: chain.cycles)
            del steps[at:]
            seen = {key: n for key, n in seen.items() if n <= at}
        if flight.last is None:
            break
        reason, source = flight.last
        source = latest[source.instance.number] if reason == BLOCKED else source
        passes = flight.instance.iteration - source.instance.iteration
        steps.append((source.instance.index, reason, flight.issued - source.issued, passes))
        flight = source
    return best


def _latest(instances):
    """For each Instance the Flight that is done last of its own and those before it: its retirement waits for that."""
    ends = (max(instance.flights, key=lambda f: f.done, default=None) for instance in instances)
    return list(accumulate(ends, lambda a, b: b if a is None or b and b.done >= a.done else a))


def _chain(steps):
    """The loop of some steps with the iterations between them, which go back in time."""
    return CriticalLoop(tuple(step[:3] for step in reversed(steps)), sum(step[3] for step in steps))
