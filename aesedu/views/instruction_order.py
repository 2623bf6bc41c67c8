"""One cipher cut in two ways: its steps in a row, x86-64's instructions above them, AArch64's beneath.

Every value is from ``aesedu.cipher.instructions``; drawn with the bytes and boxes of the round explorer.
"""

from functools import lru_cache
from typing import NamedTuple

from aesedu.cipher.instructions import STEPS, Step, program, trace
from aesedu.views.round_explorer import css  # noqa: F401 - the style sheet of this view too
from aesedu.views.round_shapes import arrow, cell, drawing, laid_out, named, rect, text

WIDTH, HEIGHT = 810, 330  # px
_SIZE = f'width="{WIDTH}" height="{HEIGHT}"'
SIDES = {"x86_64": ("x86-64", "xmm0"), "aarch64": ("AArch64", "v0")}
DIRECTIONS = ("encrypt", "decrypt")
_LEFT, _TOP, _ROW = 66, 6, 28  # px: where the steps begin, the three rows and their height
_WORDS = {"shift_rows": "ShiftRows", "sub_bytes": "SubBytes", "mix_columns": "MixColumns"}
_WORDS |= {f"inv_{name}": f"Inv{words}" for name, words in _WORDS.items()} | {"add_round_key": "AddRoundKey"}
_LETTERS = {"ShiftRows": ("R", 0), "SubBytes": ("S", 1), "MixColumns": ("M", 2), "AddRoundKey": ("K", 4)}


class Frame(NamedTuple):
    """Step number ``at`` has been done; ``sides`` holds all steps by instruction set."""

    at: int
    sides: dict[str, list[Step]]

    def step(self, isa):
        """The step done last, as a part of one of this instruction set's instructions."""
        return self.sides[isa][self.at]

    def parts(self, isa):
        """The numbers of all steps of that instruction."""
        return [n for n, step in enumerate(self.sides[isa]) if step.index == self.step(isa).index]

    def register(self, isa):
        """What the register holds: a state within an instruction never appears in it."""
        parts = self.parts(isa)
        return self.step(isa).after if self.at == parts[-1] else self.sides[isa][parts[0]].before


@lru_cache(8)
def frames(key, block, direction="encrypt"):
    """Return a Frame for each step. Raises ValueError or TypeError for a wrong key or block."""
    sides = {isa: trace(isa, key, block, direction) for isa in SIDES}
    return [Frame(n, sides) for n in range(len(sides["x86_64"]))]


def _letter(name):
    return _LETTERS[_WORDS[name].removeprefix("Inv")]


# --- the cipher as a row of steps -------------------------------------------------------------------------------------


def _strip(frame):
    """Steps as letters between two rows of instructions."""
    steps = frame.sides["x86_64"]
    unit = (WIDTH - _LEFT) / len(steps)
    body = ""
    for n, step in enumerate(steps):
        letter, tone = _letter(step.name)
        kind = "a" if n == frame.at else "d" if n < frame.at else "p"
        x = _LEFT + unit * n
        box = rect(x, _TOP + _ROW, unit - 1, _ROW - 4, kind)
        box += text(x + unit / 2 - 0.5, _TOP + _ROW + 16.5, letter, "v k" if kind == "a" else "v")
        body += named(f"step{n}", box, tone)
    body += text(0, _TOP + _ROW + 16.5, "steps", "u")
    return body + _cuts(frame, "x86_64", _TOP, unit) + _cuts(frame, "aarch64", _TOP + 2 * _ROW, unit)


def _cuts(frame, isa, y, unit):
    """The instructions of one set, each as long as its steps."""
    body, now, first = text(0, y + 16.5, SIDES[isa][0], "o"), frame.step(isa).index, 0
    for index, (instruction, _) in enumerate(program(isa, frame.sides[isa][-1].key, _way(frame))):
        count = len(STEPS[instruction])
        x, w = _LEFT + unit * first, unit * count - 1
        kind = "d y ae-r-now" if index == now else ""
        words = instruction if count > 2 and 8.8 * len(instruction) < w - 4 else ""
        body += rect(x, y, w, _ROW - 4, kind) + text(x + w / 2, y + 16.5, words, "c o" if index == now else "c")
        first += count
    return body


def _way(frame):
    return "decrypt" if frame.sides["x86_64"][1].name.startswith("inv") else "encrypt"


# --- the step, and what either instruction set makes of it ------------------------------------------------------------


def _square(x, y, state, name, kind="", tone=None):
    boxes = "".join(cell(x + 35 * (n // 4), y + 30 * (n % 4), 33, 28, b, kind, None, n) for n, b in enumerate(state))
    return named(name, boxes, tone)


def _middle(frame):
    """The state before and after the step, and the round key where it is one's turn."""
    step, x, y = frame.step("x86_64"), 244, 142
    letter, tone = _letter(step.name)
    body = text(x, y - 22, f"{frame.at + 1}  {_WORDS[step.name]}", "t")
    body += _square(x, y, step.before, "before") + _square(x + 182, y, step.after, "after", "d", tone)
    body += arrow(f"M{x + 145} {y + 58}H{x + 168}", x + 176, y + 58, 0, "f") + text(x + 160, y + 48, letter, "c o")
    if step.key is None:
        return body
    key = bytes(a ^ b for a, b in zip(step.before, step.after, strict=True)).hex(" ", 4)
    return body + text(x, y + 142, f"round key {step.key}", "u") + text(x, y + 162, key, "m")


def _side(frame, isa, x):
    """One instruction: its steps from top to bottom, and the register."""
    title, register = SIDES[isa]
    y, now = 142, frame.step(isa)
    body = text(x, y - 22, f"{title}: {now.instruction}", "t")
    for row, n in enumerate(frame.parts(isa)):
        kind = "a" if n == frame.at else "d" if n < frame.at else "p"
        letter, tone = _letter(frame.sides[isa][n].name)
        words = f"{letter}  {_WORDS[frame.sides[isa][n].name]}"
        box = rect(x, y + 28 * row, 168, 25, kind) + text(x + 10, y + 28 * row + 17, words, "k" if kind == "a" else "")
        body += named(f"{isa}{row}", box, tone)
    words = frame.register(isa).hex(" ", 4)
    body += text(x, y + 142, f"{register} holds", "u")
    return body + text(x, y + 162, words[:17], "m") + text(x, y + 180, words[18:], "m")


def _names(frame):
    """SVG: every instruction of either set, spelt in letters, and what the letters stand for."""
    panels = []
    for isa, (title, _) in SIDES.items():
        names = dict.fromkeys(step.instruction for step in frame.sides[isa])
        rows = [(name, " ".join(_letter(part)[0] for part in STEPS[name])) for name in names]
        panels.append(_panel(title, rows, 120, frame.step(isa).instruction))
    names = dict.fromkeys(step.name for step in frame.sides["x86_64"])
    letters = [(_letter(name)[0], _WORDS[name]) for name in names]
    return "".join([*panels, _panel("Steps", letters, 36, _letter(frame.step("x86_64").name)[0])])


def _panel(title, rows, at, now):
    """SVG: a title and lines of two words each; the line of ``now`` is bold."""
    body = text(14, 24, title, "o")
    for n, (first, second) in enumerate(rows):
        kind = "m o" if first == now else "m u"
        body += text(14, 45 + 20 * n, first, kind) + text(at, 45 + 20 * n, second, kind)
    return drawing(", ".join([title, *map(" ".join, rows)]), body, f'style="height:{38 + 20 * len(rows)}px"')


def board(frame):
    """HTML: the row of steps, the step done last, what it is a part of."""
    body = _strip(frame) + _middle(frame) + _side(frame, "x86_64", 0) + _side(frame, "aarch64", 628)
    name = f"Step {frame.at + 1} of {len(frame.sides['x86_64'])}"
    return laid_out(drawing(name, body, _SIZE, in_words(frame)), _names(frame))


# --- in words -------------------------------------------------------------------------------------------------------


def in_words(frame):
    """The picture as plain text."""
    step = frame.step("x86_64")
    holds = "; ".join(f"{register} holds {frame.register(isa).hex(' ', 4)}" for isa, (_, register) in SIDES.items())
    return f"{_WORDS[step.name]} makes {step.after.hex(' ', 4)} of {step.before.hex(' ', 4)}; {holds}"


def sentence(frame):
    """What is seen now, as HTML: the step, and which part of which instruction it is."""
    step = frame.step("x86_64")
    key = "" if step.key is None else f" with round key {step.key}"
    parts = "; ".join(f"{title}: {_part(frame, isa)}" for isa, (title, _) in SIDES.items())
    return f"{_WORDS[step.name]}{key}: <code>{step.after.hex(' ', 4)}</code>", f"{parts}. {_held(frame)}"


def _part(frame, isa):
    parts, name = frame.parts(isa), frame.step(isa).instruction
    if len(parts) == 1:
        return f"all of {name}"
    return f"step {parts.index(frame.at) + 1} of {len(parts)} of {name}"


def _held(frame):
    here = [register for isa, (_, register) in SIDES.items() if frame.register(isa) == frame.step(isa).after]
    if len(here) == 2:
        return "Both registers hold this state: the ciphers meet."
    return f"{here[0]} holds this state." if here else "No register ever holds this state."
