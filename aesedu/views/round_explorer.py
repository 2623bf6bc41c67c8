"""The round explorer's picture: one round by table look-ups, beneath it the same round by FIPS-197's steps.

A byte keeps its colour and its digit, the number of its row and table, all the way. Pictures are drawn in px and never
scaled. ``round_frame`` has the values, ``round_panels`` what stands beside the picture.
"""

import re

from aesedu.views import style
from aesedu.views.round_frame import Frame, Place, frame
from aesedu.views.round_panels import panels
from aesedu.views.round_shapes import TONES, arrow, cell, drawing, laid_out, line, named, plus, rect, tab, text, titled
from aesedu.views.table import table

WIDTH, HEIGHT = 810, 511
# The state before: its corner, its cells' pitch and size. The style sheet lays buttons over them.
STATE_X, STATE_Y, PITCH_X, PITCH_Y, CELL_W, CELL_H = 22, 50, 44, 40, 40, 36
_SUM_X, _WORD_X, _AFTER_X = 242, 396, 616
_SMALL_X, _SMALL_Y, _SMALL_GAP = 22, 360, 156
_MIDDLE = _SMALL_Y + 59


def css():
    """The style sheet of this view, beside the suite's."""
    return style.sheet(__file__)


# --- what is known, and what is followed ----------------------------------------------------------------------------


def _rank(seen, row, column):
    """-1, 0 or 1: the look-up of this byte of the state before is done, is now, or is to come."""
    then = seen.target(row, column), row
    return 0 if then == seen.place[1:] else -1 if _known(seen, *then) else 1


def _tone(seen, row, column):
    """The number of the look-up that takes this byte of the state before, None if it is not of this column."""
    return row if seen.place.round and seen.target(row, column) == seen.place.column else None


def _known(seen, column, word=-1):
    """Whether word number ``word`` of a column, by default its last, has been XORed in."""
    return (column, word % len(seen.terms)) <= seen.known[1:]


# --- the states before and after ------------------------------------------------------------------------------------


def _at(i, x):
    return x + PITCH_X * (i // 4), STATE_Y + PITCH_Y * (i % 4), CELL_W, CELL_H


def _heads(x, name):
    columns = "".join(text(x + PITCH_X * c + CELL_W / 2, STATE_Y - 9, f"c{c}", "v u") for c in range(4))
    rows = "".join(text(x - 6, STATE_Y + PITCH_Y * r + 23, f"r{r}", "e u") for r in range(4))
    return text(x, 14, name, "t") + columns + rows


def _column_frame(x, column):
    return rect(x + PITCH_X * column - 1.5, STATE_Y - 1.5, CELL_W + 3, 3 * PITCH_Y + CELL_H + 3, "f")


def _state_before(seen):
    cells = ""
    for i, value in enumerate(seen.before):
        row, tone = i % 4, _tone(seen, i % 4, i // 4)
        kind = "" if tone is None else "dan"[_rank(seen, row, i // 4) + 1]
        cells += cell(*_at(i, STATE_X), value, kind, tone, i)
    text_in = "Plaintext" if seen.direction == "encrypt" else "Ciphertext"
    name = f"State before round {seen.place.round}" if seen.place.round else text_in
    chosen = "" if seen.place.round else _column_frame(STATE_X, seen.place.column)
    return _heads(STATE_X, name) + _wires(seen) + named("before", cells) + chosen


def _wires(seen):
    """From the column's bytes behind the cells to the tables."""
    wires = ""
    for n, term in enumerate(seen.terms):
        if term.lookup:
            x, y, w, h = _at(4 * term.lookup.column + n, STATE_X)
            wire = line(f"M{x + w} {y + h / 2}H{_SUM_X}", "l w" if n == seen.place.word else "l")
            wires += f'<g class="ae-{TONES[n]}">{wire}</g>'
    return wires


def _state_after(seen):
    cells = "".join(
        cell(*_at(i, _AFTER_X), value, "" if _known(seen, i // 4) else "p", None, i)
        for i, value in enumerate(seen.after)
    )
    text_out = "Ciphertext" if seen.direction == "encrypt" else "Plaintext"
    name = text_out if seen.last else f"State after round {seen.place.round}"
    return _heads(_AFTER_X, name) + named("after", cells) + _column_frame(_AFTER_X, seen.place.column) + _ticks(seen)


def _ticks(seen):
    """Beneath each column, how many of its words are in."""
    count = len(seen.terms)
    step = 40 // count
    return "".join(
        rect(_AFTER_X + PITCH_X * c + w * step, 215, step - 2, 4, "q f" if _known(seen, c, w) else "q")
        for c in range(4)
        for w in range(count)
    )


# --- the T-table way ------------------------------------------------------------------------------------------------


def _sum(seen):
    """The column as a written sum: a line for each word, and beneath the rule what they come to so far."""
    count = len(seen.terms)
    says = "five words, XORed, make a column" if count == 5 else "nothing to look up yet: round 0 adds the key"
    top = STATE_Y + PITCH_Y * (5 - count)
    heads = "".join(text(_WORD_X + 42 * r + 20, top - 9, f"r{r}", "v u") for r in range(4))
    lines = "".join(_summand(seen, n, top + PITCH_Y * n) for n in range(count))
    rule = line(f"M{_SUM_X} 255.5H{_WORD_X + 166}")
    return titled(_SUM_X, 14, "T-tables", says) + heads + lines + rule + _total(seen)


def _word(word, y, kind):
    return "".join(cell(_WORD_X + 42 * r, y, 40, 34, byte, kind, None, r) for r, byte in enumerate(word))


def _summand(seen, n, y):
    term, now, mid = seen.terms[n], seen.place.word, y + CELL_H / 2
    tone, letter = (n, f"{n}") if term.lookup else (4, "k" if n else "s")
    known = _known(seen, seen.place.column, n)
    kind = "a" if n == now else "d" if known else "n"
    pill = rect(_SUM_X, y + 1, 108, 34, kind) + tab(_SUM_X, y + 1, 34, 22, letter, kind != "a")
    pill += text(_SUM_X + 31, mid + 4.5, term.label, "m k" if kind == "a" else "m")
    wire = line(f"M{_SUM_X + 108} {mid}H{_WORD_X}", "l w" if n == now else "l") + (plus(373, mid) if n else "")
    word = _word(term.word, y + 1, "d y" if n == now else "d" if known else "p")
    return named(f"word{n}", pill + wire + word, tone)


def _total(seen):
    y, column, done = 262, seen.place.column, _known(seen, seen.place.column)
    x = _AFTER_X + PITCH_X * column + CELL_W / 2
    says = text(_SUM_X + 26, y + 22, "column done" if done else "so far", "u")
    word = named("total", _word(seen.total, y, "d y ae-r-now" if done else "n ae-r-now"))
    way = arrow(f"M{_WORD_X + 166} {y + 17}H{x - 6}q6 0 6 -6V230", x, 224, -90, "f" if done else "g")
    return text(_SUM_X, y + 22, f"t{column}", "m o") + says + word + way


# --- FIPS-197's way -------------------------------------------------------------------------------------------------

_STEPS = ("SubBytes", "ShiftRows", "MixColumns", "round key", "AddRoundKey")


def _standard(seen):
    """FIPS-197's steps as small states; each byte appears when the sum above has got as far."""
    title = titled(_SUM_X, 331, "FIPS-197", "four steps, each on the whole state")
    states = (seen.sub_bytes, seen.shift_rows, seen.mix_columns, seen.round_key, seen.added)
    parts = [_step(seen, n, name, state) for n, (name, state) in enumerate(zip(_STEPS, states, strict=True))]
    return title + "".join(parts) + _joints(seen) + _braces(seen)


def _step(seen, n, name, state):
    x = _SMALL_X + _SMALL_GAP * n
    inverse = "Inv" if seen.direction == "decrypt" and n < 3 else ""
    label = f"{('1 ', '2 ', '3 ', '', '4 ')[n]}{inverse}{name}"
    if state is None:
        return text(x, _SMALL_Y - 9, label, "u") if seen.place.round else ""
    look = _followed if n < 2 else _mixed
    cells = (
        cell(x + 35 * (i // 4), _SMALL_Y + 30 * (i % 4), 33, 28, value, *look(seen, n, i % 4, i // 4), i)
        for i, value in enumerate(state)
    )
    return text(x, _SMALL_Y - 9, label) + named(name.replace(" ", "_"), "".join(cells))


def _followed(seen, n, row, column):
    """Kind and tone of a byte after SubBytes (n = 0) or ShiftRows (1): it is still one byte of the state before."""
    source = (column + n * row * seen.step) % 4
    rank, tone = _rank(seen, row, source), _tone(seen, row, source)
    return "p" if rank > 0 else "" if tone is None else "da"[rank == 0], tone


def _mixed(seen, n, row, column):
    """Kind and tone of a byte after MixColumns (n = 2), of the round key (3) or after AddRoundKey (4)."""
    word = 3 if n == 2 else -1
    now = column == seen.place.column and word % len(seen.terms) == seen.place.word
    return "p" if not _known(seen, column, word) else "d ae-r-now" if now else "", None


def _joints(seen):
    """What leads from step to step, from the state before to the first and from the last to the state after."""
    y, second, third, fourth = _MIDDLE, *(_SMALL_X + _SMALL_GAP * n for n in (1, 2, 3))
    way = arrow("M91 212V330", 91, 337, 90) + arrow(f"M{second - 15} {y}h6", second - 2, y, 0)
    if seen.mix_columns:
        way += arrow(f"M{third - 15} {y}h6", third - 2, y, 0)
    elif seen.place.round:
        way += line(f"M{third - 15} {y}H{fourth - 16}") + text(third + 69, y - 12, "not in the last round", "c u")
    else:
        way = line(f"M91 212V{y - 6}q0 6 6 6H{fourth - 16}")
        way += text(283, y - 12, "round 0 has no SubBytes, ShiftRows or MixColumns", "c u")
    equals = line(f"M{fourth + 142} {y - 2.5}h10m-10 5h10")
    back = arrow(f"M786 {y}h10q6 0 6 -6V134q0 -6 -6 -6h-1", 790, 128, 180)
    return way + plus(fourth - 9, y, 7) + equals + back


def _braces(seen):
    """Which of the steps the table holds, and which the key word is."""
    number, inverse = seen.place.round, seen.direction == "decrypt"
    kind, key = ("Td", "dk") if inverse else ("Te", "rk")
    added = _brace(_SMALL_X + 3 * _SMALL_GAP, 786, f"step 4: XOR with {key}[{4 * number}] to {key}[{4 * number + 3}]")
    if not number:
        return added
    if seen.last:
        box = "the inverse S-box" if inverse else "the S-box"
        return added + _brace(_SMALL_X, _SMALL_X + 294, f"steps 1 and 2: a look-up in {box}")
    return added + _brace(_SMALL_X, _SMALL_X + 450, f"steps 1 to 3: a look-up in {kind}0 to {kind}3")


def _brace(left, right, words):
    return line(f"M{left} 483v5H{right}v-5") + text((left + right) / 2, 502, words, "c u")


def picture(seen: Frame):
    """SVG: the two ways, one above the other, with name and description."""
    body = rect(0, 309, WIDTH, HEIGHT - 309, "z") + _state_before(seen) + _sum(seen) + _state_after(seen)
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    return drawing(heading(seen), body + _standard(seen), size, in_words(seen))


def board(seen: Frame):
    """HTML: the picture, and panels beside it or, where there is no room, beneath."""
    return f'<div class="ae-roundbox">{laid_out(picture(seen), panels(seen))}</div>'


# --- in words -------------------------------------------------------------------------------------------------------


def heading(seen: Frame):
    """Round and direction."""
    way = "encryption" if seen.direction == "encrypt" else "decryption by the equivalent inverse cipher"
    return f"Round {seen.place.round} of {seen.rounds}, {way}"


def _code(value):
    return f'<span class="ae-mono">{value.hex(" ") if isinstance(value, bytes) else value}</span>'


def sentence(seen: Frame):
    """What is seen now, as HTML: a sentence, and a second one with what follows from it."""
    return f"Column {seen.place.column}, word {seen.place.word + 1} of {len(seen.terms)}: {_sees(seen)}", _follows(seen)


def _sees(seen):
    term, hit = seen.term, seen.term.lookup
    if hit:
        index = _code(f"{hit.index:02x}")
        return f"row {hit.row}, column {hit.column} holds {index}; {_code(term.label)} is {_code(term.word)}."
    if seen.place.word == 0:
        return f"column {seen.place.column} of the block is {_code(term.word)}."
    made = "InvMixColumns of " if seen.mixed_key else ""
    return f"the key word {_code(term.label)} = {made}{_code(f'w[{seen.schedule_word}]')} is {_code(term.word)}."


def _follows(seen):
    number, column, word = seen.place
    total = _code(seen.term.total)
    if word == len(seen.terms) - 1:
        where = "the result" if seen.last else f"the state after round {number}"
        return f"XORed in, column {column} of {where} is {total}."
    if word == 3:
        step = ("Inv" if seen.direction == "decrypt" else "") + ("ShiftRows" if seen.last else "MixColumns")
        return f"XORed in, the running word is {total}: the column that {step} leaves."
    if word:
        return f"XORed in, the running word is {total}."
    return "It is the first word of the sum." if number else "Round 0 looks nothing up, it only adds the key."


def in_words(seen: Frame):
    """The picture as plain text: the sentence, then a line for each state; a byte not known yet is a dot."""
    said = re.sub("<.*?>", "", " ".join(sentence(seen)))
    words = "; ".join(f"{t.label} {t.word.hex(' ')}" for t in seen.words)
    states = zip(_STEPS, (seen.sub_bytes, seen.shift_rows, seen.mix_columns, seen.round_key, seen.added), strict=True)
    steps = [f"{name}: {_shown(seen, n, state)}" for n, (name, state) in enumerate(states) if state]
    return "\n".join([said, f"state before: {seen.before.hex(' ', 4)}", f"words: {words}", *steps])


def _shown(seen, n, state):
    look = _followed if n < 2 else _mixed
    shown = (f"{b:02x}" if look(seen, n, i % 4, i // 4)[0] != "p" else "." for i, b in enumerate(state))
    return " ".join(shown)


def round_table(key, block, direction, number):
    """HTML: every word of one round and the columns they make."""
    last = 4 if number else 1
    columns = [frame(key, block, direction, Place(number, c, last)) for c in range(4)]
    terms = [seen.terms for seen in columns]
    words = zip(*terms, strict=True)
    rows = [(f"word {n}", *(f"{t.label}  {t.word.hex(' ')}" for t in row)) for n, row in enumerate(words, start=1)]
    rows.append(("their XOR", *(t[-1].total.hex(" ") for t in terms)))
    names = [f"column {c}" for c in range(4)]
    words = table(("", *names), rows, f"{heading(columns[0])}: the words of each column", text=names)
    return f'<div class="ae-mono">{words}</div>'


def static(key, block, direction, place):
    """HTML: the picture of a place with all of its round known, its sentence, and the round's words as a table.

    Raises ValueError or TypeError for a wrong key, block or direction.
    """
    seen = frame(key, block, direction, place, whole=True)
    given = f"{heading(seen)}. Key {_code(key.hex())}, block {_code(block.hex())}."
    told = f'<div class="ae-muted">{given}</div>'
    told += board(seen) + style.status(*sentence(seen))
    return css() + told + round_table(key, block, direction, place.round)
