"""Notebook 06: the bits of an element, a product by four methods, and two of these timed."""

from typing import NamedTuple

import ipywidgets
from IPython.display import HTML

from aesedu.bench.comparison import MIN_PAIRS
from aesedu.bench.rounds import effects
from aesedu.cipher.gf128 import load_ghash
from aesedu.cipher.products import METHODS, POLYNOMIALS, steps
from aesedu.engines import gcm_routines
from aesedu.routines.ghash import MULTIPLICATIONS
from aesedu.views import bit_order, plot, pressure, products
from aesedu.views import budget_curve as curve
from aesedu.views.comparison import ratio_chart
from aesedu.views.round_frame import from_hex
from aesedu.views.style import page
from aesedu.widgets.base import Card, hex_box, row
from aesedu.widgets.stepper import Stepper
from aesedu.widgets.variants import VariantPanel, VariantSource

EXAMPLES = {  # two operands of each width, as they are typed: FIPS-197 4.2, and the GCM specification's test case 2
    8: ("57", "83"),
    128: ("0388dace60b6a392f328c2b971b2fe78", "66e94bd4ef8a2c3b884cfa59ca342b2e"),
}


def _box(value, name):
    return hex_box(value, name, width="390px", flex="0 0 auto")  # 32 digits are not squeezed


class BitOrder(Card):
    """Which power of x each bit of a block stands for, in the order of GHASH, XTS or OCB.

    ``block`` has 16 bytes. Raises ValueError for another length.
    """

    look = products.css()

    def __init__(self, block=b"\x80" + bytes(15)):
        self.entry = _box(bytes(block).hex(), "Block")
        self.order = ipywidgets.Dropdown(options=list(bit_order.ORDERS), description="Order")
        self.watch(self._change, self.entry, self.order)
        super().__init__("Bit order", [row(self.order, self.entry)])
        self._draw(self._block())

    def _block(self):
        return from_hex("The block", self.entry.value, [16])

    def _change(self):
        if block := self.read(self._block, "block"):
            self._draw(block)

    def _draw(self, block):
        order = bit_order.ORDERS[self.order.value]
        self.show(bit_order.board(block, order))
        self.say(*bit_order.sentence(block, order))


class Multiplication(Stepper):
    """One product step by step: choose the method, the width, and the operands.

    ``method`` is one of ``cipher.products.METHODS``, ``width`` 8 or 128. Operands of 8 bits are numbers whose highest
    bit is x^7, those of 128 bits blocks in GHASH's order.
    """

    look = products.css()

    def __init__(self, method=METHODS[0], width=8, title="Multiplication"):
        self._typed = dict(EXAMPLES)
        self.method = ipywidgets.Dropdown(options=METHODS, value=method, description="Method")
        self.width = ipywidgets.Dropdown(options=list(POLYNOMIALS), value=width, description="Bits")
        self.a, self.b = map(_box, self._typed[width], ("Operand a", "Operand b"))
        self.watch(self._change, self.method, self.a, self.b)
        self.watch(self._widen, self.width)
        controls = [row(self.method, self.width, self.a, self.b)]
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
        self._change()

    def _change(self):
        if made := self.read(self._steps, "product"):
            self.load(made)


def product_grid(a, b, width=8):
    """The whole grid of partial products with its quarters, to be shown by a cell; ``a`` and ``b`` are ints."""
    return HTML(page(products.quarters(a, b, width), "Partial products"))


# --- aggregation ----------------------------------------------------------------------------------------------------

BLOCKS = (1, 2, 4, 8, 16)  # a reduction


class _Hash(NamedTuple):
    """GHASH by one multiplication and number of blocks a reduction."""

    multiplication: str
    blocks: int

    @property
    def name(self):
        """Its label, in records too."""
        return f"{self.multiplication}, {self.blocks}"

    def subject(self, size):
        """A native.Subject over ``size`` bytes."""
        return gcm_routines.hash_subject(self.multiplication, self.blocks, size)


_HASHES = {made.name: made for made in (_Hash(m, n) for m in MULTIPLICATIONS for n in BLOCKS)}


def _gains(cycles):
    """{blocks: Effect of Karatsuba over schoolbook} where there are enough rounds of both."""
    pairs = {n: [_Hash(m, n).name for m in MULTIPLICATIONS] for n in BLOCKS}
    enough = {n: pair for n, pair in pairs.items() if all(len(cycles.get(name, ())) >= MIN_PAIRS for name in pair)}
    return {n: effects({name: cycles[name] for name in pair}, pair[0])[pair[1]] for n, pair in enough.items()}


class AggregationSource(VariantSource):
    """Both multiplications at every number of blocks."""

    def __init__(self):
        series = [each.multiplication for each in _HASHES.values()]
        super().__init__(_HASHES.values(), series, reason=gcm_routines.reason())

    def verdict(self, rows, cycles=None):
        """Where the winner changes, and by how much either is ahead at the ends; ``cycles`` by default of the run."""
        gains = _gains(cycles or self.cycles)
        if len(gains) < len(BLOCKS):
            return "Cannot tell.", f"It takes {MIN_PAIRS} steady rounds of all of them."
        said = "; ".join(f"{n}: {gains[n] if gains[n].differs else 'cannot tell'}" for n in BLOCKS)
        n = crossing(gains)
        headline = "Karatsuba wins nowhere here." if n == "never" else f"Karatsuba wins from {n} blocks a reduction on."
        return headline, f"Karatsuba against schoolbook, by blocks a reduction: {said}."


def crossing(gains):
    """From how many blocks a reduction on Karatsuba is faster, a text as in the prediction's choices."""
    behind = [n for n in BLOCKS if not (gains[n].differs and gains[n].ratio > 1)]
    later = [n for n in BLOCKS if not behind or n > behind[-1]]
    return str(later[0]) if later else "never"


class Aggregation(VariantPanel):
    """GHASH with 1 to 16 blocks a reduction, schoolbook and Karatsuba."""

    def __init__(self, rounds=40):
        words = "GHASH alone, core cycles a block"
        super().__init__("ghash_aggregation", AggregationSource(), "Blocks a reduction", words, rounds)

    @property
    def _gains(self):
        return _gains(self._cycles) if any(row.value for row in self.rows.values()) else {}

    @property
    def crossing(self):
        """From how many blocks on Karatsuba wins ("1" ... "16" or "never"); None before a run."""
        return crossing(self._gains) if len(self._gains) == len(BLOCKS) else None

    def _verdict(self, rows):
        return self.source.verdict(rows, self._cycles)

    def _picture(self, rows):
        points = {_HASHES[row.label]: row for row in rows}
        lines = [(f"{n} block{'s' * (n > 1)}", self._gains.get(n), False) for n in BLOCKS]
        ratios = ratio_chart(lines, "Karatsuba against schoolbook")
        note = "Karatsuba's time against schoolbook's in the same round; further left is faster. Shaded: under 1 %."
        below = f"<figure>{ratios}{plot.legend((), note)}</figure>"
        return pressure.css() + curve.figure(points, BLOCKS, None, (0, 30), self.title, "blocks a reduction") + below
