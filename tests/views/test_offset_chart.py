"""The chart of times over offsets: marks where their values say, kinds told apart, everything in words as well."""

import re
from xml.etree import ElementTree

import pytest

from aesedu.layout import WIDTHS, Spot, spots
from aesedu.views import offset_chart
from aesedu.views.chart import Row

PLACES = [spot for width in WIDTHS for spot in spots(width)]


def rows(change, origin="measured"):
    """A row for each spot: ``change(spot)`` in per cent, half a per cent of whisker on either side."""
    made = {}
    for spot in PLACES:
        value = 1 + change(spot) / 100
        made[spot.label] = Row(spot.label, "", value, value - 0.005, value + 0.005, 30, origin)
    return made


def chart(values):
    return ElementTree.fromstring(offset_chart.chart(PLACES, values, 128, "Offsets"))


def marks(root):
    """(colour, x in per cent, y in px, hollow) of each mark."""
    for group in root.iter("g"):
        mark = group.find("svg")
        hollow = "ae-hollow" in mark.find("path").get("class")
        yield group.get("class"), float(mark.get("x")[:-1]), float(mark.get("y")), hollow


def axis(root):
    """The two ends of a scale from px to per cent, from the ticks with a number on them."""
    ticks = [(float(t.get("y")) - 4.5, t.text) for t in root.iter("text") if t.text.endswith(" %")]
    return [(y, float(text[:-2].replace("\N{MINUS SIGN}", "-"))) for y, text in (ticks[0], ticks[-1])]


def check_heights(values):
    root = chart(values)
    (y0, p0), (y1, p1) = axis(root)
    assert (y0 < y1) == (p0 > p1), "slower is higher"
    for (_, _, y, _), row in zip(marks(root), values.values(), strict=True):
        assert p0 + (y - y0) * (p1 - p0) / (y1 - y0) == pytest.approx(100 * (row.value - 1), abs=0.05)


@pytest.mark.parametrize("height", [0.5, 3, 14, 90])
def test_marks_stand_at_their_values(height):
    check_heights(rows(lambda spot: height * spot.offset / 64 - 1))


def test_a_wrong_axis_is_caught(monkeypatch):
    monkeypatch.setattr(offset_chart._Axis, "__call__", lambda self, change: 100 + 500 * change)
    with pytest.raises(AssertionError):
        check_heights(rows(lambda spot: spot.offset))


def test_kinds_differ_in_colour_and_the_control_is_hollow():
    for spot, (colour, _, _, hollow) in zip(PLACES, marks(chart(rows(lambda spot: 0))), strict=True):
        crossing = spot.width == 64 and spot.offset % 8 == 4
        assert colour == ("ae-vermilion" if crossing else "ae-blue" if spot.width == 64 else "ae-green")
        assert hollow == spot.again
    assert all(hollow for *_, hollow in marks(chart(rows(lambda spot: 0, "recorded"))))


def test_marks_go_from_left_to_right_with_the_offset_and_pages_last():
    at = {spot: x for spot, (_, x, *_) in zip(PLACES, marks(chart(rows(lambda spot: 0))), strict=True)}
    lines = [at[Spot(64, offset)] for offset in range(4, 64, 4)]
    assert [at[Spot(64, 0, again=True)], *lines, at[Spot(64, 0, across=True)], at[Spot(64, 4, across=True)]] == sorted(
        at[spot] for spot in PLACES if spot.width == 64
    )


def test_nothing_measured_leaves_the_frame():
    root = chart({spot.label: Row(spot.label) for spot in PLACES})
    assert not list(marks(root)) and root.find("desc").text == "not measured yet"


def test_values_are_there_in_words():
    values = rows(lambda spot: 13.6 if spot.crossing(128) else -0.2)
    said = chart(values).find("desc").text
    assert "64-bit loads, 4: +13.6 %" in said and "32-bit loads, 4: \N{MINUS SIGN}0.2 %" in said
    table = offset_chart.numbers([spot.label for spot in PLACES], values, "Offsets")
    assert len(re.findall("<tr>", table)) == 1 + len(PLACES) and "+13.1 % to +14.1 %" in table
    assert offset_chart.percent(values["64-bit loads, 4"]) == "+13.6 % (+13.1 to +14.1)"
    assert offset_chart.percent(Row("nothing yet")) == "not known"
