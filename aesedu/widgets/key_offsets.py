"""Live timing over the places of a key schedule: each against the start of a line, in turn, with its control."""

import json
import random
import statistics
import time
from dataclasses import asdict

from aesedu import data, native
from aesedu.bench import environment, protocol
from aesedu.bench.bootstrap import median_interval
from aesedu.bench.comparison import MIN_PAIRS, Effect
from aesedu.engines import key_offsets
from aesedu.layout import WIDTHS, Spot, spots
from aesedu.views import offset_chart
from aesedu.views.chart import Row
from aesedu.widgets.bench_panel import BenchPanel, Recording, Update

KEY_BITS = 128
AT_ONE_PLACEMENT = 4  # rounds
EVERY = 1.0  # seconds between two estimates: the bootstrap takes its time
SPOTS = [spot for width in WIDTHS for spot in spots(width)]
# The offsets at which 64-bit loads cross a line against all others: one question instead of thirty.
POOLED = {64: "64-bit loads, where some cross", 32: "32-bit loads, the same places"}
_TITLES = {
    "cipher": "Where the key schedule lies: whole cipher",
    "loads": "Where the key schedule lies: key loads alone",
}
_SUBJECTS = {"cipher": "AES is", "loads": "the loads are"}
_WHAT = {
    "cipher": "AES-128 by T-tables, 64 blocks a call",
    "loads": "all loads of an AES-128 key schedule, and nothing else",
}


class OffsetSource:
    """Times one kind of ``engines.key_offsets`` at every spot, for a ``BenchPanel``.

    A round takes a pair of samples of each spot: there and at offset 0, next to each other in time, in either order.
    Some rounds share one placement of code and data; only the control, offset 0 once more, has another.
    """

    sizes = (16 * key_offsets.BLOCKS,)

    def __init__(self, kind):
        self.kind, self._stopped, self._ratios = kind, False, {}
        self.rows = [Row(label, note=key_offsets.reason()) for label in (*(s.label for s in SPOTS), *POOLED.values())]

    def run(self, labels, size, rounds):
        """Yields an ``Update`` after each round; one for every row from time to time and at the end."""
        self._stopped, self._ratios, shown = False, {label: [] for label in labels}, time.monotonic()
        stopwatch, orders, seeds = protocol.Stopwatch(), random.Random(0), protocol.placements()
        timers = {spot: self._timer(spot, stopwatch) for spot in (*SPOTS, *(Spot(width, 0) for width in WIDTHS))}
        yield Update(0, rounds, None, preparing=True)
        for done in range(1, rounds + 1):
            self._check()
            if done % AT_ONE_PLACEMENT == 1:
                places = next(seeds), next(seeds)
                for clusters in self._ratios.values():
                    clusters.append([])
            self._keep(_round(timers, stopwatch, orders, *places))
            if done == rounds or (done >= AT_ONE_PLACEMENT and time.monotonic() - shown > EVERY):
                shown = time.monotonic()
                for row in self._estimates(done == rounds):
                    self._check()
                    yield Update(done, rounds, row)
            yield Update(done, rounds, None)

    def _timer(self, spot, stopwatch):
        self._check()
        return protocol.Timer(key_offsets.subject(self.kind, spot, KEY_BITS), stopwatch)

    def _check(self):
        if self._stopped:
            raise native.Cancelled

    def _keep(self, ratios):
        for spot, ratio in ratios.items():
            self._ratios[spot.label][-1].append(ratio)
        for width, label in POOLED.items():
            self._ratios[label][-1] += _pooled(ratios, width)

    def _estimates(self, last):
        for label, ratios in self._ratios.items():
            if any(ratios):
                value, low, high = median_interval(ratios, resamples=1000 if last else 100)
                yield Row(label, value=value, low=low, high=high, samples=sum(map(len, ratios)))

    def cancel(self):
        self._stopped = True
        native.cancel()

    def verdict(self, rows):
        """Whether crossing loads cost time, by the pooled rows alone; 32-bit loads, which never cross, the control."""
        rows = {row.label: row for row in rows}
        ranges = [f"{width}-bit loads {offset_chart.percent(rows[POOLED[width]])}" for width in (64, 32)]
        detail = f"Offsets that are no multiple of 8, against the others: {'; '.join(ranges)}."
        return _judged(rows, self.kind)[1], detail

    def record(self):
        """The last run, ready for JSON: where, what, the rows, and every ratio."""
        rows = [asdict(row) for row in self._estimates(last=True)]
        what = {"kind": self.kind, "key_bits": KEY_BITS}
        ratios = {label: [[round(r, 5) for r in place] for place in places] for label, places in self._ratios.items()}
        return {"where": environment.where(), **what, "rows": rows, "ratios": ratios}


def _round(timers, stopwatch, orders, here, elsewhere):
    """The ratio of times at each spot to that at offset 0; a spot whose pair was not steady is left out."""
    pairs = [(spot, Spot(spot.width, 0)) for spot in orders.sample(SPOTS, len(SPOTS))]
    # Each pair twice, because the first brings the tables of both back to the cache.
    steps = [spot for pair in pairs for spot in (*pair, *orders.sample(pair, 2))]
    readings = stopwatch.take([(timers[spot], elsewhere if spot.again else here) for spot in steps])
    ratios = {}
    for n, (spot, start) in enumerate(pairs):
        taken = dict(zip(steps[4 * n + 2 : 4 * n + 4], readings[4 * n + 2 : 4 * n + 4], strict=True))
        if taken[spot].core_hz and taken[start].core_hz:
            ratios[spot] = taken[spot].cycles / taken[start].cycles
    return ratios


def _pooled(ratios, width):
    """One round's time at the offsets where 64-bit loads cross a line over that at the others; empty if unsteady."""
    inside = [spot for spot in ratios if spot.width == width and not spot.across and not spot.again]
    sides = [[ratios[s] for s in inside if bool(s.offset % 8) == crosses] for crosses in (True, False)]
    return [statistics.median(sides[0]) / statistics.median(sides[1])] if min(map(len, sides)) > 1 else []


def effect(rows, width):
    """The pooled row of a width as a bench Effect, or None before there are enough rounds; ``rows`` go by label."""
    row = rows[POOLED[width]]
    return Effect(1 / row.value, 1 / row.high, 1 / row.low) if row.samples >= MIN_PAIRS else None


def _judged(rows, kind):
    """The answer, "slower", "faster" or "cannot tell", and the verdict as a sentence."""
    crossing, control = effect(rows, 64), effect(rows, 32)
    if not (crossing and control):
        return "cannot tell", f"Cannot tell: {MIN_PAIRS} steady rounds are needed."
    if control.differs:
        return "cannot tell", "Cannot tell: 32-bit loads differ too, and none of them crosses a line."
    if not crossing.differs or control.holds(crossing.ratio):
        return "cannot tell", "Cannot tell whether loads that cross a line cost time here."
    answer = "slower" if crossing.ratio < 1 else "faster"
    return answer, f"Where 64-bit loads cross a line, {_SUBJECTS[kind]} {crossing}."


class OffsetPanel(BenchPanel):
    """The time at each place of a key schedule, for 32- and 64-bit loads, against the start of a line.

    ``kind`` is "cipher" or "loads". ``answer`` is "slower", "faster" or "cannot tell", ``percent`` by how much slower
    loads that cross a line make it; None before a run.
    """

    def __init__(self, kind="cipher", rounds=60):
        self.kind = kind
        live = not key_offsets.reason()
        super().__init__(OffsetSource(kind), _TITLES[kind], _WHAT[kind], [recording(kind)], rounds, live=live)

    def _choices(self):
        return []

    def _menus(self):
        return (self.rounds,)

    def _ticked(self):
        return list(self.rows)

    def _picture(self, rows):
        rows = {row.label: row for row in rows}
        chart = offset_chart.figure(SPOTS, rows, KEY_BITS, self.title)
        if not any(row.value for row in rows.values()):
            return chart
        table = offset_chart.numbers([*POOLED.values(), *(spot.label for spot in SPOTS)], rows, self.title)
        return f"{chart}<details><summary>Numbers</summary>{table}</details>"

    @property
    def answer(self):
        return _judged(self.rows, self.kind)[0] if self.rows[POOLED[64]].value else None

    @property
    def percent(self):
        row = self.rows[POOLED[64]]
        return round(100 * (row.value - 1), 1) if row.value else None


def recording(kind):
    """A run of this kind on a named machine."""
    saved = json.loads(data.path(f"runs/key_offsets_{kind}.json").read_text(encoding="utf-8"))
    where = saved["where"]
    return Recording(f"{where['cpu']}, {where['date'][:10]}", [Row(**row) for row in saved["rows"]])
