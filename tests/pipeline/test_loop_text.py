"""A loop as text and as Code: statements, comments, lines, and the instruction set it is for."""

import pytest

from aesedu import machines, workbench
from aesedu.codegen import generate
from aesedu.pipeline import loop, simulate
from aesedu.pipeline.limits import critical_loop, limits
from aesedu.routines import ttable

TEXT = {"x86_64": "addq $1, %rax", "aarch64": "add x0, x0, #1"}


@pytest.mark.parametrize("name", machines.names())
@pytest.mark.parametrize("run", [simulate, limits, critical_loop])
def test_a_loop_for_another_instruction_set_is_refused(name, run):
    machine = machines.load(name)
    (other,) = set(machines.ISAS) - {machine.isa}
    for source in (generate(ttable.encrypt_round.record(), other), TEXT[other]):
        with pytest.raises(machines.MachineError, match=f"{name} runs {machine.isa}, and the loop is {other}"):
            run(loop(source, other), machine)
    run(loop(TEXT[machine.isa], machine.isa), machine)


def test_the_workbench_refuses_it_too():
    code = generate(ttable.encrypt_round.record(), "aarch64")
    for call in (workbench.timeline, lambda c, machine: workbench.model_table({"it": c}, [machine])):
        with pytest.raises(machines.MachineError, match="skylake runs x86_64, and the loop is aarch64"):
            call(code, machine="skylake")
