"""Three doublings: bits where the standards put them."""

import re
from xml.etree import ElementTree

import pytest

from aesedu.cipher import gf128
from aesedu.views import doubling as view

BLOCK = bytes.fromhex("66e94bd4ef8a2c3b884cfa59ca342b2e")  # CIPH of zeros under a key of zeros


def test_doublings_by_hand():
    (one,) = view.doublings(BLOCK, 1)
    assert one.after["OCB and CMAC"].hex() == "cdd297a9df1458771099f4b39468565c"  # a shift, no bit falls off
    (top,) = view.doublings(bytes(15) + b"\x80", 1)
    assert top.after["XTS"].hex() == "87" + "00" * 15
    assert view.doublings(b"\x80" + bytes(15), 1)[0].after["OCB and CMAC"].hex() == "00" * 15 + "87"
    assert view.doublings(bytes(15) + b"\x01", 1)[0].after["GHASH"].hex() == "e1" + "00" * 15


@pytest.mark.parametrize(
    ("order", "power", "place"),
    [(gf128.XTS, 0, 7), (gf128.XTS, 7, 0), (gf128.XTS, 8, 15), (gf128.XTS, 127, 120), (gf128.OCB, 0, 127),
     (gf128.OCB, 127, 0), (gf128.GHASH, 0, 0), (gf128.GHASH, 127, 127)],
)  # fmt: skip
def test_places(order, power, place):
    assert view.place(order, power) == place


def test_the_picture_draws_every_bit_and_a_wire_from_each_that_is_set():
    doubling = view.doublings(BLOCK, 2)[1]
    root = ElementTree.fromstring(re.search("<svg.*?</svg>", view.board(doubling))[0])
    for order in view.ORDERS:
        band = next(g for g in root.iter("g") if g.get("data-name") == order.name)
        before, after = doubling.before[order.name], doubling.after[order.name]
        ones = (int.from_bytes(before, "big").bit_count(), int.from_bytes(after, "big").bit_count())
        bits = {kind: sum(path.get("d").count("M") for path in band.iter("path") if path.get("class") == kind)
                for kind in ("b0", "b1", "g b2", "l")}  # fmt: skip
        boxes = [box.get("class") for box in band.iter("rect")]
        assert len(boxes) == 5 and bits["b0"] + bits["b1"] == 251
        assert bits["b1"] + boxes.count("b3") == sum(ones)
        off = view.falls_off(order, before)
        assert (bits["g b2"], bits["l"]) == (ones[0] - off, 4 * off)
        digits = "".join(t.text for t in band.iter("text") if t.get("class") == "v")
        assert digits == before.hex() + after.hex()


def test_sentence_names_the_orders_in_which_a_bit_falls_off():
    first, second = view.doublings(BLOCK, 2)
    assert "No bit falls off" in view.sentence(first)[0]
    assert view.sentence(second)[0] == "Doubling 2. x^127 falls off and comes back in OCB and CMAC and in GHASH."
    assert first.before["XTS"].hex(" ") in view.in_words(first)
