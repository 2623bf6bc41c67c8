"""Notebook 03: the key schedule word by word, the keys of decryption, and the map of a struct in memory."""

import ipywidgets
from IPython.display import HTML

from aesedu.cipher import KEY_BYTES
from aesedu.cipher.key_schedule import trace
from aesedu.layout import BASES, LAYOUTS, WIDTHS, WORD
from aesedu.views import key_expansion as expansion
from aesedu.views import memory_map
from aesedu.views.round_frame import from_hex
from aesedu.views.style import page
from aesedu.widgets.base import Card, hex_box, row
from aesedu.widgets.stepper import Stepper

# The keys of FIPS-197 appendix A
EXAMPLE_KEYS = (
    bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"),
    bytes.fromhex("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"),
    bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
)


class KeyExpansion(Stepper):
    """Every word of a key schedule, one a step (FIPS-197 5.2); choose the key or its size.

    Raises ValueError or TypeError for a wrong key.
    """

    look = expansion.css()

    def __init__(self, key=EXAMPLE_KEYS[0]):
        frames = list(trace(key))
        self._key, self._keys = bytes(key), {8 * len(known): known.hex() for known in EXAMPLE_KEYS}
        self._keys[8 * len(key)] = self._key.hex()
        self.bits = ipywidgets.Dropdown(options=list(self._keys), value=8 * len(key), description="Key bits")
        self.entry = hex_box(self._key.hex(), "Key", flex="1 1 560px")
        self.watch(self._resize, self.bits)
        self.watch(self._change, self.entry)
        super().__init__("Key expansion", frames, self._draw, self._tell, controls=[row(self.bits, self.entry)])

    def _draw(self, frame):
        return expansion.board(self._key, frame)

    def _tell(self, frame):
        return expansion.sentence(self._key, frame)

    def _resize(self):
        """Another size: the key last used with it."""
        self.entry.value = self._keys[self.bits.value]

    def _change(self):
        if key := self.read(lambda: from_hex("The key", self.entry.value, KEY_BYTES), "key"):
            self._key, self._keys[8 * len(key)], self.bits.value = key, self.entry.value, 8 * len(key)
            self.load(list(trace(key)), self.place)


def decryption_keys(key):
    """Picture and table of which round keys InvMixColumns changes for decryption, to be shown by a cell."""
    return HTML(page(expansion.decryption_keys(key), "From encryption keys to decryption keys"))


class MemoryMap(Card):
    """The struct ``crypto_aes_ctx`` over cache lines and pages, with the loads of one block; crossing loads counted.

    Keywords: the fields of ``views.memory_map.Seen`` to begin with.
    """

    look = memory_map.css()

    def __init__(self, **shown):
        seen = memory_map.Seen(**shown)
        self._make_controls(seen)
        places = row(self.base, self.base_box, self.across)
        super().__init__("Memory map", [row(self.layout_menu, self.bits, self.width, self.way), places])
        self._draw()

    def _make_controls(self, seen):
        menu = ipywidgets.Dropdown
        self.layout_menu = menu(options=list(LAYOUTS), value=seen.layout, description="Layout")
        self.bits = menu(options=[8 * size for size in KEY_BYTES], value=seen.key_bits, description="Key bits")
        self.width = menu(options=list(WIDTHS), value=seen.width, description="Bits a load")
        ways = [("Encrypt", "encrypt"), ("Decrypt", "decrypt")]
        self.way = menu(options=ways, value=seen.direction, description="Direction")
        limits = {"value": seen.offset, "min": 0, "max": BASES[-1], "step": WORD}
        self.base = ipywidgets.IntSlider(**limits, description="Base", continuous_update=False, readout=False)
        self.base_box = ipywidgets.BoundedIntText(**limits, description="Bytes past a line", layout={"width": "180px"})
        self.across = ipywidgets.Checkbox(seen.across, description="A page ends within the round keys", indent=False)
        self.watch(self._draw, self.layout_menu, self.bits, self.width, self.way, self.across)
        for control in (self.base, self.base_box):
            control.observe(lambda change: self.on_main(self._move)(change.new), "value")

    def _move(self, offset):
        """A struct of words begins at a multiple of 4: a number between two goes up, as an allocator would."""
        offset = -(-offset // WORD) * WORD
        self.base.value = self.base_box.value = min(offset, BASES[-1])
        self._draw()

    @property
    def seen(self):
        """What the controls ask for, a ``views.memory_map.Seen``."""
        controls = (self.layout_menu, self.base, self.across, self.way, self.bits, self.width)
        return memory_map.Seen(*(control.value for control in controls))

    @property
    def crossing(self):
        """How many loads cross a line."""
        return len(self.seen.crossing)

    def _draw(self):
        self.show(memory_map.board(self.seen))
        self.say(*memory_map.sentence(self.seen))

    def static(self):
        return memory_map.static(self.seen)
