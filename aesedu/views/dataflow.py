"""The dataflow of a small Recording as a picture: each value beneath those it is made from."""

from html import escape

from aesedu.routine import Value
from aesedu.views.pressure import css

MOST = 80  # values; a picture of more is no help
_W, _H, _ACROSS, _DOWN, _MARGIN = 86, 36, 96, 62, 8  # px: a box, and from box to box
_SIGNS = {
    "xor": "\N{CIRCLED PLUS}", "and": "&", "or": "|", "add": "+", "sub": "\N{MINUS SIGN}",
    "mul": "\N{MULTIPLICATION SIGN}", "invert": "~", "shl": "<< {n}", "shr": ">> {n}", "rotl": "rotl {n}",
    "rotr": "rotr {n}", "byte0": "byte 0", "byte1": "byte 1", "const": "{n:#x}", "load32": "{m}[{i}{at}]",
    "load64": "{m}[{at}], 64", "advance": "{m}[{at}:]", "store32": "{m}[{at}] =", "store64": "{m}[{at}] =, 64",
}  # fmt: skip


def picture(recording):
    """SVG: a box a value with its operation and name, lines from operands to users; results have a double frame.

    Tables and memory are named in the boxes that use them. Raises ValueError for more than MOST values.
    """
    if (count := len(recording.steps)) > MOST:
        raise ValueError(f"{recording.name} has {count} values; {MOST} are the most for a picture: print it")
    nodes = [p for p in recording.parameters if not p.type.is_memory] + list(recording.steps)
    places = _places(nodes)
    width = max(x for x, _ in places.values()) + _W + _MARGIN
    height = max(y for _, y in places.values()) + _H + _MARGIN
    lines = "".join(_line(places[o], places[node]) for node in nodes for o in _sources(node, places))
    boxes = "".join(_box(node, *places[node], node in recording.results) for node in nodes)
    alt = f"<title>Dataflow of {escape(recording.name)}</title><desc>{escape(str(recording))}</desc>"
    size = f'width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}"'
    return f'<svg class="ae-svg ae-flow" role="img" {size}>{alt}{lines}{boxes}</svg>'


def _sources(node, known):
    return [o for o in dict.fromkeys(node.sources()) if o in known]


def _places(nodes):
    """(x, y) of each node's box in px: rows by the longest way from a parameter, columns close to neighbours."""
    rank = {}
    for node in nodes:
        rank[node] = 1 + max((rank[o] for o in _sources(node, rank)), default=-1)
    for node in reversed(nodes):  # what needs nothing stands just above its first user
        if node.op and not _sources(node, rank):
            rank[node] = min((rank[user] for user in nodes if node in _sources(user, rank)), default=1) - 1
    rows = [[n for n in nodes if rank[n] == r] for r in range(max(rank.values()) + 1)]
    above = {n: _sources(n, rank) for n in nodes}
    below = {n: [user for user in nodes if n in above[user]] for n in nodes}
    x = {n: float(i) for row in rows for i, n in enumerate(row)}
    for near, order in ((above, rows), (below, rows[::-1])) * 4:
        for row in order:
            _settle(row, near, x)
    left = min(x.values())
    return {n: (_MARGIN + _ACROSS * (x[n] - left), _MARGIN + _DOWN * rank[n]) for n in nodes}


def _settle(row, near, x):
    """Move the nodes of a row to the mean of their neighbours, at least one column apart."""
    wanted = {n: sum(x[o] for o in near[n]) / len(near[n]) if near[n] else x[n] for n in row}
    last, drift = -1e9, 0.0
    for node in sorted(row, key=wanted.get):
        x[node] = last = max(wanted[node], last + 1)
        drift += x[node] - wanted[node]
    for node in row:
        x[node] -= drift / len(row)


def _line(above, below):
    (x1, y1), (x2, y2) = above, below
    middle = (y1 + _H + y2) / 2
    x1, x2 = x1 + _W / 2, x2 + _W / 2
    return f'<path class="ae-edge" d="M{x1:.1f} {y1 + _H}C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2}"/>'


def _box(node, x, y, result):
    kind = "ae-given" if node.op is None else "ae-load" if node.op.kinds[:1] == ("m",) else "ae-held"
    frame = f'<rect class="ae-twice" x="{x - 3:.1f}" y="{y - 3}" width="{_W + 6}" height="{_H + 6}" rx="7"/>' * result
    box = f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{_W}" height="{_H}" rx="5"/>'
    words = [(_sign(node), 16, ""), (str(node), 30, "ae-muted")] if node.op else [(str(node), 22, "")]
    middle = x + _W / 2
    lines = (
        f'<text class="{kind}" x="{middle:.1f}" y="{y + at}" text-anchor="middle">{escape(said)}</text>'
        for said, at, kind in words
        if said
    )
    return frame + box + "".join(lines)


def _sign(node):
    """A few signs for the operation, with its numbers."""
    named = dict(zip(node.op.operands, node.operands, strict=True))
    if "i" in named:
        indexed = isinstance(named["i"], Value)
        named |= {"i": "i + " if indexed and named["at"] else "i" * indexed, "at": named["at"] or "0" * (not indexed)}
    text = _SIGNS.get(node.op.name, node.op.name).format(**named)
    numbers = [f"{o:#x}" for n, o in named.items() if isinstance(o, int) and n in ("a", "b")]
    return " ".join([text, *numbers])


def figure(recording):
    """``picture`` to be shown on its own; it scrolls where it is too wide."""
    attributes = 'class="ae-wide-figure" tabindex="0" role="group" aria-label="Dataflow"'
    return f"{css()}<figure {attributes}>{picture(recording)}</figure>"
