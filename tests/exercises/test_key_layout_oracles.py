"""The oracles of notebook 03's exercises against other people's code."""

import numpy as np
import pytest

from aesedu.exercises import catalogue

ENTRIES = {entry.name: entry for entry in catalogue()}


@pytest.mark.parametrize("padded", [False, True])
def test_key_address_oracle_against_numpy(padded):
    fields = [("key_length", "<u4"), *[("_pad1", "<u4")] * padded, ("key_enc", "<u4", 60), ("key_dec", "<u4", 60)]
    offsets = np.dtype(fields, align=True).fields
    for direction, name in (("encrypt", "key_enc"), ("decrypt", "key_dec")):
        assert ENTRIES["key_address"].oracle(64, padded, direction, 3) == 64 + offsets[name][1] + 48


def test_expand_key_256_oracle_against_pyaes():
    pyaes = pytest.importorskip("pyaes")
    for (key,), words in ENTRIES["expand_key_256"].cases:
        theirs = [(word & 0xFFFFFFFF).to_bytes(4, "big") for round_key in pyaes.AES(key)._Ke for word in round_key]
        assert words == theirs


def test_two_keys_cases_hold_both_answers():
    answers = [case.expected for case in ENTRIES["two_keys"].cases]
    assert 5 <= answers.count([]) <= len(answers) - 5


def test_two_keys_layouts_keep_their_promise():
    """In an array of three, at every base of the granule, every load keeps to one line: by NumPy's division."""
    for (schedule, width, granule), layout in ENTRIES["two_keys"].cases:
        for base in range(0, 4096 if layout else 0, granule):
            first, second, _, size = layout
            starts = np.add.outer([first, second], size * np.arange(3)).ravel()
            loads = base + np.add.outer(starts, np.arange(0, schedule, width))
            assert (loads // 64 == (loads + width - 1) // 64).all()
