"""Products in a binary field as pictures: the grid of partial products, the tree of halves, the fold of a reduction.

Drawn in px with the round explorer's boxes; ``aesedu.cipher.products`` has the values. The four quarters of the grid,
low and high half of one operand times those of the other, keep their colour and digit everywhere.
"""

from typing import NamedTuple
from zlib import crc32

from aesedu.cipher.gf128 import store_ghash
from aesedu.cipher.products import POLYNOMIALS, Step, halves, powers
from aesedu.views.round_explorer import css
from aesedu.views.round_shapes import TONES, drawing, laid_out, line, named, rect, tab, text

WIDTH, HEIGHT = 810, 352
QUARTERS = {"low": "a0 times b0", "cross 2": "a1 times b0", "cross 1": "a0 times b1", "high": "a1 times b1"}
_TONE = {name: tone for tone, name in enumerate(QUARTERS)} | {"middle": 4, "both": 4}
_RIGHT, _TOP = 760, 44  # px: the end of the grid's lines, and its first row


class _Scale(NamedTuple):
    """px a bit: width and height of its place in the grid."""

    w: float
    h: float

    def x(self, i):
        """The left end of the box of x^i."""
        return _RIGHT - self.w * (i + 1)


_SCALES = {8: _Scale(40, 27), 128: _Scale(2.9, 1.9)}


# --- the grid -------------------------------------------------------------------------------------------------------


def _boxes(scale, y, a, first, width, tone):
    """The bits of an operand's half in boxes, x^first on the right."""
    cells = ""
    for i in range(width):
        x, bit = scale.x(first + i), a >> i & 1
        cells += rect(x, y, scale.w - 2, scale.h - 2, "d" if bit else "")
        cells += text(x + scale.w / 2 - 1, y + scale.h / 2 + 3.5, str(bit), "v" if bit else "v u")
    return f'<g class="ae-{TONES[tone]}">{cells}</g>'


def _marks(scale, y, a, h):
    """The ones among many bits as one path of bars, h px high; x^0 ends at _RIGHT."""
    return f'<path d="{"".join(_runs(scale, y, a, h))}"/>'


def _runs(scale, y, a, h):
    i = 0
    while a >> i:
        length = 1
        if a >> i & 1:
            while a >> i + length & 1:
                length += 1
            yield f"M{scale.x(i + length - 1):.1f} {y:.1f}h{scale.w * length:.1f}v{h}h-{scale.w * length:.1f}z"
        i += length


def _row(scale, a, i, width, y):
    """Row i of the grid: a, i places up, low and high half in the colours of their quarters."""
    half = width // 2
    parts = [(part, i + n * half, n + 2 * (i >= half)) for n, part in enumerate(halves(a, width))]
    if width == 8:
        return "".join(_boxes(scale, y, part, first, half, tone) for part, first, tone in parts)
    move = f'x="{-scale.w * i:.1f}" y="{y:.1f}"'
    return "".join(f'<use href="#{_name(part, n)}" {move} class="i ae-{TONES[tone]}"/>'
                   for n, (part, _, tone) in enumerate(parts))  # fmt: skip


def _name(part, n):
    return f"ae-p{n}-{crc32(part.to_bytes(8, 'big')):08x}"


def _patterns(scale, a, width):
    """The two halves of a long operand, drawn once and used by every row."""
    marks = (_marks(scale, 0, part << n * width // 2, scale.h) for n, part in enumerate(halves(a, width)))
    names = (_name(part, n) for n, part in enumerate(halves(a, width)))
    return "<defs>" + "".join(f'<g id="{n}">{m}</g>' for n, m in zip(names, marks, strict=True)) + "</defs>"


def _waiting(scale, width, i, y):
    """A row that has not been used, or never will be."""
    if width == 8:
        return "".join(rect(scale.x(i + n), y, scale.w - 2, scale.h - 2, "p") for n in range(width))
    return ""


def grid(a, b, width, rows=None, product=None):
    """SVG: one row for each bit of b, the lowest on top, and their sum beneath. ``rows``: those used so far."""
    scale, rows = _SCALES[width], range(width) if rows is None else rows
    body = "" if width == 8 else _patterns(scale, a, width) + _parallelogram(scale, width)
    for i in range(width):
        y, used = _TOP + scale.h * i, i in rows and b >> i & 1
        body += named(f"row{i}", _row(scale, a, i, width, y) if used else _waiting(scale, width, i, y))
        body += _bit_of_b(scale, i, b, y, i in rows) if width == 8 else ""
    product = _sum_of_rows(a, b, rows) if product is None else product
    body += _ruler(scale, width) + _total(scale, width, product)
    says = f"Grid of partial products: {powers(a, 8)} times {powers(b, 8)}; {len(rows)} of {width} rows used"
    return _svg(says, body, f"The rows used so far add up to {powers(product, 12)}.")


def _sum_of_rows(a, b, rows):
    total = 0
    for i in rows:
        total ^= a << i if b >> i & 1 else 0
    return total


def _bit_of_b(scale, i, b, y, used):
    y += scale.h / 2 + 3.5
    return text(40, y, f"x^{i} of b", "m u") + text(120, y, str(b >> i & 1), "m o" if used else "m u")


def _parallelogram(scale, width):
    """The outline of all rows, where they are too fine to be counted."""
    top, bottom = _TOP, _TOP + scale.h * width
    left, far = scale.x(width - 1), scale.x(2 * width - 2)
    middle, edge = scale.x(width // 2 - 1), scale.x(width + width // 2 - 1)
    cross = f"M{edge:.1f} {(top + bottom) / 2}h{scale.w * width:.1f}M{middle:.1f} {top}L{edge:.1f} {bottom}"
    return line(cross) + line(f"M{left:.1f} {top}H{_RIGHT}L{far + scale.w * width:.1f} {bottom}H{far:.1f}z")


def _ruler(scale, width):
    places = range(2 * width - 1) if width == 8 else (*range(0, 2 * width - 1, 32), 2 * width - 2)
    return "".join(text(scale.x(i) + scale.w / 2 - 1, _TOP - 12, f"x^{i}", "c u") for i in places)


def _total(scale, width, product):
    y = _TOP + scale.h * width + 14
    title = text(_RIGHT + 10, y + 16, "sum", "o")
    if width == 8:
        return title + named("sum", _boxes(scale, y, product, 0, 2 * width - 1, 4))
    frame = line(f"M{scale.x(2 * width - 2):.1f} {y - 4}H{_RIGHT}", "g")
    return title + frame + f'<g class="ae-{TONES[4]} i">{_marks(scale, y, product, 18)}</g>'


# --- the tree -------------------------------------------------------------------------------------------------------

_HALVES = {"a1": 20, "a0": 222, "b1": 424, "b0": 626}  # left ends in px: the highest powers on the left
_SUMS = {"a0 + a1": (121, ("a1", "a0")), "b0 + b1": (525, ("b1", "b0"))}
_FOUR = {"high": 20, "cross 2": 222, "cross 1": 424, "low": 626}
_THREE = {"high": 20, "both": 323, "low": 626}
_FACTORS = {"high": ("a1", "b1"), "cross 2": ("a1", "b0"), "cross 1": ("a0", "b1"), "low": ("a0", "b0"),
            "both": tuple(_SUMS)}  # fmt: skip
_BOX, _TOPS, _SUM_Y, _PRODUCT_Y, _STRIP_Y = 158, 24, 98, 172, 236


def _digits(value, bits, width):
    """Bits of short operands, hexadecimal digits of long ones, in lines of 16."""
    digits = f"{value:0{bits}b}" if width == 8 else f"{value:0{-(-bits // 4)}x}"
    return [digits[:-16], digits[-16:]] if len(digits) > 16 else [digits]


def _node(name, x, y, value, bits, width, now):
    """A value under its title; an empty box while there is none."""
    factors = " times ".join(f"({f})" if "+" in f else f for f in _FACTORS.get(name, ()))
    title = text(x, y - 7, factors or name, "o" * now)
    h, tone = 40 if bits > 64 else 28, _TONE.get(name)
    if value is None:
        return title + rect(x, y, _BOX, h, "p")
    lines = _digits(value, bits, width)
    body = rect(x, y, _BOX, h, "d y ae-r-now" if now else "d" if name in _FACTORS else "")
    body += "".join(text(x + _BOX - 8, y + h / 2 + 4.5 + 16 * n - 8 * (len(lines) - 1), part, "e")
                    for n, part in enumerate(lines))  # fmt: skip
    return named(name, title + body + (tab(x, y, h, 14, f"{tone}") if tone in range(4) else ""), tone)


def _wire(start, end, tone):
    return f'<g class="ae-{TONES[tone]}">{line(f"M{start[0]} {start[1]}L{end[0]} {end[1]}", "l")}</g>'


def _wires(products, known):
    """From each product that is known up to its two factors."""
    middle, sums = _BOX / 2, {name: (x + _BOX / 2, _SUM_Y + 28) for name, (x, _) in _SUMS.items()}
    ends = {name: (x + middle, _TOPS + 28) for name, x in _HALVES.items()} | sums
    wires = [(ends[f], (x + middle, _PRODUCT_Y - 20), _TONE[name])
             for name, x in products.items() if name in known for f in _FACTORS[name]]  # fmt: skip
    if "both" in products:
        wires += [(ends[f], (x + middle, _SUM_Y - 20), 4) for name, (x, of) in _SUMS.items() if name in known
                  for f in of]  # fmt: skip
    return "".join(_wire(*wire) for wire in wires)


def tree(step, width, method):
    """SVG: halves, their products, the middle term, everything at its place; empty where ``step`` does not know it."""
    known, half, now = step.known, width // 2, step.name
    products = _THREE if method == "three products" else _FOUR
    a, b = (dict(zip((f"{name}0", f"{name}1"), halves(known[name], width), strict=True)) for name in "ab")
    body = _wires(products, known)
    body += "".join(_node(name, _HALVES[name], _TOPS, value, half, width, False) for name, value in (a | b).items())
    if products is _THREE:
        body += "".join(_node(n, x, _SUM_Y, known.get(n), half, width, n == now) for n, (x, _) in _SUMS.items())
    for name, x in products.items():
        body += _node(name, x, _PRODUCT_Y, known.get(name), width - 1, width, name == now)
    body += _strips(known, width, now)
    return _svg(f"{method.capitalize()}: {step.says}", body, "; ".join(f"{n} = {v:x}" for n, v in known.items()))


def _strips(known, width, now):
    """Products at their places, one above the other, and their sum."""
    quarter, left = 180, 45
    places = {"high": (left, 0, 2), "low": (left + 2 * quarter, 0, 2), "middle": (left + quarter, 1, 2),
              "product": (left, 2, 4)}  # fmt: skip
    body = ""
    for name, (x, row, quarters) in places.items():
        y, bits = _STRIP_Y + 26 * row + 6 * (row == 2), quarters * width // 2 - 1
        value, w = known.get(name), quarters * quarter - 2
        kind = "p" if value is None else "d y ae-r-now" if name == now else "d"
        words = text(x + 8, y + 16, name, "u") if row < 2 or value is None else ""
        if value is not None:
            words += text(x + w / 2 + 18 * (row == 1), y + 16, "".join(_digits(value, bits, width)), "v")
        body += named(f"at {name}", rect(x, y, w, 23, kind) + words, _TONE.get(name, 4))
    return body


# --- the fold -------------------------------------------------------------------------------------------------------

_LABEL, _ABOVE, _BELOW, _COLUMN = 20, 166, 446, 272  # px


def fold(step, width):
    """SVG: what stands above x^(width-1) comes down, once for each power in the polynomial's tail."""
    before = _before(step)
    if before is None:
        return _svg(f"The product: {step.says}", _line(60, "a times b", step.value, width, True) + _columns(width))
    above, tail = step.known[before] >> width, POLYNOMIALS[width] ^ 1 << width
    rows = [(before if before == "product" else f"after {before}", step.known[before])]
    rows += [(f"above times {powers(1 << t)}", above << t) for t in range(8) if tail >> t & 1]
    body = "".join(_line(44 + 34 * n, *row, width) for n, row in enumerate(rows))
    body += _line(56 + 34 * len(rows), f"after {step.name}", step.value, width, True)
    rule = line(f"M{_LABEL} {48 + 34 * len(rows)}H718")
    return _svg(f"Reduction: {step.says}", _columns(width) + body + rule)


def _before(step):
    """The name of the value that this fold starts from; None for the result."""
    number = int(step.name.split()[-1]) if step.name != "result" else 0
    return None if not number else "product" if number == 1 else f"fold {number - 1}"


def _columns(width):
    high, low = f"x^{width} and above", f"x^{width - 1} and below"
    return text(_ABOVE, 26, high, "u") + text(_BELOW, 26, low, "u")


def _line(y, label, value, width, now=False):
    kind = "d ae-r-now y" if now else "d" if label in ("product", "a times b") else ""
    body = text(_LABEL, y + 18, label, "o" if now else "")
    for x, part in ((_ABOVE, value >> width), (_BELOW, value & (1 << width) - 1)):
        digits = "".join(_digits(part, width - 1 if x == _ABOVE else width, width))
        body += rect(x, y, _COLUMN, 28, kind if part else "p")
        body += text(x + _COLUMN - 8, y + 18.5, digits if part else "0", "e")
    return named(label, body, 4)


# --- the board ------------------------------------------------------------------------------------------------------


def board(step: Step, width, method):
    """HTML: the picture that belongs to a step, what has been counted, and what the colours mean."""
    a, b = step.known["a"], step.known["b"]
    if step.phase == "rows":
        picture = grid(a, b, width, step.rows, step.known["product"])
    else:
        picture = tree(step, width, method) if step.phase == "halves" else fold(step, width)
    beside = _counts(step, width, method), _legend(method)
    return laid_out(picture, *beside) + (_turned(a, b) if width == 128 else "")


def _turned(a, b):
    """The operands as numbers, beside which GHASH's blocks are turned round."""
    says = "Operands are typed as blocks of GHASH, whose first bit belongs to x^0. Shown are numbers, bit i for x^i: "
    numbers = " and ".join(f"{name} = <code>{value:032x}</code>" for name, value in (("a", a), ("b", b)))
    return f'<div class="ae-caption"><p>{says}{numbers}.</p></div>'


def _panel(title, lines):
    body = "".join(text(14, 50 + 21 * n, *line) for n, line in enumerate(lines))
    return drawing(", ".join([title, *(words for words, *_ in lines)]), text(14, 25, title, "o") + body)


def _counts(step, width, method):
    if method == "4 bits at a time":
        lines = [(f"{len(step.rows) // 4} of {width // 4} look-ups", "o")]
    elif step.rows:
        lines = [(f"{len(step.rows)} of {width} rows", "o")]
    else:
        counted = f"{step.products} carry-less product{'s' * (step.products != 1)}"
        lines = [(counted, "o"), (f"of {width // 2}-bit halves", "u")]
    return _panel("Used so far", lines)


_FORMULAS = {
    "four products": ("low = a0 b0", "high = a1 b1", "middle = a0 b1 + a1 b0"),
    "three products": ("low = a0 b0", "high = a1 b1", "both = (a0+a1)(b0+b1)", "middle = both+low+high"),
}


def _legend(method):
    """The quarters of the grid, or the formulas of the halves."""
    if method in _FORMULAS:
        return _panel(f"By {method}", [(words, "m") for words in _FORMULAS[method]])
    rows = ""
    for n, what in enumerate(QUARTERS.values()):
        y = 36 + 27 * n
        rows += named(f"key{n}", rect(14, y, 33, 20, "d") + tab(14, y, 20, 12, f"{n}"), n) + text(60, y + 15, what)
    return drawing("Quarters of the grid", text(14, 25, "Quarters of the grid", "o") + rows)


def sentence(step: Step, width, method):
    """What is seen now, as HTML: what the step does, and where it leads."""
    if step.name != "result":
        return f"{method.capitalize()}: {step.says}.", f"{step.name} = {powers(step.value, 8)}"
    block = f" As GHASH's block: <code>{store_ghash(step.value).hex(' ', 4)}</code>" if width == 128 else ""
    return f"Done: {step.says}.", f"result = <code>{step.value:0{width // 4}x}</code>.{block}"


def quarters(a, b, width):
    """HTML: the whole grid with its quarters, to be shown on its own."""
    return css() + laid_out(grid(a, b, width), _legend(""))


def _svg(label, body, description=""):
    return drawing(label, body, f'width="{WIDTH}" height="{HEIGHT}"', description)
