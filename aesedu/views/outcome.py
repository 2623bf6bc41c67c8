"""How the outcome of an exercise, a hint and a solution look: HTML, and the same as plain text."""

from html import escape
from textwrap import indent

from aesedu.views.style import page, status

# A sign beside the colour, for eyes and printers that do not tell colours apart.
_LOOK = {
    "passed": ("\N{CHECK MARK}", "green"),
    "failed": ("\N{MULTIPLICATION SIGN}", "vermilion"),
    "crashed": ("!", "vermilion"),
    "timed out": ("\N{HORIZONTAL ELLIPSIS}", "orange"),
    "not attempted": ("\N{WHITE CIRCLE}", "blue"),
}


def outcome_html(outcome):
    """An outcome (``exercise``, ``status``, ``finding``, ``advice``, ``printed``, ``traceback``) as HTML."""
    sign, colour = _LOOK[outcome.status]
    headline = f'<span aria-hidden="true">{sign}</span> {escape(outcome.exercise)}: {outcome.status}'
    detail = "<br>".join(escape(part) for part in (outcome.finding, outcome.advice) if part)
    blocks = _block("Your code stopped here", outcome.traceback) + _block("Your code printed", outcome.printed)
    return page(status(headline, detail, colour) + blocks)


def outcome_text(outcome):
    """The same as plain text."""
    lines = [f"{outcome.exercise}: {outcome.status}", *_indented(outcome.finding), *_indented(outcome.advice)]
    for title, text in (("Your code stopped here:", outcome.traceback), ("Your code printed:", outcome.printed)):
        lines += [f"  {title}", *_indented(text, 4)] if text else []
    return "\n".join(lines)


def note_html(note):
    """A note (``title``, ``body``, ``code``) as HTML."""
    return page(status(escape(note.title), escape(note.body)) + _block("", note.code))


def note_text(note):
    """The same as plain text."""
    return "\n".join([note.title, *_indented(note.body), *_indented(note.code, 4)])


def _block(title, text):
    if not text:
        return ""
    heading = f'<div class="ae-muted">{title}</div>' if title else ""
    return f'{heading}<pre class="ae-mono" tabindex="0">{escape(text)}</pre>'


def _indented(text, spaces=2):
    return [indent(text, " " * spaces)] if text else []
