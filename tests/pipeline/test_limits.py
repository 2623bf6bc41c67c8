"""Single limits, the critical loop, the reasons of waits; and what the model says of the 2008 patch."""

from dataclasses import replace

import pytest
from cases import X86_64
from toy import TOY, toy

from aesedu import machines
from aesedu.bench import interleaving
from aesedu.codegen import generate
from aesedu.machines import Class
from aesedu.pipeline import loop, simulate
from aesedu.pipeline.limits import busiest, critical_loop, limits
from aesedu.pipeline.loop import pointer
from aesedu.pipeline.micro import decode
from aesedu.pipeline.story import KINDS, story, tell
from aesedu.routines import ttable


def test_each_limit_alone():
    operations = loop("imulq %rax, %rax\n" + "addq $1, %rbx\n" * 2 + "addq $1, %rcx\naddq $1, %rdx\naddq $1, %r8")
    assert limits(operations, toy(retire=3)) == {
        "dispatch": 1.5,
        "retire": 2,
        "ports": 3,  # six on two ports
        "operands": 3,
        "window": 3,
    }


def test_the_busiest_ports_are_those_that_no_sharing_relieves():
    machine = toy(mul=Class(3, ("a",)), clmul=Class(4, ("b",), occupancy=2), alu=Class(1, ("a", "b")))
    two = decode(loop("imulq $3, %rsi, %rax\nvpclmulqdq $0, %xmm1, %xmm2, %xmm3"), machine)
    assert busiest(two) == (2, ("b",))
    both = decode(loop("imulq $3, %rsi, %rax\nvpclmulqdq $0, %xmm1, %xmm2, %xmm3\naddq $1, %r8\naddq $1, %r9"), machine)
    assert busiest(both) == (2.5, ("a", "b"))


def steps(text, machine=TOY):
    found = critical_loop(loop(text), machine)
    return found and (set(found.steps), found.distance, found.cycles)


def test_the_critical_loop():
    assert steps("imulq %rax, %rbx\naddq %rbx, %rax\naddq $1, %rcx") == ({(0, "rbx", 3), (1, "rax", 1)}, 1, 4)
    assert steps("imulq $3, %rsi, %rax\naddq %rax, %rdi") == ({(1, "rdi", 1)}, 1, 1)
    assert steps("imulq $3, %rsi, %rax") is None
    found = critical_loop(loop("movq %rax, (%rsi)\nmovq (%rsi), %rax"), TOY)
    assert found.cycles == 6 and {step[0] for step in found.steps} == {0, 1}
    # 7 a pass by way of rax and rcx, 15 in two by way of rbx too: the last pass ends with the former
    two = """movq (%rbx), %rbx\naddq %rax, %rax\naddq %rbx, %rcx\nimulq %rax, %rcx\nimulq %rax, %rbx\naddq %rax, %rax
        addq %rax, %rax\naddq %rax, %rax\nimulq %rcx, %rax"""
    assert steps(two)[1:] == (2, 7.5)
    # each load has bytes of a store and of memory, so it waits for the store to retire, behind the load before
    retires = loop("movl %ecx, 4(%rsi)\nmovq (%rsi), %rax")
    assert critical_loop(retires, TOY).cycles == simulate(retires, TOY).cycles > 10
    assert steps("movq -16(%rsi), %rax\nmovq %rax, (%rsi)\naddq $8, %rsi")[1:] == (2, 3)


@pytest.mark.parametrize("case", [c for c in X86_64 if not c[2].get("in_order")], ids=lambda case: case[0])
def test_the_critical_loop_is_what_operands_alone_cost(case):
    operations, machine = loop(case[1]), toy(**case[2])
    found = critical_loop(operations, machine)
    assert (found.cycles if found else 0) == pytest.approx(limits(operations, machine)["operands"], abs=0.05)


def tale(text, iteration=0, n=-1, **changes):
    trace = simulate(loop(text), toy(**changes), iterations=max(2, iteration + 1))
    return tell(trace, trace.iteration(iteration)[n])


def test_every_wait_has_a_reason():
    assert tale("imulq %rax, %rbx\naddq $1, %rbx") == (
        "2 addq $1, %rbx: cycle 0 is dispatched; cycles 1 to 3 waits for rbx from 1 (imulq %rax, %rbx); "
        "cycle 4 executes on b; cycle 5 retires."
    )
    assert "cycle 1 waits for port a, which 1 (imulq $3, %rsi, %rax) has; cycles 2 to 4 executes on a" in tale(
        "imulq $3, %rsi, %rax\nimulq $3, %rsi, %rbx"
    )
    assert "cycle 0 waits: 1 slots a cycle are dispatched; cycle 1 is dispatched" in tale(
        "addq $1, %rax\nnegq %rbx", dispatch=1
    )
    assert "waits: the reorder buffer is full (1 slots)" in tale("addq $1, %rax\nnegq %rbx", rob=1)
    queue = {("a", "b"): 1, ("l", "m", "s", "d"): 32}
    assert "waits: the queue of ports a, b is full (1 entries)" in tale("imulq %rax, %rax\nnegq %rbx", groups=queue)
    assert "waits for rax from 1 (imulq %rax, %rax, 1 iteration before)" in tale("imulq %rax, %rax", iteration=1)
    assert "waits for bytes forwarded from 1 (movq %rax, (%rsi))" in tale("movq %rax, (%rsi)\nmovq (%rsi), %rbx")
    part = "movw %bx, %ax\nnegl %eax"
    assert "cycles 0 to 2 waits: a register that was written in part is joined for it" in tale(part, partial=2)
    two = "movl %eax, (%rsi)\nmovl %eax, 4(%rsi)\nmovq (%rsi), %rax"
    assert "waits for bytes that are only in memory after 2 (movl %eax, 4(%rsi))" in tale(two)
    assert "is done and waits for older instructions to retire" in tale("imulq %rax, %rax\nnegq %rbx")
    assert "is done by renaming and waits to retire" in tale("imulq %rax, %rax\nmovq %rsi, %rbx", eliminate=("move",))
    ordered = tale("imulq %rax, %rbx\naddq %rbx, %rcx\nnegq %rdx", in_order=True)
    assert "waits for its turn: an older instruction has not been issued" in ordered


@pytest.mark.parametrize("case", X86_64, ids=lambda case: case[0])
def test_a_story_leaves_no_cycle_out(case):
    trace = simulate(loop(case[1]), toy(**case[2]), iterations=4)
    for instance in trace.instances:
        spans = list(story(trace, instance))
        assert all(a.last + 1 == b.first for a, b in zip(spans, spans[1:], strict=False))
        assert {span.kind for span in spans} <= set(KINDS)
        assert spans[-1].first == spans[-1].last == instance.retired
        assert sum(span.kind == "dispatched" for span in spans) == 1


def patch_2008(name, offset=8, **changes):
    """Cycles a block by technique and key loads, at 14 registers; `offset` is that of the keys in a line."""
    machine, found = replace(machines.load(name), **changes), {}
    for technique, loads in [("merged", "4x32"), ("split", "4x32"), ("split", "2x64")]:
        code = generate(ttable.encrypt.record(technique=technique, key_loads=loads), "x86_64", 14)
        places = {pointer(code, "keys"): offset}
        found[technique, loads] = simulate(loop(code), machine, 12, places=places).cycles
    return found


@pytest.mark.parametrize("machine", [name for name in machines.names() if "aes" in machines.load(name).classes])
def test_the_model_is_never_faster_than_a_limit_of_gcm(machine):
    frame = interleaving.bounds(machine, sizes=(1, 2))
    assert (frame.drop(columns=["blocks", "model"]).max(axis="columns") <= frame.model + 0.01).all()


def test_where_ports_are_no_limit_all_queues_are_used():
    machine = toy(groups={("a",): 4, ("b",): 4, ("l", "m", "s", "d"): 32}, dispatch=8)
    operations = loop("imulq %rax, %rax\n" + "\n".join(f"leaq (%rax), %r{8 + n}" for n in range(8)))
    both = replace(machine, classes=machine.classes | {"lea": Class(1, ("a", "b"))})
    one = replace(machine, classes=machine.classes | {"lea": Class(1, ("a",))})
    without = ("dispatch", "ports", "order")
    assert simulate(operations, both, without=without).cycles < simulate(operations, one, without=without).cycles


@pytest.mark.parametrize("partial", [None, 0, 2, 3])
def test_on_core_2_two_key_loads_pay_only_where_no_load_crosses_a_line(partial):
    aligned, odd = patch_2008("core2", partial=partial), patch_2008("core2", offset=4, partial=partial)
    assert min(aligned, key=aligned.get) == ("split", "2x64")
    assert odd["split", "2x64"] > 1.02 * odd["split", "4x32"] == 1.02 * aligned["split", "4x32"]
    assert patch_2008("core2", offset=4, partial=partial, crossing=0) == aligned


@pytest.mark.parametrize("core", ["a57", "a72", "n1"])
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_weaving_gains_in_all_nine_cells_of_source_003(core, key_bits):
    assert interleaving.model(core, "woven", 4, key_bits) < 0.98 * interleaving.model(core, "sequential", 4, key_bits)


def test_on_core_2_merges_slow_the_merged_technique_alone():
    without, merges = patch_2008("core2", partial=None), patch_2008("core2")
    assert merges["merged", "4x32"] > 1.02 * without["merged", "4x32"]
    assert {k: v for k, v in merges.items() if k[0] == "split"} == {k: v for k, v in without.items() if k[0] == "split"}


def test_on_core_2_the_key_loads_earn_the_gain_and_on_skylake_the_temporaries():
    core2, skylake = patch_2008("core2", partial=None), patch_2008("skylake")
    assert 0.98 < core2["split", "4x32"] / core2["merged", "4x32"] < 1.02
    assert core2["split", "2x64"] / core2["split", "4x32"] < 0.95
    assert skylake["split", "4x32"] / skylake["merged", "4x32"] < 0.95
    assert 0.98 < skylake["split", "2x64"] / skylake["split", "4x32"] < 1.03
