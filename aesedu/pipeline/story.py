"""Why an instruction is where it is in every cycle, in words."""

from itertools import groupby
from typing import NamedTuple

from aesedu.pipeline.micro import LOADED, RESULT
from aesedu.pipeline.trace import BLOCKED, FORWARDED

KINDS = ("held", "dispatched", "operand", "port", "order", "executes", "done", "retires")
_OWN = {LOADED: "what it loads itself", RESULT: "its own result"}


_MEMORY = {FORWARDED: "bytes forwarded from", BLOCKED: "bytes that are only in memory after"}


class Span(NamedTuple):
    """Cycles `first` to `last`, in which an instance is in one state; `kind` is one of KINDS, `text` says why."""

    first: int
    last: int
    kind: str
    text: str

    def says(self, start=0):
        """When and what, in words; cycles count from ``start``."""
        first, last = self.first - start, self.last - start
        when = f"cycle {first}" if first == last else f"cycles {first} to {last}"
        return f"{when} {self.text}"


def story(trace, instance):
    """The Spans of an Instance from when it was first held up or dispatched to its retirement."""
    spans = [(cycle, *_held(trace, reason)) for cycle, reason in instance.held]
    spans.append((instance.dispatched, "dispatched", "is dispatched"))
    for cycle in range(instance.dispatched + 1, instance.retired):
        spans.append((cycle, *_state(trace, instance, cycle)))
    spans.append((instance.retired, "retires", "retires"))
    for (kind, text), cycles in groupby(spans, key=lambda span: span[1:]):
        numbers = [span[0] for span in cycles]
        yield Span(numbers[0], numbers[-1], kind, text)


def tell(trace, instance):
    """The story as one sentence."""
    parts = "; ".join(span.says() for span in story(trace, instance))
    return f"{instance.index + 1} {instance.decoded.operation.text}: {parts}."


def _held(trace, reason):
    if reason == "slots":
        return "held", f"waits: {trace.machine.dispatch} slots a cycle are dispatched"
    if reason == "microcode":
        return "held", "waits: the one before it is still read from microcode"
    if reason == "merge":
        return "held", "waits: a register that was written in part is joined for it"
    if reason == "reorder buffer":
        return "held", f"waits: the reorder buffer is full ({trace.machine.rob} slots)"
    if reason in ("words", "vectors"):
        return "held", f"waits: {getattr(trace.machine, reason)} {reason} wait for retirement, and no register is free"
    return "held", f"waits: the queue of {_ports(reason)} is full ({trace.machine.groups[reason]} entries)"


def _ports(ports):
    return f"port {ports[0]}" if len(ports) == 1 else f"ports {', '.join(ports)}"


def _state(trace, instance, cycle):
    """(kind, text) between dispatch and retirement."""
    running = [f for f in instance.flights if f.issued <= cycle < max(f.done, f.issued + 1)]
    if running:
        where = f" on {' and '.join(dict.fromkeys(f.port for f in running if f.port))}"
        return "executes", f"executes{where if where != ' on ' else ''}"
    waiting = [f for f in instance.flights if f.issued > cycle]
    if waiting:
        return _waits(trace, min(waiting, key=lambda f: f.issued), cycle)
    return "done", _done(instance)


def _done(instance):
    if instance.flights:
        return "is done and waits for older instructions to retire"
    fused = not instance.decoded.slots
    return f"{'is one with the instruction before it' if fused else 'is done by renaming'} and waits to retire"


def _waits(trace, flight, cycle):
    """For an operand until that is there; then for its turn or for a port."""
    if cycle < flight.ready and flight.last:
        register, source = flight.last
        if register in _OWN:
            return "operand", f"waits for {_OWN[register]}"
        return (
            "operand",
            f"waits for {_MEMORY.get(register, f'{register} from')} {_name(source.instance, flight.instance)}",
        )
    if trace.machine.in_order and any(_older(trace, flight, cycle)):
        return "order", "waits for its turn: an older instruction has not been issued"
    user = trace.users.get((flight.port, cycle))
    return "port", f"waits for port {flight.port}" + (f", which {_name(user, flight.instance)} has" if user else "")


def _older(trace, flight, cycle):
    """Whether micro-operations before this one are still to be issued, within reach of the buffer."""
    n = flight.instance.number
    for instance in trace.instances[max(0, n - trace.machine.rob) : n + 1]:
        yield any(f.number < flight.number and f.issued > cycle for f in instance.flights)


def _name(instance, reader):
    """An instruction by its number in the loop, and how many iterations before the reader's it ran."""
    back = reader.iteration - instance.iteration
    when = f", {back} iteration{'s' * (back > 1)} before" if back > 0 else ", of the next iteration" if back < 0 else ""
    return f"{instance.index + 1} ({instance.decoded.operation.text}{when})"
