"""Key expansion word by word: how w[i] comes about, the schedule it joins, and which keys decryption changes.

Pictures are drawn in px with the bytes and boxes of the round explorer; ``aesedu.cipher.key_schedule`` has the values.
"""

from aesedu.cipher.key_schedule import Expansion, equivalent_inverse, expand_key
from aesedu.views.round_explorer import css
from aesedu.views.round_shapes import arrow, cell, drawing, laid_out, line, named, plus, rect, text
from aesedu.views.table import table

WIDTH, HEIGHT = 810, 494
_SIZE = f'width="{WIDTH}" height="{HEIGHT}"'
_GAP, _Y = 167, 36  # px from station to station, and where they stand
_BOX = 138  # px of four bytes
_GRID_X, _GRID_Y, _GRID_H = 62, 192, 300
_TEMP, _BACK = 0, 1  # colours of w[i-1] and w[i-Nk]


# --- how the word comes about ---------------------------------------------------------------------------------------


def _bytes(x, y, word, kind="", tone=None):
    """Four bytes, or four empty places where there is no word."""
    kinds = "p" if word is None else kind
    boxes = "".join(cell(x + 35 * n, y, 33, 28, b, kinds, None, n) for n, b in enumerate(word or bytes(4)))
    return named(f"at{x}", boxes, tone)


def _stations(row):
    """w[i-1] on the left, w[i] on the right, what is done to it between them."""
    names = (f"w[{row.i - 1}]", "RotWord", "SubWord", "XOR Rcon", f"w[{row.i}]")
    words = (row.temp, row.after_rot_word, row.after_sub_word, row.after_xor_rcon, row.w)
    kinds, tones = ("d", "", "", "", "d ae-r-now"), (_TEMP, None, None, None, None)
    body = line(f"M{_BOX} {_Y + 14}H{4 * _GAP - 16}", "g")
    for n, (name, word) in enumerate(zip(names, words, strict=True)):
        x = _GAP * n
        body += text(x, _Y - 12, name, "o m" if n in (0, 4) else "o" if word else "u")
        body += _bytes(x, _Y, word, kinds[n], tones[n])
    heads = (arrow("", _GAP * n - 3, _Y + 14, 0) for n in range(1, 5))
    return body + "".join(heads)


def _summands(row, nk):
    """Beneath: Rcon[i/Nk] where there is one, and w[i-Nk]."""
    back = _summand(3.92 * _GAP, row.w_i_minus_nk, f"w[{row.i - nk}]", _BACK)
    if row.rcon is None:
        return back
    return _summand(2.92 * _GAP, row.rcon, f"Rcon[{row.i // nk}]", None) + back


def _summand(x, word, name, tone):
    left = x - 104
    wire = line(f"M{x} {_Y + 62}V{_Y + 24}", "g") + plus(x, _Y + 14)
    return wire + _bytes(left, _Y + 62, word, "d" if tone is not None else "", tone) + text(left, _Y + 110, name, "m")


# --- the schedule ---------------------------------------------------------------------------------------------------


def _schedule(key, row):
    """All words so far, Nk to a row, so that w[i-Nk] stands above w[i] and w[i-1] on its left."""
    nk, words = len(key) // 4, b"".join(expand_key(key))
    heads = "".join(_head(nk, column) for column in range(nk))
    cells = "".join(_schedule_word(row, nk, n, words[4 * n : 4 * n + 4]) for n in range(len(words) // 4))
    starts = (_start(nk, n) for n in range(0, len(words) // 4, nk))
    return heads + cells + "".join(starts)


def _grid(nk, n):
    """Left, top, width and height of a word's box: the schedules of all key sizes fill the same room."""
    w, h = (WIDTH - _GRID_X) // nk, _GRID_H // -(-4 * (nk + 7) // nk)
    return _GRID_X + w * (n % nk), _GRID_Y + h * (n // nk), w - 2, h - 3


def _head(nk, column):
    """What is done for the words of a column."""
    does = "all steps" if column == 0 else "SubWord" if nk == 8 and column == 4 else "one XOR"
    return text(_grid(nk, column)[0] + 2, _GRID_Y - 9, does, "u")


def _start(nk, n):
    """The name of a row's first word."""
    _, y, _, h = _grid(nk, n)
    return text(_GRID_X - 8, y + h / 2 + 4.5, f"w[{n}]", "e u")


def _schedule_word(row, nk, n, word):
    x, y, w, h = box = _grid(nk, n)
    if n > row.i:
        return rect(*box, "p")
    tone = {row.i - 1: _TEMP, row.i - nk: _BACK}.get(n)
    kind = "d y ae-r-now" if n == row.i else "d" if tone is not None else ""
    return named(f"w{n}", rect(*box, kind) + text(x + w / 2, y + h / 2 + 4.5, word.hex(" "), "v"), tone)


# --- the standard's way of saying it --------------------------------------------------------------------------------


def _algorithm(row, nk):
    """SVG: one word of FIPS-197's Algorithm 2; what applies now is bold."""
    multiple, middle = row.i % nk == 0, nk == 8 and row.i % nk == 4
    lines = (
        ("temp = w[i-1]", True),
        ("if i mod Nk = 0:", multiple),
        ("    RotWord, SubWord,", multiple),
        ("    XOR Rcon[i/Nk]", multiple),
        ("if Nk = 8, i mod 8 = 4:", middle),
        ("    SubWord", middle),
        ("w[i] = w[i-Nk] XOR temp", True),
    )
    body = "".join(
        text(14 + 6 * (len(code) - len(code.lstrip())), 24 + 20 * n, code.strip(), "m o" if holds else "m u")
        for n, (code, holds) in enumerate(lines)
    )
    says = " ".join(code.strip() for code, holds in lines if holds)
    return drawing(f"What applies to this word: {says}", body)


def _legend():
    """SVG: what the boxes of the schedule are."""
    kinds = (
        ("d", _TEMP, "w[i-1], on its left"),
        ("d", _BACK, "w[i-Nk], above it"),
        ("d y ae-r-now", None, "w[i], now"),
    )
    kinds += (("", None, "known"), ("p", None, "still to come"))
    rows = (
        named(f"key{n}", rect(14, 14 + 27 * n, 33, 20, kind), tone) + text(60, 29 + 27 * n, says)
        for n, (kind, tone, says) in enumerate(kinds)
    )
    return drawing("Legend", "".join(rows))


def board(key, row: Expansion):
    """HTML: how ``row.w`` comes about, the schedule of ``key`` up to it, and the algorithm."""
    nk = len(key) // 4
    body = _stations(row) + _summands(row, nk) + _schedule(key, row)
    picture = drawing(f"Word {row.i} of the key schedule", body, _SIZE, in_words(key, row))
    return laid_out(picture, _algorithm(row, nk), _legend())


# --- in words -------------------------------------------------------------------------------------------------------


def sentence(key, row: Expansion):
    """What is seen now, as HTML: the word as a formula, and why it is that one."""
    nk, i = len(key) // 4, row.i
    return f"<code>w[{i}] = w[{i - nk}] XOR {_temp(row, nk)} = {row.w.hex()}</code>", _why(row, nk)


def _temp(row, nk):
    if row.rcon:
        return f"SubWord(RotWord(w[{row.i - 1}])) XOR Rcon[{row.i // nk}]"
    return f"SubWord(w[{row.i - 1}])" if row.after_sub_word else f"w[{row.i - 1}]"


def _why(row, nk):
    where = f"It is word {row.i % 4} of round key {row.i // 4}."
    if row.rcon:
        return f"{row.i} is a multiple of Nk = {nk}. {where}"
    if row.after_sub_word:
        return f"Nk is 8 and {row.i} mod 8 is 4: SubWord once more, without RotWord and Rcon. {where}"
    return f"{row.i} is no multiple of Nk = {nk}: one XOR. {where}"


def in_words(key, row: Expansion):
    """The picture as plain text."""
    steps = {"after RotWord": row.after_rot_word, "after SubWord": row.after_sub_word, "Rcon": row.rcon}
    steps |= {"after XOR with Rcon": row.after_xor_rcon, f"w[{row.i - len(key) // 4}]": row.w_i_minus_nk}
    said = "; ".join(f"{name} {word.hex(' ')}" for name, word in steps.items() if word)
    return f"temp = w[{row.i - 1}] = {row.temp.hex(' ')}; {said}; w[{row.i}] = {row.w.hex(' ')}"


# --- the keys of decryption -----------------------------------------------------------------------------------------


def decryption_keys(key):
    """HTML: each round key, what it becomes for the equivalent inverse cipher, and when that uses it.

    Raises ValueError or TypeError for anything but a key of 16, 24 or 32 bytes.
    """
    keys = expand_key(key)
    inverse, last = equivalent_inverse(keys), len(keys) - 1
    how = [f"{last - n}, {'as it is' if n in (0, last) else 'InvMixColumns'}" for n in range(last + 1)]
    rows = [(n, k.hex(" ", 4), how[n], inverse[last - n].hex(" ", 4)) for n, k in enumerate(keys)]
    columns = ("round key", "its words", "decryption key", "words of that")
    words = table(columns, rows, "Round keys and what decryption makes of them", text=columns)
    return f'{css()}<div class="ae-rounds">{_reversal(last)}</div><div class="ae-mono">{words}</div>'


def _reversal(last):
    """SVG: the round keys from left to right, beneath them the decryption keys they become."""
    pitch = 740 // (last + 1)
    body = text(0, 16, "encryption uses them in this order", "u") + arrow("M232 12H280", 286, 12, 0)
    for n in range(last + 1):
        x = 8 + pitch * n
        middle, changed = x + (pitch - 6) / 2, 0 < n < last
        body += _key(x, 30, pitch - 6, n, "blue", changed) + _key(x, 130, pitch - 6, last - n, "green", changed)
        body += arrow(f"M{middle} 58V122", middle, 128, 90)
    body += rect(8 + pitch - 1, 78, pitch * (last - 1) - 4, 28, "")
    body += text(8 + pitch * (last + 1) / 2, 97, "InvMixColumns", "c o")
    body += text(0, 184, "decryption uses them in this order", "u") + arrow("M280 180H238", 232, 180, 180)
    changed = f"Round keys 1 to {last - 1} pass through InvMixColumns"
    says = f"{changed}; 0 and {last} stay as they are; the order is reversed."
    return drawing(says, body, 'width="756" height="190"')


def _key(x, y, w, number, colour, changed):
    kind = "d" if changed else ""
    return f'<g class="ae-{colour}">{rect(x, y, w, 28, kind)}{text(x + w / 2, y + 18.5, str(number), "v")}</g>'
