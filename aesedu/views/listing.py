"""The listing of a Code as a table: text, plain English, registers, live values; one value's life can stand out."""

from collections import Counter
from functools import lru_cache
from html import escape
from itertools import pairwise

from aesedu.views.pressure import ROLES, css, held_after, roles

SYNTAXES = {"att": "AT&T", "intel": "Intel"}
_COLUMNS = ("instruction", "in words", "reads", "writes", "live", "line")
_HEAD = "".join(f'<th scope="col"><span class="ae-sr">{name}</span></th>' for name in ("number", "life", "move"))
_HEAD += "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS)


@lru_cache(8)
def lines(code):
    """``code.listing()``, kept: stepping through a routine asks for it again and again."""
    return code.listing()


def listing(code, syntax="att", window=None, chosen=None, shown=None, sources=False):
    """HTML table of the instructions in ``window`` (a range, all by default), numbered from 1 within it.

    ``syntax`` is "att" or "intel" (for x86-64; others have one of their own). Of the instruction ``chosen`` the row
    stands out, and so does the life of its value: from where it is made, through its uses, to the last one. ``shown``
    leaves all rows but so many around it away. ``sources`` writes each line of the Python function out.
    """
    window = window or range(len(code.instructions))
    rows, found = lines(code), roles(code)
    text = "intel" if syntax == "intel" and code.isa == "x86_64" else "text"
    life = _life(code, window, chosen)
    body = ""
    for n in _around(window, chosen, shown):
        row, number = rows[n], n - window.start + 1
        cells = [row[text], row["english"], " ".join(row["reads"]), " ".join(row["writes"]), len(row["live"])]
        cells.append(_line(row, sources))
        kind = ' class="ae-now" aria-current="true"' if n == chosen else ""
        marks = f"<th>{number}</th><td>{life.get(n, '')}</td><td>{_letter(found[n])}</td>"
        body += f"<tr{kind}>{marks}{_cells(cells, sources)}</tr>"
    caption = f'<caption class="ae-sr">Instructions for {escape(code.recording.name)}</caption>'
    return f'<table class="ae-table ae-listing">{caption}<thead><tr>{_HEAD}</tr></thead><tbody>{body}</tbody></table>'


def _around(window, chosen, shown):
    """The part of the window that is shown, with the chosen instruction in the middle where there is room."""
    if shown is None or chosen is None or shown >= len(window):
        return window
    first = min(max(chosen - shown // 2, window.start), window.stop - shown)
    return range(first, first + shown)


def _life(code, window, chosen):
    """For instructions of the window a sign: the chosen one's value is made here, used here, or only lives on."""
    value = None if chosen is None else code.instructions[chosen].step
    if value is None:
        return {}
    signs = {n: "lives" for n in window if value in code.instructions[n].live}
    signs |= {n: "used" for n in window if _uses(code, n, value)}
    signs |= {n: "made" for n in window if _makes(code.instructions[n], value)}
    return {n: _LIFE[sign] for n, sign in signs.items()}


_LIFE = {
    name: f'<span class="ae-life-{name}" title="{name}">{sign}</span>'
    for name, sign in {
        "made": "\N{BLACK CIRCLE}",
        "used": "\N{WHITE CIRCLE}",
        "lives": "\N{BOX DRAWINGS LIGHT VERTICAL}",
    }.items()
}


def _uses(code, n, value):
    """Whether instruction number ``n`` reads the value, from a register or from its place in the frame."""
    instruction = code.instructions[n]
    before = held_after(code.instructions[n - 1]) if n else instruction.held
    address = instruction.address
    in_memory = address and address.region == "frame" and address.what == str(value) and not instruction.stores
    return in_memory or any(before.get(register) is value for register in instruction.reads)


def _makes(instruction, value):
    return instruction.step is value and instruction.kind not in ("copy", "spill", "reload")


def _letter(role):
    if not role:
        return ""
    letter, colour, words = ROLES[role]
    return f'<i class="ae-key-letter ae-{colour}" title="{escape(words)}">{letter}</i>'


def _line(row, sources):
    if not row["line"]:
        return ""
    return f"{row['line']}: {row['source']}" if sources else row["line"]


def _cells(cells, sources):
    kinds = ("ae-mono", "", "ae-mono", "ae-mono", "ae-num", "ae-source ae-mono" if sources else "ae-num")
    return "".join(f'<td class="{k}">{escape(str(cell))}</td>' for k, cell in zip(kinds, cells, strict=True))


def figure(code, syntax="att", chosen=None):
    """The whole listing, with the lines of the Python function, to be shown on its own."""
    return css() + listing(code, syntax, chosen=chosen, sources=True)


def beside(codes, titles):
    """HTML: what each line of the Python function becomes in each of ``codes``; ``titles`` head their columns.

    A line that is run again and again has a row for each value it makes.
    """
    pieces = [_pieces(code) for code in codes]
    rows = sorted({key: None for each in pieces for key in each}, key=lambda key: (not key[0], *key))
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in ("line of the routine", *titles))
    body, sources = "", {step.line: step.source.strip() for step in codes[0].original.steps}
    height = Counter(line for line, _ in rows)
    for line, n in rows:
        asked = f'<span class="ae-mono">{escape(sources[line])}</span>' if line else "the loop around it"
        first = "" if n else f'<th scope="rowgroup" rowspan="{height[line]}">{asked}</th>'
        cells = ("<br>".join(map(escape, each.get((line, n), []))) for each in pieces)
        body += f"<tr>{first}{''.join(map(_mono, cells))}</tr>"
    caption = f'<caption class="ae-sr">{escape(codes[0].recording.name)}: {escape(", ".join(titles))}</caption>'
    kind = "ae-table ae-listing ae-beside"
    return f'{css()}<table class="{kind}">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _mono(cell):
    return f'<td class="ae-mono">{cell}</td>'


def _pieces(code):
    """{(line, n): instructions for what the line makes when it is run for the n-th time}; line 0 has the others."""
    # Moving on in memory belongs to the loop, whichever line asks for it.
    known = {step.line for step in code.original.steps if step.op.name != "advance"}
    counts, pieces = Counter(), {}
    for now, after in pairwise([*code.instructions, None]):
        line = now.step.line if now.step and now.step.line in known else 0
        pieces.setdefault((line, counts[line]), []).append(now.text)
        counts[line] += bool(line and now.step.name and (after is None or after.step is not now.step))
    return pieces
