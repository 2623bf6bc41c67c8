"""What charts share: everything is escaped, the version follows the picture."""

import xml.etree.ElementTree as ElementTree

from aesedu.views import plot


def test_a_frame_names_and_describes_its_picture():
    svg = ElementTree.fromstring(plot.frame("<g/>", "A & B", "1 < 2", 90, 10, 20))
    assert (svg.find("title").text, svg.find("desc").text, svg.get("height")) == ("A & B", "1 < 2", "90")
    assert svg.get("style") == "padding:0 20px 0 10px" and svg.find("g") is not None


def test_the_version_changes_when_the_picture_does():
    one, same, other = (plot.frame(body, "T", "", 9, 0, 0) for body in ("<g/>", "<g/>", "<p/>"))
    assert one == same and ElementTree.fromstring(one).get("data-v") != ElementTree.fromstring(other).get("data-v")


def test_words_are_escaped_and_a_minus_is_one():
    assert ElementTree.fromstring(plot.text("50%", 1, "a < b")).text == "a < b"
    marks = list(ElementTree.fromstring(plot.legend([("<path/>", "x & y"), ("", "z")], "note")).iter("span"))
    assert ["".join(mark.itertext()) for mark in marks] == ["x & y", "z"] and marks[1].find("svg") is None
    assert (plot.percent(-1.25, 1), plot.percent(3)) == ("\N{MINUS SIGN}1.2 %", "+3 %")
