"""The oracles of notebook 05's exercises against OpenSSL, source 002 and arithmetic."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from aesedu import data
from aesedu.exercises import catalogue

ENTRIES = {entry.name: entry for entry in catalogue()}


def test_encrypt_aese_cases_against_openssl():
    for (block, keys), result in ENTRIES["encrypt_aese"].cases:
        key = b"".join(keys)[: {11: 16, 13: 24, 15: 32}[len(keys)]]
        assert Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block) == result


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_cbc_over_ctr_is_that_of_source_002(bits):
    """Two figures of two decimals each: their ratio is known within half a unit of the last digit of either."""
    frame = data.bench_slope_cortex_a53().query(f"phase == 'after' and key_bits == {bits} and op == 'enc'")
    cbc, ctr = (frame[frame["mode"] == mode].cycles_per_byte.item() for mode in ("CBC", "CTR"))
    ratio = ENTRIES["cbc_over_ctr"].oracle(bits // 32 + 6, 2, 1, 6, 9)
    assert (cbc - 0.005) / (ctr + 0.005) < ratio < (cbc + 0.005) / (ctr - 0.005)


def test_interleave_cases_hold_every_kind():
    cases = ENTRIES["interleave"].cases
    short = [a for a, (blocks, _) in cases if blocks == a[2] - 1 and a[0] / a[1] > blocks]
    assert short and any(a[0] % a[1] for a, _ in cases)
    assert all(cycles >= arguments[1] for arguments, (_, cycles) in cases)
