"""HTML tables: the twin in numbers of every chart."""

from collections.abc import Sequence
from html import escape

from aesedu.views.chart import Row, dots, legend, number


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], caption, text=()):
    """An HTML table; the first column heads its row, ``text`` names the columns that are words and not numbers.

    Cells are plain text. ``caption`` is read out but not drawn.
    """
    kind = ['class="ae-text"' if name in text else 'class="ae-num"' for name in columns]
    head = "".join(f'<th scope="col" {k}>{escape(name)}</th>' for k, name in zip(kind, columns, strict=True))
    body = "".join(f"<tr>{_cells(row, kind)}</tr>" for row in rows)
    sr = f'<caption class="ae-sr">{escape(caption)}</caption>'
    return f'<table class="ae-table">{sr}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _cells(row, kind):
    first, *others = (escape(str(cell)) for cell in row)
    cells = "".join(f"<td {k}>{cell}</td>" for k, cell in zip(kind[1:], others, strict=True))
    return f'<th scope="row">{first}</th>{cells}'


def _timing(row):
    if row.value is None:
        return row.label, "", "", "", ""
    interval = f"{number(row.low)} to {number(row.high)}" if row.low and row.high else "not known"
    name = row.label if row.origin == "measured" else f"{row.label} ({row.origin})"
    return name, number(row.value), interval, number(1000 / row.value), row.samples or ""


def timings(rows: Sequence[Row], title="Timings"):
    """The numbers of time-a-byte rows (values in ns a byte); MB/s is 10^6 bytes a second."""
    columns = ("what", "ns a byte", "95 % interval", "MB/s", "samples")
    return table(columns, [_timing(row) for row in rows], title)


def timing_board(rows: Sequence[Row], title="Timings", bounds=None):
    """Chart and numbers side by side, line by line; beneath each other where there is little room."""
    chart = f"<figure>{dots(rows, 'ns a byte', title, bounds, values=False)}</figure>"
    notes = "; ".join(f"{row.label}: {row.note}" for row in rows if row.value and row.note)
    below = f'<p class="ae-caption ae-notes">{escape(notes)}</p>' if notes else ""
    return f'<div class="ae-side">{chart}{timings(rows, title)}{legend(rows)}{below}</div>'
