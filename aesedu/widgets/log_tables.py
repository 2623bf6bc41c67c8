"""Notebook 04: tables of tcrypt's beside each other, those of the sources and a live run."""

from collections.abc import Mapping

import ipywidgets
from IPython.display import HTML

from aesedu import data
from aesedu.bench import tables
from aesedu.views import log_tables as view
from aesedu.widgets.base import Card, row

_WAYS = [("Encrypt", "enc"), ("Decrypt", "dec")]
_SHOW = ("cycles a call", "cycles a byte", "as tcrypt prints it")


def sources():
    """Return the sources' tables by name: Core 2 before and after the patch of 2008, and the VIA C3 with PadLock."""
    core2 = data.tcrypt_core2_2008()
    both = {f"Core 2, {kernel}": frame for kernel, frame in core2.groupby("kernel", sort=False)}
    return both | {"VIA C3, PadLock": data.tcrypt_via_c3_2008()}


class TcryptTables(Card):
    """One mode and direction of several tables of tcrypt's, cell by cell or as the log has them.

    ``live`` are further tables by name, with columns as in ``bench.tables``; those that lack them, because nothing has
    been measured yet, are left out.
    """

    look = view.css()

    def __init__(self, live: Mapping | None = None, title="Tables of tcrypt"):
        self.tables = sources() | {name: frame for name, frame in (live or {}).items() if {*tables.CELL} <= {*frame}}
        modes = list(dict.fromkeys(mode for frame in self.tables.values() for mode in frame["mode"]))
        self.mode = ipywidgets.Dropdown(options=modes, description="Mode")
        self.way = ipywidgets.Dropdown(options=_WAYS, description="Direction")
        self.form = ipywidgets.Dropdown(options=_SHOW, description="Show")
        self.watch(self._draw, self.mode, self.way, self.form)
        super().__init__(title, [row(self.mode, self.way, self.form)])
        self._draw()

    def _draw(self):
        mode, way = self.mode.value, self.way.value
        if self.form.value == _SHOW[2]:
            body = view.log(self.tables, mode, way)
        else:
            body = view.cells(self.tables, mode, way, per_byte=self.form.value == _SHOW[1])
        self.show(f'<div data-v="{mode}{way}{self.form.value}{len(self.tables)}">{body}</div>')
        self.say(*view.sentence(self.tables, mode, way))


def change_chart():
    """The 120 changes of the 2008 patch as a picture, to be shown by a cell."""
    figure = view.change_figure(tables.change(*list(sources().values())[:2]))
    return HTML(view.shown(figure, "What the patch of 2008 changed"))


def show_table(frame, title):
    """A frame as a table of the suite's, three significant digits, to be shown by a cell."""
    return HTML(view.shown(view.numbers(frame, title), title))
