"""Notebook 05: one cipher cut into two sets of instructions; blocks side by side, live; source 002's speed-ups."""

from dataclasses import replace
from typing import NamedTuple

import ipywidgets

from aesedu import data
from aesedu.bench import slope_tables
from aesedu.engines import aes_routines, engine
from aesedu.views import instruction_order as order
from aesedu.views import pressure
from aesedu.views import speed_ups as view
from aesedu.views.budget_curve import bounds, figure, knee
from aesedu.views.chart import number
from aesedu.widgets.base import Card, row
from aesedu.widgets.key_layout import EXAMPLE_KEYS
from aesedu.widgets.stepper import Stepper
from aesedu.widgets.variants import VariantPanel, VariantSource

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


# --- blocks in flight -------------------------------------------------------------------------------------------------

COUNTS = (1, 2, 3, 4, 6, 8, 12, 16)
_STREAMS, _ECB, _CTR = SERIES = ("CBC encryption, n streams", "ECB, n blocks", "CTR, n blocks")


class Counted(NamedTuple):
    """AES-128 by our routines, ``count`` blocks side by side: one of ``SERIES``."""

    name: str
    series: str
    count: int

    def subject(self, size):
        """The native.Subject of ``size`` bytes in all."""
        if self.series == _STREAMS:
            return aes_routines.streams(self.count, size=size // self.count)
        routine = replace(engine("aes-x1"), options={"vectors": self.count, "lanes": 1})
        return routine.subject("ecb" if self.series == _ECB else "ctr", size=size)


_POINTS = {f"{series}, {n}": (series, n) for series in SERIES for n in COUNTS}


class FlightSource(VariantSource):
    """Every point of ``SERIES`` and ``COUNTS``; sizes that each count divides."""

    sizes = (6144, 49152, 768)

    def __init__(self):
        points = [Counted(label, *point) for label, point in _POINTS.items()]
        super().__init__(points, [p.series for p in points], reason=aes_routines.reason())

    def verdict(self, rows):
        """One stream against CTR, and from how many streams on more of them are no gain."""
        best = values(rows)
        if not all(1 in points for points in best.values()):
            return "Too few steady samples.", "Run again when the machine is less busy."
        streams, ctr = best[_STREAMS], min(best[_CTR].values())
        times = number(streams[1] / ctr)
        return (
            f"One stream of CBC encryption takes {times} times as long as CTR at its best, {number(streams[1])} cycles "
            f"against {number(ctr)} a block.",
            f"Streams gain up to {knee(streams)}: {number(min(streams.values()))} cycles a block.",
        )


def values(rows):
    """{series: {count: cycles a block}} of the rows that have a value."""
    found = {series: {} for series in SERIES}
    for each in rows:
        series, count = _POINTS[each.label]
        if each.value:
            found[series][count] = each.value
    return found


class BlocksInFlight(VariantPanel):
    """``ratio`` is one stream of CBC encryption over the best CTR; ``streams`` how many are within 1 % of the best.

    Both are None before a run.
    """

    def __init__(self, rounds=24):
        words = "AES-128 by AES instructions, n blocks side by side"
        super().__init__("blocks_in_flight", FlightSource(), "Blocks in flight", words, rounds)

    def _picture(self, rows):
        points = {_POINTS[each.label]: each for each in rows}
        ends = 0, max([50, *(bounds([each])[1] for each in rows if each.value)])
        return pressure.css() + figure(points, COUNTS, ends=ends, title=self.title, across="blocks side by side")

    @property
    def ratio(self):
        best = values(self.rows.values())
        return round(best[_STREAMS][1] / min(best[_CTR].values()), 1) if best[_CTR] and 1 in best[_STREAMS] else None

    @property
    def streams(self):
        return knee(values(self.rows.values())[_STREAMS])


# --- source 002 -------------------------------------------------------------------------------------------------------


def speed_ups():
    """Source 002's factors, recomputed: the frame of ``bench.slope_tables.speed_ups``."""
    frame = data.bench_slope_cortex_a53()
    phases = (frame[frame.phase == phase] for phase in ("before", "after"))
    return slope_tables.speed_ups(*phases, data.speedup_cortex_a53())


class SpeedUps(Card):
    """Source 002's table of one key size, with its speed-ups; ``live`` are rows of ``bench.run_bench_slope``."""

    def __init__(self, live=()):
        self.found, self._live = speed_ups(), list(live)
        self.bits = ipywidgets.Dropdown(options=sorted(set(self.found.key_bits)), description="Key bits")
        self.bits.observe(lambda _: self.on_main(self._draw)(), "value")
        super().__init__("Before and after", [row(self.bits)], "bench-slope on a Cortex-A53, source 002")
        self._draw()

    def add(self, live):
        """Shows a run on this machine, in place of the one before."""
        self._live = list(live)
        self._draw()

    def _draw(self):
        bits = self.bits.value
        found = self.found[self.found.key_bits == bits]
        here = {(r["mode"], r["op"]): r["cycles_per_byte"] for r in self._live if r["key_bits"] == bits}
        self.show(view.board(found, here))
        self.say(*view.sentence(found))
