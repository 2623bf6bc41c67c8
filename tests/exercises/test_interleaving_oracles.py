"""The oracles of notebook 07's exercises on source 003's figures and on the model; what the notebook says of both."""

import math

import pytest

from aesedu import machines, pipeline
from aesedu.bench import interleaving as source
from aesedu.codegen import generate
from aesedu.exercises import catalogue
from aesedu.routine import Routine, v128
from aesedu.routine.vectors import aesenc, clmul_low

ENTRIES = {entry.name: entry for entry in catalogue()}


def test_both_changes_on_the_24_cases_of_the_log():
    for row in source.changes().itertuples():
        assert ENTRIES["both_changes"].oracle(int(row.old), int(row.new)) == [
            round(row.throughput, 2),
            round(row.time, 2),
        ]


def test_break_even_on_the_lines_of_the_log():
    found = source.fits(source.changes()).query("sizes == 'large' and weights == 'equal'").set_index("key_bits")
    even = {key: ENTRIES["break_even"].oracle((r.old_fixed, r.old_slope), (r.new_fixed, r.new_slope))
            for key, r in found.iterrows()}  # fmt: skip
    assert even == {128: 2375, 192: 3727, 256: math.inf}


def test_choose_chunk_on_skylake_is_what_the_model_says():
    bounds = source.bounds("skylake", sizes=(1, 4)).set_index("blocks")
    chain, work = round(bounds.operands[1]), round(bounds.ports[4])
    assert (chain, work) == (30, 10), "the notebook gives these as the facts of Skylake"
    cycles = {n: source.model("skylake", "woven", n) for n in (1, 2, 4, 8)}
    assert ENTRIES["choose_chunk"].oracle(chain, work, 0, 8) == 4
    assert min(n for n in cycles if cycles[n] <= 1.06 * min(cycles.values())) == 4


@pytest.mark.parametrize(
    ("order", "status", "words"),
    [
        ("ay" * 4, "passed", "A pass takes 10 cycles; one list after the other takes 16."),
        ("ya" * 4, "passed", "A pass takes 10 cycles"),
        ("ayyaayya", "failed", "a pass takes 14 cycles; it needs fewer than 12."),
        ("yyyyaaaa", "failed", "a pass takes 16 cycles; it needs fewer than 12."),
    ],
)
def test_a_weave_is_judged_by_its_cycles(order, status, words):
    entry, steps = ENTRIES["woven_steps"], {"a": "state = aesenc(state, key)", "y": "y = clmul_low(y, h)"}
    body = [f"    {line}\n" for line in ("state = state ^ key", *map(steps.get, order), "return [state, y]")]
    outcome = entry.check(entry.solution[: entry.solution.index("    state")] + "".join(body))
    assert outcome.status == status and words in outcome.finding
    assert bool(outcome.advice) == (status == "failed")


@pytest.mark.parametrize(("core", "gains"), [("a53", True), ("a72", False)])
def test_the_order_of_so_short_a_loop_counts_in_order_only(core, gains):
    def one_after_the_other(state: v128, y: v128, key: v128, h: v128):
        state = state ^ key
        for _ in range(4):
            state = aesenc(state, key)
        for _ in range(4):
            y = clmul_low(y, h)
        return state, y

    def woven(state: v128, y: v128, key: v128, h: v128):
        state = state ^ key
        for _ in range(4):
            state, y = aesenc(state, key), clmul_low(y, h)
        return state, y

    machine = machines.load(core)
    codes = [generate(Routine(each).record(), machine.isa) for each in (one_after_the_other, woven)]
    first, second = (pipeline.simulate(pipeline.loop(code, machine.isa), machine).cycles for code in codes)
    assert (round(first), round(second)) == (16, 10) if gains else abs(second / first - 1) < 0.02
