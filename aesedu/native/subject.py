"""What can be timed, and one timed sample of it (MEASURING.md, points 1 to 3)."""

import functools
import gc
import itertools
import math
import time
from dataclasses import dataclass, field
from types import SimpleNamespace

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
    """`count` operations took `ns`; the chain of `chain_cycles` core cycles took so long just before and after.

    `away_ns` of `ns` others had the core; 0 where the system does not tell (Windows).
    """

    ns: int
    count: int
    chain_before_ns: int
    chain_after_ns: int
    chain_cycles: int
    away_ns: int = 0


def sample(subject, count, placement=0, deadline=60.0):
    """One timed `Sample` of a `Subject`. Preparing it is not timed, and done once for each placement."""
    return samples([(subject, count, placement)], deadline)[0]


def samples(requests, deadline=60.0):
    """A `Sample` for each (subject, count, placement), taken in this order and close together in time.

    On a busy machine a request of its own for each puts milliseconds between two samples that are to be compared (sd of
    a pair 3 % against 0.7 %). Subjects of one environment that follow each other make one request, with one deadline.
    """
    taken = []
    for environment, group in itertools.groupby(requests, key=lambda request: request[0].environment):
        asked = [_asked(*request) for request in group]
        taken += worker(**environment).call("aesedu.native.subject:take_all", deadline, requests=asked)
    return [Sample(*answer) for answer in taken]


def _asked(subject, count, placement):
    if not isinstance(count, int) or count < 1:  # a loop that counts down from 0 does not end
        raise ValueError(f"a sample has 1 operation or more, not {count!r}")
    return [subject.factory, wire.encode(subject.arguments).decode("ascii"), count, placement]


def take_all(requests):
    """The child's half of `samples`."""
    clock.pin()
    gc.disable()
    try:
        return [take(*request) for request in requests]
    finally:
        gc.enable()


def take(factory, arguments, count, placement):
    """The fields of one Sample."""
    prepared = _prepared(factory, arguments, placement)
    if prepared.call_ns < _SHORT_NS:  # to enter compiled code takes 20 us when it is cold; the first sample shows that
        prepared.run(1)
    before = clock.chain_ns()
    used = time.thread_time_ns()
    start = time.perf_counter_ns()
    prepared.run(count)
    ns = time.perf_counter_ns() - start
    prepared.call_ns = ns / count
    away = ns - (time.thread_time_ns() - used)
    return [ns, count, before, clock.chain_ns(), clock.chain_cycles(), max(0, away) if _TELLS_AWAY else 0]


_SHORT_NS = 20_000_000  # a call that takes longer needs no other before it
_TELLS_AWAY = time.get_clock_info("thread_time").resolution < 1e-6


@functools.lru_cache(maxsize=64)  # a comparison alternates two subjects over several placements
def _prepared(factory, arguments, placement):
    from aesedu.native.child import load

    return SimpleNamespace(run=load(factory)(**wire.decode(arguments), placement=placement), call_ns=math.inf)
