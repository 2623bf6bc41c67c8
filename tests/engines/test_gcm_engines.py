"""Whole GCM by recorded routines, in the worker, against OpenSSL: lengths, tails, overflowing counters, tampering."""

import random
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aesedu import engines, native
from aesedu.engines import gcm_routines

sys.path.insert(0, str(Path(__file__).parents[1] / "cipher"))
import mode_oracles  # noqa: E402

pytest.importorskip("numba")
NAMES = [engine.name for engine in engines.engines() if engine.name.startswith("gcm-")]
LENGTHS = (0, 1, 15, 16, 17, 63, 64, 127, 128, 129, 512, 1023, 1024, 1025, 2048, 3000)


@pytest.fixture(params=NAMES)
def engine(request):
    made = engines.engine(request.param)
    if not made.available:
        pytest.skip(made.reason)
    return made


def crypt(engine, direction, key, data, iv, aad, tag=None):
    message = {"key": key, "data": data, "iv": iv, "aad": aad, "tag_length": 16, "tag": tag}
    what = {"module": engine.module, "options": engine.options, "mode": "gcm", "direction": direction}
    return native.worker().call("aesedu.engines.whole_modes:crypt", 60.0, **what, **message)


def message(rng, length):
    """Key, IV, associated data, data; one IV in four makes the 32-bit counter overflow in the message."""
    key, iv = rng.randbytes(rng.choice((16, 24, 32))), rng.randbytes(rng.choice((12, 12, 8, 16, 60)))
    if rng.random() < 0.25:
        iv = mode_oracles.iv_for(key, rng.randbytes(12) + (2**32 - rng.randrange(1, 80)).to_bytes(4, "big"))
    return key, iv, rng.randbytes(rng.choice((0, 1, 16, 20, 300))), rng.randbytes(length)


@pytest.mark.parametrize("seed", range(3))
def test_messages_of_openssl(engine, seed):
    rng = random.Random(f"{engine.name} {seed}")
    for length in (*LENGTHS, rng.randrange(5000)):
        key, iv, aad, data = message(rng, length)
        expected = AESGCM(key).encrypt(iv, data, aad)
        ciphertext, tag = crypt(engine, "enc", key, data, iv, aad)
        assert ciphertext + tag == expected, (length, len(iv), len(aad))
        assert crypt(engine, "dec", key, ciphertext, iv, aad, tag)[0] == data
        where = rng.randrange(len(expected))
        forged = expected[:where] + bytes([expected[where] ^ 1 << rng.randrange(8)]) + expected[where + 1 :]
        assert crypt(engine, "dec", key, forged[:-16], iv, aad, forged[-16:])[0] is None


def test_public_face_and_test_case_4_of_the_specification(engine):
    import aesedu

    key, iv = bytes.fromhex("feffe9928665731c6d6a8f9467308308"), bytes.fromhex("cafebabefacedbaddecaf888")
    aad = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    data = bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    ciphertext, tag = aesedu.encrypt("GCM", key, data, iv, aad, engine=engine.name)
    assert (
        ciphertext.hex().startswith("42831ec2217774244b7221b784d0d49c")
        and tag.hex() == "5bc94fbc3221a5db94fae95ae7121a47"
    )
    assert aesedu.decrypt("GCM", key, ciphertext, iv, aad, tag, engine=engine.name) == data
    with pytest.raises(aesedu.InvalidTag if hasattr(aesedu, "InvalidTag") else ValueError):
        aesedu.decrypt("GCM", key, ciphertext, iv, aad, bytes(16), engine=engine.name)


def test_blocks_outside_gcm(engine):
    data = random.Random(1).randbytes(80)
    for size in (16, 24, 32):
        key = bytes(range(size))
        encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        expected = encryptor.update(data)
        assert engine.ecb_encrypt(key, data) == expected and engine.ecb_decrypt(key, expected) == data


def test_forms_order_the_same_steps():
    """Sequential, lagged and woven do the same work in another order."""
    from aesedu.routines import gcm

    steps = {form: sum(len(part.steps) for part in gcm.parts("enc", form)) for form in gcm.FORMS}
    assert len(set(steps.values())) == 1
    texts = [gcm_routines.codes("enc", form, 4, 1, 10, isa="x86_64", encoded="sse")[0].text() for form in gcm.FORMS]
    assert len(set(texts)) == 3
    assert {text.count("pclmulqdq") for text in texts} == {4 * 3 + 2} and {t.count("aesenc ") for t in texts} == {36}
