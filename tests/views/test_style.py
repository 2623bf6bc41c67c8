"""Contrast of the palette, by WCAG 2's formula, and rules that hold for the whole style sheet."""

import re

import pytest

from aesedu.views import style

CARDS = {"light": "#ffffff", "dark": "#111111"}  # JupyterLab's --jp-layout-color0
SURFACES = {theme: (card, style._THEMES[theme]["surface"]) for theme, card in CARDS.items()}


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_formula_against_published_values():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)  # the grey that just fails (WebAIM)


@pytest.mark.parametrize("theme", CARDS)
@pytest.mark.parametrize("name", style.PALETTE)
def test_lines_and_text_stand_out(theme, name):
    colour = getattr(style.PALETTE[name], theme)
    assert all(contrast(colour, surface) >= 4.5 for surface in SURFACES[theme])


@pytest.mark.parametrize("name", style.PALETTE)
def test_letters_can_be_read_on_fills(name):
    assert contrast(style.PALETTE[name].ink, style.PALETTE[name].fill) >= 4.5


@pytest.mark.parametrize("theme", CARDS)
def test_muted_text_and_buttons(theme):
    named = style._THEMES[theme]
    assert all(contrast(named["muted"], surface) >= 4.5 for surface in SURFACES[theme])
    assert contrast(named["primary"], "#ffffff") >= 4.5
    assert contrast(named["edge"], CARDS[theme]) >= 3  # WCAG 1.4.11: borders of controls


def test_every_rule_is_ours():
    """A class without our prefix would restyle the reader's notebook."""
    text = re.sub(r"\{[^{}]*\}", "{}", style.css())
    selectors = [s for s in re.findall(r"([^{}]+)\{\}", text) if not s.strip().startswith("@")]
    assert len(selectors) > 30 and all(".ae-" in selector for selector in selectors)


def test_packing_keeps_the_rules():
    css = style.css()
    assert "/*" not in css and "\n" not in css and css.count("{") == css.count("}")
