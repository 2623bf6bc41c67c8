"""Whole GCM by recorded routines: the modes' fuzzer, faults planted in the loop around them, the public face."""

import random
import sys
import types
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

pytest.importorskip("numba")
from aesedu import engines  # noqa: E402
from aesedu.cipher.aead import InvalidTag  # noqa: E402
from aesedu.engines import gcm_loop, gcm_routines, whole_modes  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1] / "cipher"))
import mode_fuzz  # noqa: E402

NAMES = [engine.name for engine in engines.engines() if engine.name.startswith("gcm-")]


@pytest.fixture(params=NAMES)
def engine(request):
    made = engines.engine(request.param)
    if not made.available:
        pytest.skip(made.reason)
    return made


@pytest.fixture
def fuzz(monkeypatch):
    """GCM and GMAC cases of the modes' fuzzer through one engine, in this process: (case number, error) or None."""

    def message(self, mode, direction, key, data, iv, aad=b"", tag_length=16, tag=None):
        arguments = bytes(data), bytes(iv), bytes(aad), tag_length, tag
        return tuple(whole_modes.crypt(self.module, self.options, mode, direction, key, *arguments))

    def run(name, cases):
        monkeypatch.setattr(mode_fuzz, "ENGINES", {name: 1})
        return mode_fuzz.run(6, cases, ("GCM", "GMAC"))[1]

    monkeypatch.setattr(engines.Engine, "message", message)
    return run


def test_no_difference(engine, fuzz):
    assert fuzz(engine.name, 15) is None


FAULTS = {  # what is written wrongly, and in which form it must show
    "the end is not masked": ("gcm-woven-8", "end_masked(m.target, m.size)", "pass"),
    "the tail's plaintext is hashed": ("gcm-woven-8", "block if m.backward else out", "out"),
    "the last chunk of a lagged form is not hashed": ("gcm-lagged-4", "(count - 1), size)", "(count - 1), 0)"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", FAULTS)
def test_planted_faults_are_found(what, fuzz, monkeypatch):
    name, right, wrong = FAULTS[what]
    if not engines.engine(name).available:
        pytest.skip(engines.engine(name).reason)
    text = Path(gcm_loop.__file__).read_text(encoding="utf-8")
    assert text.count(right) == 1
    mutant = types.ModuleType("mutant")
    exec(text.replace(right, wrong), vars(mutant))
    monkeypatch.setattr(engines, "gcm_loop", mutant)
    assert isinstance(fuzz(name, 60), mode_fuzz.Difference | InvalidTag)


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
