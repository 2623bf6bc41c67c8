"""The field in its three orders, against the standards' constants and SP 800-38D's own algorithm."""

import csv

import mode_oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aesedu import data
from aesedu.cipher import gf128

elements = st.integers(0, 2**128 - 1)
blocks = st.binary(min_size=16, max_size=16)
ORDERS = (gf128.GHASH, gf128.XTS, gf128.OCB, gf128.LRW)


@pytest.mark.parametrize(
    ("order", "one", "x127", "x128"),
    [
        (gf128.GHASH, "80" + "00" * 15, "00" * 15 + "01", "e1" + "00" * 15),
        (gf128.XTS, "01" + "00" * 15, "00" * 15 + "80", "87" + "00" * 15),
        (gf128.OCB, "00" * 15 + "01", "80" + "00" * 15, "00" * 15 + "87"),
        (gf128.LRW, "00" * 15 + "01", "80" + "00" * 15, "00" * 15 + "87"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_where_each_order_puts_its_bits(order, one, x127, x128):
    assert order.load(bytes.fromhex(one)) == 1
    assert order.load(bytes.fromhex(x127)) == 1 << 127
    assert order.double(bytes.fromhex(x127)).hex() == x128


@given(blocks)
def test_load_and_store_are_inverse(block):
    for order in ORDERS:
        assert order.store(order.load(block)) == block


@given(blocks, blocks)
def test_product_as_sp_800_38d_multiplies(a, b):
    expected = mode_oracles.ghash(a, b)
    assert gf128.GHASH.multiply(a, b) == gf128.GHASH.multiplier(a)(b) == expected
    product = gf128.multiply(gf128.load_ghash(a), gf128.load_ghash(b))
    assert product == gf128.load_ghash(expected)


@given(elements, elements, elements)
def test_field_laws(a, b, c):
    assert gf128.multiply(a, b) == gf128.multiply(b, a)
    assert gf128.multiply(a, b ^ c) == gf128.multiply(a, b) ^ gf128.multiply(a, c)
    assert gf128.multiply(a, 2) == gf128.double(a)
    assert gf128.multiply(a, 1) == a


def test_known_answer():
    with data.path("known_answers.csv").open(encoding="utf-8", newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["id"] == "ghash-mul")
    a, b = (bytes.fromhex(part) for part in row["input"].split(" x "))
    assert gf128.GHASH.multiply(a, b).hex() == row["expected"]
