"""RoundExplorer: AES round by round, by table look-ups and by FIPS-197's steps. What it shows is in the views."""

from html import escape

import ipywidgets

from aesedu.cipher import BLOCK_BYTES, KEY_BYTES
from aesedu.views import round_explorer as view
from aesedu.views.round_frame import Place, frame, from_hex, place_of, result, rounds_of, step_of, steps
from aesedu.widgets.base import button, hex_box, row
from aesedu.widgets.stepper import Stepper

_KEYS = (
    "Keys on the picture: arrows choose a byte, n and p step, Page Up and Page Down change the round, "
    "Home and End go to the ends, Space plays"
)
_MOVES = {"ArrowLeft": (0, -1), "ArrowRight": (0, 1), "ArrowUp": (-1, 0), "ArrowDown": (1, 0)}
_BLOCK_NAMES = {"encrypt": "Plaintext", "decrypt": "Ciphertext"}


class RoundExplorer(Stepper):
    """Choose key, block, key size, direction and round; step through its look-ups, or choose a byte of the state.

    ``key`` (16, 24 or 32 bytes) and ``block`` (16 bytes) default to those of FIPS-197 C.1. ``direction`` is "encrypt"
    or "decrypt", by the equivalent inverse cipher; ``place`` is round, column and word to begin with. Raises
    ValueError or TypeError for wrong ones.
    """

    look = view.css()

    def __init__(
        self,
        key=bytes(range(16)),
        block=bytes(range(0, 256, 17)),
        direction="encrypt",
        place=(1, 1, 2),
        title="Round explorer",
    ):
        self._inputs, self._wrong = (bytes(key), bytes(block), direction), ""
        frame(*self._inputs, Place(*place))  # refuses what cannot be shown
        self._keys = {8 * size: bytes(range(size)).hex() for size in KEY_BYTES}
        self._make_inputs()
        inputs = row(row(self.way, self.bits, self.block), self.key)
        super().__init__(title, self._places(), self._draw, self._tell, _KEYS, [inputs])
        self._lay_cells()
        self._go(Place(*place))

    # --- controls -----------------------------------------------------------------------------------------------

    def _make_inputs(self):
        key, block, direction = self._inputs
        ways = [("Encrypt", "encrypt"), ("Decrypt", "decrypt")]
        self.way = ipywidgets.Dropdown(options=ways, value=direction, description="Direction")
        self.bits = ipywidgets.Dropdown(options=list(self._keys), value=8 * len(key), description="Key bits")
        self.key = hex_box(key.hex(), "Key", flex="1 1 560px")
        self.block = hex_box(block.hex(), _BLOCK_NAMES[direction], width="360px")
        self.watch(self._read, self.key, self.block)
        self.watch(self._resize, self.bits)
        self.watch(self._turn, self.way)

    def _finders(self):
        last = rounds_of(self._inputs[0])
        self.round = ipywidgets.IntSlider(0, 0, last, description="Round", continuous_update=False, readout=False)
        self.round_box = ipywidgets.BoundedIntText(0, 0, last, description="Go to round", layout={"width": "140px"})
        for control in (self.round, self.round_box):
            control.observe(lambda change: self.on_main(self._to_round)(change.new), "value")
        back, step = self.buttons[1:3]
        for made, old, new in ((back, "ArrowLeft", "p"), (step, "ArrowRight", "n")):
            made.remove_class(f"ae-key-{old}").add_class(f"ae-key-{new}")
        return self.round, self.round_box, self.speed

    def _lay_cells(self):
        """Sixteen transparent buttons over the bytes of the state before, and one without a face for each key."""
        cells = [self._cell(r, c) for r in range(4) for c in range(4)]
        grid = ipywidgets.GridBox(cells)
        grid.add_class("ae-cells")
        keys = [self._key(key, lambda by=by: self._go(self._seen().moved(*by))) for key, by in _MOVES.items()]
        for key, by in (("PageUp", -1), ("PageDown", 1)):
            keys.append(self._key(key, lambda by=by: self._to_round(self._seen().place.round + by)))
        stage = self.children[-2]  # the picture's frame
        stage.children = (*stage.children, grid, *keys)

    def _cell(self, r, c):
        cell = button("", lambda: self.on_main(self._go)(self._seen().look_up(r, c)))
        cell.tooltip, cell.tabbable = f"Row {r}, column {c}", False
        return cell

    def _key(self, key, act):
        made = button(key, lambda: self.on_main(act)(), key=key)
        made.layout.display = "none"
        return made

    # --- what happens -------------------------------------------------------------------------------------------

    def _places(self):
        return [place_of(n) for n in range(steps(rounds_of(self._inputs[0])))]

    def _draw(self, place):
        return view.board(frame(*self._inputs, place))

    def _tell(self, place):
        return view.sentence(frame(*self._inputs, place))

    def _seen(self):
        return frame(*self._inputs, self.frames[self.place])

    def go(self, place):
        """Shows the step of that number; the round's controls follow."""
        super().go(place)
        self.round.value = self.round_box.value = self.frames[self.place].round

    def _go(self, place):
        self.go(step_of(place))

    def _to_round(self, number):
        if 0 <= number <= rounds_of(self._inputs[0]):
            self.go(step_of(self.frames[self.place].in_round(number)))

    def _resize(self):
        """Another key size: the key last used with it."""
        self.key.value = self._keys[self.bits.value]

    def _turn(self):
        """The other direction starts from what this one ends in."""
        if self.way.value != self._inputs[2]:
            self.block.description = _BLOCK_NAMES[self.way.value]
            self.block.value = result(*self._inputs).hex()
            self._read()

    def _read(self):
        """Takes over key and block, or says what is wrong with them and lets the last good picture stand."""
        try:
            key = from_hex("The key", self.key.value, KEY_BYTES)
            block = from_hex(f"The {self.block.description.lower()}", self.block.value, [BLOCK_BYTES])
        except ValueError as error:
            self._wrong = escape(str(error), quote=False)
            self.add_class("ae-stale")
            return self.say("The picture still shows the last key and block that could be read.")
        self._wrong = ""
        self.remove_class("ae-stale")
        self._inputs, place = (key, block, self.way.value), self.frames[self.place]
        self._keys[8 * len(key)], self.bits.value = self.key.value, 8 * len(key)
        self.round.max = self.round_box.max = rounds_of(key)
        return self.load(self._places(), step_of(place.in_round(min(place.round, rounds_of(key)))))

    def say(self, headline, detail="", colour="blue"):
        """What is wrong with the input stands first for as long as it is wrong."""
        super().say(*((self._wrong, headline, "vermilion") if self._wrong else (headline, detail, colour)))

    def static(self):
        """HTML: the round shown, whole, and its words as a table."""
        return view.static(*self._inputs, self.frames[self.place])
