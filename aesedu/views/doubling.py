"""Times x in GF(2^128), three times: the same bytes as XTS, OCB and GHASH read them, bit by bit."""

from typing import NamedTuple

from aesedu.cipher import gf128
from aesedu.views import round_explorer, style
from aesedu.views.round_shapes import drawing, laid_out, line, named, rect, text, titled

ORDERS = (gf128.XTS, gf128.OCB, gf128.GHASH)
WIDTH, _BAND = 810, 146  # px, and px from order to order
_BYTE, _BIT = 50.5, 5.6  # px from byte to byte and from bit to bit
_BEFORE, _AFTER = 42, 90  # px from the top of a band to its rows of bits
_REDUCTION = (7, 2, 1, 0)  # x^128 is worth x^7 + x^2 + x + 1
_READ = {
    "XTS": "the first byte is the lowest; what falls off the last byte comes back as 0x87 into the first",
    "OCB and CMAC": "one big-endian number; what falls off the first byte comes back as 0x87 into the last",
    "GHASH": "the first bit is the lowest; what falls off the last byte comes back as 0xE1 into the first",
}


class Doubling(NamedTuple):
    """The number of a doubling, from 1, and each order's block before and after it, by the order's name."""

    number: int
    before: dict
    after: dict


def css():
    """The style sheets of this view, beside the suite's."""
    return round_explorer.css() + style.sheet(__file__)


def doublings(block, count):
    """Return the first ``count`` Doublings of a block of 16 bytes, each order going its own way."""
    blocks = [{order.name: bytes(block) for order in ORDERS}]
    for _ in range(count):
        blocks.append({order.name: order.double(blocks[-1][order.name]) for order in ORDERS})
    return [Doubling(n, *pair) for n, pair in enumerate(zip(blocks, blocks[1:], strict=False), start=1)]


def place(order, power):
    """Return where the coefficient of x^power stands: 0 is the first byte's highest bit, 127 the last one's lowest."""
    return 128 - int.from_bytes(order.store(1 << power), "big").bit_length()


def falls_off(order, block):
    """Whether the block has an x^127: then doubling brings x^7 + x^2 + x + 1 in."""
    return bool(order.load(block) >> 127)


def _x(order, power):
    at = place(order, power)
    return 4 + _BYTE * (at // 8) + _BIT * (at % 8)


def _bits(order, block, y, marked):
    """128 bits, those of each value as one path; the ``marked`` powers stand out, by their frame where they are 0."""
    value, paths, boxes = order.load(block), ["", ""], ""
    for power in range(128):
        one, x = value >> power & 1, _x(order, power)
        if power in marked:
            boxes += rect(x, y, _BIT - 1, 12, ("b4", "b3")[one])
        else:
            paths[one] += f"M{x:.1f} {y}h{_BIT - 1:.1f}v12h{1 - _BIT:.1f}z"
    return line(paths[0], "b0") + line(paths[1], "b1") + boxes


def _digits(block, y):
    return "".join(text(4 + _BYTE * n + 4 * _BIT, y, f"{byte:02x}", "v") for n, byte in enumerate(block))


def _wires(order, block, top):
    """From each bit that is set to its next place, and from x^127 to the places at which it comes back."""
    value, paths = order.load(block), {True: "", False: ""}
    for power in (power for power in range(128) if value >> power & 1):
        for to in _REDUCTION if power == 127 else [power + 1]:
            x, to_x = (_x(order, each) + _BIT / 2 for each in (power, to))
            paths[power == 127] += f"M{x:.1f} {top + _BEFORE + 13}L{to_x:.1f} {top + _AFTER - 1}"
    return line(paths[False], "g b2") + line(paths[True], "l")


def _band(order, doubling, top):
    before, after = doubling.before[order.name], doubling.after[order.name]
    title = titled(0, top + 14, order.name, _READ[order.name])
    rows = _bits(order, before, top + _BEFORE, {127}) + _bits(order, after, top + _AFTER, set(_REDUCTION))
    words = _digits(before, top + _BEFORE - 6) + _digits(after, top + _AFTER + 26)
    return named(order.name, f'<g class="ae-vermilion">{title}{_wires(order, before, top)}{rows}{words}</g>')


def board(doubling):
    """HTML: each order's block, its bits on their way, and the block times x."""
    bands = "".join(_band(order, doubling, _BAND * n) for n, order in enumerate(ORDERS))
    name, height = f"Doubling {doubling.number} in three orders of bits", _BAND * len(ORDERS) - 22
    picture = drawing(name, bands, f'width="{WIDTH}" height="{height}"', in_words(doubling))
    legend = "Filled: a bit that is 1. Orange: above, the place of x^127; below, those of x^7, x^2, x and 1."
    return f'{laid_out(picture, _written(height))}<div class="ae-caption">{legend}</div>'


def _written(height):
    """SVG: how each order writes 1, x^127 and x^128, beside its bits."""
    body = ""
    for n, order in enumerate(ORDERS):
        body += text(14, _BAND * n + 24, order.name, "o")
        for m, (says, element) in enumerate((("1", 1), ("x^127", 1 << 127), ("x^128", 0x87))):
            y = _BAND * n + 50 + 22 * m
            body += text(14, y, says, "u") + text(72, y, _short(order.store(element)), "m")
    return drawing("How elements are written", body, f'style="height:{height}px"')


def _short(block):
    """A block that is zero but for one end, with its zeros left out."""
    return f"{block[:2].hex(' ')} … {block[-1:].hex()}" if block[0] else f"00 … {block[-2:].hex(' ')}"


def in_words(doubling):
    """The picture as plain text."""
    return "; ".join(
        f"{order.name}: {doubling.before[order.name].hex(' ')} becomes {doubling.after[order.name].hex(' ')}"
        for order in ORDERS
    )


def sentence(doubling):
    """What is seen now: in which orders a bit falls off."""
    off = [order.name for order in ORDERS if falls_off(order, doubling.before[order.name])]
    what = f"x^127 falls off and comes back in {' and in '.join(off)}." if off else "No bit falls off: three shifts."
    same = "From one block each order makes another." if doubling.number == 1 else "Each goes on from its own last."
    return f"Doubling {doubling.number}. {what}", same
