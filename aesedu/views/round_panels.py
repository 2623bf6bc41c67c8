"""Beside the round explorer's picture: what is inside one look-up, or where a key word is from."""

import re

from aesedu.cipher.ttable import to_words
from aesedu.views.round_frame import coefficients
from aesedu.views.round_shapes import TONES, arrow, cell, drawing, line, named, plus, text

_LEFT, _NEXT = 14, 35  # px: margin, and from byte to byte


def panels(seen):
    """SVG: three panels."""
    makers = (_index, _product, _rotation) if seen.term.lookup else (_taken, _origin, _added)
    return "".join(make(seen) for make in makers)


def _panel(title, *body):
    shown = "".join(body)
    return drawing(", ".join([title, *re.findall(">([^<]+)<", shown)]), text(_LEFT, 25, title, "o") + shown)


def _bytes(y, word, name, kind="", tone=4):
    cells = (cell(_LEFT + _NEXT * r, y, 33, 28, byte, kind, None, r) for r, byte in enumerate(word))
    return named(name, "".join(cells), tone)


def _beside(y, words, kind="m"):
    return text(162, y + 18, words, kind)


def _rows(*rows, at=130):
    """Lines of a label and a value, which begins ``at`` px from the left."""
    return "".join(text(_LEFT, 50 + 21 * n, a, "u") + text(at, 50 + 21 * n, b, "m") for n, (a, b) in enumerate(rows))


def _number(word):
    return f"{to_words(word)[0]:08x}"


def _index(seen):
    hit = seen.term.lookup
    register = seen.before[4 * hit.column :][:4][::-1]
    bits = "".join(text(30.5 + _NEXT * n, 50, f"{24 - 8 * n}", "v u") for n in range(4)) + _beside(32, "bit", "u")
    looks = [("a", hit.row) if n == 3 - hit.row else ("", None) for n in range(4)]
    cells = "".join(cell(_LEFT + _NEXT * n, 58, 33, 28, b, *looks[n], n) for n, b in enumerate(register))
    shift = f"s{hit.column} >> {8 * hit.row} & 255" if hit.row else f"s{hit.column} & 255"
    code = text(_LEFT, 116, f"{shift} = {hit.index:02x}", "m")
    note = text(_LEFT, 141, f"column {hit.column} as a little-endian word", "u")
    word = named("register", cells) + _beside(58, f"s{hit.column}")
    return _panel("Take the index from a word", bits, word, code, note)


def _product(seen):
    hit, factors = seen.term.lookup, coefficients(seen, seen.term.lookup.row)
    inverse = "Inv" if seen.direction == "decrypt" else ""
    rows = _rows(
        (f"1 {inverse}SubBytes", f"{hit.index:02x} to {seen.sub_bytes[4 * hit.column + hit.row]:02x}"),
        (f"2 {inverse}ShiftRows", f"c{hit.column} to c{seen.place.column}"),
        (f"3 {inverse}MixColumns", "none" if seen.last else "times"),
    )
    times = "".join(text(30.5 + _NEXT * r, 112, f"x{f:x}", "v u") for r, f in enumerate(factors) if not seen.last)
    word = _bytes(119, seen.term.word, "product", "d", hit.row) + _beside(119, f"{hit.word:08x}")
    return _panel(f"{seen.term.label} is {'two' if seen.last else 'three'} steps in one", rows, times, word)


def _rotation(seen):
    hit, word = seen.term.lookup, seen.term.word
    first = word[hit.row :] + word[: hit.row]
    ends = [(30.5 + _NEXT * n, 30.5 + _NEXT * ((n + hit.row) % 4)) for n in range(4)]
    wires = "".join(line(f"M{a} 70L{b} 113", "l") for a, b in ends)
    top = _bytes(41, first, "first", "", hit.row) + f'<g class="ae-{TONES[hit.row]}">{wires}</g>'
    bottom = _bytes(114, word, "rotated", "d", hit.row)
    if not seen.last:
        top += _beside(41, f"{seen.term.label[:2]}0[{hit.index:02x}]")
        bottom += _beside(114, seen.term.label)
    how = _beside(78, f"rotl {8 * hit.row}" if hit.row else "as it is", "m u")
    return _panel("With one table, rotated", top, how, bottom)


def _taken(seen):
    number, column, word = seen.place
    if word:
        title = "Take the key word"
        rows = (("round key", f"{number}"), ("its word", f"4 x {number} + {column} = {4 * number + column}"))
    else:
        title, rows = "Take a column of the block", (("column", f"{column}"), ("its bytes", "r0 first"))
    taken = _bytes(114, seen.term.word, "taken", "d") + _beside(114, _number(seen.term.word))
    return _panel(title, _rows(*rows, at=100), taken)


def _origin(seen):
    if seen.place.word == 0:
        lines = ("The state is the block itself.", "Look-ups begin in round 1,", "when the key has been added.")
        return _panel("No table yet", *(text(_LEFT, 50 + 21 * n, words, "u") for n, words in enumerate(lines)))
    label, w = seen.term.label, f"w[{seen.schedule_word}]"
    top = _bytes(41, seen.schedule, "schedule") + _beside(41, w)
    step = arrow("M84 74V104", 84, 112, 90) + text(98, 97, "InvMixColumns" if seen.mixed_key else "as it is", "u")
    bottom = _bytes(114, seen.term.word, "key", "d") + _beside(114, label)
    return _panel(f"{label} is made of {w}" if seen.mixed_key else f"{label} is {w}", top, step, bottom)


def _added(seen):
    """The last XOR as a written sum."""
    name, total = f"t{seen.place.column}", seen.term.total
    if seen.place.word == 0:
        rows = _rows(("words in", "1 of 2"), ("to come", seen.terms[1].label))
        return _panel(f"{name} so far", rows, _bytes(114, total, "sum", "n"), _beside(114, _number(total)))
    before = _bytes(36, seen.terms[-2].total, "so_far") + _beside(36, f"{name} so far")
    key = _bytes(70, seen.term.word, "added", "d") + plus(170, 84, 7) + text(184, 88, seen.term.label, "m")
    result = _bytes(114, total, "sum", "d ae-r-now") + _beside(114, name)
    return _panel("AddRoundKey: one more XOR", before, key, line("M14 106.5H218"), result)
