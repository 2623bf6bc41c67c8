"""The public face: every mode with every engine, every rule by its name, buffers."""

import array

import numpy as np
import pytest

from aesedu import engines
from aesedu.cipher.aead import InvalidTag
from aesedu.engines import face
from aesedu.engines.face import decrypt, decrypt_into, encrypt, encrypt_into

K16, K32, IV, DATA = bytes(range(16)), bytes(range(32)), bytes(range(50, 66)), bytes(range(64))
# mode: key, iv
ARGUMENTS = {
    "ECB": (K16, b""),
    "CBC": (K16, IV),
    "CFB128": (K16, IV),
    "OFB": (K16, IV),
    "CTR": (K16, IV),
    "LRW": (K32, IV),
    "XTS": (K32, IV),
    "CCM": (K16, IV[:11]),
    "GCM": (K16, IV[:12]),
    "OCB": (K16, IV[:12]),
}


@pytest.mark.parametrize("mode", ARGUMENTS)
def test_every_engine_gives_the_same(mode):
    key, iv = ARGUMENTS[mode]
    expected = encrypt(mode, key, DATA, iv, engine="openssl")
    for engine in engines.engines():
        if engine.available:
            assert encrypt(mode, key, DATA, iv, engine=engine.name) == expected
            assert decrypt(mode, key, expected[0], iv, tag=expected[1], engine=engine.name) == DATA


def test_auto_is_compiled_where_numba_is_else_ttable(monkeypatch):
    chosen = []
    monkeypatch.setattr(engines.Engine, "ecb_encrypt", lambda self, key, data: chosen.append(self.name) or data)
    encrypt("ECB", K16, DATA)
    object.__setattr__(engines.engine("compiled"), "needs", lambda: "the package numba is not installed")
    try:
        encrypt("ECB", K16, DATA)
    finally:
        object.__setattr__(engines.engine("compiled"), "needs", lambda: "")
    assert chosen == ["compiled", "ttable"]


def test_gmac_and_ghash_conventions():
    assert encrypt("GMAC", K16, b"", IV[:12], DATA) == encrypt("GCM", K16, b"", IV[:12], DATA)
    ciphertext, result = encrypt("GHASH", K16, DATA)
    assert ciphertext == b""
    assert len(result) == 16
    assert decrypt("GHASH", K16, DATA, tag=result) == b""


@pytest.mark.parametrize("mode", ["CCM", "GCM", "GMAC", "OCB", "GHASH"])
def test_wrong_tag_leaves_the_buffer_alone(auto, mode):
    key, iv = ARGUMENTS.get(mode, (K16, IV[:12] if mode == "GMAC" else b""))
    out = bytearray(b"\xfe" * 64)
    with pytest.raises(InvalidTag):
        decrypt_into(mode, key, b"" if mode == "GMAC" else DATA, out, iv, tag=bytes(16))
    assert out == b"\xfe" * 64


@pytest.fixture(params=["compiled", "ttable-split-k64"])
def auto(request, monkeypatch):
    """The readable modes and the compiled ones, each once as what "auto" means."""
    chosen, named = engines.engine(request.param), face._engine
    if not chosen.available:
        pytest.skip(chosen.reason)
    monkeypatch.setattr(face, "_engine", lambda name: chosen if name == "auto" else named(name))


HUGE = np.broadcast_to(np.uint8(0), 2**36)  # 64 GiB that take one byte of memory


@pytest.mark.parametrize(
    ("mode", "changes", "rule"),
    [
        ("GCM", {"key": bytes(17)}, "16, 24 or 32"),
        ("OCB", {"key": b""}, "16, 24 or 32"),
        ("CTR", {"key": bytes(8)}, "16, 24 or 32"),
        ("XYZ", {}, "unknown mode 'XYZ'; there are: ECB, CBC"),
        ("ECB", {"data": bytes(17)}, "multiple of 16"),
        ("ECB", {"iv": IV}, "takes no iv"),
        ("ECB", {"key": bytes(15)}, "16, 24 or 32"),
        ("CBC", {"data": bytes(15)}, "multiple of 16"),
        ("CBC", {"iv": bytes(12)}, "one block, 16 bytes, not 12"),
        ("CFB128", {"iv": b""}, "one block, 16 bytes, not 0"),
        ("OFB", {"iv": bytes(17)}, "one block"),
        ("CTR", {"iv": bytes(12)}, "counter block is one block"),
        ("CTR", {"aad": b"x"}, "takes no associated data"),
        ("LRW", {"data": bytes(20)}, "multiple of 16"),
        ("LRW", {"key": bytes(16)}, "32, 40 or 48 bytes"),
        ("LRW", {"iv": bytes(8)}, "index is one block"),
        ("XTS", {"data": bytes(15)}, "16 bytes to 2.20 blocks"),
        ("XTS", {"data": bytes(2**24 + 1)}, "16 bytes to 2.20 blocks"),
        ("XTS", {"key": bytes(32)}, "must differ"),
        ("XTS", {"key": bytes(40)}, "32, 48 or 64 bytes"),
        ("XTS", {"iv": bytes(8)}, "tweak is one block"),
        ("CCM", {"iv": bytes(6)}, "7 to 13 bytes"),
        ("CCM", {"iv": bytes(14)}, "7 to 13 bytes"),
        ("CCM", {"iv": bytes(13), "data": bytes(65536)}, r"shorter than 2\^16 bytes"),
        ("CCM", {"tag_length": 5}, "4, 6, 8, 10, 12, 14 or 16"),
        ("GCM", {"iv": b""}, "at least 1 byte"),
        ("GCM", {"tag_length": 11}, "4, 8 or 12 to 16"),
        ("GCM", {"tag_length": 0}, "4, 8 or 12 to 16"),
        ("GCM", {"data": HUGE}, r"2\^36 - 32 bytes"),
        ("GMAC", {"data": b"x"}, "no message but aad"),
        ("OCB", {"iv": b""}, "1 to 15 bytes"),
        ("OCB", {"iv": IV}, "1 to 15 bytes"),
        ("OCB", {"tag_length": 17}, "8 to 16 bytes"),
        ("GHASH", {"data": bytes(15)}, "multiple of 16"),
        ("GHASH", {"key": bytes(15)}, "H is one block"),
        ("GHASH", {"iv": IV}, "takes no iv"),
        ("GHASH", {"tag_length": 12}, "16 bytes"),
        ("CBC", {"engine": "abacus"}, "no engine 'abacus'; there are: bytewise"),
        ("GHASH", {"engine": "abacus"}, "no engine 'abacus'"),
    ],
)
def test_refusals_name_the_rule(auto, mode, changes, rule):
    key, iv = ARGUMENTS.get(mode, (K16, IV if mode == "GMAC" else b""))
    with pytest.raises(ValueError, match=rule):
        encrypt(**{"mode": mode, "key": key, "data": b"" if mode == "GMAC" else DATA, "iv": iv, **changes})


@pytest.mark.parametrize("engine", ["ttable", "ttable-woven"])
@pytest.mark.parametrize("mode", sorted({*ARGUMENTS, "GMAC"}))
def test_every_kind_of_engine_checks_the_key(mode, engine):
    iv, data = ARGUMENTS.get(mode, ARGUMENTS["GCM"])[1], b"" if mode == "GMAC" else DATA
    for key in (b"", bytes(15), bytes(65)):
        with pytest.raises(ValueError, match="bytes"):
            encrypt(mode, key, data, iv, engine=engine)
        with pytest.raises(ValueError, match="bytes"):
            decrypt(mode, key, data, iv, tag=bytes(16) if mode in face.TAGGING else b"", engine=engine)
    with pytest.raises(TypeError):
        encrypt(mode, "text", data, iv, engine=engine)


@pytest.mark.parametrize("engine", ["ttable", "ttable-woven"])
def test_numbers_of_numpy(engine):
    expected = encrypt("GCM", K16, DATA, IV[:12], tag_length=12)
    assert encrypt("GCM", K16, DATA, IV[:12], tag_length=np.int64(12), engine=engine) == expected


@pytest.mark.parametrize("mode", face.TAGGING)
@pytest.mark.parametrize("tag", [b"", bytes(3), bytes(17)])
def test_decryption_refuses_a_tag_of_no_allowed_length(auto, mode, tag):
    key, iv = ARGUMENTS.get(mode, (K16, IV[:12] if mode == "GMAC" else b""))
    with pytest.raises(ValueError, match="bytes") as caught:
        decrypt(mode, key, b"" if mode == "GMAC" else DATA, iv, tag=tag)
    assert caught.type is ValueError


def test_a_mode_without_a_tag_takes_none(auto):
    with pytest.raises(ValueError, match="CBC takes no tag"):
        decrypt("CBC", K16, DATA, IV, tag=bytes(16))


def test_text_is_not_bytes(auto):
    with pytest.raises(TypeError):
        encrypt("CTR", K16, "text", IV)


def test_into_a_short_buffer(auto):
    with pytest.raises(ValueError, match="64 bytes, the buffer only 63"):
        encrypt_into("CTR", K16, DATA, bytearray(63), IV)


@pytest.mark.parametrize("mode", ARGUMENTS)
@pytest.mark.parametrize("shift", [-5, 0, 5])
def test_destination_overlaps_source(auto, mode, shift):
    key, iv = ARGUMENTS[mode]
    buffer = memoryview(bytearray(16) + DATA + bytearray(16))
    source, out = buffer[16:80], buffer[16 + shift : 80 + shift]
    count, tag = encrypt_into(mode, key, source, out, iv)
    assert (bytes(out), tag) == encrypt(mode, key, DATA, iv)
    assert decrypt_into(mode, key, out, out, iv, tag=tag) == count == 64
    assert out == DATA


def test_other_buffers(auto):
    """Words of 32 bits, an array of NumPy, a view of one at an odd offset, a view with strides."""
    expected = encrypt("GCM", K16, DATA, IV, DATA)
    spaced = np.zeros(128, np.uint8)
    spaced[::2] = list(DATA)
    for data in (array.array("I", DATA), np.frombuffer(DATA, np.uint32), memoryview(b"x" + DATA)[1:], spaced[::2]):
        assert encrypt("GCM", K16, data, IV, data) == expected
    out = np.zeros(17, np.uint32)
    assert encrypt_into("GCM", K16, DATA, out, IV, DATA) == (64, expected[1])
    assert out.tobytes() == expected[0] + bytes(4)
