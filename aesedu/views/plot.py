"""What charts that fill the width share: words, the frame, the marks of a legend. Across is per cent, down is px."""

from html import escape
from zlib import crc32


def text(x, y, words, anchor="middle", kind="ae-muted ae-num"):
    """Words at ``x``, px or a text such as "50%", with their baseline at ``y`` px."""
    return f'<text class="{kind}" x="{x}" y="{y:.1f}" text-anchor="{anchor}">{escape(str(words))}</text>'


def percent(value, digits=0):
    """A change in per cent with its sign, a true minus."""
    return f"{value:+.{digits}f} %".replace("-", "\N{MINUS SIGN}")


def frame(body, title, says, height, left, right):
    """SVG: the whole chart with its title and, in plain words, what it ``says``; margins ``left`` and ``right`` in px.

    ``data-v`` changes when the picture does: browser tests wait for it.
    """
    alt = f"<title>{escape(title)}</title><desc>{escape(says)}</desc>"
    size = f'height="{height}" style="padding:0 {right}px 0 {left}px"'
    return f'<svg class="ae-svg" role="img" {size} data-v="{crc32(body.encode()):08x}">{alt}{body}</svg>'


def legend(marks, note):
    """HTML: (mark, words) pairs, a mark being SVG around (0, 0), "" for none; beneath them a ``note`` (HTML)."""
    icon = '<svg aria-hidden="true" width="14" height="14" viewBox="-8 -8 16 16">{}</svg>'
    keys = "".join(f"<span>{icon.format(mark) if mark else ''}{escape(words)}</span>" for mark, words in marks)
    return f'<div class="ae-caption">{keys}<p>{note}</p></div>'
