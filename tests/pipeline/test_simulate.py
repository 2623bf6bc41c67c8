"""The cycle model against loops computed by hand, with faults planted in it that they must catch."""

import gc
import sys
from dataclasses import replace

import pytest
import toy as toys
from cases import AARCH64, X86_64
from toy import TOY, cycles, toy

from aesedu import machines, pipeline
from aesedu.machines import Class, MachineError
from aesedu.pipeline import loop, micro, simulate
from aesedu.pipeline.memory import Memory

CASES = [("x86_64", *case) for case in X86_64] + [("aarch64", *case) for case in AARCH64]
core = sys.modules["aesedu.pipeline.simulate"]


def wrong():
    """What is shown by the cases whose cycles are not those computed by hand."""
    for isa, shows, text, changes, expected in CASES:
        if cycles(text, toy(**changes), isa) != pytest.approx(expected, rel=0.015):
            yield shows


@pytest.mark.parametrize("shows", [case[1] for case in CASES])
def test_by_hand(shows):
    isa, _, text, changes, expected = next(case for case in CASES if case[1] == shows)
    assert cycles(text, toy(**changes), isa) == pytest.approx(expected, rel=0.015)


def _decoded(change):
    """A decoder that gets each instruction wrong in one way."""
    right = micro.decode
    return lambda operations, machine: [change(d) for d in right(operations, machine)]


def _first_port(decoded):
    return replace(decoded, micros=tuple(replace(m, ports=m.ports[:1]) for m in decoded.micros))


FAULTS = {
    "latency one too long": _decoded(
        lambda d: replace(d, micros=tuple(replace(m, latency=m.latency + 1) for m in d.micros))
    ),
    "a port is never busy for long": _decoded(
        lambda d: replace(d, micros=tuple(replace(m, occupancy=1) for m in d.micros))
    ),
    "always the first port": _decoded(_first_port),
    "extra micro-operations are forgotten": _decoded(
        lambda d: replace(d, micros=tuple(m for m in d.micros if m.role != "extra"))
    ),
    "every instruction takes one slot": _decoded(lambda d: replace(d, slots=1)),
    "renaming hands nothing on": _decoded(lambda d: replace(d, alias=())),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_decoder_is_caught(fault, monkeypatch):
    monkeypatch.setattr(core, "decode", FAULTS[fault])
    assert any(wrong())


METHODS = {
    "operands are not waited for": ("_wait", lambda self, *_: None),
    "memory is not waited for": ("_forwarded", lambda self, flight: None),
    "only queues are ever full": ("_full", lambda self, decoded: self._choose(decoded)),
    "queues are never full": ("_room", lambda self, *_: True),
    "an order that is not kept": ("_issue_in_order", lambda self: _unordered(self)),
}


def _unordered(self):
    for flight in [f for f in self.queue if not f.missing and f.ready <= self.cycle]:
        flight.port = self._any(flight)
        if flight.port:
            self.queue.remove(flight)
            self._start(flight)


@pytest.mark.parametrize("fault", METHODS)
def test_a_wrong_core_is_caught(fault, monkeypatch):
    monkeypatch.setattr(core._Core, *METHODS[fault])
    assert any(wrong())


@pytest.mark.parametrize(
    "changes",
    [
        {"moved": lambda self, operation: None},  # addresses are compared without what was added to them
        {"source": lambda self, place: None},
        {"_at": lambda self, place: ("anywhere", 0)},
    ],
    ids="".join,
)
def test_wrong_addresses_are_caught(changes, monkeypatch):
    for name, method in changes.items():
        monkeypatch.setattr(Memory, name, method)
    assert any(wrong())


@pytest.mark.parametrize("limit", ["dispatch", "retire", "rob", "forward", "blocked", "indexed", "wide", "partial"])
def test_every_number_of_a_machine_counts(limit, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "toy", lambda **changes: toys.toy(**changes | {limit: 40}))
    assert any(wrong())


def test_what_lifting_a_limit_gives_to_registers():
    text = "imulq $3, %rsi, %rax\n" * 2
    slow = toy(mul=Class(30, ("a",)), words=4)
    assert cycles(text, slow) == pytest.approx(15.5, rel=0.02)  # four in flight, 31 cycles each
    assert cycles(text, slow, without=("window",)) == 2


def test_what_lifting_a_limit_gives():
    text = "imulq $3, %rsi, %rax\n" * 6 + "imulq %rbx, %rbx"
    assert cycles(text) == 7
    assert cycles(text, without=("ports",)) == 3
    assert cycles("addq $1, %r8\naddq $1, %r9\n" * 3, toy(dispatch=1), without=("dispatch",)) == pytest.approx(
        3, rel=0.02
    )


@pytest.mark.parametrize(
    ("offset", "text", "expected"),
    [
        (0, "movq 56(%rsi), %rax", 0.5),
        (60, "movl (%rsi), %eax", 0.5),
        (60, "movq (%rsi), %rax", 11 / 2),  # ten cycles more on one of two ports
        (4, "movq 56(%rsi), %rax", 11 / 2),
        (4, "movq 56(%rsi,%rcx,8), %rax", 0.5),
        (4, "movq 56(%rdi), %rax", 0.5),
        (4, "movq (%rsi), %rax\naddq $8, %rsi", (7 + 11) / 16),  # every eighth, and the others take turns
        (60, "movq (%rsi), %rbx\nleaq (%rsi,%rbx), %rsi", 5),  # where it points to later is not known
        (None, "movq (%rax), %rax", 4),
    ],
)
def test_loads_across_a_line(offset, text, expected):
    places = {} if offset is None else {"rsi": offset}
    lea = Class(1, ("a",))
    assert cycles(text, toy(crossing=10, lea=lea), places=places, iterations=200) == pytest.approx(expected, rel=0.05)
    assert cycles(text, toy(lea=lea), places=places) <= 5


@pytest.mark.parametrize("machine", ["zen4", "skylake", "core2"])
def test_cycles_alone_are_those_of_the_trace_and_leave_nothing_to_the_collector(machine):
    text = "movq %rax, 8(%rsi)\nmovq 8(%rsi), %rbx\nmovdqu 4(%rsi), %xmm1\naddq %rbx, %rax"
    what = loop(text), machines.load(machine), 20
    assert pipeline.cycles(*what) == simulate(*what).cycles > 4
    gc.collect()
    gc.disable()
    try:
        pipeline.cycles(*what)
        assert gc.collect() == 0
    finally:
        gc.enable()
    with pytest.raises(ValueError, match="0 iterations"):
        pipeline.cycles(*what[:2], 0)


def test_a_single_iteration_and_the_use_of_ports():
    trace = simulate(loop("imulq %rax, %rax\naddq $1, %rbx"), TOY, iterations=1)
    assert trace.cycles == 4  # dispatched in cycle 0, issued in 1, done in 4
    trace = simulate(loop("imulq %rax, %rax\naddq $1, %rbx"), TOY)
    assert trace.cycles * (trace.used["a"] + trace.used["b"]) == pytest.approx(2)
    assert trace.used["s"] == 0


def test_no_iteration_is_refused():
    with pytest.raises(ValueError, match="0 iterations of 1 instructions"):
        simulate(loop("negq %rax"), TOY, iterations=0)


def test_what_a_machine_does_not_have_is_named():
    with pytest.raises(MachineError, match=r"toy says nothing of: pshufb %xmm1, %xmm0 \(vbytes\)"):
        cycles("pshufb %xmm1, %xmm0\npxor %xmm1, %xmm0")


def test_what_holds_a_whole_run_is_printed_in_a_line():
    trace = simulate(loop("movq (%rax), %rax"), TOY, 6)
    assert repr(trace) == f"1 instructions, {trace.cycles:.1f} cycles a loop on {TOY.title}"
    assert len(repr(trace.instances[0])) + len(repr(trace.instances[0].flights[0])) < 200


@pytest.mark.parametrize("name", machines.names())
def test_moves_of_constants_and_of_the_zero_register_run_everywhere(name):
    machine = machines.load(name)
    text = {
        "x86_64": "movq $-1, %rax\npushq $5",
        "aarch64": "mov x0, #5\nmov x1, xzr\nldp x2, xzr, [x3]\nstr xzr, [x3]",
    }
    assert simulate(loop(text[machine.isa], machine.isa), machine, 6).cycles > 0


@pytest.mark.parametrize("beside, times, expected", [("vpshufb", 2, 1.48), ("vpaddd", 4, 1.24)])
def test_a_load_into_every_lane_needs_a_vector_port_on_zen_5_only(beside, times, expected):
    """Measured on a Zen 5; a plain load of 64 bytes beside them takes one cycle there."""
    others = [f"{beside} %zmm14, %zmm14, %zmm{n}" for n in range(1, times + 1)]
    spread, plain = (
        loop("\n".join([f"{load} (%rsi), %zmm0", *others] * 8)) for load in ("vbroadcasti32x4", "vmovdqu64")
    )
    found = {name: simulate(spread, machines.load(name), 20).cycles / 8 for name in ("zen5", "zen4")}
    assert found["zen5"] == pytest.approx(expected, rel=0.03)
    assert simulate(plain, machines.load("zen5"), 20).cycles / 8 == pytest.approx(1, rel=0.03)
    assert found["zen4"] == pytest.approx(simulate(plain, machines.load("zen4"), 20).cycles / 8)
