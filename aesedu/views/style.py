"""The look of the suite: one palette, one style sheet.

Colours are Okabe and Ito's (jfly.uni-koeln.de/color). ``fill`` is the original, for areas, with the ink that can be
read on it; ``light`` and ``dark`` are variants for text and lines with contrast >= 4.5:1 on the cards of the light and
the dark theme.
"""

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple


class Colour(NamedTuple):
    """One colour of the palette, each part as #rrggbb; see the module's text."""

    fill: str
    ink: str
    light: str
    dark: str


PALETTE = {
    "blue": Colour("#0072b2", "#ffffff", "#005a9c", "#62b0f0"),
    "orange": Colour("#e69f00", "#111111", "#8a5200", "#f0ac2e"),
    "green": Colour("#009e73", "#111111", "#00664a", "#35c495"),
    "purple": Colour("#cc79a7", "#111111", "#91386f", "#e3a0c6"),
    "vermilion": Colour("#d55e00", "#111111", "#a84300", "#ff8a3d"),
    "sky": Colour("#56b4e9", "#111111", "#1b6a9c", "#7cc7f2"),
}
SERIES = tuple(PALETTE)  # colours in the order in which charts use them

# JupyterLab's own muted text colours miss 4.5:1 on its grey surfaces, so muted text and the primary button are ours.
_THEMES = {
    "light": {"muted": "#595959", "primary": "#0b57a4", "surface": "#f4f4f4", "rule": "#dcdcdc", "edge": "#767676"},
    "dark": {"muted": "#b8b8b8", "primary": "#1a6fc9", "surface": "#262626", "rule": "#3a3a3a", "edge": "#8c8c8c"},
}


def _variables(theme):
    values = _THEMES[theme] | {name: getattr(colour, theme) for name, colour in PALETTE.items()}
    return ";".join(f"--ae-{name}:{value}" for name, value in values.items())


_SCOPE = ":is(.ae-card,.ae-twin,.ae-view)"  # a card of widgets, its static twin, a view shown on its own
_COLOURS = "".join(
    f".ae-{name}{{--ae-line:var(--ae-{name});--ae-fill:{c.fill};--ae-ink:{c.ink}}}" for name, c in PALETTE.items()
)


def packed(path):
    """The text of a style sheet or script without comments and line ends, to be put into a page."""
    text = re.sub(r"/\*.*?\*/|^//.*?$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"\s+", " ", text)


@cache
def sheet(file):
    """The style sheet that lies beside a view's ``file``, as a ``<style>`` element."""
    return f"<style>{packed(Path(file).with_suffix('.css'))}</style>"


@cache
def css():
    """The suite's style sheet as a ``<style>`` element. Every rule is scoped by the prefix ``ae-``."""
    light, dark = _variables("light"), _variables("dark")
    themes = f"{_SCOPE}{{{light}}}[data-jp-theme-light=false] {_SCOPE}{{{dark};color-scheme:dark}}"
    return f"<style>{themes}{_COLOURS}{packed(Path(__file__).with_name('style.css'))}</style>"


def heading(title, subtitle=""):
    """The title line of a card or view; `words in backticks` become code."""
    shown = re.sub("`(.+?)`", r'<code class="ae-mono">\1</code>', escape(title))
    small = f" <small>{escape(subtitle)}</small>" if subtitle else ""
    return f'<div class="ae-title"><span>{shown}</span>{small}</div>'


def page(body, title=""):
    """A view with its style sheet, to be shown on its own: ``IPython.display.HTML(page(...))``."""
    return f'{css()}<div class="ae-view">{heading(title) if title else ""}{body}</div>'


def twin(body, title, subtitle=""):
    """The static twin of a widget: same card, no controls. A live widget in the same output hides it."""
    name = escape(title.replace("`", ""))
    return f'{css()}<section class="ae-twin" aria-label="{name}">{heading(title, subtitle)}{body}</section>'


def status(headline, detail="", colour="blue"):
    """The sentence beneath a picture that says what is seen now."""
    lines = f"<p><strong>{headline}</strong></p>" + (f'<p class="ae-muted">{detail}</p>' if detail else "")
    return f'<div class="ae-status ae-{colour}">{lines}</div>'
