"""The forms of GCM timed in turn beside the model, each against the first; the gains that source 003 states."""

from html import escape

from aesedu.views.chart import number
from aesedu.views.comparison import ratio_chart
from aesedu.views.plot import percent
from aesedu.views.table import table

FIRST = "sequential \N{MULTIPLICATION SIGN}4"  # what the others are held against
CONTROL = f"{FIRST} again"

_CAPTION = (
    "Time of each over that of sequential with four blocks a chunk, in the same round: median and 95 % interval; "
    "further left is faster. Hollow: the control, the same once more at other places in memory. Shaded: under 1 %."
)


def board(rows, effects, models, core):
    """HTML: numbers and chart. ``rows`` are chart Rows by label, in core cycles a block, ``effects`` bench Effects.

    ``models`` are cycles of a block by label in the model of ``core`` (its title; "" for none).
    """
    columns = ("form \N{MULTIPLICATION SIGN} blocks a chunk", "core cycles a block", "95 % interval")
    columns += (f"model of {core}", "model against measured") if core else ()
    body = [_cells(row, models.get(label), bool(core)) for label, row in rows.items()]
    numbers = table(columns, body, "Cycles of a block by form")
    chart = ratio_chart([(label, effects.get(label), label == CONTROL) for label in rows if label != FIRST], "Forms")
    return f'{numbers}<figure>{chart}<div class="ae-caption"><p>{escape(_CAPTION)}</p></div></figure>'


def _cells(row, model, shown):
    origin = f" ({row.origin})" * (row.origin != "measured" and bool(row.value))
    here = (number(row.value), f"{number(row.low)} to {number(row.high)}") if row.value else ("", row.note)
    return row.label + origin, *here, *(_model(row, model) if shown else ())


def _model(row, model):
    if model is None:
        return "", ""
    return number(model), percent(100 * (model / row.value - 1)) if row.value else ""


def gain(effect):
    """An Effect in per cent of the bytes a second, with its interval, where it is one."""
    middle, *ends = (percent(100 * (ratio - 1), 1) for ratio in effect)
    return f"{middle} ({ends[0][:-2]} to {ends[1][:-2]})" if effect.differs else "cannot tell"


def gains(frame):
    """HTML: the gains of ``bench.interleaving.gains``, a row for each core and key, a column for each size."""
    columns = ("core", "key bits", *(f"{size:,} bytes" for size in frame))
    rows = [(*cell, *map(_stated, row)) for cell, row in zip(frame.index, frame.to_numpy(), strict=True)]
    return table(columns, rows, "Stated gains")


def _stated(value):
    """As the mail has it, with a decimal or without."""
    return percent(value, int(value % 1 > 0))


def beside_model(frame):
    """HTML: the rows of ``bench.interleaving.gains_beside_model``."""
    columns = ("core", "key bits", "stated, 8,192 bytes", "model, long message")
    rows = [(row.cpu, row.key_bits, _stated(row.stated), percent(row.model)) for row in frame.itertuples()]
    return table(columns, rows, "Stated gains beside the model's")
