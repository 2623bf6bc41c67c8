"""What stands in a chart and in its table: places, words, alternative text."""

import math
import re
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from aesedu.views.chart import HEAD, ROW, Row, decades, dots, legend, number
from aesedu.views.table import table, timing_board, timings

ROWS = [
    Row("slow", "Python", 52_300, 51_900, 52_800, 12),
    Row("fast", "C", 0.19, 0.18, 0.2, 9, origin="recorded", note="recorded on a VIA C3"),
    Row("none", "C", note="needs <AES>"),
]
values = st.floats(1e-4, 1e9)


def marks(svg):
    """Place in per cent and class of each mark."""
    return [(float(x), kind) for x, kind in re.findall(r'<svg x="([\d.]+)%"[^>]*><path class="ae-mark ([^"]+)"', svg)]


def test_marks_lie_where_the_axis_says():
    (slow, _), (fast, _) = marks(dots(ROWS, bounds=(0.1, 1e5)))
    assert slow == round(100 * math.log10(52_300 / 0.1) / 6, 2) and fast == round(100 * math.log10(1.9) / 6, 2)


def test_an_axis_a_decade_longer_moves_them():
    assert marks(dots(ROWS, bounds=(0.01, 1e5))) != marks(dots(ROWS, bounds=(0.1, 1e5)))


def test_series_differ_in_colour_and_shape():
    (_, one), (_, other) = marks(dots(ROWS))
    assert one == "ae-blue" and other == "ae-orange ae-hollow"
    shapes = re.findall(r'ae-mark[^>]* d="([^"]+)"', dots(ROWS))
    assert len(set(shapes)) == 2


def test_what_is_not_measured_here_says_so():
    svg = dots(ROWS)
    assert ">0.190 recorded<" in svg and "needs &lt;AES&gt;" in svg
    assert "hollow: not measured here" in legend(ROWS) and "hollow" not in legend(ROWS[:1])


def test_the_alternative_text_has_every_number():
    root = ET.fromstring(dots(ROWS, title="Times <here>"))
    assert root.get("role") == "img" and root.find("title").text == "Times <here>"
    assert root.find("desc").text == (
        "slow Python: 52,300 ns a byte, 51,900 to 52,800; fast C: 0.190 ns a byte, 0.180 to 0.200, recorded; "
        "none: needs <AES>"
    )


def test_the_height_depends_on_the_labels_only():
    empty = [Row(row.label) for row in ROWS]
    assert {ET.fromstring(dots(rows)).get("height") for rows in (ROWS, empty)} == {str(HEAD + 3 * ROW)}


def test_two_series_share_a_line():
    rows = [Row("same", "a", 1.0), Row("same", "b", 2.0), Row("other", "a", 3.0)]
    assert ET.fromstring(dots(rows)).get("height") == str(HEAD + 2 * ROW) and len(marks(dots(rows))) == 3


def test_another_picture_has_another_version():
    version = re.compile(r'data-v="(\w+)"')
    assert version.search(dots(ROWS))[1] != version.search(dots(ROWS[:2]))[1]


@given(st.lists(values, min_size=1, max_size=5))
def test_decades_hold_everything(found):
    low, high = decades([Row(str(v), value=v) for v in found])
    assert low <= min(found) * (1 + 1e-12) and max(found) <= high * (1 + 1e-12) and high >= 9.99 * low
    assert math.isclose(math.log10(low), round(math.log10(low)), abs_tol=1e-9)


@given(values)
def test_any_value_lies_on_the_axis(value):
    (place, _), *_ = marks(dots([Row("x", value=value, low=value / 2, high=value * 2)]))
    assert 0 <= place <= 100


@given(values)
def test_numbers_have_three_digits(value):
    text = number(value)
    assert math.isclose(float(text.replace(",", "")), value, rel_tol=0.0051)
    assert len(text.replace(",", "").replace(".", "").strip("0")) <= 3


def test_the_table_has_the_chart_s_numbers():
    root = ET.fromstring(timings(ROWS))
    cells = [[cell.text or "" for cell in line] for line in root.find("tbody")]
    assert cells == [
        ["slow", "52,300", "51,900 to 52,800", "0.0191", "12"],
        ["fast (recorded)", "0.190", "0.180 to 0.200", "5,260", "9"],
        ["none", "", "", "", ""],
    ]
    assert {cell.get("scope") for cell in root.iter("th")} == {"col", "row"} and root.find("caption").text


def test_text_columns_are_told_apart_and_escaped():
    html = table(["a", "b"], [["<", ">"]], "A & B", text=["b"])
    assert 'class="ae-text">b<' in html and "&lt;" in html and "A &amp; B" in html


def test_the_board_says_where_recordings_are_from():
    assert "fast: recorded on a VIA C3" in timing_board(ROWS)
