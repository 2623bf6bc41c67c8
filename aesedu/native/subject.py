"""What can be timed, and one timed sample of it (MEASURING.md, points 1 to 3)."""

import functools
import gc
import time
from dataclasses import dataclass, field

from aesedu.native import clock, wire
from aesedu.native.worker import worker


@dataclass(frozen=True)
class Subject:
    """Something that can be timed.

    `factory`, "module:function", is called in the worker as function(**arguments, placement=seed) and returns a
    callable run(count) that does the operation `count` times on buffers allocated before. `placement` chooses the page
    offsets of code and data. `arguments` go to the worker with every sample: describe large data, do not send it.
    `environment`: variables of the worker. `what`: engine, mode, direction, key_bits, bytes.
    """

    label: str
    factory: str
    arguments: dict
    environment: dict = field(default_factory=dict)
    what: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Sample:
    """`count` operations took `ns`; the chain of `chain_cycles` core cycles took so long just before and after."""

    ns: int
    count: int
    chain_before_ns: int
    chain_after_ns: int
    chain_cycles: int


def sample(subject, count, placement=0, deadline=60.0):
    """One timed `Sample` of a `Subject`. Preparing it is not timed, and done once for each placement."""
    return Sample(
        **worker(**subject.environment).call(
            "aesedu.native.subject:take",
            deadline,
            factory=subject.factory,
            arguments=wire.encode(subject.arguments).decode("ascii"),
            count=count,
            placement=placement,
        )
    )


def take(factory, arguments, count, placement):
    """The child's half of `sample`."""
    run = _prepared(factory, arguments, placement)
    clock.pin()
    gc.disable()
    try:
        before = clock.chain_ns()
        start = time.perf_counter_ns()
        run(count)
        ns = time.perf_counter_ns() - start
        after = clock.chain_ns()
    finally:
        gc.enable()
    cycles = clock.chain_cycles()
    return {"ns": ns, "count": count, "chain_before_ns": before, "chain_after_ns": after, "chain_cycles": cycles}


@functools.lru_cache(maxsize=64)  # a comparison alternates two subjects over several placements
def _prepared(factory, arguments, placement):
    from aesedu.native.child import load

    return load(factory)(**wire.decode(arguments), placement=placement)
