"""The alphabet of the round explorer: text, lines, and bytes in boxes, as SVG. Classes are in round_explorer.css."""

from html import escape

TONES = ("blue", "orange", "green", "purple", "r-key")  # colours of the four tables and of the key


def text(x, y, words, kind="", data=None):
    """Words with their baseline at y; ``data`` numbers the byte they show within its group."""
    at = "" if data is None else f' data-i="{data}"'
    return f'<text class="{kind}" x="{x:g}" y="{y:g}"{at}>{escape(words)}</text>'


def titled(x, y, title, says):
    """A title and, after it, what it is about."""
    about = f'<tspan class="u r" dx="8">{escape(says)}</tspan>'
    return f'<text class="t" x="{x:g}" y="{y:g}">{escape(title)}{about}</text>'


def line(path, kind="g"):
    """A path."""
    return f'<path class="{kind}" d="{path}"/>'


def rect(x, y, w, h, kind=""):
    """A box."""
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"/>'


def arrow(path, x, y, turn, kind="g"):
    """A line with a head at (x, y); ``turn`` is its direction in degrees, 0 to the right."""
    return line(path, kind) + f'<path class="h" transform="translate({x:g} {y:g})rotate({turn})" d="M0 0l-8-4v8z"/>'


def plus(x, y, r=9):
    """The sign of XOR."""
    return line(f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0{-2 * r} 0h{2 * r}M{x} {y - r}v{2 * r}", "x")


def drawing(label, body, size="", says=""):
    """An SVG of its own: its name, its ``size`` as attributes, and in plain words what it ``says``.

    A <title> would hang a tooltip over the whole picture.
    """
    alt = f"<desc>{escape(says)}</desc>" if says else ""
    return f'<svg role="img" aria-label="{escape(label)}"{size and f" {size}"}>{alt}{body}</svg>'


def laid_out(picture, *beside):
    """HTML: a drawing, and others beside it or, where there is no room, beneath."""
    return f'<div class="ae-rounds">{picture}<div class="ae-inside">{"".join(beside)}</div></div>'


def named(name, body, tone=None):
    """A group that tests and tools find by name."""
    kind = "" if tone is None else f' class="ae-{TONES[tone]}"'
    return f'<g data-name="{name}"{kind}>{body}</g>'


def tab(x, y, h, width, letter, filled=True):
    """The coloured left end of a box, with its letter."""
    shape = line(f"M{x + width} {y}v{h}h{4 - width}a4 4 0 0 1-4-4v{8 - h}a4 4 0 0 1 4-4z", "i") if filled else ""
    return shape + text(x + width / 2 + 0.5, y + h / 2 + 4.5, letter, "s")


def cell(x, y, w, h, value, kind="", tone=None, data=None):
    """A byte in a box. ``kind``: "" plain, p pending, n next, d done, a active; ``tone`` numbers colour and digit."""
    if kind == "p":
        return rect(x, y, w, h, kind)
    big = h > 34
    end = 0 if tone is None else 14 if big else 12
    ink = "v" + " b" * big + " k" * (kind == "a")
    body = rect(x, y, w, h, kind) + (tab(x, y, h, end, f"{tone}", kind != "a") if end else "")
    body += text(x + (w + end) / 2, y + h / 2 + (5.5 if big else 4.5), f"{value:02x}", ink, data)
    return body if tone is None else f'<g class="ae-{TONES[tone]}">{body}</g>'
