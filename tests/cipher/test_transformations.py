"""The field, the S-box against the standard's figures, and the transformations one by one."""

import pytest
from fips197_vectors import KNOWN

from aesedu.cipher import fips197, transformations

# FIPS-197 figures 7 and 14, row by row.
FIGURE_7 = bytes.fromhex(
    "637c777bf26b6fc53001672bfed7ab76ca82c97dfa5947f0add4a2af9ca472c0b7fd9326363ff7cc34a5e5f171d83115"
    "04c723c31896059a071280e2eb27b27509832c1a1b6e5aa0523bd6b329e32f8453d100ed20fcb15b6acbbe394a4c58cf"
    "d0efaafb434d338545f9027f503c9fa851a3408f929d38f5bcb6da2110fff3d2cd0c13ec5f974417c4a77e3d645d1973"
    "60814fdc222a908846eeb814de5e0bdbe0323a0a4906245cc2d3ac629195e479e7c8376d8dd54ea96c56f4ea657aae08"
    "ba78252e1ca6b4c6e8dd741f4bbd8b8a703eb5664803f60e613557b986c11d9ee1f8981169d98e949b1e87e9ce5528df"
    "8ca1890dbfe6426841992d0fb054bb16"
)
FIGURE_14 = bytes.fromhex(
    "52096ad53036a538bf40a39e81f3d7fb7ce339829b2fff87348e4344c4dee9cb547b9432a6c2233dee4c950b42fac34e"
    "082ea16628d924b2765ba2496d8bd12572f8f66486689816d4a45ccc5d65b6926c704850fdedb9da5e154657a78d9d84"
    "90d8ab008cbcd30af7e45805b8b34506d02c1e8fca3f0f02c1afbd0301138a6b3a9111414f67dcea97f2cfcef0b4e673"
    "96ac7422e7ad3585e2f937e81c75df6e47f11a711d29c5896fb7620eaa18be1bfc563e4bc6d279209adbc0fe78cd5af4"
    "1fdda8338807c731b11210592780ec5f60517fa919b54a0d2de57a9f93c99cefa0e03b4dae2af5b0c8ebbb3c83539961"
    "172b047eba77d626e169146355210c7d"
)


def test_s_boxes_are_those_of_the_standard():
    assert fips197.SBOX == FIGURE_7
    assert fips197.INV_SBOX == FIGURE_14


def test_s_box_is_the_affine_map_after_inversion():
    given, expected = (bytes.fromhex(KNOWN["sbox-02"][column]) for column in ("input", "expected"))
    assert fips197.sub_bytes(given) == expected
    assert transformations.inverse(0x02) == 0x8D and transformations.affine(0x02) == 0x5D


def test_products_that_the_standard_works_out():
    assert [fips197.gmul(0x57, b) for b in (0x02, 0x04, 0x08, 0x10, 0x13)] == [0xAE, 0x47, 0x8E, 0x07, 0xFE]
    assert fips197.gmul(0x57, 0x83) == 0xC1
    assert fips197.xtime(0x80) == 0x1B


def test_every_inverse_is_one():
    assert transformations.inverse(0) == 0
    assert {fips197.gmul(b, transformations.inverse(b)) for b in range(1, 256)} == {1}


@pytest.mark.parametrize(("known", "function"), [("shiftrows", "shift_rows"), ("mixcolumn", "mix_columns")])
def test_known_answers_forwards_and_back(known, function):
    given, expected = (bytes.fromhex(KNOWN[known][column]) for column in ("input", "expected"))
    assert getattr(fips197, function)(given) == expected
    assert getattr(fips197, f"inv_{function}")(expected) == given
