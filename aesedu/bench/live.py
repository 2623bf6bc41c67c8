"""Linux' tcrypt mode 200 and libgcrypt's bench-slope, timed here with one engine: rows like those of the sources.

Every cell is measured by itself, in the protocol's quick form (``protocol.QUICK``); bench-slope's figures are slopes
over three sizes. Other work on the machine hits some of 300 cells: one whose interval is wider than 5 % is measured
once more while there is time, and the narrower one counts. What an interrupted run has measured is kept.
"""

import statistics
import time

from aesedu import native
from aesedu.bench import bench_slope, environment, protocol, rows, tcrypt
from aesedu.bench.size_series import fit
from aesedu.cipher.modes import aes_bits
from aesedu.engines import engine as named
from aesedu.engines.base import KEY_BITS, MODES, TAGGED

AES_BITS = (128, 192, 256)
SIZES = (16, 64, 256, 1024, 8192)  # bytes of a call, in tcrypt
SLOPE_SIZES = (512, 1024, 4096)
UNSETTLED = 0.05
PACE = 0.15  # seconds a cell on average, second tries included: a full table takes less than a minute
SHORT = {"cfb128": "cfb"}  # what logs call it


class Tcrypt:
    """tcrypt's table: modes x directions x keys x sizes; LRW and XTS count the tweak key in.

    ``engine`` is a name, ``keys`` are those of AES (bits), ``sizes`` in bytes, ``calls`` as in ``Engine.subject``.
    Raises ValueError for what the engine does not do, UnsupportedFeature where it cannot run.
    """

    modes = MODES

    def __init__(self, engine, modes=None, keys=AES_BITS, sizes=SIZES, directions=("enc", "dec"), calls="bulk"):
        self.engine, self.calls, self.measurements, self._sizes = named(engine), calls, [], sizes
        self.cells = list(self._cells(self.modes if modes is None else modes, keys, directions))
        for cell in self.cells:
            cell[0].subject(*cell[1:])

    def _cells(self, modes, keys, directions):
        for mode in modes:
            for direction in directions:
                for bits in keys:
                    yield from self._sized(mode, direction, bits)

    def _sized(self, mode, direction, bits):
        bits = dict(zip(AES_BITS, KEY_BITS.get(mode, AES_BITS), strict=True)).get(bits, bits)
        return [(self.engine, mode, direction, bits, size, self.calls) for size in self._sizes]

    def run(self, on_progress=None):
        """Measure what is not measured yet and return self; Ctrl-C and ``native.cancel()`` end it, what is done stays.

        ``on_progress(done, total, row)`` comes after each cell; ``row`` is as in ``rows()``, or None.
        """
        try:
            for _ in self.measure():
                if on_progress:
                    on_progress(len(self.measurements), len(self.cells), self._latest())
        except (KeyboardInterrupt, native.Cancelled):
            pass
        return self

    def measure(self):
        """Measure cell by cell; yields a Measurement after each. Raises what ``rows.run`` raises."""
        where, began, before = environment.where(), time.monotonic(), len(self.measurements)
        for cell in self.cells[len(self.measurements) :]:
            tries = (row.measurement for row in rows.run([cell, cell], where=where))
            one = next(tries)
            late = time.monotonic() - began > PACE * (len(self.measurements) - before + 1)
            if _width(one) > UNSETTLED and not late:
                one = min(one, next(tries), key=_width)
            self.measurements.append(one)
            yield one

    def rows(self):
        """Dicts with engine, mode, direction, key_bits, bytes, cycles (core cycles of one call) and ns."""
        hz = self._hz()
        return [_cell(measurement, hz) for measurement in self.measurements]

    def _latest(self):
        return _cell(self.measurements[-1], self._hz())

    def _hz(self):
        """The core's frequency, for cells that were too unsteady to tell their own; of ``where`` if all were."""
        known = [statistics.median(each.core_hz) for each in self.measurements if each.core_hz]
        return statistics.median(known) if known else self.measurements and self.measurements[0].where["core_hz"]

    def text(self):
        """tcrypt's text, with a line before it that says how it was measured."""
        import pandas

        frame = pandas.DataFrame(self.rows()).rename(columns={"engine": "driver"})
        return f"{self.how()}\n{tcrypt.write(frame, 'core')}"

    def how(self):
        """One line: engine, machine, day and method."""
        where, plan = self.measurements[0].where, protocol.QUICK
        samples = f"{plan.placements} placements x {plan.samples} samples a cell"
        calls = ", one call a block" * (self.calls == "block")
        words = f"{self.engine.name} ({self.engine.wiring}{calls}), {where['cpu']}, {where['date'][:10]}"
        return f"{words}; quick protocol: {samples}, median"

    def records(self):
        """All Measurements as JSON values."""
        return [each.to_dict() for each in self.measurements]


def _width(one):
    """The width of a Measurement's interval, as a share of its estimate."""
    return (one.interval[1] - one.interval[0]) / one.estimate


def _cell(one, hz):
    """A cell's row; its cycles by the frequency its own brackets gave, or by ``hz``."""
    by_sample = one.core_hz or [hz] * len(one.samples)
    cycles = statistics.median(ns * each / 1e9 for ns, each in zip(one.samples, by_sample, strict=True))
    what = {name: one.what[name] for name in ("engine", "mode", "direction", "key_bits", "bytes")}
    return {**what, "mode": SHORT.get(one.what["mode"], one.what["mode"]), "cycles": cycles, "ns": one.estimate}


class BenchSlope(Tcrypt):
    """bench-slope's table: for each key the modes that libgcrypt has, and "auth" in CCM, GCM and OCB."""

    modes = tuple(mode for mode in MODES if mode != "lrw")

    def __init__(self, engine, modes=None, keys=AES_BITS, sizes=SLOPE_SIZES, calls="bulk"):
        if len(set(sizes)) < 2:
            raise ValueError(f"a slope needs two sizes or more, not {', '.join(map(str, sizes))}")
        super().__init__(engine, modes, keys, sizes, ("enc", "dec", "auth"), calls)

    def _cells(self, modes, keys, directions):
        for bits in keys:
            for mode in modes:
                for direction in directions[: 3 if mode in TAGGED else 2]:
                    yield from self._sized(mode, direction, bits)

    def rows(self):
        """Dicts with key_bits (of AES), mode, op, ns_per_byte, cycles_per_byte, for each row whose sizes are all done.

        ``fixed_ns`` is the cost of a call beside its bytes.
        """
        cells, size = super().rows(), len(self._sizes)
        return [self._slope(cells[i : i + size]) for i in range(0, len(cells) // size * size, size)]

    def _latest(self):
        return self.rows()[-1] if len(self.measurements) % len(self._sizes) == 0 else None

    def _slope(self, cells):
        first, sizes = cells[0], [cell["bytes"] for cell in cells]
        lines = {unit: fit(sizes, [cell[unit] for cell in cells]) for unit in ("ns", "cycles")}
        bits = aes_bits(first["mode"], first["key_bits"])
        what = {"engine": first["engine"], "key_bits": bits, "mode": first["mode"].upper(), "op": first["direction"]}
        slopes = {"ns_per_byte": lines["ns"].slope, "cycles_per_byte": lines["cycles"].slope}
        return {**what, **slopes, "fixed_ns": lines["ns"].fixed}

    def text(self):
        """bench-slope's text, with a line before it that says how it was measured."""
        import pandas

        sizes = ", ".join(map(str, self._sizes))
        return f"{self.how()}, slope over {sizes} bytes\n{bench_slope.write(pandas.DataFrame(self.rows()), 'core')}"


def run_tcrypt(engine, modes=None, on_progress=None, **what):
    """The rows of a ``Tcrypt`` run, ready for ``pandas.DataFrame``; ``what`` are its other arguments."""
    return Tcrypt(engine, modes, **what).run(on_progress).rows()


def run_bench_slope(engine, modes=None, on_progress=None, **what):
    """The rows of a ``BenchSlope`` run, ready for ``pandas.DataFrame``; ``what`` are its other arguments."""
    return BenchSlope(engine, modes, **what).run(on_progress).rows()
