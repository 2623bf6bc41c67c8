"""Notebook 05: one cipher cut into two sets of instructions; blocks side by side, live; source 002's speed-ups."""

from dataclasses import replace
from typing import NamedTuple

import ipywidgets

from aesedu import data
from aesedu.bench import BenchSlope, slope_tables
from aesedu.bench.live import SLOPE_SIZES
from aesedu.engines import aes_routines, engine
from aesedu.views import instruction_order as order
from aesedu.views import pressure
from aesedu.views import speed_ups as view
from aesedu.views.budget_curve import bounds, figure, knee
from aesedu.views.chart import Row, number
from aesedu.widgets.base import row
from aesedu.widgets.bench_panel import BenchPanel, Update
from aesedu.widgets.key_layout import EXAMPLE_KEYS
from aesedu.widgets.live_log import LogSource
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
_STREAMS, _ECB, _CTR = SERIES = ("CBC streams", "ECB", "CTR")  # streams: messages in CBC encryption


class Counted(NamedTuple):
    """AES-128 by our routines, ``count`` blocks side by side: one of ``SERIES``."""

    name: str
    series: str
    count: int

    def subject(self, size):
        """The native.Subject of ``size`` bytes in all."""
        if self.series == _STREAMS:
            made = aes_routines.streams(self.count, size=size // self.count)
        else:
            routine = replace(engine("aes-x1"), options={"vectors": self.count, "lanes": 1})
            made = routine.subject("ecb" if self.series == _ECB else "ctr", size=size)
        return replace(made, what=made.what | {"engine": self.name})  # by which a recorded run finds its point


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


_MODES = ("ecb", "cbc", "cfb128", "ofb", "ctr", "ccm", "gcm", "ocb")  # of source 002, in its order
_ENGINES = ("aes-x8", "aes-x1", "vaes-x4", "ttable-split-k64")


class SlopeSource(LogSource):
    """bench-slope's rows of one key size, timed here with one engine; values are cycles a byte."""

    def __init__(self, labels):
        super().__init__()
        self.rows, self.key_bits = [Row(label) for label in labels], 128
        self.timed = {}  # (engine, key bits) -> {label: cycles a byte} of its last run

    def run(self, labels, size, rounds):
        """An ``Update`` for each of the three sizes of a row; the last one has the row's slope."""
        self.table = BenchSlope(self.engine, _MODES, (self.key_bits,))
        timed = self.timed[self.engine, self.key_bits] = {}
        for done, _ in enumerate(self.table.measure(), start=1):
            found = _slope(self.table.rows()[-1]) if done % len(SLOPE_SIZES) == 0 else None
            if found:
                timed[found.label] = found.value
            yield Update(done, len(self.table.cells), found)

    def verdict(self, rows):
        cycles = {each.label: each.value for each in rows if each.value}
        chain, free = (cycles.get(label) for label in ("CBC enc", "CTR enc"))
        if not (chain and free):
            return "Not all rows are measured.", "Run again."
        return (
            f"Here CBC encryption takes {number(chain / free)} times as long as CTR.",
            f"{number(chain)} against {number(free)} cycles a byte; {self.engine}, AES-{self.key_bits}.",
        )


def _slope(row):
    return Row(f"{row['mode']} {row['op']}", value=row["cycles_per_byte"])


class SpeedUps(BenchPanel):
    """Source 002's table with its speed-ups, and the same rows timed here beside it.

    ``found`` is the frame behind it. ``timed(engine)`` is {"CTR enc": cycles a byte} of its last run, ``text()`` prints
    the last run of all as bench-slope does.
    """

    counted, waiting = "cells", "A row's dot appears when its three sizes are timed."

    def __init__(self):
        self.found = speed_ups()
        first = self.found[self.found.key_bits == 128]
        source = SlopeSource([f"{each.mode} {each.op}" for each in first.itertuples()])
        super().__init__(source, "Before and after", "bench-slope on a Cortex-A53, source 002")
        self._tell()

    def _menus(self):
        names = [name for name in _ENGINES if engine(name).available]
        self.engine = ipywidgets.Dropdown(options=names, description="Engine")
        self.bits = ipywidgets.Dropdown(options=sorted(set(self.found.key_bits)), description="Key bits")
        for control in (self.engine, self.bits):
            control.observe(lambda _: self.on_main(self._turn)(), "value")
        return self.engine, self.bits

    def _choices(self):
        return []

    def _ticked(self):
        return [each.label for each in self.source.rows] if self.engine.value else []

    def start(self):
        """Run: with the engine and the key size that are chosen."""
        if self._thread_of_run is None:
            self.source.engine, self.source.key_bits = self.engine.value, self.bits.value
        super().start()

    def _turn(self):
        self._draw()
        self._tell()

    def _tell(self):
        self.say(*view.sentence(self._shown()))

    def _shown(self):
        return self.found[self.found.key_bits == self.bits.value]

    def _picture(self, rows):
        live = {tuple(label.split()): value for label, value in self.timed(self.engine.value, self.bits.value).items()}
        return view.board(self._shown(), live, self.engine.value)

    def timed(self, engine, key_bits=128):
        return self.source.timed.get((engine, key_bits), {})

    def text(self):
        """The last run on this machine in bench-slope's own format."""
        rows = self.source.table and self.source.table.rows()
        return self.source.table.text() if rows else "Not run yet."
