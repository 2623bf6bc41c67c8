"""The evaluator against OpenSSL, and against the same Python function run on plain ints."""

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from aesedu.cipher.key_schedule import ROUNDS
from aesedu.cipher.ttable import DECRYPT, ENCRYPT, to_bytes, to_words
from aesedu.routine import RoutineError, evaluate, load64, routine, table, u32
from aesedu.routines import ttable

VARIANTS = [(t, k) for t in ttable.TECHNIQUES for k in ttable.KEY_LOADS]


KEYS = st.sampled_from((16, 24, 32)).flatmap(lambda n: st.binary(min_size=n, max_size=n))


@given(KEYS, st.binary(min_size=16, max_size=16), st.sampled_from(VARIANTS))
def test_ttable_against_openssl(key, block, variant):
    technique, key_loads = variant
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    settings = {"rounds": ROUNDS[8 * len(key)], "technique": technique, "key_loads": key_loads}
    for run, step, wanted in (
        (ttable.encrypt, ENCRYPT, cipher.encryptor().update(block)),
        (ttable.decrypt, DECRYPT, cipher.decryptor().update(block)),
    ):
        for call in (run, run.function):  # the evaluator, and plain Python
            out = [0] * 4
            call(out, list(to_words(block)), ttable.key_words(step, key), ttable.tables(step), **settings)
            assert to_bytes(out) == wanted


@pytest.mark.parametrize("technique, key_loads", VARIANTS)
def test_one_round_of_fips_197_appendix_b(technique, key_loads):
    start, key, after = (
        to_words(bytes.fromhex(text))
        for text in (
            "193de3bea0f4e22b9ac68d2ae9f84808",
            "a0fafe1788542cb123a339392a6c7605",
            "a49c7ff2689f352b6b5bea43026a5049",
        )
    )
    settings = {"technique": technique, "key_loads": key_loads}
    assert ttable.encrypt_round(*start, key, ttable.tables(ENCRYPT), **settings) == after


def test_an_unknown_technique_is_refused():
    with pytest.raises(RoutineError, match="KeyError: 'spilt'"):
        ttable.encrypt_round.record(technique="spilt")


@routine
def look(a: u32, t: table):
    index = a & 7
    return t[index] + 1


def test_values_in_order():
    assert [(str(step), value) for step, value in evaluate(look.record(), 13, range(100, 108))] == [
        ("index", 5), ("v1", 105), ("v2", 106)
    ]  # fmt: skip
    assert look(13, range(100, 108)) == 106
    assert look(7, [0xFFFFFFFF] * 8) == 0


def test_errors():
    with pytest.raises(
        RoutineError, match=r"(?s)line \d+: return t\[index\] \+ 1\n.*lies outside: it has 5 words here"
    ):
        look(13, range(5))
    with pytest.raises(RoutineError, match="takes 2: a, t"):
        look(13)
    for wrong in (1 << 32, -1, 1.0, [1]):
        with pytest.raises(RoutineError, match="a must be a u32, not"):
            look(wrong, range(8))
    with pytest.raises(RoutineError, match="t must be a table, not 8"):
        look(1, 8)


def test_numpy_tables_give_plain_words():
    @routine
    def f(a: u32, t: table):
        return -(t[a & 1] << 1), load64(t, 0) >> 1

    table_of_numpy = np.array([0x80000001, 0xFFFFFFFF], np.uint32)
    assert f(0, table_of_numpy) == (2**32 - 2, 0x7FFFFFFFC0000000)
