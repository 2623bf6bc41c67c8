"""What a compiler made of the cipher, beside what our generator makes: counts for one round, and the loop itself."""

from html import escape

from aesedu.views import pressure
from aesedu.views.routine_explorer import Seen
from aesedu.views.table import table

_COLUMNS = ("code", "instructions a round", "copies", "spills", "reloads")


def rows(loop, budget=15):
    """The counts of a compiler's loop of rounds (an object with lines, rounds, copies, spills, reloads) and of ours."""
    parts = (len(loop.lines), loop.copies, loop.spills, loop.reloads)
    return [("LLVM", *(f"{part / loop.rounds:g}" for part in parts)), *(_ours(t, budget) for t in ("merged", "split"))]


def _ours(technique, budget):
    """An inner round of ours."""
    seen = Seen(technique, budget=budget, round=5)
    roles = [pressure.roles(seen.code)[n] for n in seen.window]
    return f"{technique}, {budget} registers", len(roles), *map(roles.count, ("copy", "spill", "reload"))


def figure(loop, around):
    """HTML: the counts, what happens between blocks in words, and the compiler's loop line by line."""
    counts = table(_COLUMNS, rows(loop), "One round by LLVM and by our generator")
    words = f"LLVM between two blocks: spills {around.spills}, reloads {around.reloads}."
    lines = escape("\n".join(loop.lines))
    listing = f'<div class="ae-mono" style="white-space:pre-wrap;columns:3">{lines}</div>'
    listing = f"<summary>Its loop, rounds a pass: {loop.rounds}</summary>{listing}"
    return f'{counts}<p class="ae-muted">{words}</p><details>{listing}</details>'


def text(loop):
    """The counts as plain text."""
    return "\n".join(" | ".join(map(str, row)) for row in (_COLUMNS, *rows(loop)))
