"""The four ways to multiply, against the arithmetic of FIPS-197 and the published values of known_answers.csv."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aesedu import data
from aesedu.cipher import gf128
from aesedu.cipher.fips197 import gmul
from aesedu.cipher.products import METHODS, powers, steps


def known_answer(name):
    with data.path("known_answers.csv").open(encoding="utf-8", newline="") as file:
        return next(row for row in csv.DictReader(file) if row["id"] == name)


@pytest.mark.parametrize("method", METHODS)
def test_every_product_of_aes_field(method):
    for a in range(0, 256, 5):
        for b in range(256):
            last = steps(a, b, 8, method)[-1]
            assert last.name == "result" and last.value == gmul(a, b)


@pytest.mark.parametrize("method", METHODS)
def test_the_example_of_the_gcm_specification(method):
    row = known_answer("ghash-mul")
    a, b = (gf128.load_ghash(bytes.fromhex(text)) for text in row["input"].split(" x "))
    assert gf128.store_ghash(steps(a, b, 128, method)[-1].value).hex() == row["expected"]


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**128 - 1))
def test_methods_agree_before_and_after_the_reduction(a, b):
    made = [steps(a, b, 128, method) for method in METHODS]
    assert len({each[-1].value for each in made}) == len({each[-1].known["product"] for each in made}) == 1


def test_sums_of_table_entries_stand_at_their_places():
    first, last = steps(0x57, 0x83, 8, "4 bits at a time")[:2]
    assert first.value == 0x2B80 and last.value == 0x2B79  # 57 times x^7; FIPS-197 4.2


def test_multiplications_are_counted():
    assert [steps(0x57, 0x83, 8, method)[-1].products for method in METHODS] == [0, 0, 4, 3]
    assert [len(steps(3, 5, 128, method)) for method in METHODS] == [129, 33, 7, 8]


def test_karatsubas_middle_term_is_that_of_the_known_answers():
    words = known_answer("karatsuba-mid")["expected"], known_answer("karatsuba-mid-raw")["expected"]
    a, b = 0x7B5B54657374566563746F725D53475D, 0x48692853686179295B477565726F6E5D
    last = steps(a, b, 128, "three products")[-1]
    assert [f"{last.known[name]:032x}" for name in ("middle", "both")] == list(words)


@pytest.mark.parametrize(("a", "width", "method"), [(256, 8, METHODS[0]), (1, 16, METHODS[0]), (1, 8, "magic")])
def test_what_does_not_fit_is_refused(a, width, method):
    with pytest.raises(ValueError):
        steps(a, 1, width, method)


def test_polynomials_in_words():
    assert powers(0x87) == "x^7 + x^2 + x + 1" and powers(0) == "0"
    assert powers(0xFF, 3) == "x^7 + x^6 + x^5 + ... (8 terms)"
