"""The micro-benchmarks measure what the cycle model uses: classes, chains that wait, streams that do not."""

from dataclasses import replace

import pytest

from aesedu import machines, native, pipeline
from aesedu.bench.core_probes import LATENCY, SETS, THROUGHPUT, probes
from aesedu.machines import Class
from aesedu.native.assembler import ISA
from aesedu.pipeline.limits import critical_loop

EVERY = [probe for isa in SETS for probe in probes(isa)]
CORES = {"x86_64": "zen4", "aarch64": "a72"}
each = pytest.mark.parametrize("probe", EVERY, ids=lambda probe: f"{probe.isa} {probe.label}")


def core(probe):
    """A core on which every class takes 7 cycles and nothing is eliminated or fused."""
    base = machines.load(CORES[probe.isa])
    kinds = {*base.classes, *SETS[probe.isa].units, *SETS[probe.isa].many}
    return replace(
        base, classes={kind: Class(7, base.ports) for kind in kinds}, eliminate=(), fuse_aes=False, indexed=0
    )


def operations(probe):
    return pipeline.loop("\n".join(probe.body), probe.isa)


def waits(probe):
    """Whether every instruction of the body is in the critical loop, one latency each."""
    loop = critical_loop(operations(probe), core(probe))
    return loop is not None and loop.distance == 1 and {s[0] for s in loop.steps} == set(range(len(probe.body)))


@each
def test_every_instruction_is_of_the_class_that_it_is_named_after(probe):
    own = SETS[probe.isa].units | SETS[probe.isa].many
    if probe.name in own:
        memory = {True: "load", False: "store"}
        for o in operations(probe):
            assert (o.kind or "v" * o.vector + memory[bool(o.loads)]) == probe.name


@pytest.mark.parametrize("isa", SETS)
def test_every_class_of_the_model_is_measured_but_branches_and_what_has_no_chain(isa):
    cores = [core for core in map(machines.load, machines.names()) if core.isa == isa]
    measured = {(probe.name, probe.kind) for probe in probes(isa)}
    beside = "vbroadcast"  # what it needs besides a load shows only beside others: two start in a cycle either way
    for kind in {kind for core in cores for kind in core.classes} - {"branch", beside}:
        assert (kind, THROUGHPUT) in measured or (isa, kind) in {("aarch64", "lea"), ("x86_64", "extract")}
        assert (kind, LATENCY) in measured or kind in ("store", "vstore", "vload", "insert", "extract", "lea")


@pytest.mark.parametrize(
    "probe", [p for p in EVERY if p.kind == LATENCY and p.name != "blocked"], ids=lambda p: f"{p.isa} {p.label}"
)
def test_a_chain_waits_for_itself(probe):
    assert waits(probe)
    if len({o.kind for o in operations(probe)}) == 1 and not any(o.stores for o in operations(probe)):
        assert critical_loop(operations(probe), core(probe)).cycles == 7 * len(probe.body)
        assert probe.predicted(core(probe)) == 7 * len(probe.body) / probe.steps


@pytest.mark.parametrize("isa", SETS)
def test_a_blocked_load_waits_for_both_stores_to_retire(isa):
    probe = next(p for p in probes(isa) if p.name == "blocked")
    more = [probe.predicted(replace(core(probe), blocked=n)) for n in (10, 15)]
    assert more[1] - more[0] == 5


@pytest.mark.parametrize("probe", [p for p in EVERY if p.kind == THROUGHPUT], ids=lambda p: f"{p.isa} {p.label}")
def test_a_stream_does_not_wait(probe):
    """The planted fault: were it a chain, every instruction would be in the critical loop."""
    assert not waits(probe)
    quick = replace(core(probe), dispatch=64, retire=64, rob=4096, wide=1)
    ways = len(quick.ports)
    quick = replace(quick, groups={quick.ports: 4096}, classes={k: Class(1, quick.ports) for k in quick.classes})
    assert probe.predicted(quick) <= 1.2 * max(1 / ways, 1 / len(probe.body))


def test_a_broken_chain_is_noticed():
    good = next(p for p in EVERY if (p.name, p.kind, p.isa) == ("alu", LATENCY, "x86_64"))
    for body in (["movq %rdx, %r8"], ["addq %rdx, %r8", "addq %rdx, %r9"], ["addq %r8, %r9", "movq $0, %r8"]):
        assert not waits(replace(good, body=tuple(body), steps=len(body)))


@pytest.mark.skipif(ISA not in SETS, reason="no native code here")
def test_host_texts_run_and_give_back_what_they_must():
    able = native.features()
    for probe in probes(ISA):
        if SETS[ISA].needs.get(probe.name, "asimd") in able | {"asimd"}:
            assert native.run(probe.text(), [native.Buffer(bytes(64))]).clobbered == [], probe.label
