"""Every engine behind the one interface agrees with FIPS-197 and with an independent AES; wrong input is refused."""

import subprocess
import sys

import pytest
from Crypto.Cipher import AES
from hypothesis import given, settings
from hypothesis import strategies as st

import aesedu
from aesedu.engines import base, catalogue, engine, engines
from aesedu.native import NativeError, UnsupportedFeature

# FIPS-197 appendix C: key, ciphertext of 00112233445566778899aabbccddeeff
PLAINTEXT = bytes.fromhex("00112233445566778899aabbccddeeff")
APPENDIX_C = [
    (bytes(range(16)), "69c4e0d86a7b0430d8cdb78070b4c55a"),
    (bytes(range(24)), "dda97ca4864cdfe06eaf70a0ec0d7191"),
    (bytes(range(32)), "8ea2b7ca516745bfeafc49904b496089"),
]
FIRST_SEVEN = ["bytewise", "ttable", "batch", "compiled", "openssl-table", "openssl", "aes-x1"]
here = [e for e in engines() if e.available]
every_engine = pytest.mark.parametrize("tested", here, ids=lambda e: e.name)


def test_the_first_seven_are_listed_and_the_package_is_callable():
    names = [e.name for e in aesedu.engines()]
    assert [name for name in names if name in FIRST_SEVEN] == FIRST_SEVEN
    assert len(set(names)) == len(names)
    assert aesedu.engines.engine("batch").name == "batch"


def test_listing_loads_no_engine():
    code = "import aesedu, sys; aesedu.engines(); print('numba' in sys.modules, 'cryptography' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False", "False"]


@every_engine
@pytest.mark.parametrize("key, ciphertext", APPENDIX_C, ids=["128", "192", "256"])
def test_fips197_appendix_c(tested, key, ciphertext):
    assert tested.ecb_encrypt(key, PLAINTEXT).hex() == ciphertext
    assert tested.ecb_decrypt(key, bytes.fromhex(ciphertext)) == PLAINTEXT


@every_engine
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_agrees_with_pycryptodome(tested, data):
    key = data.draw(st.sampled_from((16, 24, 32)).flatmap(lambda n: st.binary(min_size=n, max_size=n)))
    blocks = data.draw(st.integers(0, 9).flatmap(lambda n: st.binary(min_size=16 * n, max_size=16 * n)))
    expected = AES.new(key, AES.MODE_ECB).encrypt(blocks)
    assert tested.ecb_encrypt(key, blocks) == expected
    assert tested.ecb_decrypt(key, expected) == blocks


@every_engine
def test_wrong_input_is_refused_in_words(tested):
    for function in (tested.ecb_encrypt, tested.ecb_decrypt):
        with pytest.raises(ValueError, match="17 bytes; AES keys have 16, 24 or 32"):
            function(bytes(17), PLAINTEXT)
        with pytest.raises(ValueError, match="15 bytes; whole blocks"):
            function(bytes(16), bytes(15))
        with pytest.raises(TypeError, match="fromhex"):
            function("00" * 16, PLAINTEXT)


@every_engine
def test_takes_bytearray_and_memoryview(tested):
    key, ciphertext = APPENDIX_C[0]
    assert tested.ecb_encrypt(bytearray(key), memoryview(PLAINTEXT)).hex() == ciphertext


def test_unknown_name_lists_the_names():
    with pytest.raises(ValueError, match="there is no engine 'nonsense'; there are: bytewise, ttable"):
        engine("nonsense")


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "xyz"},
        {"direction": "up"},
        {"key_bits": 160},
        {"size": 8},
        {"size": 17},
        {"size": 16.0},
        {"size": 1 << 40},
    ],
)
def test_timed_form_refuses_what_it_cannot_do(wrong):
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        engine("batch").subject(**wrong)


def test_an_engine_that_cannot_run_says_why():
    lacking = catalogue.Engine("x", "X", "native", "nowhere", needs=lambda: "this processor lacks y")
    assert not lacking.available
    for use in (lambda: lacking.ecb_encrypt(bytes(16), b""), lacking.subject):
        with pytest.raises(UnsupportedFeature, match="x: this processor lacks y"):
            use()


@pytest.mark.parametrize("error", [ModuleNotFoundError("No module named 'llvmlite'"), NativeError("it does not run")])
def test_a_question_that_fails_is_the_reason(error):
    def ask():
        raise error

    assert catalogue.Engine("x", "X", "native", "nowhere", needs=ask).reason == str(error)


def test_openssl_without_its_package_says_so(monkeypatch):
    monkeypatch.setattr(catalogue.importlib.util, "find_spec", lambda name: None)
    assert engine("openssl").reason == "the package cryptography is not installed"


@every_engine
def test_a_long_message_goes_in_pieces(tested, monkeypatch):
    monkeypatch.setattr(base, "PIECE", 32)
    message = bytes(range(80))
    expected = AES.new(bytes(16), AES.MODE_ECB).encrypt(message)
    assert tested.ecb_encrypt(bytes(16), message) == expected
    assert tested.ecb_decrypt(bytes(16), expected) == message


@pytest.mark.parametrize("direction", ["enc", "dec"])
@every_engine
def test_timed_form_runs(tested, direction):
    """In this process, so that a fault shows its traceback; the worker runs the same function."""
    from aesedu.native.child import load

    subject = tested.subject(direction=direction, size=64, key_bits=192)
    run = load(subject.factory)(**subject.arguments, placement=3)
    run(2)


def test_openssl_table_is_not_the_code_with_aes_instructions():
    """The masked worker must not be as fast as the unmasked one: a factor that no noise makes."""
    from aesedu.native import sample

    masked, plain = engine("openssl-table"), engine("openssl")
    if not (masked.available and engine("aes-x1").available):
        pytest.skip("needs x86-64 with AES instructions")
    times = {e.name: min(sample(e.subject(size=65536), 20).ns for _ in range(5)) for e in (masked, plain)}
    assert times["openssl-table"] > 2.5 * times["openssl"]
