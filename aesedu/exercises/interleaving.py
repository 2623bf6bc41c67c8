"""Exercises of notebook 07, Interleaving. One of them judges the cycles that a model takes for a function."""

import math
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from aesedu.exercises.child import plain
from aesedu.exercises.definition import Exercise, Mistake
from aesedu.exercises.judge import judge
from aesedu.exercises.outcome import FAILED, PASSED
from aesedu.exercises.register_pressure import measured

# --- throughput and time ----------------------------------------------------------------------------------------------


def _both_changes(old, new):
    """In exact decimals, each from its own definition."""
    times = Decimal(1) / old, Decimal(1) / new
    exact = 100 * (Decimal(new) - old) / old, 100 * (times[1] - times[0]) / times[0]
    return [float(each.quantize(Decimal("0.01"), ROUND_HALF_EVEN)) for each in exact]


BOTH_CHANGES = Exercise(
    name="both_changes",
    notebook="07",
    stub='''
@exercise("both_changes")
def both_changes(old, new):
    """[change of throughput, change of time a call] in per cent, to two decimals (roughly 3 lines).

    old, new: calls a second before and after. Fewer calls are a negative change of
    throughput and a positive one of time.
    """
    ...
''',
    solution='''
def both_changes(old, new):
    throughput = 100 * (new / old - 1)
    time = 100 * (old / new - 1)
    return [round(throughput, 2), round(time, 2)]
''',
    hints=(
        "A change in per cent is 100 * (after / before - 1).",
        "A call takes 1 / old seconds before and 1 / new after. What is one over the other?",
    ),
    known=lambda: [((100, 80), [-20.0, 25.0]), ((80, 100), [25.0, -20.0]), ((401451, 331558), [-17.41, 21.08])],
    source="two pairs by hand, and AES-256 with 1,420 bytes of source 003",
    draw=lambda random: [(random.randrange(50_000, 2_000_000), random.randrange(50_000, 2_000_000)) for _ in range(12)],
    oracle=_both_changes,
    mistakes=(
        Mistake("100 * (old / new - 1)", "-throughput",
                "20 % fewer calls are not 20 % more time: a call that took 1/100 s takes 1/80 s, which is 25 % more."),
        Mistake("100 * (new / old - 1)", "100 * (new - old) / new",
                "A change is counted from what was there before: divide by old."),
        Mistake("100 * (old / new - 1)", "100 * (1 - old / new)",
                "More time is a positive change: after over before, minus 1."),
        Mistake("[round(throughput, 2), round(time, 2)]", "[round(time, 2), round(throughput, 2)]",
                "These two stand in each other's place: throughput comes first."),
        Mistake("100 * ", "", "In per cent, please: times 100."),
    ),
    parts=("item",),
)  # fmt: skip

# --- two step lists, woven --------------------------------------------------------------------------------------------

_CORE = "a53"  # it issues in program order, so the order of the text is all that counts
_LIMIT = 12  # cycles a pass, of 16 that one list after the other takes


def _in_turn(state, y, key, h):
    """One list after the other, as AES and multiplication are defined: no instruction, no routine."""
    from aesedu.cipher import fips197, gf128

    state, mask = (state ^ key).to_bytes(16, "little"), key.to_bytes(16, "little")
    for _ in range(4):
        mixed = fips197.mix_columns(fips197.shift_rows(fips197.sub_bytes(state)))
        state = fips197.add_round_key(mixed, mask)
    for _ in range(4):
        y = gf128.carryless(y % (1 << 64), h % (1 << 64))
    return [int.from_bytes(state, "little"), y]


def woven_steps_measured(function):
    """In the child: the learner's function as a recorded routine, its results and its cycles a pass."""
    from aesedu.routine import v128

    return measured(function, dict.fromkeys(("state", "y", "key", "h"), v128), _cycles)


def _judge_cycles(exercise, report):
    """The outcome by the results, and where these are right by the cycles."""
    pairs = [value for _, value, _ in report["results"]]
    if not all(pairs):
        return judge(exercise, report)
    bare = [[*plain(pair[0]), changed] for pair, (*_, changed) in zip(pairs, report["results"], strict=True)]
    outcome = judge(exercise, {**report, "results": bare})
    if outcome.status == PASSED:
        outcome = _by_cycles(outcome, pairs[0][1])
    hint = exercise.recognise(report["results"])
    return replace(outcome, advice=hint or outcome.advice) if outcome.status == FAILED else outcome


def _by_cycles(outcome, cycles):
    if cycles < _LIMIT:
        finding = f"{outcome.finding} A pass takes {cycles:.0f} cycles; one list after the other takes 16."
        return replace(outcome, finding=finding)
    finding = "woven_steps(state, y, key, h) returned the right results, but a pass takes "
    finding += f"{cycles:.0f} cycles; it needs fewer than {_LIMIT}."
    return replace(outcome, status=FAILED, finding=finding, advice="Put one step of the other list behind each step.")


def _cycles(recording):
    from aesedu import machines, pipeline
    from aesedu.codegen import generate

    core = machines.load(_CORE)
    return pipeline.cycles(pipeline.loop(generate(recording, core.isa), core.isa), core)


_LOOP = """    for _ in range(4):
        state = aesenc(state, key)
        y = clmul_low(y, h)
"""

WOVEN_STEPS = Exercise(
    name="woven_steps",
    notebook="07",
    stub='''
@exercise("woven_steps")
def woven_steps(state, y, key, h):
    """[state, y] after both lists of steps, in an order that keeps a Cortex-A53 busy (roughly 5 lines).

    One list: state ^ key, then four times aesenc(state, key). The other: four times
    y = clmul_low(y, h). The cell above has imported both. One after the other they take
    16 cycles; yours must take fewer than 12.
    """
    ...
''',
    solution='''
from aesedu.routine.vectors import aesenc, clmul_low


def woven_steps(state, y, key, h):
    state = state ^ key
    for _ in range(4):
        state = aesenc(state, key)
        y = clmul_low(y, h)
    return [state, y]
''',
    hints=(
        "Write one list after the other first: the results must be right before the order counts.",
        "An instruction that waits holds up all behind it on this core. So put a step of the other list behind each.",
        "One loop of four turns, in it one step of either list.",
    ),
    known=lambda: [(words, _in_turn(*words)) for words in ((0x53, 3, 0x52, 7), (0, 1, 0, 1))],
    source="FIPS-197's own steps and long multiplication",
    draw=lambda random: [tuple(random.getrandbits(128) for _ in range(4)) for _ in range(6)],
    oracle=_in_turn,
    mistakes=(
        Mistake(_LOOP, "    for _ in range(4):\n        state = aesenc(state, key)\n"
                "    for _ in range(4):\n        y = clmul_low(y, h)\n",
                "Both results are right, but one list waits for the other to end: take a step of each in turn."),
        Mistake(_LOOP, _LOOP.replace("4", "2").replace("y = clmul_low(y, h)", "state = aesenc(state, key)")
                + 8 * " " + "y = clmul_low(y, h)\n" + 8 * " " + "y = clmul_low(y, h)\n",
                "Two steps of a list in a row: the second waits for the first. Change the list after every step."),
        Mistake("    state = state ^ key\n", "", "The first step is missing: state ^ key."),
        Mistake("y = clmul_low(y, h)", "y = clmul_low(y, y)", "The factor is h in each of the four products."),
        Mistake("range(4)", "range(3)", "Each list has four such steps: this loop makes three."),
        Mistake("[state, y]", "[y, state]", "The results stand in each other's place: state first."),
    ),
    parts=("item", "word"),
    digits=32,
    around="aesedu.exercises.interleaving:woven_steps_measured",
    verdict=_judge_cycles,
)  # fmt: skip

# --- the size of a chunk ----------------------------------------------------------------------------------------------


def _played(chain, work, extra, n):
    """Cycles a block: 64 chunks one after the other, each when its port is free and the hash before it is there."""
    ends = hashes = Fraction(0)
    for _ in range(64):
        ends, hashes = max(ends + n * work + extra, hashes + chain), hashes + max(chain, n * work + extra)
    return ends / 64 / n


def _choose_chunk(chain, work, extra, most):
    cycles = {n: _played(chain, work, extra, n) for n in (1, 2, 4, 8, 16) if n <= most}
    return min(n for n in cycles if 100 * cycles[n] <= 105 * min(cycles.values()))


CHOOSE_CHUNK = Exercise(
    name="choose_chunk",
    notebook="07",
    stub='''
@exercise("choose_chunk")
def choose_chunk(chain, work, extra, most):
    """The least of 1, 2, 4, 8, 16 blocks a chunk, at most `most`, that is within 5 % of the best (roughly 3 lines).

    chain: cycles from one value of the hash to the next, once a chunk.
    work, extra: cycles of the busiest port for each block, and for each chunk besides.
    A block takes chain / n or work + extra / n cycles, whichever is longer.
    """
    ...
''',
    solution='''
def choose_chunk(chain, work, extra, most):
    bounds = {n: max(chain / n, work + extra / n) for n in (1, 2, 4, 8, 16) if n <= most}
    best = min(bounds.values())
    return min(n for n in bounds if bounds[n] <= 1.05 * best)
''',
    hints=(
        "Make a dictionary of the cycles a block, for the sizes that are allowed: max(chain / n, work + extra / n).",
        "Take the least size whose cycles are at most 1.05 times the smallest of all.",
    ),
    known=lambda: [((30, 10, 0, 8), 4), ((16, 4, 8, 16), 16), ((16, 4, 0, 2), 2), ((10, 40, 0, 16), 1)],
    source="four cores worked by hand",
    draw=lambda random: [
        (random.randrange(8, 80), random.randrange(2, 20), random.randrange(12), random.choice([2, 4, 8, 16]))
        for _ in range(24)
    ],
    oracle=_choose_chunk,
    mistakes=(
        Mistake("chain / n", "chain", "The chain is there once a chunk: its n blocks share it."),
        Mistake("extra / n", "extra", "The further cycles are there once a chunk: its n blocks share them."),
        Mistake("work + extra / n", "work", "The busiest port has extra cycles once a chunk, too: extra / n a block."),
        Mistake("max(chain / n, work + extra / n)", "chain / n + work + extra / n",
                "While the chain waits the port works: what takes longer counts, not the sum."),
        Mistake(" if n <= most", "", "Some of these sizes are not allowed: at most `most` blocks."),
        Mistake("1.05 * best", "best", "A chunk within 5 % of the best is good enough, if it is smaller."),
        Mistake("return min(", "return max(", "The least chunk is asked for: it needs fewest registers."),
    ),
)  # fmt: skip

# --- from how many bytes on -------------------------------------------------------------------------------------------


def _break_even(old, new):
    """By trying: double the size until the new code is ahead, then halve the interval."""
    (a, b), (c, d) = old, new
    ahead = lambda size: c + d * size <= a + b * size  # noqa: E731
    low, high = -1, 1
    while not ahead(high):
        low, high = high, 2 * high
        if high > 1 << 40:
            return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if ahead(middle) else (middle, high)
    return high


BREAK_EVEN = Exercise(
    name="break_even",
    notebook="07",
    stub='''
@exercise("break_even")
def break_even(old, new):
    """The least number of bytes for which the new code takes no longer, math.inf if there is none (roughly 4 lines).

    old, new: [fixed, slope], ns a call and ns a byte. The new code's fixed cost is higher.
    """
    ...
''',
    solution='''
import math


def break_even(old, new):
    more, less = new[0] - old[0], old[1] - new[1]
    if less <= 0:
        return math.inf
    return math.ceil(more / less)
''',
    hints=(
        "The new code begins behind by the difference of the fixed costs. Each byte makes up that of the slopes.",
        "Divide one by the other, and round up: at that many bytes both take the same time.",
        "If a byte takes no less than before, it never catches up.",
    ),
    known=lambda: [(([400, 2], [700, 1]), 300), (([450, 1], [820, 2]), math.inf), (([400, 5], [500, 2]), 34)],
    source="three pairs worked by hand",
    draw=lambda random: [
        ([fixed := random.randrange(300, 600), random.randrange(1, 9)],
         [fixed + random.randrange(1, 500), random.randrange(1, 9)]) for _ in range(20)
    ],
    oracle=_break_even,
    mistakes=(
        Mistake("math.ceil", "math.floor", "Rounded down, the new code is not there yet: round up."),
        Mistake("more / less", "new[0] / less",
                "The old code has a fixed cost as well: only the difference is to be made up."),
        Mistake("    if less <= 0:\n        return math.inf\n    return math.ceil(more / less)",
                "    return math.ceil(more / less) if less else math.inf",
                "A number of bytes below zero is none: where the new slope is higher, it never catches up."),
        Mistake("math.ceil(more / less)", "math.ceil(more / new[1])",
                "A byte does not make up its whole time, only what it takes less than before."),
    ),
)  # fmt: skip

EXERCISES = [WOVEN_STEPS, CHOOSE_CHUNK, BOTH_CHANGES, BREAK_EVEN]
