"""Notebook 04: modes as wiring, block by block; and the three ways to double in GF(2^128), bit by bit."""

import ipywidgets

from aesedu.cipher import BLOCK_BYTES, mode_trace, wiring
from aesedu.views import doubling
from aesedu.views import mode_wiring as view
from aesedu.views.round_frame import from_hex
from aesedu.widgets.base import row
from aesedu.widgets.stepper import Stepper

ZEROS_ENCRYPTED = bytes.fromhex("66e94bd4ef8a2c3b884cfa59ca342b2e")  # under a key of zeros: H, L* and T_0 alike
_WAYS = [("Encrypt", "enc"), ("Decrypt", "dec")]


class ModeStepper(Stepper):
    """A mode's wiring around one block with the bytes at every wire, one operation a step.

    ``mode`` is one of ``cipher.wiring.MODES``, ``direction`` "enc" or "dec"; ``data`` and ``key`` as in
    ``cipher.mode_trace.trace``, which also says what it raises.
    """

    def __init__(self, mode="CBC", direction="enc", data=None, key=mode_trace.KEY, title="Modes as wiring"):
        self._data, self._key = data, key
        frames = view.frames(mode, direction, data, key)
        self.mode = ipywidgets.Dropdown(options=list(wiring.MODES), value=mode, description="Mode")
        self.way = ipywidgets.Dropdown(options=_WAYS, value=direction, description="Direction")
        for control in (self.mode, self.way):
            control.observe(lambda _: self.on_main(self._change)(), "value")
        style = ipywidgets.HTML(view.css(), layout={"display": "none"})
        controls = [row(style, self.mode, self.way)]
        super().__init__(title, frames, view.board, view.sentence, controls=controls)

    def _change(self):
        self.load(view.frames(self.mode.value, self.way.value, self._data, self._key))

    def static(self):
        return view.css() + super().static()


class Doublings(Stepper):
    """A block of 16 bytes doubled again and again as XTS, OCB and GHASH do it, bit by bit.

    Raises ValueError for another length.
    """

    COUNT = 32

    def __init__(self, block=ZEROS_ENCRYPTED):
        self.entry = ipywidgets.Text(bytes(block).hex(), description="Block", continuous_update=False)
        self.entry.layout.width = "360px"
        self.entry.add_class("ae-hex")
        self.entry.observe(lambda _: self.on_main(self._read)(), "value")
        frames = doubling.doublings(from_hex("The block", bytes(block).hex(), [BLOCK_BYTES]), self.COUNT)
        style = ipywidgets.HTML(doubling.css(), layout={"display": "none"})
        super().__init__(
            "Three doublings", frames, doubling.board, doubling.sentence, controls=[row(style, self.entry)]
        )

    def _read(self):
        """Takes over the block, or says what is wrong with it and lets the last good picture stand."""
        try:
            block = from_hex("The block", self.entry.value, [BLOCK_BYTES])
        except ValueError as error:
            self.add_class("ae-stale")
            return self.say(f"{error}", "The picture still shows the last block that could be read.", "vermilion")
        self.remove_class("ae-stale")
        return self.load(doubling.doublings(block, self.COUNT))

    def static(self):
        return doubling.css() + super().static()
