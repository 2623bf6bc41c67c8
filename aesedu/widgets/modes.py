"""Notebook 04: modes as wiring, block by block; and the three ways to double in GF(2^128), bit by bit."""

import ipywidgets

from aesedu.cipher import BLOCK_BYTES, mode_trace, wiring
from aesedu.views import doubling
from aesedu.views import mode_wiring as view
from aesedu.views.round_frame import from_hex
from aesedu.widgets.base import hex_box, row
from aesedu.widgets.stepper import Stepper

ZEROS_ENCRYPTED = bytes.fromhex("66e94bd4ef8a2c3b884cfa59ca342b2e")  # under a key of zeros: H, L* and T_0 alike
_WAYS = [("Encrypt", "enc"), ("Decrypt", "dec")]


class ModeStepper(Stepper):
    """A mode's wiring around one block with the bytes at every wire, one operation a step.

    ``mode`` is one of ``cipher.wiring.MODES``, ``direction`` "enc" or "dec"; ``data`` and ``key`` as in
    ``cipher.mode_trace.trace``, which also says what it raises.
    """

    look = view.css()

    def __init__(self, mode="CBC", direction="enc", data=None, key=mode_trace.KEY, title="Modes as wiring"):
        self._data, self._key = data, key
        frames = view.frames(mode, direction, data, key)
        self.mode = ipywidgets.Dropdown(options=list(wiring.MODES), value=mode, description="Mode")
        self.way = ipywidgets.Dropdown(options=_WAYS, value=direction, description="Direction")
        self.watch(self._change, self.mode, self.way)
        super().__init__(title, frames, view.board, view.sentence, controls=[row(self.mode, self.way)])

    def _change(self):
        self.load(view.frames(self.mode.value, self.way.value, self._data, self._key))


class Doublings(Stepper):
    """A block of 16 bytes doubled again and again as XTS, OCB and GHASH do it, bit by bit.

    Raises ValueError for another length.
    """

    COUNT = 32
    look = doubling.css()

    def __init__(self, block=ZEROS_ENCRYPTED):
        self.entry = hex_box(bytes(block).hex(), "Block", width="360px")
        self.watch(self._change, self.entry)
        controls = [row(self.entry)]
        super().__init__("Three doublings", self._frames(), doubling.board, doubling.sentence, controls=controls)

    def _frames(self):
        return doubling.doublings(from_hex("The block", self.entry.value, [BLOCK_BYTES]), self.COUNT)

    def _change(self):
        if frames := self.read(self._frames, "block"):
            self.load(frames)
