"""Notebook 05: one cipher cut into two sets of instructions."""

import ipywidgets

from aesedu.views import instruction_order as order
from aesedu.widgets.base import row
from aesedu.widgets.key_layout import EXAMPLE_KEYS
from aesedu.widgets.stepper import Stepper

_BLOCK = bytes.fromhex("3243f6a8885a308d313198a2e0370734")  # FIPS-197 appendix B


class InstructionOrder(Stepper):
    """AES step by step, with the instructions of x86-64 and of AArch64 that the steps belong to.

    ``key`` and ``block`` as in ``cipher.instructions.trace``; the menu has the keys of FIPS-197 for its other sizes.
    """

    def __init__(self, key=EXAMPLE_KEYS[0], block=_BLOCK):
        self._block, keys = block, {8 * len(known): known for known in (*EXAMPLE_KEYS, bytes(key))}
        frames = order.frames(bytes(key), block)
        self.way = ipywidgets.Dropdown(options=order.DIRECTIONS, description="Direction")
        options = [(str(bits), known) for bits, known in keys.items()]
        self.key = ipywidgets.Dropdown(options=options, value=bytes(key), description="Key bits")
        for control in (self.way, self.key):
            control.observe(lambda _: self.on_main(self._change)(), "value")
        style = ipywidgets.HTML(order.css(), layout={"display": "none"})
        controls = [row(style, self.way, self.key)]
        super().__init__("One cipher, two cuts", frames, order.board, order.sentence, controls=controls)

    def _change(self):
        encrypted = order.frames(self.key.value, self._block)
        block = encrypted[-1].register("x86_64") if self.way.value == "decrypt" else self._block
        self.load(order.frames(self.key.value, block, self.way.value), min(self.place, len(encrypted) - 1))

    def static(self):
        return order.css() + super().static()
