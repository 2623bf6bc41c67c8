"""T-tables against pyaes's, a column as its look-ups, and faults that FIPS-197's examples must catch."""

import pytest
from fips197_vectors import KNOWN, examples

from aesedu.cipher import fips197, ttable
from aesedu.cipher.key_schedule import expand_key


def test_tables_are_those_of_pyaes_in_the_other_byte_order():
    pyaes = pytest.importorskip("pyaes")
    for ours, theirs in [(ttable.TE, "T1 T2 T3 T4"), (ttable.TD, "T5 T6 T7 T8")]:
        for table, name in zip(ours, theirs.split(), strict=True):
            assert [word.to_bytes(4, "little") for word in table] == [
                word.to_bytes(4, "big") for word in getattr(pyaes.AES, name)
            ]


def test_te0_as_bytes_and_as_word():
    memory, word = KNOWN["te0-0"]["expected"].split(" / ")
    assert ttable.TE0[0] == int(word, 16)
    assert ttable.to_bytes([ttable.TE0[0]]).hex() == memory


def test_last_tables_hold_one_byte_in_its_row():
    for row in range(4):
        assert [word >> 8 * row for word in ttable.TE_LAST[row]] == list(fips197.SBOX)
        assert [word >> 8 * row for word in ttable.TD_LAST[row]] == list(fips197.INV_SBOX)


@pytest.mark.parametrize(
    ("tables", "step", "transformations"),
    [
        (ttable.TE, ttable.ENCRYPT, "mix_columns shift_rows sub_bytes"),
        (ttable.TE_LAST, ttable.ENCRYPT, "shift_rows sub_bytes"),
        (ttable.TD, ttable.DECRYPT, "inv_mix_columns inv_shift_rows inv_sub_bytes"),
        (ttable.TD_LAST, ttable.DECRYPT, "inv_shift_rows inv_sub_bytes"),
    ],
)
def test_a_column_is_four_look_ups_and_a_key_word(tables, step, transformations):
    block = expected = bytes(range(7, 247, 15))
    for name in reversed(transformations.split()):
        expected = getattr(fips197, name)(expected)
    state = ttable.to_words(block)
    for c in range(4):
        total = 0
        for look in ttable.lookups(tables, state, c, step):
            assert look.index == block[look.row + 4 * look.column] and look.word == tables[look.row][look.index]
            total ^= look.word
        assert ttable.to_bytes([total]) == expected[4 * c : 4 * c + 4]
        for column in (ttable.column, ttable.column_rotated):
            assert column(tables, state, c, 0x01020304, step) == total ^ 0x01020304


def test_the_explorers_first_column():
    state = ttable.to_words(bytes.fromhex("00102030405060708090a0b0c0d0e0f0"))
    words = [ttable.to_bytes([look.word]).hex() for look in ttable.lookups(ttable.TE, state, 1)]
    assert words == ["1209091b", "a0c06060", "e138d9e1", "04040c08"]
    key_word = ttable.to_words(expand_key(bytes(range(16)))[1])[1]
    assert ttable.to_bytes([ttable.column(ttable.TE, state, 1, key_word)]).hex() == "855ace68"


def check_examples():
    for (key, direction), rows in examples("fips197_cipher.csv", "key", "direction"):
        key, block, result = (bytes.fromhex(text) for text in (key, rows[0]["value"], rows[-1]["value"]))
        crypt = ttable.encrypt_block if direction == "encrypt" else ttable.decrypt_block
        assert crypt(key, block) == crypt(key, block, ttable.column_rotated) == result


def test_examples_of_the_standard():
    check_examples()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TE_LAST", ttable.TE),
        ("TD_LAST", ttable.TD),
        ("TE", (ttable.TE1, ttable.TE0, ttable.TE2, ttable.TE3)),
        ("TD", ttable.TE),
        ("DECRYPT", ttable.ENCRYPT),
        ("decryption_keys", lambda key: ttable.encryption_keys(key)[::-1]),
        ("decryption_keys", lambda key: [ttable.to_words(fips197.inv_mix_columns(k)) for k in expand_key(key)[::-1]]),
        ("rotate", lambda word, r: (word >> 8 * r | word << 32 - 8 * r) & 0xFFFFFFFF),
        ("to_words", lambda data: [int.from_bytes(data[i : i + 4], "big") for i in range(0, 16, 4)]),
    ],
)
def test_examples_catch_a_fault(monkeypatch, name, value):
    monkeypatch.setattr(ttable, name, value)
    with pytest.raises(AssertionError):
        check_examples()
