"""Micro-operations: what an instruction becomes on a machine."""

import re
from collections import Counter
from dataclasses import dataclass, replace

from aesedu.machines import MachineError
from aesedu.pipeline.operation import Place

LOADED, RESULT = "(loaded)", "(result)"  # what goes from one micro-operation of an instruction to the next


@dataclass(frozen=True)
class Micro:
    """One micro-operation: any of `ports` takes it for `occupancy` cycles; after `latency` cycles its result is there.

    `role` is merge, load, work, extra, address or data.
    """

    role: str
    ports: tuple[str, ...]
    latency: int
    occupancy: int
    reads: tuple[str, ...]
    writes: tuple[str, ...] = ()
    loads: Place | None = None
    stores: Place | None = None


@dataclass(frozen=True)
class Decoded:
    """An Operation on a machine: its micro-operations and the slots it takes in dispatch and reorder buffer.

    Without micro-operations `alias` is (register, register): the first becomes the second by renaming alone, or by
    being fused with the instruction before it. Dispatch stops for `stall` cycles before it. `results` are the physical
    registers that it takes until it retires, by bank. `every`: see `machines.Class`.
    """

    operation: object
    micros: tuple[Micro, ...]
    slots: int
    alias: tuple[tuple[str, str], ...] = ()
    stall: int = 0
    results: tuple[tuple[str, int], ...] = ()
    every: int = 0


def decode(operations, machine):
    """A Decoded for each Operation. Raises MachineError where the machine has no class for one, or another ISA."""
    if others := {o.isa for o in operations} - {"", machine.isa}:
        raise MachineError(
            f"{machine.name} runs {machine.isa}, and the loop is {', '.join(others)}: "
            f'generate it for this core, generate(..., isa="{machine.isa}"), or take another core'
        )
    missing = {kind: o.text for o in operations for kind in _kinds(o) if kind not in machine.classes}
    if missing:  # an example of each is enough
        raise MachineError(
            f"{machine.name} says nothing of: {'; '.join(f'{o} ({kind})' for kind, o in missing.items())}"
        )
    before = (None, *operations[:-1])
    decoded = [_decoded(o, b, machine) for o, b in zip(operations, before, strict=True)]
    if machine.partial is None or "merge" not in machine.classes:
        return decoded
    return [_joined(d, registers, machine) for d, registers in zip(decoded, _torn(operations), strict=True)]


def _torn(operations):
    """For each Operation of a loop the registers that it reads wider than they were written last."""
    written, torn = {}, []
    for operation in (*operations, *operations):  # twice, as a loop's end goes on at its start
        parts = dict(operation.parts)
        addresses = [r for place in operation.loads + operation.stores for r in place.registers]
        reads = {r: parts.get(r, 8) for r in operation.reads} | dict.fromkeys(addresses, 8)
        torn.append([r for r, size in reads.items() if size > written.get(r, 8)])
        written |= dict.fromkeys((*torn[-1], *operation.writes), 8)
        written |= {r: size for r, size in parts.items() if r in operation.writes and operation.kind != "byte"}
    return torn[len(operations) :]


def _joined(decoded, registers, machine):
    """With a micro-operation before it for every register that must be joined."""
    if not registers:
        return decoded
    c = machine.classes["merge"]
    merges = tuple(Micro("merge", c.ports, c.latency, c.occupancy, (r,), (r,)) for r in registers)
    slots = decoded.slots + len(merges)
    return replace(decoded, micros=merges + decoded.micros, slots=slots, stall=machine.partial)


def _kinds(operation):
    v = "v" * operation.vector
    memory = ((operation.loads, v + "load"), (operation.stores, v + "store"))
    return [k for k in (operation.kind,) if k] + [kind for places, kind in memory if places]


def _decoded(operation, before, machine):
    if machine.fuse_aes and before and _fuses(before, operation):
        return Decoded(operation, (), 0, ((operation.writes[0],) * 2,))
    if operation.kind in machine.eliminate and operation.reads and not (operation.loads or operation.stores):
        return Decoded(operation, (), 1, tuple(zip(operation.writes, operation.reads, strict=False)))
    micros = tuple(_micros(operation, machine))
    every = machine.classes[operation.kind].every if operation.kind else 0
    slots, results = _slots(operation, micros, machine), _results(operation)
    return Decoded(operation, micros, slots, results=results, every=every)


def _results(operation):
    """Physical registers by bank; flags have their own."""
    names = [r for r in operation.writes if r != "flags"]
    return tuple(Counter("vectors" if re.match(r"xmm|v", r) else "words" for r in names).items())


def _fuses(first, second):
    """AESE and AESMC, or AESD and AESIMC, on one register."""
    pair = first.mnemonic + second.mnemonic
    return pair in ("aeseaesmc", "aesdaesimc") and first.writes == second.reads == second.writes


def _micros(operation, machine):
    """Loads, the work, extra ones, stores. What is written by a load alone goes to a register each."""
    v = "v" * operation.vector
    moves = not operation.kind and operation.stores and operation.loads  # PUSH and POP of memory
    for n, place in enumerate(operation.loads):
        into = (LOADED,) if operation.kind or moves else operation.writes[n : n + 1]
        kind = _broadcast(operation, machine) or v + "load"
        yield from _load(place, machine.classes[kind], into, machine, operation.wide)
    if operation.kind:
        yield from _work(operation, machine)
    for n, place in enumerate(operation.stores):
        source = (RESULT,) if operation.kind else (LOADED,) if moves else operation.reads[n : n + 1]
        yield from _store(place, machine.classes[v + "store"], source, machine, operation.wide)


def _load(place, c, into, machine, wide):
    latency = c.latency + machine.indexed * bool(place.index)
    yield Micro("load", c.ports, latency, _busy(c, machine, wide), place.registers, into, loads=place)
    for ports in c.extra:
        yield Micro("extra", ports, 1, 1, place.registers)


def _broadcast(operation, machine):
    """The class of a load into every lane, where that is more than a load on this machine."""
    spread = operation.mnemonic.endswith("broadcasti32x4") and "vbroadcast" in machine.classes
    return "vbroadcast" if spread else None


def _work(operation, machine):
    c = machine.classes[operation.kind]
    reads = operation.reads + ((LOADED,) if operation.loads else ())
    writes = operation.writes + ((RESULT,) if operation.stores else ())
    ports = _beside_loads(c.ports, machine) if operation.loads and machine.fuse_load_op else c.ports
    yield Micro("work", ports, c.latency, _busy(c, machine, operation.wide), reads, writes)
    for ports in c.extra:
        yield Micro("extra", ports, 1, 1, reads)


def _beside_loads(ports, machine):
    """Of some ports those that share a queue with one for loads, as load and operation are one until they are issued.

    Where none does, the two go to queues of their own.
    """
    loads = {port for name in ("load", "vload") if name in machine.classes for port in machine.classes[name].ports}
    beside = {port for group in machine.groups if not loads.isdisjoint(group) for port in group}
    return tuple(port for port in ports if port in beside) or ports


def _store(place, c, source, machine, wide):
    busy = _busy(c, machine, wide)
    if not c.data:
        yield Micro("data", c.ports, c.latency, busy, (*place.registers, *source), stores=place)
        return
    yield Micro("address", c.ports, c.latency, 1, place.registers)
    yield Micro("data", c.data, c.latency, busy, source, stores=place)


def _busy(c, machine, wide):
    return c.occupancy * (machine.wide if wide else 1)


def _slots(operation, micros, machine):
    """A store is one slot, and with its load an operation is one where the machine fuses them."""
    work = sum(m.role in ("work", "extra") for m in micros)
    if operation.kind and machine.classes[operation.kind].slots is not None:
        work = machine.classes[operation.kind].slots
    loads = len(operation.loads) if not (work and machine.fuse_load_op) else 0
    indexed = any(place.index for place in operation.loads * bool(operation.kind) + operation.stores)
    split = machine.split_indexed and indexed and not operation.vector
    return max(1, work + loads + len(operation.stores) + split)
