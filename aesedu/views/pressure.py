"""Live ranges over the instructions of a Code: which value is in which register, which waits in memory, how many live.

Each column is an instruction and shows the state after it.
"""

from functools import lru_cache
from html import escape
from itertools import count, groupby
from typing import NamedTuple

from aesedu.routine import Value, table
from aesedu.views import style

# What an instruction does with memory and registers, beside its work: letter, colour, words for the legend.
ROLES = {
    "spill": ("S", "vermilion", "spill"),
    "reload": ("R", "orange", "reload"),
    "key": ("K", "purple", "word at a fixed place of a table (round key)"),
    "look-up": ("T", "sky", "look-up"),
    "copy": ("C", "green", "copy"),
}
_UNIT, _ROW, _STRIP = 5, 16, 20  # px: one live value, a register, the letters
_HEAD, _GAP, _LEFT, _RIGHT = 24, 10, 76, 78
_MOST = 16  # live values for which the curve has room at least
_COLUMN = 740  # px over which columns are spread at least: names that do not fit are left out


class Span(NamedTuple):
    """A value's stay: ``place`` is a register's name or, in memory, a row number from 0; instructions are inclusive."""

    place: str | int
    value: Value
    first: int
    last: int


def css():
    """The style sheet of this view and of the listing, beside the suite's."""
    return style.sheet(__file__)


@lru_cache(8)
def roles(code):
    """For each instruction a key of ROLES, or "". A reload may be part of another instruction."""
    tables = {str(p) for p in code.recording.parameters if p.type is table}
    return tuple(_role(instruction, tables) for instruction in code.instructions)


def _role(instruction, tables):
    address = instruction.address
    if instruction.kind in ("spill", "copy"):
        return instruction.kind
    if instruction.kind == "loop" or not address or instruction.stores:
        return ""
    if address.region == "frame":
        return "reload"
    return "look-up" if address.index else "key" if address.region in tables else ""


def peak(code):
    """How many values are live at once, at most."""
    return max(len(instruction.live) for instruction in code.instructions)


def spans(code, window=None):
    """The Spans within a window (a range of instructions; all by default), in the order in which they end."""
    window = window or range(len(code.instructions))
    current, done = {}, []
    for now in window:
        places = _places(code.instructions[now])
        for key in [key for key in current if key not in places]:
            place, first = current.pop(key)
            done.append(Span(place, key[1], first, now - 1))
        for register, value in sorted(places - current.keys(), key=lambda p: (p[0], str(p[1]))):
            taken = {place for place, _ in current.values()}
            current[register, value] = register or next(n for n in count() if n not in taken), now
    return done + [Span(place, value, first, window[-1]) for (_, value), (place, first) in current.items()]


def held_after(instruction):
    """Which value is in which register after an instruction (copies and reloads note the state before them)."""
    moved = instruction.kind in ("copy", "reload")
    return instruction.held | ({instruction.writes[0]: instruction.step} if moved else {})


def _places(instruction):
    """(register, value) of what is live and held after an instruction, ("", value) of what waits in memory."""
    held, live = held_after(instruction), set(instruction.live)
    inside = {(register, value) for register, value in held.items() if value in live}
    return inside | {("", value) for value in live.difference(held.values())}


class _Plot:
    """Where things are: per cent across, px down."""

    def __init__(self, code, window, rows):
        self.code, self.window, self.spans = code, window, spans(code, window)
        self.registers = code.registers
        self.slots = 1 + max((s.place for s in self.spans if isinstance(s.place, int)), default=-1)
        self.base = _HEAD + _UNIT * max(_MOST, peak(code) + 1, len(self.registers) + 1)
        self.letters = self.base + _GAP
        self.top = self.letters + _STRIP + _GAP
        self.height = self.top + _ROW * max(rows, len(self.registers) + self.slots) + 2 * _GAP

    def x(self, instruction):
        """The left end of an instruction's column, in per cent of the width."""
        return 100 * (instruction - self.window.start) / len(self.window)

    def box(self, kind, first, last, y, height):
        """A rectangle over the columns of instructions ``first`` to ``last``."""
        x = self.x(first)
        place = f'x="{x:.2f}%" y="{y}" width="{self.x(last + 1) - x:.2f}%" height="{height}"'
        return f'<rect class="{kind}" {place}/>'

    def y(self, place):
        """The top of a register's or a memory row."""
        row = self.registers.index(place) if isinstance(place, str) else len(self.registers) + place
        return self.top + _ROW * row + (_GAP if isinstance(place, int) else 0)

    def fits(self, span, name):
        """Whether there is room for a name in the bar of a stay."""
        return (span.last - span.first + 1) * _COLUMN / len(self.window) > 7.5 * len(name) + 6


def _text(x, y, words, kind="", anchor="start"):
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(str(words))}</text>'


def _numbers(plot):
    first = plot.window.start
    marks = [n for n in plot.window if (n - first + 1) % 5 == 0 or n == first]
    middle = 50 / len(plot.window)
    return "".join(_text(f"{plot.x(n) + middle:.2f}%", 14, n - first + 1, "ae-muted ae-num", "middle") for n in marks)


def _curve(plot):
    """Columns of live values, those in registers beneath those in memory, and the budget as a line."""
    counts = []
    for n in plot.window:
        places = _places(plot.code.instructions[n])
        memory = sum(not register for register, _ in places)
        counts.append((len({value for _, value in places}) - memory, memory))
    body, n = "", plot.window.start
    for (inside, memory), run in groupby(counts):
        last = n + len(list(run)) - 1
        body += plot.box("ae-in-registers", n, last, plot.base - _UNIT * inside, _UNIT * inside)
        if memory:
            body += plot.box("ae-in-memory", n, last, plot.base - _UNIT * (inside + memory), _UNIT * memory)
        n = last + 1
    y = plot.base - _UNIT * len(plot.registers)
    rule = f'<line class="ae-axis" x1="0" x2="100%" y1="{plot.base}" y2="{plot.base}"/>'
    budget = f'<line class="ae-budget" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
    names = _text(-_LEFT, plot.base - _UNIT * 5, "live values", "ae-muted") + _scale(plot)
    label = f'<svg x="100%" overflow="visible">{_text(8, y + 4, f"budget {len(plot.registers)}")}</svg>'
    return body + rule + budget + names + label


def _scale(plot):
    ticks = [n for n in range(0, (plot.base - _HEAD) // _UNIT, 5) if n != 5]
    return "".join(_text(-6, plot.base - _UNIT * n + 4, n, "ae-muted ae-num", "end") for n in ticks)


def _strip(plot):
    """A letter for each instruction that loads, stores or copies."""
    body, found = _text(-_LEFT, plot.letters + 14, "moves", "ae-muted"), roles(plot.code)
    for n in plot.window:
        if found[n]:
            letter, colour, _ = ROLES[found[n]]
            cell = plot.box("ae-cell", n, n, plot.letters, _STRIP - 3)
            at = f"{plot.x(n) + 50 / len(plot.window):.2f}%"
            body += f'<g class="ae-{colour}">{cell}{_text(at, plot.letters + 13, letter, "ae-letter", "middle")}</g>'
    return body


def _lanes(plot, value):
    """The registers and the memory rows with their bars."""
    body = ""
    for place in [*plot.registers, *range(plot.slots)]:
        y, inside = plot.y(place), isinstance(place, str)
        body += f'<line class="ae-rule" x1="0" x2="100%" y1="{y + _ROW - 0.5}" y2="{y + _ROW - 0.5}"/>'
        body += _text(-_LEFT, y + 12.5, place if inside else f"memory {place + 1}", "ae-mono" if inside else "ae-muted")
    return body + "".join(_bar(plot, span, span.value is value) for span in plot.spans)


def _bar(plot, span, chosen):
    y, name = plot.y(span.place), str(span.value)
    kind = "ae-slot" if isinstance(span.place, int) else "ae-given" if span.value.op is None else "ae-held"
    bar = plot.box(f"ae-bar {kind}{' ae-chosen' * chosen}", span.first, span.last, y + 1.5, _ROW - 3)
    if not plot.fits(span, name):
        return bar
    label = f'<svg x="{plot.x(span.first):.2f}%" overflow="visible">{_text(5, y + 12, name, "ae-name")}</svg>'
    return bar + (f'<g class="ae-on">{label}</g>' if chosen else label)


def summary(code, window=None):
    """One sentence: instructions, live values, budget, spills and reloads within a window."""
    window = window or range(len(code.instructions))
    part = roles(code)[window.start : window.stop]
    live = max(len(code.instructions[n].live) for n in window)
    moves = " and ".join(_count(part.count(what), what) for what in ("spill", "reload"))
    asked = f"{_count(len(window), 'instruction')}, at most {live} values live"
    return f"{asked}; {len(code.registers)} registers, {moves}"


def _count(number, what):
    return f"{number or 'no'} {what}{'s' * (number != 1)}"


def chart(code, window=None, chosen=None, title="Live ranges", rows=0):
    """SVG: the curve of live values with the budget, the letters of ROLES, and a bar for each stay of a value.

    ``window`` is a range of instructions, all by default. The instruction ``chosen`` gets a band, and its value's bars
    stand out. ``rows`` for registers and memory have room at least, so that the height does not depend on the budget.
    """
    window = window or range(len(code.instructions))
    plot = _Plot(code, window, rows)
    band = "" if chosen is None else plot.box("ae-now", chosen, chosen, _HEAD - 4, plot.height - _HEAD)
    value = None if chosen is None else code.instructions[chosen].step
    alt = f"<title>{escape(title)}</title><desc>{escape(summary(code, window))}.</desc>"
    body = band + _numbers(plot) + _curve(plot) + _strip(plot) + _lanes(plot, value)
    attributes = f'role="img" height="{plot.height}" style="padding:0 {_RIGHT}px 0 {_LEFT}px"'
    return f'<svg class="ae-svg ae-ranges" {attributes}>{alt}{body}</svg>'


def legend():
    """HTML: what the letters and bars of ``chart`` mean."""
    keys = [(f'<i class="ae-key-letter ae-{colour}">{letter}</i>', words) for letter, colour, words in ROLES.values()]
    keys += [(f'<i class="ae-key-bar ae-bar-{kind}"></i>', words) for kind, words in _BARS.items()]
    return '<div class="ae-caption">' + "".join(f"<span>{key}{escape(words)}</span>" for key, words in keys) + "</div>"


_BARS = {"held": "in a register", "given": "parameter", "slot": "live, in memory"}


def figure(code, window=None, chosen=None, title="Live ranges"):
    """``chart`` with its legend: a picture to be shown on its own."""
    return f"{css()}<figure>{chart(code, window, chosen, title)}{legend()}</figure>"
