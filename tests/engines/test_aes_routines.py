"""The engines of AES instructions against OpenSSL: all lengths and tails, counters that overflow, streams."""

import random
import sys

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from aesedu import native
from aesedu.engines import aes_routines, engine, engines

ENGINES = [e for e in engines() if e.module == "aesedu.engines.aes_routines"]
each_engine = pytest.mark.parametrize("tested", [e for e in ENGINES if e.available], ids=lambda e: e.name)
each_key = pytest.mark.parametrize("key_bytes", [16, 24, 32])
# So many blocks before the low 64 bits of the counter overflow, and before all of it does
COUNTERS = [2**128 - 5, 2**128 - 1, 2**64 - 17, 7 << 64 | 2**64 - 1, 1 << 63, 0]


def test_names():
    assert [e.name for e in ENGINES] == ["aes-x1", "aes-x2", "aes-x4", "aes-x8", "aes-x16", "vaes-x4"]


def openssl(key, mode, data, direction="enc"):
    cipher = Cipher(algorithms.AES(key), mode)
    return (cipher.encryptor() if direction == "enc" else cipher.decryptor()).update(data)


@each_engine
@each_key
def test_ecb_of_0_to_17_blocks(tested, key_bytes):
    rng = random.Random(key_bytes)
    for blocks in range(18):
        key, data = rng.randbytes(key_bytes), rng.randbytes(16 * blocks)
        wanted = openssl(key, modes.ECB(), data)
        assert tested.ecb_encrypt(key, data) == tested.message("ecb", "enc", key, data, b"")[0] == wanted
        assert tested.ecb_decrypt(key, wanted) == tested.message("ecb", "dec", key, wanted, b"")[0] == data


@each_engine
@each_key
def test_cbc_of_0_to_34_blocks(tested, key_bytes):
    rng = random.Random(key_bytes)
    for blocks in (*range(19), 34):
        key, iv, data = rng.randbytes(key_bytes), rng.randbytes(16), rng.randbytes(16 * blocks)
        wanted = openssl(key, modes.CBC(iv), data)
        assert tested.message("cbc", "enc", key, data, iv)[0] == wanted
        assert tested.message("cbc", "dec", key, wanted, iv)[0] == data


@each_engine
@each_key
def test_ctr_of_all_tails_and_counters(tested, key_bytes):
    rng = random.Random(key_bytes)
    for size in (*range(0, 290, 7), *range(256, 274), 600):
        key, data, iv = rng.randbytes(key_bytes), rng.randbytes(size), rng.choice(COUNTERS).to_bytes(16, "big")
        wanted = openssl(key, modes.CTR(iv), data)
        assert tested.message("ctr", rng.choice(("enc", "dec")), key, data, iv)[0] == wanted


@pytest.mark.skipif(not engine("aes-x1").available, reason=engine("aes-x1").reason)
@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_streams_of_cbc(count):
    rng = random.Random(count)
    for blocks in (1, 5):
        key, ivs = rng.randbytes(32), [rng.randbytes(16) for _ in range(count)]
        messages = [rng.randbytes(16 * blocks) for _ in range(count)]
        wanted = [openssl(key, modes.CBC(iv), message) for iv, message in zip(ivs, messages, strict=True)]
        assert aes_routines.encrypt_streams(key, ivs, b"".join(messages)) == b"".join(wanted)
    assert aes_routines.encrypt_streams(bytes(16), ivs, b"") == b""
    with pytest.raises(ValueError, match="176 bytes are not 3 messages of one length"):
        aes_routines.encrypt_streams(bytes(16), [bytes(16)] * 3, bytes(176))
    native.sample(aes_routines.streams(count, 192, 64), 2)


def test_the_timed_form_takes_no_more_than_there_is(monkeypatch):
    calls = []
    monkeypatch.setattr(aes_routines, "_call", lambda *arguments: calls.append(arguments[3:5]) or ("", ()))
    monkeypatch.setattr(sys.modules["aesedu.native.run"], "prepare", lambda *_, **__: None)
    for blocks in (1, 6, 8, 24, 64):
        aes_routines.prepare("enc", bytes(16), 16 * blocks, 0, 4, 4)
    assert calls == [(1, 1), (2, 1), (2, 4), (2, 4), (4, 4)]


def test_a_processor_without_the_instructions(monkeypatch):
    monkeypatch.setattr(native, "features", lambda: frozenset({"ssse3", "avx512f"}))
    monkeypatch.setattr(aes_routines, "ISA", "x86_64")
    assert engine("aes-x4").reason == "this processor lacks aes"
    assert engine("vaes-x4").reason == "this processor lacks aes, avx512bw, avx512vl, vaes"
    monkeypatch.setattr(aes_routines, "ISA", "aarch64")
    assert engine("aes-x4").reason == "this processor lacks aes"
    assert engine("vaes-x4").reason == "vectors of four blocks are there on x86-64 only"
    monkeypatch.setattr(aes_routines, "ISA", "riscv64")
    assert engine("aes-x4").reason == "there is no code for riscv64"
