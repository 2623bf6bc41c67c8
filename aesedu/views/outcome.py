"""How the outcome of an exercise, a hint and a solution look: HTML, and the same as plain text."""

from html import escape
from textwrap import indent

from aesedu.views.style import page

# A sign beside the colour, for eyes and printers that do not tell colours apart.
_LOOK = {
    "passed": ("\N{CHECK MARK}", "green"),
    "failed": ("\N{MULTIPLICATION SIGN}", "vermilion"),
    "crashed": ("!", "vermilion"),
    "timed out": ("\N{HORIZONTAL ELLIPSIS}", "orange"),
    "not attempted": ("\N{WHITE CIRCLE}", "blue"),
}
# Long lines wrap: a block that scrolls sideways would need the keyboard's focus.
_PRE = "margin:4px 0 0;padding:0;white-space:pre-wrap;overflow-wrap:anywhere"


def outcome_html(outcome):
    """An outcome (``exercise``, ``status``, ``finding``, ``advice``, ``more``, ``printed``, ``traceback``) as HTML."""
    sign, colour = _LOOK[outcome.status]
    headline = f'<span aria-hidden="true">{sign}</span> {escape(outcome.exercise)}: {outcome.status}'
    blocks = _block("Your code stopped here:", outcome.traceback) + _block("Your code printed:", outcome.printed)
    return _panel(headline, [outcome.finding, outcome.advice, outcome.more], blocks, colour)


def outcome_text(outcome):
    """The same as plain text."""
    lines = [f"{outcome.exercise}: {outcome.status}"]
    for words in (outcome.finding, outcome.advice, outcome.more):
        lines += _indented(words)
    for title, text in (("Your code stopped here:", outcome.traceback), ("Your code printed:", outcome.printed)):
        lines += [f"  {title}", *_indented(text, 4)] if text else []
    return "\n".join(lines)


def note_html(note):
    """A note (``title``, ``body``, ``code``) as HTML."""
    return _panel(escape(note.title), [note.body], _block("", note.code), "blue")


def note_text(note):
    """The same as plain text."""
    return "\n".join([note.title, *_indented(note.body), *_indented(note.code, 4)])


def _panel(headline, lines, blocks, colour):
    text = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
    return page(f'<div class="ae-status ae-{colour}"><p><strong>{headline}</strong></p>{text}{blocks}</div>')


def _block(title, text):
    heading = f'<p class="ae-muted" style="margin-top:8px">{title}</p>' if title else ""
    return f'{heading}<pre class="ae-mono" style="{_PRE}">{escape(text)}</pre>' if text else ""


def _indented(text, spaces=2):
    return [indent(text, " " * spaces)] if text else []
