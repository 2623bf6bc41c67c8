"""Key expansion against FIPS-197 appendix A and the known answers."""

import pytest
from fips197_vectors import KNOWN, check_key_expansions

from aesedu.cipher import key_schedule


def test_appendix_a():
    check_key_expansions()


def test_words_named_in_the_known_answers():
    for known, count in (("ks128-w36", 44), ("ks256-w12", 60)):
        words = b"".join(key_schedule.expand_key(bytes.fromhex(KNOWN[known]["input"]))).hex(" ", 4).split()
        expected = KNOWN[known]["expected"]
        wanted = dict(part.split("=") for part in expected.split()) if "=" in expected else {"w12": expected}
        assert len(words) == count
        assert {name: words[int(name[1:])] for name in wanted} == wanted


def test_equivalent_inverse_changes_all_but_the_ends():
    given, expected = (bytes.fromhex(KNOWN["eqinv-rk1"][column]) for column in ("input", "expected"))
    round_keys = key_schedule.expand_key(bytes(range(16)))
    decryption_keys = key_schedule.equivalent_inverse(round_keys)
    assert round_keys[1] == given and decryption_keys[9] == expected
    assert (decryption_keys[0], decryption_keys[10]) == (round_keys[10], round_keys[0])


@pytest.mark.parametrize("size", [16, 24, 32])
def test_only_256_bit_keys_substitute_without_rotation(size):
    rows = list(key_schedule.trace(bytes(size)))
    assert [row.i for row in rows if row.rcon] == list(range(size // 4, size + 28, size // 4))
    odd = [row.i for row in rows if row.after_sub_word and not row.rcon]
    assert odd == ([12, 20, 28, 36, 44, 52] if size == 32 else [])
