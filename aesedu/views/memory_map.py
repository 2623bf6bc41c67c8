"""A struct in memory: its words in rows of one cache line each, the loads of one block beneath them."""

from html import escape
from typing import NamedTuple

from aesedu import layout
from aesedu.layout import BASES, LINE, PAGE, WORD
from aesedu.views import style
from aesedu.views.round_shapes import rect, text
from aesedu.views.table import table

_W, _LEFT, _TOP, _PITCH = 42, 74, 20, 57  # px: a word, the margin with addresses, the head, from line to line
_LINE_W = _W * LINE // WORD
_WIDTH = _LEFT + _LINE_W + 8
_ROWS = 1 + (layout.LONGEST - 1 + BASES[-1]) // LINE  # lines that the longest struct touches wherever it begins
_COLOURS = {"key_length": "orange", "_pad1": "purple", "key_enc": "blue", "key_dec": "green"}
_LETTERS = {"key_enc": "e", "key_dec": "d"}
_BAR, _COLUMN = 12, 15  # px: one crossing load, and one base, in the small chart


class Seen(NamedTuple):
    """What a map shows. ``offset``: bytes from the start of a line to the struct, one of ``layout.BASES``.

    ``across``: whether a page ends within the round keys; ``width``: bits of a load. The rest as in ``layout``.
    """

    layout: str = "no padding"
    offset: int = 0
    across: bool = False
    direction: str = "encrypt"
    key_bits: int = 128
    width: int = 64

    @property
    def base(self):
        """The struct's address, of which only the last 13 bits matter."""
        if not self.across:
            return PAGE + self.offset
        return 2 * PAGE - {"encrypt": 2, "decrypt": 6}[self.direction] * LINE + self.offset

    @property
    def first_line(self):
        """The address of the line in which the struct begins."""
        return self.base - self.offset

    @property
    def start(self):
        """The address of the first round key."""
        return self.base + layout.offset(self.layout, self.direction)

    @property
    def loads(self):
        """The ``layout.Load``s that bring the round keys of one block."""
        return layout.key_loads(self.layout, self.base, self.direction, self.key_bits, self.width)

    @property
    def crossing(self):
        """Those of them that cross a line."""
        return [load for load in self.loads if load.crosses_line]


def css():
    """The style sheet of this view, beside the suite's."""
    return style.sheet(__file__)


# --- the map --------------------------------------------------------------------------------------------------------


def _place(seen, address):
    """px of an address: its left end, and the top of its line."""
    line, byte = divmod(address - seen.first_line, LINE)
    return _LEFT + byte * _W / WORD, _TOP + _PITCH * line


def _lines(seen):
    """An empty row for each line, with the address at which it begins."""
    head = "".join(text(_LEFT + _W * n + _W / 2, 14, f"{WORD * n}", "ae-m-w ae-m-u") for n in range(LINE // WORD))
    body = ""
    for n in range(_ROWS):
        y = _TOP + _PITCH * n
        body += rect(_LEFT, y + 14, _LINE_W, 22, "ae-m-line")
        body += text(_LEFT - 8, y + 30, f"{seen.first_line + LINE * n:#06x}", "ae-m-a")
    return head + body


def _field(seen, field):
    """The words of a field, and its name above the first."""
    begin = seen.base + field.offset
    x, y = _place(seen, begin)
    name = text(x, y + 10, field.name, "ae-m-t") if field.name in _LETTERS else ""
    read = range(seen.start, seen.start + layout.schedule_bytes(seen.key_bits))
    words = "".join(_word(seen, field, n, begin + WORD * n in read) for n in range(field.size // WORD))
    return f'<g class="ae-{_COLOURS[field.name]}">{name}{words}</g>'


def _word(seen, field, number, is_read):
    x, y = _place(seen, seen.base + field.offset + WORD * number)
    kind = ("even", "odd")[number // 4 % 2] if is_read or field.name == "key_length" else "idle"
    letter = _LETTERS.get(field.name)
    label = f"{letter}{number}" if letter else {"key_length": "len", "_pad1": "pad"}[field.name]
    muted = " ae-m-u" * (kind == "idle")
    return rect(x, y + 14, _W, 22, f"ae-m-word ae-m-{kind}") + text(x + _W / 2, y + 29, label, f"ae-m-w{muted}")


def _load(seen, load):
    """A load beneath its words, in two pieces where it crosses the end of a line."""
    end = min(load.address + load.size, (load.address // LINE + 1) * LINE)
    pieces = [(load.address, end - load.address)]
    if load.crosses_line:
        pieces.append((end, load.address + load.size - end))
    return "".join(_piece(seen, load, *piece) for piece in pieces)


def _piece(seen, load, address, size):
    (x, y), w = _place(seen, address), size * _W / WORD
    label = x + w / 2, y + 50.5, f"{load.number + 1}"
    if load.crosses_line:
        plate = rect(x + w / 2 - 10, y + 39, 20, 14, "ae-m-plate")
        return _hatched(x + 2, y + 38, w - 4) + plate + text(*label, "ae-m-n ae-m-bold")
    return rect(x + 2, y + 38, w - 4, 16, "ae-m-load") + text(*label, "ae-m-n")


def _hatched(x, y, w):
    """A box with strokes across."""
    strokes = "".join(f"M{x + at:g} {y + 16}l6 -16" for at in range(1, int(w) - 6, 5))
    return f'<path class="ae-m-hatch" d="{strokes}"/>{rect(x, y, w, 16, "ae-m-cross")}'


def _page(seen):
    """The border between two pages, where the struct lies across one."""
    y = _place(seen, 2 * PAGE)[1]
    line = f'<path class="ae-m-page" d="M0 {y - 0.5}H{_WIDTH}"/>'
    return line + text(0, y + 13, "next page", "ae-m-t") if seen.across else ""


def picture(seen: Seen):
    """SVG: the lines of memory, the struct's words in them, the loads beneath."""
    words = "".join(_field(seen, field) for field in layout.fields(seen.layout))
    loads = "".join(_load(seen, load) for load in seen.loads)
    alt = f"<desc>{escape(in_words(seen))}</desc>"
    size = f'width="{_WIDTH}" height="{_TOP + _PITCH * _ROWS}"'
    name = "The struct crypto_aes_ctx over cache lines of 64 bytes"
    return f'<svg role="img" aria-label="{name}" {size}>{alt}{_lines(seen)}{words}{loads}{_page(seen)}</svg>'


# --- beside it ------------------------------------------------------------------------------------------------------


def _counts(seen):
    """SVG: how many loads cross a line, for every base; the one shown is framed."""
    counts = layout.crossings(seen.layout, seen.direction, seen.key_bits, seen.width)
    bottom, bars = 98, ""
    for n, (base, count) in enumerate(counts.items()):
        x, h = _COLUMN * n, _BAR * count
        bars += rect(x + 2, bottom - h, _COLUMN - 4, h, "ae-m-bar")
        bars += text(x + _COLUMN / 2, bottom - h - 5, f"{count}", "ae-m-n")
        bars += text(x + _COLUMN / 2, bottom + 18, f"{base}", "ae-m-n ae-m-u") if base % 16 == 0 else ""
    now = rect(_COLUMN * BASES.index(seen.offset), bottom - 67, _COLUMN, 70, "ae-m-now")
    title = text(0, 14, "Crossing loads for each base", "ae-m-t")
    says = "; ".join(f"base {base}: {count}" for base, count in counts.items())
    name = f'role="img" aria-label="Crossing loads for each base"><desc>{says}</desc'
    foot = text(0, bottom + 38, "bytes from the start of a line", "ae-m-u")
    return f'<svg width="262" height="142" {name}>{title}{bars}{now}{foot}</svg>'


def _legend(seen):
    """SVG: what the marks mean."""
    field = layout.FIELD[seen.direction]
    keys = (
        (rect(1, 0, 30, 16, "ae-m-load") + text(16, 12.5, "1", "ae-m-n"), "a load within one line"),
        (_hatched(1, 0, 30), "a load that crosses a line"),
        (f'<g class="ae-orange">{rect(1, 0, 30, 16, "ae-m-word ae-m-even")}</g>', "len: key_length, pad: _pad1"),
        (f'<g class="ae-{_COLOURS[field]}">{rect(1, 0, 15, 16, "ae-m-word ae-m-even")}'
         f'{rect(16, 0, 15, 16, "ae-m-word ae-m-odd")}</g>', "words read, four a round key"),
        (rect(1, 0, 30, 16, "ae-m-word ae-m-idle"), "words not read"),
    )  # fmt: skip
    form = '<g transform="translate(0 {})">{}{}</g>'
    body = "".join(form.format(24 * n, mark, text(42, 13, says)) for n, (mark, says) in enumerate(keys))
    return f'<svg width="230" height="116" role="img" aria-label="Legend">{body}</svg>'


def board(seen: Seen):
    """HTML: the map, and beside it or beneath it the count for every base and the legend."""
    version = f"{hash(seen) & 0xFFFFFFFF:08x}"
    return f'<div class="ae-map" data-v="{version}">{picture(seen)}<div>{_counts(seen)}{_legend(seen)}</div></div>'


# --- in words -------------------------------------------------------------------------------------------------------


def _numbers(loads):
    *front, last = (str(load.number + 1) for load in loads)
    return f"numbers {', '.join(front)} and {last}" if front else f"number {last}"


def sentence(seen: Seen):
    """What is seen now, as HTML: how many loads cross a line, and why."""
    count, crossing = len(seen.loads), seen.crossing
    if not crossing:
        return f"None of {count} loads crosses a line.", _why(seen)
    cross = "crosses" if len(crossing) == 1 else "cross"
    return f"{len(crossing)} of {count} loads {cross} a line: {_numbers(crossing)}.", _why(seen)


def _why(seen):
    if seen.width == 32:
        return "A word of 4 bytes at a multiple of 4 never reaches over the end of a line, wherever the struct begins."
    field, past = layout.FIELD[seen.direction], seen.start % 8
    where = f"{field} begins at base + {seen.start - seen.base} = {seen.start:#06x}, "
    if not past:
        return f"{where}a multiple of 8, and so does every load: a line ends between two loads."
    pages = [load for load in seen.loads if load.crosses_page]
    page = f" Load {pages[0].number + 1} begins in one page and ends in the next." if pages else ""
    return f"{where}{past} past a multiple of 8: a line ends in the middle of a load.{page}"


def in_words(seen: Seen):
    """The map as plain text."""
    fields = ", ".join(f"{f.name} at base + {f.offset}" for f in layout.fields(seen.layout))
    return f"base {seen.base:#06x}; {fields}. {' '.join(sentence(seen))}"


def layouts_table(direction, key_bits, width):
    """HTML: for every layout and base, how many loads cross a line."""
    rows = [(name, *layout.crossings(name, direction, key_bits, width).values()) for name in layout.LAYOUTS]
    caption = f"Loads of {width} bits that cross a line, by layout and base, AES-{key_bits}, {direction}"
    return table(("bytes past a line", *map(str, BASES)), rows, caption)


def static(seen: Seen):
    """HTML: the map, its sentence, and the counts of all layouts."""
    layouts = layouts_table(seen.direction, seen.key_bits, seen.width)
    return css() + board(seen) + style.status(*sentence(seen)) + layouts
