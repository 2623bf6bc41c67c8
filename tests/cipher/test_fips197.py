"""Every intermediate value of FIPS-197, faults that those values must catch, an independent AES, and wrong input."""

import inspect

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from fips197_vectors import check_ciphers, check_key_expansions
from hypothesis import given, settings
from hypothesis import strategies as st

from aesedu.cipher import fips197, key_schedule, transformations, ttable

KEYS = st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
BLOCKS = st.binary(min_size=16, max_size=16)
C1_KEY, C1_BLOCK = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")


def test_appendices_b_and_c():
    check_ciphers()


def test_step_prints_as_in_appendix_c():
    lines = [str(step) for step in fips197.trace(C1_KEY, C1_BLOCK)]
    assert lines[0] == "round[ 0].input     00112233445566778899aabbccddeeff"
    assert lines[-1] == "round[10].output    69c4e0d86a7b0430d8cdb78070b4c55a"


@settings(deadline=None)
@given(KEYS, BLOCKS)
def test_agrees_with_openssl(key, block):
    encrypted = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)
    assert fips197.encrypt_block(key, block) == ttable.encrypt_block(key, block) == encrypted
    assert fips197.decrypt_block(key, encrypted) == ttable.decrypt_block(key, encrypted) == block
    assert ttable.encrypt_block(key, block, ttable.column_rotated) == encrypted
    assert ttable.decrypt_block(key, encrypted, ttable.column_rotated) == block
    decryption_keys = key_schedule.equivalent_inverse(key_schedule.expand_key(key))
    assert fips197.eq_inv_cipher(encrypted, decryption_keys) == block


FAULTS = [  # a function, a piece of its source, and what a careless author writes there
    (transformations.xtime, "0x11B", "0x11D"),
    (transformations.xtime, "b & 0x80", "b > 0x80"),
    (transformations.shift_rows, "(c + r)", "(c - r)"),
    (transformations.shift_rows, "r + 4 * ((c + r) % 4)", "4 * r + (c + r) % 4"),
    (transformations.inv_shift_rows, "(c - r)", "(c + r)"),
    (transformations._multiply_columns, "= x, y, z, w", "= z, w, x, y"),
    (transformations.inv_mix_columns, "0xB, 0xD", "0xD, 0xB"),
    (fips197.cipher, "shift_rows(sub_bytes(state)), round_keys[-1]", "mix_columns(state), round_keys[-1]"),
    (fips197.cipher, "(shift_rows(sub_bytes(state)), r", "(mix_columns(shift_rows(sub_bytes(state))), r"),
    (fips197.inv_cipher, "[-2:0:-1]", "[1:-1]"),
    (fips197.inv_cipher, "inv_mix_columns(add_round_key(", "(add_round_key("),
    (fips197.eq_inv_cipher, "[1:-1]", "[-2:0:-1]"),
    (key_schedule.rot_word, "word[1:] + word[:1]", "word[3:] + word[:3]"),
    (key_schedule._expansion, "RCON[i // nk]", "RCON[1]"),
    (key_schedule._expansion, "nk == 8 and", "nk == 9 and"),
    (key_schedule._expansion, "nk == 8 and i % nk == 4", "i % 6 == 4"),
    (key_schedule.equivalent_inverse, "inv_mix_columns(round_key)", "round_key"),
    (key_schedule.equivalent_inverse, "last, *middle, first = reversed", "last, *middle, first = list"),
]


@pytest.mark.parametrize(("function", "right", "wrong"), FAULTS, ids=lambda value: getattr(value, "__name__", value))
def test_appendices_catch_a_wrong_line(monkeypatch, function, right, wrong):
    source = inspect.getsource(function)
    assert source.count(right) == 1
    spoilt = {}
    exec(source.replace(right, wrong), vars(inspect.getmodule(function)), spoilt)
    _plant(monkeypatch, function.__name__, spoilt[function.__name__])
    _assert_caught()


@pytest.mark.parametrize("entry", [0x00, 0x53, 0xFF])
def test_appendices_catch_a_wrong_s_box_entry(monkeypatch, entry):
    for name in ("SBOX", "INV_SBOX"):
        table = bytearray(getattr(transformations, name))
        table[entry] ^= 1
        with monkeypatch.context() as patch:
            _plant(patch, name, bytes(table))
            _assert_caught()


@pytest.mark.parametrize(("i", "wrong"), [(1, 0x00), (8, 0x1B), (9, 0x00), (9, 0x01), (10, 0x35)])
def test_appendices_catch_a_wrong_round_constant(monkeypatch, i, wrong):
    rcon = list(key_schedule.RCON)
    rcon[i] = bytes([wrong, 0, 0, 0])
    monkeypatch.setattr(key_schedule, "RCON", rcon)
    _assert_caught()


def _plant(monkeypatch, name, value):
    for module in (transformations, key_schedule, fips197):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, value)


def _assert_caught():
    with pytest.raises((AssertionError, ValueError)):  # ValueError: a result that is no byte
        check_key_expansions()
        check_ciphers()


@pytest.mark.parametrize(
    "function", [fips197.encrypt_block, fips197.decrypt_block, fips197.trace, ttable.encrypt_block]
)
def test_wrong_input_is_named(function):
    for key in (b"", bytes(15), bytes(17), bytes(33)):
        with pytest.raises(ValueError, match=rf"^the key has {len(key)} bytes; AES keys have 16, 24 or 32 \("):
            function(key, C1_BLOCK)
    with pytest.raises(ValueError, match="^the block has 1 byte; an AES block has 16$"):
        function(C1_KEY, b"x")
    for wrong in (16, None, [0] * 16, range(16)):
        with pytest.raises(TypeError, match=f"the key is of type {type(wrong).__name__}; allowed are bytes, bytearray"):
            function(wrong, C1_BLOCK)
    with pytest.raises(TypeError, match=r"the block is of type str; .*bytes\.fromhex\(\.\.\.\)"):
        function(C1_KEY, C1_BLOCK.hex()[:16])


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_bytes_like_input_serves(kind):
    key, block = kind(C1_KEY), kind(C1_BLOCK)
    for module in (fips197, ttable):
        encrypted = module.encrypt_block(key, block)
        assert type(encrypted) is bytes and encrypted.hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"
        assert module.decrypt_block(key, kind(encrypted)) == C1_BLOCK
    assert fips197.encrypt_block(memoryview(bytes(32))[::2], C1_BLOCK) == fips197.encrypt_block(bytes(16), C1_BLOCK)


def test_directions_of_a_trace_are_named():
    with pytest.raises(ValueError, match="'encrypt', 'decrypt', 'equivalent inverse', not 'enc'"):
        fips197.trace(C1_KEY, C1_BLOCK, "enc")


@pytest.mark.parametrize("function", [fips197.cipher, fips197.inv_cipher, fips197.eq_inv_cipher])
def test_a_key_in_place_of_round_keys_is_named(function):
    with pytest.raises(
        TypeError, match=r"the round keys are of type bytes; give the list that expand_key\(key\) makes"
    ):
        function(C1_BLOCK, C1_KEY)
