"""Notebook 06: the bits of an element, a product by four methods."""

import ipywidgets
from IPython.display import HTML

from aesedu.cipher.gf128 import load_ghash
from aesedu.cipher.products import METHODS, POLYNOMIALS, steps
from aesedu.views import bit_order, products
from aesedu.views.round_frame import from_hex
from aesedu.views.style import page
from aesedu.widgets.base import Card, row
from aesedu.widgets.stepper import Stepper

EXAMPLES = {  # two operands of each width, as they are typed: FIPS-197 4.2, and the GCM specification's test case 2
    8: ("57", "83"),
    128: ("0388dace60b6a392f328c2b971b2fe78", "66e94bd4ef8a2c3b884cfa59ca342b2e"),
}


def _hex_box(value, name):
    box = ipywidgets.Text(value, description=name, continuous_update=False)
    box.add_class("ae-hex")
    box.layout.width = "340px"
    return box


def _hidden(css):
    return ipywidgets.HTML(css, layout={"display": "none"})


class BitOrder(Card):
    """Which power of x each bit of a block stands for, in the order of GHASH, XTS or OCB.

    ``block`` has 16 bytes. Raises ValueError for another length.
    """

    def __init__(self, block=b"\x80" + bytes(15)):
        self._block = from_hex("The block", bytes(block).hex(), [16])
        self.entry = _hex_box(self._block.hex(), "Block")
        self.order = ipywidgets.Dropdown(options=list(bit_order.ORDERS), description="Order")
        for control in (self.entry, self.order):
            control.observe(lambda _: self.on_main(self._read)(), "value")
        super().__init__("Bit order", [row(_hidden(products.css()), self.order, self.entry)])
        self._read()

    def _read(self):
        """Takes over the block, or says what is wrong with it and lets the last good picture stand."""
        try:
            self._block = from_hex("The block", self.entry.value, [16])
        except ValueError as error:
            return self.say(f"{error}", "The picture still shows the last block that could be read.", "vermilion")
        order = bit_order.ORDERS[self.order.value]
        self.show(bit_order.board(self._block, order))
        return self.say(*bit_order.sentence(self._block, order))

    def static(self):
        return products.css() + super().static()


class Multiplication(Stepper):
    """One product step by step: choose the method, the width, and the operands.

    ``method`` is one of ``cipher.products.METHODS``, ``width`` 8 or 128. Operands of 8 bits are numbers whose highest
    bit is x^7, those of 128 bits blocks in GHASH's order.
    """

    def __init__(self, method=METHODS[0], width=8, title="Multiplication"):
        self._typed = dict(EXAMPLES)
        self.method = ipywidgets.Dropdown(options=METHODS, value=method, description="Method")
        self.width = ipywidgets.Dropdown(options=list(POLYNOMIALS), value=width, description="Bits")
        self.a, self.b = (_hex_box(text, name) for text, name in zip(self._typed[width], "ab", strict=True))
        acts = {self.method: self._read, self.a: self._read, self.b: self._read, self.width: self._widen}
        for control, act in acts.items():
            control.observe(lambda _, act=act: self.on_main(act)(), "value")
        controls = [row(_hidden(products.css()), self.method, self.width, self.a, self.b)]
        super().__init__(title, self._steps(), self._draw, self._tell, controls=controls)

    def _steps(self):
        width = self.width.value
        blocks = [from_hex(box.description, box.value, [width // 8]) for box in (self.a, self.b)]
        self._shown = width, self.method.value
        return steps(*(load_ghash(block) if width == 128 else block[0] for block in blocks), *self._shown)

    def _draw(self, step):
        return products.board(step, *self._shown)

    def _tell(self, step):
        return products.sentence(step, *self._shown)

    def _widen(self):
        """Another width: the operands last used with it."""
        self._typed[self._shown[0]] = self.a.value, self.b.value
        a, b = self._typed[self.width.value]
        with self.hold_trait_notifications():
            self.a.value, self.b.value = a, b
        self._read()

    def _read(self):
        """Takes over the operands, or says what is wrong with them and lets the last good picture stand."""
        try:
            made = self._steps()
        except ValueError as error:
            self.add_class("ae-stale")
            return self.say(f"{error}", "The picture still shows the last product that could be read.", "vermilion")
        self.remove_class("ae-stale")
        return self.load(made)

    def static(self):
        return products.css() + super().static()


def product_grid(a, b, width=8):
    """The whole grid of partial products with its quarters, to be shown by a cell; ``a`` and ``b`` are ints."""
    return HTML(page(products.quarters(a, b, width), "Partial products"))
