"""A mode as wiring around one block, with the bytes at every wire; beside it, which blocks can overlap.

Everything follows from ``aesedu.cipher.wiring``: where a value stands, what it is made from, what has to wait.
"""

from typing import NamedTuple

from aesedu.cipher import mode_trace, wiring
from aesedu.cipher.wiring import OPS, label
from aesedu.views import round_explorer, style
from aesedu.views.round_shapes import arrow, drawing, laid_out, line, named, plus, rect, text

WIDTH = 810  # px
_LANE, _LEVEL, _BOX, _BOX_H = 206, 92, 150, 42  # px from lane to lane and level to level, and a value's box
_RISE = 31  # px from the sign down to the box it fills
_TONES = {"P": "blue", "C": "green"}
_WAYS = {"enc": "Encryption", "dec": "Decryption"}


class Frame(NamedTuple):
    """One step: the block's values up to and including ``line``."""

    mode: str
    direction: str
    step: mode_trace.Step
    line: wiring.Line
    heir: str  # what comes after the block: "block 3", "the tag" or ""
    steals: bool  # the message ends in a short block of XTS

    @property
    def known(self):
        """The lines whose values are known: given, or made by now."""
        made = [each for each in self.step.lines if each.op]
        return {each for each in self.step.lines if not each.op} | set(made[: made.index(self.line) + 1])


def css():
    """The style sheets of this view, beside the suite's."""
    return round_explorer.css() + style.sheet(__file__)


def frames(mode, direction, data=None, key=mode_trace.KEY):
    """Return the Frames of a message, as in ``mode_trace.trace``."""
    steps = mode_trace.trace(mode, direction, data, key)
    heirs = [step.title.split(" of ")[0].lower() for step in steps[1:]] + [""]
    return [
        Frame(mode, direction, step, each, heir, "steals" in steps[-1].title)
        for step, heir in zip(steps, heirs, strict=True)
        for each in step.lines
        if each.op
    ]


# --- the wiring -------------------------------------------------------------------------------------------------------


def _height(mode, direction):
    """px of a mode's picture, the same for all of its steps."""
    blocks = [wiring.wiring(mode, direction), wiring.tag(mode)]
    blocks += wiring.stealing(direction) if mode == "XTS" else ()
    return 54 + _BOX_H + int(_LEVEL * max(each.level for lines in blocks for each in lines))


class _Places:
    """px of a block's boxes and of the signs above them; the whole stands in the middle of the picture."""

    def __init__(self, lines, height):
        lanes, levels = [each.lane for each in lines], [each.level for each in lines]
        self.left = (WIDTH - _BOX - _LANE * (max(lanes) - min(lanes))) / 2 - _LANE * min(lanes)
        self.top = 48 + (height - 54 - _BOX_H - _LEVEL * max(levels)) / 2

    def box(self, each):
        """Left and top of a Line's box."""
        return self.left + _LANE * each.lane, self.top + _LEVEL * each.level

    def sign(self, each):
        """The middle of the sign above it."""
        x, y = self.box(each)
        return x + _BOX / 2, y - _RISE


def _wire(places, source, target, kind):
    """From a box to the sign of what it goes into: straight down, or out at its side and along the channel."""
    (x, y), (to_x, to_y) = places.box(source), places.sign(target)
    if source.lane == target.lane:
        return line(f"M{to_x} {y + _BOX_H}V{to_y}", kind)
    right = source.lane < target.lane
    start, channel = (x + _BOX, x + _BOX + 24) if right else (x, x - 24)
    if y + 6 < to_y < y + _BOX_H - 6:
        return line(f"M{start} {to_y}H{to_x}", kind)
    return line(f"M{start} {y + _BOX_H / 2}H{channel}V{to_y}H{to_x}", kind)


def _sign(places, each, kind):
    """The sign of what is done, and the wire from it into the box."""
    (x, y), sign = places.sign(each), OPS[each.op].sign
    down = arrow(f"M{x} {y}V{y + _RISE - 8}", x, y + _RISE - 1, 90, kind)
    if each.op == "^":
        return down + plus(x, y)
    if not sign:
        return down
    w, (box, ink) = 18 + 8 * len(sign), ("y ae-r-now n", "c o") if OPS[each.op].time else ("", "c")
    return down + rect(x - w / 2, y - 13, w, 26, box) + text(x, y + 4.5, sign, ink)


def _tone(each):
    if each.name[-1] in "'+":
        return "orange"
    return _TONES.get(each.name) or ("r-key" if each.name in wiring.FIXED or each.name == "L" else "purple")


def _box(places, frame, each):
    (x, y), number = places.box(each), frame.step.number
    known, now = each in frame.known, each == frame.line
    body = rect(x, y, _BOX, _BOX_H, "a" if now else "d" if known else "p")
    if known:
        value, ink = frame.step.values[each.name].hex(" ", -4), "v k" if now else "v"
        rows = (value[:17], value[18:]) if len(value) > 17 else (value,)
        for n, row in enumerate(rows):
            body += text(x + _BOX / 2, y + (26 if len(rows) == 1 else 18 + 16 * n), row, ink)
    title = label(each.name, number)
    start = x - 14 if len(title) > 8 else x + 1  # a long name would reach the head of the arrow
    heading = text(start, y - 6, title, "m o") + _from_or_to(frame, each, x, y)
    return named(each.name, f'<g class="ae-{_tone(each)}">{body}</g>{heading}')


def _from_or_to(frame, each, x, y):
    """What joins this block to its neighbours, in words."""
    given = {one.name for one in frame.step.lines if not one.op}
    if each.name in given and each.name.endswith("'") and frame.step.number > 1:
        words = f"from block {frame.step.number - 1}"
    elif frame.heir and f"{each.name}'" in {one.name for one in _after(frame)}:
        words = f"to {frame.heir}"
    else:
        return ""
    if len(each.name) > 7:
        words = words.replace("block ", "")
    return f'<text class="u" text-anchor="end" x="{x + _BOX:g}" y="{y - 6:g}">{words}</text>'


def _after(frame):
    """The Lines of what comes after the block."""
    if frame.heir == "the tag":
        return wiring.tag(frame.mode)
    if "whole one" in frame.step.title:
        return wiring.stealing(frame.direction)[1]
    return wiring.wiring(frame.mode, frame.direction)


def picture(frame):
    """SVG: the block's wiring, known values in it, the one just made filled."""
    lines, height = frame.step.lines, _height(frame.mode, frame.direction)
    places = _Places(lines, height)
    by_name = {each.name: each for each in lines}
    body = text(0, 14, frame.step.title, "t")
    for each in lines:
        if each.op:
            kind = "f" if each in frame.known else "g"
            body += "".join(_wire(places, by_name[name], each, kind) for name in each.inputs)
    body += "".join(_sign(places, each, "f" if each in frame.known else "g") for each in lines if each.op)
    body += "".join(_box(places, frame, each) for each in lines)
    size = f'width="{WIDTH}" height="{height}"'
    return drawing(f"{frame.mode}, {frame.step.title}", body, size, in_words(frame))


def in_words(frame):
    """What is known of the block, as plain text."""
    number = frame.step.number
    return "; ".join(
        f"{_equation(each, number) if each.op else label(each.name, number)}: "
        f"{frame.step.values[each.name].hex(' ', -4)}"
        for each in frame.step.lines
        if each in frame.known
    )


# --- which blocks can overlap -----------------------------------------------------------------------------------------


def overlap(mode, direction):
    """HTML sentences: which uses of the cipher wait for the block before and why, and which do not."""
    lines = {each.name: each for each in wiring.wiring(mode, direction)}
    told = []
    for name, chain in wiring.waits(mode, direction).items():
        links = chain[:-1] or [(each, 2) for each in _made_for(lines, lines[name])]
        why = ", ".join(_equation(*link) for link in links)
        if chain:
            told.append(f"{why}, and {label(name, 1)} is {_USES[lines[name].op]}: <b>one after the other</b>.")
        else:
            told.append(f"{why}: it waits for no other block's call. <b>All at once.</b>")
    if mode == "XTS":
        told.append("A short last part waits for the block that it steals from.")
    return " ".join(told)


_USES = {"E": "what CIPH gave", "D": "what CIPH⁻¹ gave", "*": "a product"}


def _made_for(lines, use):
    """The line, and those that work out its inputs in the same block."""
    made = [lines[name] for name in use.inputs if name in lines and lines[name].op]
    return [use, *(each for one in made for each in _made_for(lines, one))]


def _equation(each, number):
    return f"{label(each.name, number)} = {wiring.formula(each, number)}"


def _side(mode, direction, now, steals):
    calls = wiring.schedule(mode, direction, steals=steals)
    pitch = 26 if len(calls) <= 4 else 15
    rows = "".join(_bar(call, 22 + pitch * n, pitch, now) for n, call in enumerate(calls))
    body, size = text(0, 14, _WAYS[direction], "o") + rows, f'height="{24 + pitch * len(calls)}"'
    chart = drawing(f"{_WAYS[direction]}: when each block runs", body, size)
    return f'<div class="ae-w-side">{chart}<p>{overlap(mode, direction)}</p></div>'


def _bar(call, y, pitch, now):
    """A use of the cipher: its value's name, and when it can run at the earliest."""
    tone, unit = "blue" if OPS[call.line.op].time == 1 else "orange", 23
    x, w = 86 + unit * call.start, unit * (call.end - call.start)
    bar = rect(x, y + 1, w - 1, pitch - 3, "a" if call.block == now else "d")
    words = f"{label(call.line.name, call.block)} {OPS[call.line.op].sign}"
    return f'<g class="ae-{tone}">{bar}</g>' + text(0, y + pitch / 2 + 4, words, "m o" if call.block == now else "m")


def board(frame):
    """HTML: the wiring, and for both directions when each block can run."""
    numbers = {way: frame.step.number * (way == frame.direction) for way in _WAYS}
    sides = (_side(frame.mode, way, number, frame.steals) for way, number in numbers.items())
    return f'{laid_out(picture(frame), *sides)}<div class="ae-caption">{_LEGEND}</div>'


_LEGEND = (
    "Blue: plaintext. Green: ciphertext. Orange: of a neighbouring block. Purple: made within the block. "
    "Grey: one for the whole message."
)


def sentence(frame):
    """What is seen now, as HTML: the step as a formula with its value, and what it is."""
    each, number = frame.line, frame.step.number
    value = frame.step.values[each.name].hex(" ", -4)
    return f"<code>{_equation(each, number)} = {value}</code>", f"{_SAYS[each.op]} {_waited(frame)}"


def _waited(frame):
    """Whether this step had to wait for the block before."""
    if frame.step.lines != wiring.wiring(frame.mode, frame.direction) or not OPS[frame.line.op].time:
        return ""
    chain, number = wiring.waits(frame.mode, frame.direction)[frame.line.name], frame.step.number
    return f"It had to wait for {label(frame.line.name, number - 1)}." if chain else "It waits for no other block."


_SAYS = {
    "E": "A call of the block cipher under the key.",
    "D": "A call of the inverse cipher under the key.",
    "E2": "A call of the block cipher under the second key, once a data unit.",
    "^": "XOR, byte by byte.",
    "* x": "Times x in GF(2^128), lowest byte first: a shift, and 0x87 into the first byte where a bit fell off.",
    "*": "A product in GF(2^128).",
    "+": "The counter, as one big-endian number, plus one.",
    "|": "The part is filled up to a block with the end of the other.",
    "head": "As many bytes as the last part has.",
    "=": "Taken as it is.",
}
