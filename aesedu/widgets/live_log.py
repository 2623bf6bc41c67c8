"""tcrypt and bench-slope live: one engine, the modes that are ticked, a table that fills."""

from functools import partial
from html import escape

import ipywidgets
import pandas

from aesedu import bench, native
from aesedu.bench.live import AES_BITS, SHORT, SIZES
from aesedu.engines import engines
from aesedu.engines.base import MODES
from aesedu.views import live_log as view
from aesedu.views import style
from aesedu.views.chart import Row
from aesedu.widgets.bench_panel import LIVE, BenchPanel, Recording, Update, recorded_runs

_KINDS = {"tcrypt": bench.Tcrypt, "bench-slope": bench.BenchSlope}
_READERS = {"tcrypt": bench.tcrypt.read, "bench-slope": bench.bench_slope.read}
_FIRST = ("ecb", "cbc", "lrw", "xts")  # those of the sources


class LogSource:
    """Measures a ``bench.Tcrypt`` or ``bench.BenchSlope`` for a ``BenchPanel``; ``kind`` and ``engine`` say which."""

    sizes = (0,)  # the tables have their own

    def __init__(self):
        self.rows = [Row(mode) for mode in MODES]
        self.kind, self.engine, self.table = "tcrypt", "", None

    def run(self, labels, size, rounds):
        """Yields an ``Update`` for each cell; its row says which mode was timed."""
        kind = _KINDS[self.kind]
        self.table = kind(self.engine, [mode for mode in labels if mode in kind.modes])
        for done, one in enumerate(self.table.measure(), start=1):
            row = Row(one.what["mode"], value=one.estimate / one.what["bytes"], samples=len(one.samples))
            yield Update(done, len(self.table.cells), row)

    def cancel(self):
        """Ends the worker, and with it the run; what is done stays."""
        native.cancel()

    def verdict(self, rows):
        """The range of the table; ``rows`` are of no use here."""
        return view.sentence(self.table.rows())

    def record(self):
        """The Measurements of the table, ready for JSON."""
        return self.table.records()


class TcryptPanel(BenchPanel):
    """The panel of a ``LogSource``: engine, table and AES key are chosen, modes ticked."""

    counted, waiting = "cells", "Each cell is the median of some samples; Cancel keeps those that are done."

    def __init__(self):
        self._runs = dict(_recorded_runs())
        recordings = [Recording(name, []) for name in self._runs]
        super().__init__(LogSource(), "Your own table", "by the rules of tcrypt or bench-slope", recordings)
        self.watch(self._change, self.kind, self.key, self.origin)

    def _menus(self):
        names = [each.name for each in engines() if each.available and len(each.modes) > 1]
        first = next(name for name in ("ttable-split-k64", "compiled", "ttable") if name in names)
        self.engine = ipywidgets.Dropdown(options=names, value=first, description="Engine")
        self.kind = ipywidgets.Dropdown(options=list(_KINDS), description="Table")
        self.key = ipywidgets.Dropdown(options=[(f"AES-{bits}", bits) for bits in AES_BITS], description="Show")
        return self.engine, self.kind, self.key

    def _choice(self, row):
        tick = super()._choice(row)
        tick.value = row.label in _FIRST
        return tick

    def _change(self):
        kind, rows = self._shown
        self.key.disabled = kind != "tcrypt"  # the other table shows all keys
        if self._thread_of_run is not None:
            return self._draw()
        mine = bool(rows) and self.origin.value == LIVE
        self._draw(self._last if mine else Update(0, 0, None))
        headline, detail = view.sentence(rows)
        return self.say(headline, f"{detail} {self._from()}" if rows else "", "green" if rows else "blue")

    def save(self):
        """Save JSON, as in ``BenchPanel``; what the table says stays beneath."""
        super().save()
        if rows := self._shown[1]:
            self.sentence.value += style.status(*view.sentence(rows))

    def start(self):
        """Run, as in ``BenchPanel``; a recording is not run."""
        if self.origin.value != LIVE:
            self.say("This is a recording.", "Choose this machine under Times from to measure.", "vermilion")
            return
        if self._thread_of_run is None:
            self.source.kind, self.source.engine, self.source.table = self.kind.value, self.engine.value, None
        super().start()

    @property
    def _shown(self):
        """(kind, rows) of the recording that is chosen, or of the last run here."""
        if self.origin.value != LIVE:
            return self._runs[self.origin.value][::2]
        table, kind = self.source.table, self.kind.value
        return kind, table.rows() if table and self.source.kind == kind else []

    @property
    def frame(self):
        """The rows that are shown, as a pandas.DataFrame."""
        return pandas.DataFrame(self._shown[1])

    def text(self):
        """The table as the tool prints it."""
        if self.origin.value != LIVE:
            return self._runs[self.origin.value][1]
        return self.source.table.text() if self._shown[1] else "Nothing is measured yet."

    def _picture(self, rows):
        return self._board(*self._shown, [SHORT.get(mode, mode) for mode in self._ticked()])

    def _board(self, kind, rows, modes):
        modes = list(dict.fromkeys([*modes, *(row["mode"].lower() for row in rows)]))
        body = view.tcrypt(rows, modes, SIZES, self.key.value) if kind == "tcrypt" else view.bench_slope(rows, modes)
        return f'<div class="ae-scroll" data-v="{kind}{self.key.value}{len(rows)}{self.origin.value}">{body}</div>'

    def _verdict(self, rows):
        return view.sentence(self._shown[1])

    def static(self):
        if self._shown[1] or not self._runs:
            return super().static()
        name, (kind, _, rows) = next(iter(self._runs.items()))
        return self._board(kind, rows, []) + style.status(*view.sentence(rows)) + f"<p>Recorded on {escape(name)}.</p>"


def _recorded_runs():
    """(name, (kind, text, rows)) of the logs under data/runs; a log's first line says what was measured where."""
    for kind, read in _READERS.items():
        yield from recorded_runs(f"{kind.replace('-', '_')}_*.txt", partial(_run, kind, read))


def _run(kind, read, file):
    text = file.read_text(encoding="utf-8")
    return f"{text.splitlines()[0].split(';')[0]}: {kind}", (kind, text, read(text).to_dict("records"))
