"""Every AES routine in every encoding at random budgets, against OpenSSL; AArch64 in both orders of bytes under qemu.

AESEDU_FUZZ sets the number of random blocks a routine: by default 1,000 in CI, and a sample elsewhere.
"""

import os
import random
import struct
from types import SimpleNamespace

import emulated
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from variants import Variant, compiled, encodings

from aesedu.cipher.key_schedule import ROUNDS
from aesedu.codegen import generate, select
from aesedu.codegen.aarch64 import AArch64, BigEndian
from aesedu.codegen.code import ENCODINGS
from aesedu.engines.execute import execute
from aesedu.native.assembler import ISA
from aesedu.routine import RoutineError, memory, routine, table, v128
from aesedu.routine.vectors import aesenc, load128, load512, load_broadcast, store128, store512
from aesedu.routines import aes_rounds as aes

BLOCKS = int(os.environ.get("AESEDU_FUZZ", 1000 if os.environ.get("CI") else 100))
# FIPS-197 appendix C: ciphertext of 00112233445566778899aabbccddeeff under the key 00 01 02 ... of so many bytes
PLAINTEXT = bytes.fromhex("00112233445566778899aabbccddeeff")
APPENDIX_C = {
    16: "69c4e0d86a7b0430d8cdb78070b4c55a",
    24: "dda97ca4864cdfe06eaf70a0ec0d7191",
    32: "8ea2b7ca516745bfeafc49904b496089",
}
BITS = (128, 192, 256)
ROUTINES = ("encrypt", "decrypt", "ctr", "cbc_decrypt", "cbc_encrypt")
x86 = pytest.mark.skipif(ISA != "x86_64", reason="there is one encoding")
emulator = pytest.mark.skipif(emulated.CAN_SKIP, reason=f"not installed: {', '.join(emulated.MISSING)}")


def words(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def case(name, encoding, rng, isa=ISA):
    """A Variant of a routine with random settings, budgets, key and data, and the blocks OpenSSL makes (words)."""
    bits, vectors = rng.choice(BITS), rng.choice((1, 2, 3, 4, 8, 16))
    lanes, count = rng.choice((1, 4)) if encoding == "evex" else 1, rng.randrange(4)
    key, iv = rng.randbytes(bits // 8), rng.randbytes(15) + b"\0"
    data = rng.randbytes(16 * vectors * lanes * count)
    settings, first = {"rounds": ROUNDS[bits], "vectors": vectors, "lanes": lanes}, []
    make = {"encrypt": modes.ECB(), "decrypt": modes.ECB(), "ctr": modes.CTR(iv)}.get(name, modes.CBC(iv))
    cipher = Cipher(algorithms.AES(key), make)
    wanted = (cipher.decryptor() if "decrypt" in name else cipher.encryptor()).update(data)
    if name == "ctr":
        first = [int.from_bytes(iv, "big")]
    if name == "cbc_decrypt":
        data = iv + data
    if name == "cbc_encrypt":
        stride = len(data) // vectors
        settings, ivs = {"rounds": ROUNDS[bits], "stride": stride // 4}, [rng.randbytes(16) for _ in range(vectors)]
        data, settings["chains"] = data[: stride * vectors], vectors
        streams = [(iv, data[stride * i : stride * (i + 1)]) for i, iv in enumerate(ivs)]
        wanted = b"".join(Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(d) for iv, d in streams)
        first, count = [int.from_bytes(iv, "little") for iv in ivs], stride // 16
    keys = aes.key_bytes("dec" if "decrypt" in name else "enc", key)
    memories = [[0] * (len(wanted) // 4), words(data), words(keys)]
    if name in ("encrypt", "decrypt") and lanes == 1 and rng.random() < 0.5:
        first = [int.from_bytes(keys[at : at + 16], "little") for at in range(0, len(keys), 16)]
        name, settings, memories = f"{name}_kept", {"keys": len(first), "vectors": vectors}, memories[:2]
    recording = getattr(aes, name).record(**settings)
    code = compiled(recording, isa, rng.choice((4, 5, 6, 9, None)), rng.choice((2, 3, 5, 9, 12, None)), encoding)
    return Variant(code, first, memories, count), words(wanted)


def cases(name, encoding, isa=ISA):
    """So many that BLOCKS blocks go through the routine."""
    rng, done, found = random.Random(f"{name} {encoding}"), 0, []
    while done < BLOCKS:
        found.append(case(name, encoding, rng, isa))
        done += len(found[-1][1]) // 4
    return found


@pytest.mark.parametrize("encoding", encodings(ISA) if ISA == "x86_64" else ["little"])
@pytest.mark.parametrize("name", ROUTINES)
def test_on_this_host(name, encoding):
    for variant, wanted in cases(name, encoding):
        _, (out, *others) = execute(variant.code, variant.words, variant.memories, variant.count)
        assert out == wanted, variant.code.budgets
        assert others == variant.memories[1:]


def emulate(name, encoding, folder):
    """Whether each of the cases comes out right, and no register changed that must not."""
    made = cases(name, encoding, "aarch64")
    outcomes = emulated.run([variant for variant, _ in made], folder)
    return [out == wanted and not changed for (_, wanted), (_, (out, *_), changed) in zip(made, outcomes, strict=True)]


@emulator
@pytest.mark.parametrize("encoding", ["little", "big"])
@pytest.mark.parametrize("name", ROUTINES)
def test_on_aarch64(name, encoding, tmp_path):
    assert all(emulate(name, encoding, tmp_path))


@emulator
@pytest.mark.parametrize("order", ["little", "big"])
def test_known_answers_on_aarch64(tmp_path, order):
    variants, answers = [], []
    for size, ciphertext in APPENDIX_C.items():
        pair = words(PLAINTEXT), words(bytes.fromhex(ciphertext))
        for direction, (given, answer) in (("enc", pair), ("dec", pair[::-1])):
            recording = getattr(aes, f"{direction}rypt").record(rounds=ROUNDS[8 * size])
            code = generate(recording, "aarch64", encoding=order)
            keys = words(aes.key_bytes(direction, bytes(range(size))))
            variants.append(Variant(code, [], [[0] * 4, given, keys], 1))
            answers.append(answer)
    assert [memories[0] for _, memories, _ in emulated.run(variants, tmp_path)] == answers


@emulator
def test_naive_loads_are_wrong_in_big_endian(tmp_path, monkeypatch):
    class Naive(BigEndian):
        rows = BigEndian.rows | {name: AArch64.rows[name] for name in ("load128", "store128", "const.v")}
        finest = 16

    monkeypatch.setitem(ENCODINGS["aarch64"], "big", Naive())
    assert not all(emulate("encrypt", "big", tmp_path))


@emulator
def test_the_lower_halves_of_v8_to_v15_are_kept(tmp_path, monkeypatch):
    def changed():
        code = generate(aes.encrypt_kept.record(vectors=20, keys=11), "aarch64")
        return emulated.run([Variant(code, [0] * 11, [[0] * 80, [0] * 80], 1)], tmp_path)[0][2]

    assert not changed()
    monkeypatch.setattr(AArch64, "kept", AArch64.kept[:10])
    assert changed()


@pytest.mark.skipif("evex" not in encodings("x86_64") or ISA != "x86_64", reason="needs AVX-512")
def test_a_broadcast_is_not_what_is_in_memory(monkeypatch):
    @routine
    def loads_first(out: memory, block: memory, keys: table):
        a, b, c = (load_broadcast(keys, 4 * n) for n in range(3))
        store512(out, 0, aesenc(aesenc(aesenc(load512(block, 0), c), b), a))
        return out[16:]

    def fault():
        code = generate(loads_first.record(), vectors=2, encoding="evex")
        return Variant(code, [], [[0] * 16, [0] * 16, list(range(24))], 1).fault()

    assert not fault()
    monkeypatch.setattr(select, "vectors", SimpleNamespace(load_broadcast=None))  # as if it could be an operand
    assert fault()


def texts(recording, isa, **settings):
    return [i.text for i in generate(recording, isa, **settings).instructions]


def test_aese_and_aesmc_stand_together():
    for vectors in (2, 3, 6):
        lines = texts(aes.encrypt.record(vectors=4), "aarch64", vectors=vectors)
        pairs = [(a.split(), b.split()) for a, b in zip(lines, lines[1:], strict=False) if a.startswith("aese ")]
        assert sum(b[0] == "aesmc" for _, b in pairs) == 9 * 4 == sum(line.startswith("aesmc") for line in lines)
        assert all(b[1] == b[2] + "," == a[1] for a, b in pairs if b[0] == "aesmc")


def test_keys_are_operands_where_they_can_be():
    recording = aes.encrypt.record()
    assert [line.partition("(")[0] for line in texts(recording, "x86_64") if line.startswith("aesenc ")] == [
        f"aesenc {16 * r}" for r in range(1, 10)
    ]


@routine
def unaligned(out: memory, keys: table, state: v128):
    store128(out, 0, aesenc(aesenc(state, load128(keys, 1)), load128(keys[2:], 2)))
    return out[4:]


def test_sse_takes_operands_from_multiples_of_16_bytes_only():
    assert sum("aesenc" in line and "(" in line for line in texts(unaligned.record(), "x86_64")) == 1
    assert sum("aesenc" in line and "(" in line for line in texts(unaligned.record(), "x86_64", encoding="vex")) == 2


def test_upper_halves_are_cleared_after_512_bits_only():
    wide, narrow = aes.encrypt.record(lanes=4), aes.encrypt.record()
    assert generate(wide, encoding="evex").text().count("vzeroupper\n    ret\n") == 1
    for encoding in ("sse", "vex", "evex"):
        assert "vzeroupper" not in generate(narrow, encoding=encoding).text()


def test_where_512_bits_do_not_fit():
    for isa, encoding in (("x86_64", "sse"), ("x86_64", "vex"), ("aarch64", "little"), ("aarch64", "big")):
        with pytest.raises(RoutineError, match=f"v512: no register of {isa} {encoding} holds it"):
            generate(aes.encrypt.record(lanes=4), isa, encoding=encoding)
    with pytest.raises(ValueError, match="x86_64 has no encoding 'mmx'; it has: sse, vex, evex"):
        generate(aes.encrypt.record(), encoding="mmx")
