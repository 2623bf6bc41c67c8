"""What the routine explorer shows: one round of a T-table routine at a register budget, its live ranges and listing."""

from functools import lru_cache
from html import escape
from typing import NamedTuple

from aesedu.cipher.key_schedule import ROUNDS
from aesedu.codegen import BudgetError, generate
from aesedu.routine import Value
from aesedu.routines import ttable
from aesedu.views import pressure
from aesedu.views.listing import lines, listing

BUDGETS = range(6, 16)  # registers; rsp is never among them, so x86-64 has no more than 15
ISAS = {"x86_64": "x86-64", "aarch64": "AArch64"}
_SHOWN, _ROWS = 9, 16  # lines of the listing; registers and memory in the chart


class Seen(NamedTuple):
    """What is shown. ``round`` counts from 1, ``instruction`` from 0 within the round; the rest as in ``codegen``."""

    technique: str = "merged"
    key_loads: str = "4x32"
    key_bits: int = 128
    budget: int = 8
    isa: str = "x86_64"
    syntax: str = "att"
    round: int = 2
    instruction: int = 0

    @property
    def code(self):
        return _code(*self[:3], self.isa, self.budget)

    @property
    def window(self):
        """The round's range of instructions."""
        return rounds(self.code)[self.round - 1]

    @property
    def chosen(self):
        """The instruction's number in the whole routine."""
        return self.window[min(self.instruction, len(self.window) - 1)]


@lru_cache(40)  # about 1 MB each
def _code(technique, key_loads, key_bits, isa, budget):
    return generate(_recording(technique, key_loads, ROUNDS[key_bits]), isa, budget)


@lru_cache(16)
def _recording(technique, key_loads, rounds):
    return ttable.encrypt.record(rounds=rounds, technique=technique, key_loads=key_loads)


@lru_cache(40)
def rounds(code):
    """The range of instructions of each round: it ends where the last of its 16 look-ups has been used."""
    look_ups = [s for s in code.recording.steps if s.op.name == "load32" and isinstance(s.operands[1], Value)]
    users = {source: step for step in code.recording.steps for source in step.sources()}
    last = {users[s] for s in look_ups[15:-1:16]}
    ends = [n + 1 for n, i in enumerate(code.instructions) if i.step in last and i.kind == "operation"]
    starts = [0, *ends]
    return [range(start, end) for start, end in zip(starts, [*ends, len(code.instructions)], strict=True)]


@lru_cache(16)
def smallest(technique, key_loads, isa):
    """The least number of registers with which the routine exists, and the least of BUDGETS without a spill (or None).

    Three rounds tell it of any number: the first, an inner one and the last.
    """
    recording = _recording(technique, key_loads, 3)
    try:
        least = generate(recording, isa, 1).budget
    except BudgetError as error:
        least = error.smallest
    free = (b for b in BUDGETS if "spill" not in pressure.roles(generate(recording, isa, b)))
    return least, next(free, None)


def transfers(seen):
    """The instructions of the round, from 0, that spill or reload."""
    found = pressure.roles(seen.code)
    return [n - seen.window.start for n in seen.window if found[n] in ("spill", "reload")]


def board(seen):
    """HTML: counts for a whole block, live ranges of the round, and the listing around the chosen instruction."""
    code, window = seen.code, seen.window
    title = f"Round {seen.round} of {len(rounds(code))}, {seen.technique}, {ISAS[seen.isa]}"
    chart = pressure.chart(code, window, seen.chosen, title, _ROWS)
    around = listing(code, seen.syntax, window, seen.chosen, _SHOWN)
    figure = f"<figure>{chart}{pressure.legend()}</figure>"
    return f'{pressure.css()}{_counts(seen)}{figure}<div class="ae-around"><div>{around}</div></div>'


def _counts(seen):
    roles = pressure.roles(seen.code)
    least, free = smallest(*seen[:2], seen.isa)
    boxes = [
        (len(roles), "instructions a block", "sky"),
        (roles.count("spill"), "spills a block", "vermilion"),
        (roles.count("reload"), "reloads a block", "orange"),
        (pressure.peak(seen.code), "live values at most", "green"),
        (free or f"over {BUDGETS[-1]}", "registers end the spills", "purple"),
        (least, "registers are the least", "blue"),
    ]
    return '<div class="ae-trio ae-counts">' + "".join(_box(*box) for box in boxes) + "</div>"


def _box(number, words, colour):
    return f'<div class="ae-{colour}"><b>{number}</b><span class="ae-muted">{words}</span></div>'


def sentence(seen):
    """The chosen instruction in words, and where its value is at that moment."""
    code, n = seen.code, seen.chosen
    row, window = lines(code)[n], seen.window
    text = row["intel"] if seen.syntax == "intel" and row["intel"] else row["text"]
    headline = (
        f"Instruction {n - window.start + 1} of {len(window)}: <code>{escape(text)}</code>. {_capital(row['english'])}."
    )
    held = set(pressure.held_after(code.instructions[n]).values())
    live = code.instructions[n].live
    inside = sum(value in held for value in live)
    where = f"{len(live)} values are live after it, {inside} in registers and {len(live) - inside} in memory."
    registers = "; ".join(f"{what} {', '.join(row[what])}" for what in ("reads", "writes") if row[what])
    return headline, f"It {registers}. {where} {_source(row)}"


def _capital(english):
    return escape(english[0].upper() + english[1:] if not english.startswith("v") else english)


def _source(row):
    return f"Line {row['line']}: <code>{escape(row['source'])}</code>" if row["line"] else ""


def static(seen):
    """The same without controls, with the round's whole listing."""
    code, window = seen.code, seen.window
    whole = f"<details><summary>The whole round</summary>{listing(code, seen.syntax, window)}</details>"
    return f"{board(seen)}{whole}"
