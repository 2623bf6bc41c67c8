"""The picture of a recording: every value once, beneath what it is made from, none over another."""

import xml.etree.ElementTree as ElementTree

import pytest

from aesedu.routine import routine, table, u32
from aesedu.routines import ttable
from aesedu.views import dataflow


@routine
def column(s0: u32, s1: u32, te: table, keys: table):
    p = te[s0 & 255] ^ te[256:][s1 >> 8 & 255]
    return p ^ keys[3] ^ 0x1B


RECORDINGS = [column.record(), *(ttable.encrypt.record(rounds=1, technique=t) for t in ttable.TECHNIQUES)]


@pytest.mark.parametrize("recording", RECORDINGS, ids=["column", "merged", "split"])
def test_boxes_lie_beneath_their_operands_and_apart(recording):
    nodes = [p for p in recording.parameters if p.type is u32] + list(recording.steps)
    places = dataflow._places(nodes)
    assert set(places) == set(nodes)
    for node in nodes:
        assert all(places[o][1] + dataflow._H < places[node][1] for o in node.sources() if o in places)
    corners = sorted(places.values(), key=lambda at: (at[1], at[0]))
    for (x1, y1), (x2, y2) in zip(corners, corners[1:], strict=False):
        assert y1 != y2 or x2 - x1 >= dataflow._W


def test_a_picture_has_a_box_a_value_and_a_line_an_operand():
    svg = ElementTree.fromstring(dataflow.picture(column.record()))
    words = [t.text for t in svg.iter("text")]
    assert words.count("s0") == words.count("p") == 1
    assert {"byte 0", "byte 1", "te[i]", "te[i + 256]", "keys[3]", "\N{CIRCLED PLUS}"} <= set(words)
    assert "\N{CIRCLED PLUS} 0x1b" in words
    assert len(list(svg.iter("path"))) == 9  # 2 bytes, 2 indices, 2 + 2 + 1 operands of the XORs
    assert svg.find("desc").text.startswith("column(s0: u32")
    assert [r.get("class") for r in svg.iter("rect")].count("ae-twice") == 1


def test_large_recordings_are_refused():
    with pytest.raises(ValueError, match="618 values"):
        dataflow.picture(ttable.encrypt.record(technique="merged", key_loads="4x32"))
