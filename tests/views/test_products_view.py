"""Pictures of products: what stands in them is the arithmetic, worked out here by other means."""

import re
from xml.etree import ElementTree

import pytest

from aesedu.cipher.products import METHODS, steps
from aesedu.views import bit_order
from aesedu.views import products as view

A, B = 0x57, 0x83  # FIPS-197 4.2: their product is c1
LONG_A, LONG_B = 0x7B5B54657374566563746F725D53475D, 0x48692853686179295B477565726F6E5D


def groups(picture):
    """Text in each named group of the first SVG."""
    root = ElementTree.fromstring(re.search("<svg.*?</svg>", picture)[0])
    named = [g for g in root.iter("g") if g.get("data-name")]
    return {g.get("data-name"): "".join(t.text for t in g.iter("text")) for g in named}


def test_rows_of_the_grid_are_shifted_operands():
    shown = groups(view.grid(A, B, 8))
    for i in range(8):  # the box of the highest power stands last: bits come low half first, x^0 first
        assert shown[f"row{i}"] == (f"{A:08b}"[::-1] if B >> i & 1 else "")
    assert shown["sum"] == f"{0x2B79:015b}"[::-1]  # x^13 + x^11 + ... + 1, printed in FIPS-197 4.2


def test_a_planted_fault_would_be_seen():
    assert groups(view.grid(A, B ^ 4, 8))["sum"] != f"{0x2B79:015b}"[::-1]


def test_a_long_row_is_drawn_once_and_used_by_every_one_of_b():
    picture = view.grid(LONG_A, LONG_B, 128)
    assert picture.count("<use") == 2 * LONG_B.bit_count() and len(picture) < 60_000
    ids = re.findall(' id="(.*?)"', picture)
    assert set(re.findall('href="#(.*?)"', picture)) == set(ids) and len(ids) == 2


def test_marks_of_a_long_sum_cover_its_ones():
    product = steps(LONG_A, LONG_B, 128, METHODS[0])[-1].known["product"]
    bars = re.findall(r"M[\d.]+ [\d.]+h([\d.]+)v18", view.grid(LONG_A, LONG_B, 128))
    assert abs(sum(map(float, bars)) - 2.9 * product.bit_count()) < 3


def test_tree_of_three_products_shows_the_known_middle_term():
    made = steps(LONG_A, LONG_B, 128, "three products")
    before, at, last = (groups(view.board(made[n], 128, "three products")) for n in (4, 5, 6))
    assert "middle" in before["at middle"] and "01fa8a56" not in before["at middle"]
    assert at["both"].endswith("01a911b26a400f0b81e2b56a4cff1660")
    assert at["at middle"] == "middle01fa8a566f5a338ec51a6681de9fc6dc" and last["at product"]


def test_tree_of_four_products_has_them_in_order():
    shown = groups(view.board(steps(A, B, 8, "four products")[5], 8, "four products"))
    assert [shown[n] for n in ("low", "cross 1", "cross 2", "high")] == [
        "a0 times b000010010", "a0 times b101110002", "a1 times b000011111", "a1 times b101010003"
    ]  # fmt: skip


def test_fold_by_hand():
    """2b79 modulo 11b by long division: the folds end in c1."""
    made = [step for step in steps(A, B, 8, METHODS[0]) if step.phase == "fold"]
    first = groups(view.board(made[0], 8, METHODS[0]))
    assert first["product"] == "product010101101111001" and "11101100" in first["after fold 1"]
    assert groups(view.board(made[-1], 8, METHODS[0]))["a times b"].endswith("11000001")
    assert "<code>c1</code>" in view.sentence(made[-1], 8, METHODS[0])[1]


@pytest.mark.parametrize(("method", "width", "at", "counted"), [
    ("bit by bit", 8, -1, "8 of 8 rows"), ("4 bits at a time", 128, 2, "3 of 32 look-ups"),
    ("4 bits at a time", 128, -1, "32 of 32 look-ups"), ("three products", 128, 0, "1 carry-less product,"),
    ("three products", 128, -1, "3 carry-less products,"),
])  # fmt: skip
def test_each_method_counts_its_own_work_to_the_end(method, width, at, counted):
    a, b = (LONG_A, LONG_B) if width == 128 else (A, B)
    assert f'"Used so far, {counted}' in view.board(steps(a, b, width, method)[at], width, method)


def test_long_operands_are_said_to_be_turned_round():
    html = view.board(steps(1, LONG_B, 128, METHODS[2])[0], 128, METHODS[2])
    assert f"a = <code>{1:032x}</code>" in html and "x^0" in html.split("ae-caption")[1]
    assert "ae-caption" not in view.board(steps(A, B, 8, METHODS[2])[0], 8, METHODS[2])


@pytest.mark.parametrize("method", METHODS)
def test_every_step_has_a_named_picture_of_bearable_size(method):
    for width, a, b in ((8, A, B), (128, LONG_A, LONG_B)):
        for step in steps(a, b, width, method)[:: 1 if width == 8 else 7]:
            html = view.board(step, width, method)
            assert len(html) < 80_000 and all("aria-label=" in svg for svg in re.findall("<svg[^>]*>", html))
            assert "None" not in html + "".join(view.sentence(step, width, method))


@pytest.mark.parametrize(("name", "one", "last"), [
    ("GHASH", "80" + "00" * 15, "00" * 15 + "01"), ("XTS", "01" + "00" * 15, "00" * 15 + "80"),
    ("OCB and CMAC", "00" * 15 + "01", "80" + "00" * 15),
])  # fmt: skip
def test_bit_orders_of_the_standards(name, one, last):
    order = bit_order.ORDERS[name]
    assert "<code>1</code>" in bit_order.sentence(bytes.fromhex(one), order)[0]
    assert "<code>x^127</code>" in bit_order.sentence(bytes.fromhex(last), order)[0]
    picture = bit_order.board(bytes.fromhex(one), order)
    bits = "".join(re.findall('class="v[ u]*"[^>]*>([01])<', picture))
    assert bits == f"{int(one, 16):0128b}" and f"x^{bit_order.exponent(order, 0)}<" in picture
