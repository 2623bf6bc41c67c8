"""Offsets against the C compiler's rules (ctypes, NumPy), crossing loads against sets of bytes."""

import ctypes

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aesedu import layout

ROUND_KEYS = {128: 11, 192: 13, 256: 15}  # FIPS-197, table 3
PLACES = st.tuples(
    st.sampled_from(list(layout.LAYOUTS)),
    st.integers(0, 4096).map(lambda n: 4 * n),
    st.sampled_from(["encrypt", "decrypt"]),
    st.sampled_from(list(ROUND_KEYS)),
    st.sampled_from(layout.WIDTHS),
)


def structure(name):
    fields = [(field, ctypes.c_uint32 * words) for field, words in layout.LAYOUTS[name]]
    return type("Struct", (ctypes.Structure,), {"_fields_": fields})


@pytest.mark.parametrize("name", layout.LAYOUTS)
def test_fields_lie_where_the_compiler_puts_them(name):
    struct, record = structure(name), np.dtype([(f, "<u4", n) for f, n in layout.LAYOUTS[name]], align=True)
    for field in layout.fields(name):
        assert (field.offset, field.size) == (getattr(struct, field.name).offset, getattr(struct, field.name).size)
        assert field.offset == record.fields[field.name][1]
    assert ctypes.sizeof(struct) == record.itemsize <= layout.LONGEST


def test_offsets_of_the_source():
    assert [layout.offset(name, "encrypt") for name in layout.LAYOUTS] == [4, 8, 0]
    assert [layout.offset(name, "decrypt") for name in layout.LAYOUTS] == [244, 248, 240]


def touched(load, unit):
    """The lines or pages that a load's bytes lie in, byte by byte."""
    return {byte // unit for byte in range(load.address, load.address + load.size)}


def check_loads(place):
    name, base, direction, key_bits, width = place
    loads = layout.key_loads(*place)
    field = getattr(structure(name), {"encrypt": "key_enc", "decrypt": "key_dec"}[direction])
    start = base + field.offset
    read = [byte for load in loads for byte in range(load.address, load.address + load.size)]
    assert read == list(range(start, start + 16 * ROUND_KEYS[key_bits]))
    assert {load.size for load in loads} == {width // 8}
    for load in loads:
        assert load.crosses_line == (len(touched(load, 64)) > 1)
        assert load.crosses_page == (len(touched(load, 4096)) > 1)


@given(PLACES)
def test_loads_and_crossings(place):
    check_loads(place)


@pytest.mark.parametrize("fault", [{"LINE": 32}, {"PAGE": 8192}, {"schedule_bytes": lambda bits: bits + 48}])
def test_planted_faults_are_caught(fault, monkeypatch):
    for name, value in fault.items():
        monkeypatch.setattr(layout, name, value)
    with pytest.raises(AssertionError):
        for base in range(3500, 4100, 4):
            check_loads(("no padding", base, "encrypt", 256, 64))


@given(PLACES)
def test_crossings_by_base(place):
    name, _, direction, key_bits, width = place
    counts = layout.crossings(name, direction, key_bits, width)
    assert list(counts) == list(range(0, 64, 4))
    for base, count in counts.items():
        loads = layout.key_loads(name, base, direction, key_bits, width)
        assert count == sum(len(touched(load, 64)) > 1 for load in loads)


@pytest.mark.parametrize("width", layout.WIDTHS)
def test_spots(width):
    spots = layout.spots(width)
    assert len({spot.label for spot in spots}) == len(spots) == 18
    assert [spot.offset for spot in spots if not (spot.again or spot.across)] == list(range(4, 64, 4))
    for spot in spots:
        expected = sum(
            (spot.offset + n) // 64 != (spot.offset + n + width // 8 - 1) // 64 for n in range(0, 176, width // 8)
        )
        assert spot.crossing(128) == expected
