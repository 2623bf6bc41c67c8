"""The memory map: every word and load where its address says, and what a picture owes its readers."""

import itertools
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aesedu import layout
from aesedu.layout import BASES, LAYOUTS, WIDTHS
from aesedu.views import memory_map as view
from aesedu.views.memory_map import Seen

SEEN = st.builds(
    Seen,
    st.sampled_from(list(LAYOUTS)),
    st.sampled_from(BASES),
    st.booleans(),
    st.sampled_from(["encrypt", "decrypt"]),
    st.sampled_from([128, 192, 256]),
    st.sampled_from(WIDTHS),
)
WORD_W, LINE_H = 42, 57  # px


def svg(seen):
    return ElementTree.fromstring(view.picture(seen))


def texts(root, kind):
    """(x, y, text) of the texts of a class."""
    found = (t for t in root.iter("text") if kind in t.get("class").split())
    return [(float(t.get("x")), float(t.get("y")), t.text) for t in found]


def address(seen, x, y):
    """The word of the drawing that a point lies in, worked out from the picture's own scale."""
    row, column = int((y - 20) // LINE_H), int((x - 74) // WORD_W)
    return seen.base - seen.offset + 64 * row + 4 * column


def check_picture(seen):
    root = svg(seen)
    words = {label: address(seen, x, y) for x, y, label in texts(root, "ae-m-w") if not label.isdigit()}
    fields = {field.name: seen.base + field.offset for field in layout.fields(seen.layout)}
    expected = {"len": fields["key_length"]}
    expected |= {"pad": fields["_pad1"]} if "_pad1" in fields else {}
    expected |= {f"{name[4]}{n}": fields[name] + 4 * n for name in ("key_enc", "key_dec") for n in range(60)}
    assert words == expected
    check_loads(seen, root)


def check_loads(seen, root):
    """Each load's number stands under its words, in both lines where it crosses, and only crossing ones are bold."""
    start = expected_start(seen)
    size, count = seen.width // 8, 16 * {128: 11, 192: 13, 256: 15}[seen.key_bits] // (seen.width // 8)
    labels = [(address(seen, x, y), label) for x, y, label in texts(root, "ae-m-n")]
    for number in range(count):
        lines = {(start + size * number) // 64, (start + size * number + size - 1) // 64}
        places = {place // 64 for place, label in labels if label == str(number + 1)}
        assert places == lines
    bold = {label for *_, label in texts(root, "ae-m-bold")}
    crossing = {str(n + 1) for n in range(count) if (start + size * n) // 64 != (start + size * n + size - 1) // 64}
    assert bold == crossing and len(root.findall(".//path[@class='ae-m-hatch']")) == 2 * len(crossing)


def expected_start(seen):
    words = {"no padding": 1, "_pad1": 2, "length last": 0}[seen.layout] + 60 * (seen.direction == "decrypt")
    return seen.base + 4 * words


@given(SEEN)
@settings(max_examples=60)
def test_picture(seen):
    check_picture(seen)


def test_planted_fault_is_caught(monkeypatch):
    monkeypatch.setattr(layout.Load, "crosses_line", property(lambda load: load.address % 64 > 60))
    with pytest.raises(AssertionError):
        check_picture(Seen())


@given(SEEN)
@settings(max_examples=60)
def test_a_page_ends_within_the_keys_where_it_should(seen):
    """Only where asked for; and with 64-bit loads at 4 mod 8 one of the loads lies across it."""
    start, size = expected_start(seen), {128: 176, 192: 208, 256: 240}[seen.key_bits]
    inside = start // 4096 != (start + size - 1) // 4096
    assert inside == seen.across == ("next page" in view.picture(seen))
    crosses = seen.across and seen.width == 64 and start % 8 == 4
    assert ("begins in one page" in view.sentence(seen)[1]) == crosses


@given(SEEN)
@settings(max_examples=60)
def test_sentence_counts(seen):
    headline, _ = view.sentence(seen)
    count = sum(load.crosses_line for load in seen.loads)
    assert headline.startswith(f"{count or 'None'} of {len(seen.loads)} loads")
    assert len(re.findall(r"\d+", headline.partition(":")[2])) == count


def test_table_holds_every_layout_and_base():
    root = ElementTree.fromstring(view.layouts_table("decrypt", 256, 64))
    rows = [[cell.text for cell in row] for row in root.find("tbody")]
    assert [row[0] for row in rows] == list(LAYOUTS)
    for (name, *counts), base in itertools.product(rows, BASES):
        starts = range(base + layout.offset(name, "decrypt"), base + layout.offset(name, "decrypt") + 240, 8)
        assert int(counts[base // 4]) == sum(start % 64 > 56 for start in starts)


@given(SEEN)
@settings(max_examples=30)
def test_a_picture_is_named_small_and_changes_its_version(seen):
    board = view.board(seen)
    assert len(board) < 60_000
    other = seen._replace(offset=(seen.offset + 4) % 64)
    assert view.board(other).split("data-v=")[1][:10] != board.split("data-v=")[1][:10]
    for picture in ElementTree.fromstring(board).iter("svg"):
        assert picture.get("role") == "img" and picture.get("aria-label")
