"""The picture of two times against each other: what it says in words, and that it is well formed."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aesedu.views.comparison import _ticks, ratio_chart


def parse(svg):
    return ElementTree.fromstring(svg)


def test_alternative_text_has_the_figures():
    root = parse(
        ratio_chart([("b to a", (1.031, 1.028, 1.034), False), ("a to itself", (1.0, 0.99, 1.01), True)], "B & A")
    )
    assert root.find("title").text == "B & A"
    assert (
        root.find("desc").text == "b to a: ratio 1.0310, 1.0280 to 1.0340; a to itself: ratio 1.0000, 0.9900 to 1.0100"
    )


def test_without_a_result_the_row_stays_empty():
    root = parse(ratio_chart([("b to a", None, False)], "x"))
    assert root.find("desc").text == "not measured yet" and not root.findall(".//path")


def marks(root):
    return [float(mark.get("x").rstrip("%")) for mark in root.iter("svg") if mark.get("x")]


@given(st.floats(1.001, 1e5))
def test_faster_is_left_and_everything_is_inside(ratio):
    rows = [
        ("faster", (ratio, ratio / 1.01, ratio * 1.01), False),
        ("slower", (1 / ratio, 0.99 / ratio, 1.01 / ratio), False),
    ]
    faster, slower = marks(parse(ratio_chart(rows, "x")))
    assert 0 <= faster < 50 < slower <= 100 and faster == pytest.approx(100 - slower, abs=0.02)


@given(st.floats(0.04, 12))
def test_axis_always_has_no_difference_and_a_few_more_ticks(reach):
    ratios = [ratio for ratio, _ in _ticks(reach)]
    assert 1 in ratios and 3 <= len(ratios) <= 13
