"""What came of raw assembly: result, memory, registers that were not preserved, time; or the errors with a caret."""

from html import escape

from aesedu.views.style import page, status
from aesedu.views.table import table

_ROW, _MOST = 16, 256  # bytes of a buffer in a line, and in all
_WIDTH = 200  # characters shown of a line of the cell, or of a message


def answer_html(answer):
    """A ``magics.Answer`` as HTML, style sheet included."""
    if answer.error is not None:
        headline, *more = _problem(answer).split("\n", 1)
        block = f'<div class="ae-mono" style="white-space:pre-wrap">{escape(more[0])}</div>' if more else ""
        return page(status(escape(headline), colour="vermilion") + block)
    parts = [status(escape(_headline(answer)), escape(_detail(answer)), "orange" if answer.clobbered else "green")]
    parts += [_memory(n, *pair) for n, pair in enumerate(zip(answer.given, answer.buffers, strict=True), start=1)]
    return page("".join(parts))


def answer_text(answer):
    """The same as plain text."""
    if answer.error is not None:
        return _problem(answer)
    lines = [_headline(answer), _detail(answer)]
    for n, (before, after) in enumerate(zip(answer.given, answer.buffers, strict=True), start=1):
        lines += [f"buffer {n}, {' '.join(map(str, row))}" for row in _rows(before, after)]
    return "\n".join(filter(None, lines))


def _headline(answer):
    if answer.value is None:
        return answer.timing
    signed = answer.value - (1 << 64) if answer.value >> 63 else answer.value
    return f"Result: {answer.value:#x} = {signed}"


def _detail(answer):
    if answer.clobbered:
        names = ", ".join(answer.clobbered)
        return f"Not preserved: {names}. Callers count on these: push and pop them, or use others. Not timed."
    return answer.timing if answer.value is not None else ""


def _problem(answer):
    """The error in words, without characters that no reader could see."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in _words(answer))


def _words(answer):
    """The error; where lines of the cell are to blame, each with a caret beneath it."""
    places = [_place(answer.cell.splitlines(), *place) for place in answer.places if place[0] > 0]
    if places and not answer.places[0][2]:
        return f"{answer.error}".replace(f" in line {answer.error.line}", "") + "\n" + "\n".join(places)
    if places:
        found = "An error" if len(places) == 1 else f"{len(places)} errors"
        return "\n".join([f"{found} in the assembly; nothing was run.", *places])
    advice = _advice(answer)
    return f"{answer.error}" + (f"\n{advice}" if advice else "")


def _place(lines, line, column, message):
    message = message[:_WIDTH]
    source = lines[line - 1][:_WIDTH] if line <= len(lines) else ""
    caret = "\n    " + "".join("\t" if c == "\t" else " " for c in source[: column - 1]) + "^" if column else ""
    where = f"line {line}, column {column}: {message}" if column else f"line {line}:"
    return f"{where}\n    {source}{caret}"


def _advice(answer):
    if "SIG" in str(answer.error) and "ret" not in answer.cell.lower():
        return "There is no ret in the text: the processor ran on into whatever stands behind it."
    return ""


def _memory(n, before, after):
    rows = _rows(before, after)
    return table(("at", "bytes before", "bytes after"), rows, f"Buffer {n}", ("bytes before", "bytes after"))


def _rows(before, after):
    """(offset, bytes before, bytes after); "the same" where nothing changed; the first _MOST bytes."""
    for at in range(0, min(len(before), _MOST), _ROW):
        old, new = before[at : at + _ROW], after[at : at + _ROW]
        yield f"{at:#x}", old.hex(" "), "the same" if old == new else new.hex(" ")
    if len(before) > _MOST:
        yield "...", f"{len(before)} bytes in all", "the same" if before[_MOST:] == after[_MOST:] else "changed"
