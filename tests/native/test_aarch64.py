"""The AArch64 helpers, proved under qemu wherever the tests run."""

from pathlib import Path

import aarch64_machine
import pytest

from aesedu.native import run

HELPERS = Path(run.__code__.co_filename).with_name("aarch64.s").read_text(encoding="utf-8")
PRESERVED = run.__globals__["PRESERVED"]["aarch64"]


@pytest.fixture
def machine(tmp_path):
    aarch64_machine.need_tools()
    return lambda *call: aarch64_machine.call(tmp_path, *call)


def called(machine, body):
    """(value, names of what was not preserved, words overwritten above the stack) of a routine called with 1 ... 6."""
    words = b"".join(n.to_bytes(8, "little") for n in range(1, 7))
    text = f"{HELPERS}\n.text\n.section .text\nroutine:\n    {body}\n    ret\n"
    value, (_, report) = machine(text, "aesedu_call", [("label", "routine"), words, bytes(16)], [48, 16])
    mask, smashed = (int.from_bytes(report[n : n + 8], "little") for n in (0, 8))
    return value, [name for bit, name in enumerate(PRESERVED) if mask >> bit & 1], smashed


def test_arguments_and_value(machine):
    body = "\n ".join(f"orr x0, x0, x{n}, lsl #{4 * n}" for n in range(1, 6))
    assert called(machine, body) == (0x654321, [], 0)


def test_each_register_is_watched(machine):
    for name in PRESERVED:
        change = {
            "d": f"fmov {name}, x0",
            "x": f"mvn {name}, {name}",
            "s": "sub sp, sp, #64",
            "f": "mov x9, #1 << 22\n msr fpcr, x9",
        }[name[0]]
        assert called(machine, change) == (1, [name], 0)


def test_all_registers_at_once(machine):
    change = "\n ".join([f"mov x{n}, #0" for n in range(19, 30)] + [f"fmov d{n}, x0" for n in range(8, 16)])
    assert called(machine, change) == (1, PRESERVED[1:-1], 0)


@pytest.mark.parametrize("helper", ["call", "loop"])
def test_the_callers_registers_survive(machine, helper):
    """A caller's x19 to x29, d8 to d15 and FPCR are the same after a routine that ruins all it can reach."""
    fill = [f"mov x{n}, #{n}" for n in range(19, 30)] + [f"fmov d{n}, #{n}" for n in range(8, 16)]
    ruin = [f"mov x{n}, #0" for n in range(18)] + ["msr fpcr, xzr"]
    if helper == "call":
        ruin += [f"mov x{n}, #0" for n in range(19, 30)] + [f"movi d{n}, #0" for n in range(8, 16)]
    gather = [f"add x0, x0, x{n}" for n in range(19, 30)] + [f"fcvtzu x9, d{n}\n add x0, x0, x9" for n in range(8, 16)]
    rounding = ["mov x9, #3 << 22", "msr fpcr, x9"]  # towards zero; "loop" leaves FPCR as the routine does
    gather += ["mrs x9, fpcr", "lsr x9, x9, #12", "add x0, x0, x9"]
    around = [HELPERS, ".text", "outer:", "str x30, [sp, #-16]!", *fill, *rounding, f"bl aesedu_{helper}", "mov x0, #0"]
    text = "\n ".join([*around, *gather, "ldr x30, [sp], #16", "ret", "routine:", *ruin, "ret"])
    first = ("label", "routine") if helper == "call" else 3
    second = bytes(48) if helper == "call" else ("label", "routine")
    value, _ = machine(text, "outer", [first, second, bytes(48)], [48])
    assert value == sum(range(19, 30)) + sum(range(8, 16)) + (3 << 10 if helper == "call" else 0)


@pytest.mark.parametrize("offset", [0, 8, 4096, 16376])
def test_writes_above_the_stack_are_counted(machine, offset):
    body = f"mov x9, sp\n add x9, x9, #{offset & ~4095}\n add x9, x9, #{offset & 4095}\n stp xzr, xzr, [x9]"
    assert called(machine, body) == (1, [], 2 if offset < 16376 else 1)


def test_the_loop_calls_so_many_times(machine):
    text = f"""{HELPERS}
        .section .text
    routine:
        ldr x9, [x0]
        add x9, x9, x1
        str x9, [x0]
        ret
    outer:
        str x0, [x2]
        mov x0, #1000
        str x30, [sp, #-16]!
        bl aesedu_loop
        ldr x30, [sp], #16
        ret
    """
    words = bytes(8) + (3).to_bytes(8, "little") + bytes(32)
    _, (count, _) = machine(text, "outer", [bytes(8), ("label", "routine"), words], [8, 48])
    assert int.from_bytes(count, "little") == 3000


@pytest.mark.parametrize("chain", ["aesedu_add_chain", "aesedu_multiply_chain", "aesedu_clock_rate"])
def test_chains_and_clock_come_back(machine, chain):
    machine(HELPERS, chain, [5], [])
