"""An element of GF(2^128) bit by bit: where each way to write 16 bytes has its powers of x."""

from aesedu.cipher import gf128
from aesedu.cipher.products import powers
from aesedu.views.round_shapes import drawing, named, rect, text

ORDERS = {order.name: order for order in (gf128.GHASH, gf128.XTS, gf128.OCB)}
_BIT, _BYTE, _ROW = 22, 198, 68  # px from bit to bit, from byte to byte, from row to row
_SIZE = f'width="{4 * _BYTE}" height="{4 * _ROW}"'


def exponent(order, n):
    """The power of x that bit n of a block stands for, counted from the first byte's most significant bit."""
    return order.load((1 << 127 - n).to_bytes(16, "big")).bit_length() - 1


def board(block, order):
    """SVG: 16 bytes as bits in the order of memory, with the exponents at the ends of each byte."""
    body = "".join(_byte(n, byte, order) for n, byte in enumerate(block))
    says = f"{block.hex(' ', 4)} in the order of {order.name}: {powers(order.load(block), 12)}"
    return f'<div class="ae-rounds">{drawing(says, body, _SIZE)}</div>'


def _byte(n, byte, order):
    x, y = _BYTE * (n % 4), _ROW * (n // 4)
    cells = "".join(_bit(x + _BIT * i, y + 34, byte >> 7 - i & 1) for i in range(8))
    first, last = exponent(order, 8 * n), exponent(order, 8 * n + 7)
    names = text(x, y + 27, f"x^{first}", "m u") + text(x + 8 * _BIT - 2, y + 27, f"x^{last}", "m u e")
    return named(f"byte{n}", names + text(x + 4 * _BIT, y + 27, f"{byte:02x}", "v o") + cells, 0)


def _bit(x, y, bit):
    digit = text(x + _BIT / 2 - 1, y + 16.5, str(bit), "v" if bit else "v u")
    return rect(x, y, _BIT - 2, 24, "d" if bit else "") + digit


def sentence(block, order):
    """What is seen now, as HTML: the polynomial, and how the element 1 and its double are written."""
    one, x = (_short(order.store(element)) for element in (1, 2))
    says = f"In the order of {order.name} ({order.source}) the element 1 is {one} and x is {x}."
    return f"This block is <code>{powers(order.load(block), 8)}</code>.", says


def _short(block):
    return f"<code>{block[:2].hex(' ')} ... {block[-1:].hex()}</code>"
