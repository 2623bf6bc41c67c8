"""The wiring's picture: the values in its boxes are the mode's, nothing is shown too early, every word fits."""

import re
from xml.etree import ElementTree

import pytest

from aesedu.cipher import wiring
from aesedu.views import mode_wiring as view

CASES = [(mode, direction) for mode in wiring.MODES for direction in ("enc", "dec")]
every_case = pytest.mark.parametrize(("mode", "direction"), CASES)


def svg(frame):
    return ElementTree.fromstring(re.search("<svg.*?</svg>", view.board(frame))[0])


def boxes(frame):
    """{value's name: hexadecimal digits in its box}"""
    groups = {g.get("data-name"): g.find("g") for g in svg(frame).iter("g") if g.get("data-name")}
    return {name: "".join(t.text for t in g.iter("text")).replace(" ", "") for name, g in groups.items()}


@every_case
def test_boxes_hold_what_is_known_and_no_more(mode, direction):
    for frame in view.frames(mode, direction):
        known = {each.name for each in frame.known}
        shown = boxes(frame)
        assert set(shown) == {each.name for each in frame.step.lines}
        for name, digits in shown.items():
            assert digits == (frame.step.values[name].hex() if name in known else "")


@every_case
def test_the_picture_holds_every_box(mode, direction):
    pictures = [svg(frame) for frame in view.frames(mode, direction)]
    (height,) = {float(picture.get("height")) for picture in pictures}
    for box in (box for picture in pictures for box in picture.iter("rect")):
        x, y, w, h = (float(box.get(name)) for name in ("x", "y", "width", "height"))
        assert min(x, y - 24) >= 0 and x + w <= view.WIDTH and y + h <= height


@every_case
def test_frames_make_one_value_each_in_order(mode, direction):
    frames = view.frames(mode, direction)
    for before, after in zip(frames, frames[1:], strict=False):
        grown = len(after.known) - len(before.known)
        assert grown == 1 or after.step is not before.step
    assert frames[-1].known == set(frames[-1].step.lines)


def test_overlap_says_why():
    assert view.overlap("CBC", "enc") == (
        "C2 = CIPH(X2), X2 = P2 ⊕ C1, and C1 is what CIPH gave: <b>one after the other</b>."
    )
    assert view.overlap("XTS", "enc").startswith(
        "Y2 = CIPH(X2), X2 = P2 ⊕ T2, T2 = T1 · x: it waits for no other block's call. <b>All at once.</b>"
    )
    assert view.overlap("GCM", "dec").count("<b>") == 2


def test_the_bar_of_a_part_that_steals_stands_a_column_later():
    for data, last in ((None, 1), (bytes(64), 0)):
        html = view.board(view.frames("XTS", "enc", data)[0])
        chart = re.search('<svg[^>]*aria-label="Encryption: when.*?</svg>', html)[0]
        starts = [float(box.get("x")) for box in ElementTree.fromstring(chart).iter("rect")]
        assert [(x - starts[0]) / 23 for x in starts] == [0, 0, 0, last]


def test_sentence_says_formula_value_and_wait():
    frame = view.frames("CBC", "enc")[3]
    headline, detail = view.sentence(frame)
    assert "C2 = CIPH(X2) = cb6071c6" in headline and "had to wait for C1" in detail
    assert "waits for no other" in view.sentence(view.frames("CTR", "enc")[4])[1]


def test_neighbours_are_named():
    def told(place):
        return "".join(svg(view.frames("CBC", "enc")[place]).itertext())

    assert "from block 0" not in told(0) and "to block 2" in told(0)
    assert "from block 3" in told(7) and "to block 5" not in told(7)
    assert "to the tag" in "".join(svg(view.frames("GCM", "enc")[15]).itertext())


@every_case
def test_every_picture_has_a_name_and_its_content_in_words(mode, direction):
    frame = view.frames(mode, direction)[-1]
    pictures = re.findall("<svg[^>]*>", view.board(frame))
    assert len(pictures) == 3 and all('role="img" aria-label="' in each for each in pictures)
    words = svg(frame).find("desc").text
    assert all(frame.step.values[each.name].hex(" ", -4) in words for each in frame.step.lines)
