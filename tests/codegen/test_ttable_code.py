"""Every T-table variant at every budget, against known answers and OpenSSL.

By default each variant runs at one budget, and a few of them on AArch64; with AESEDU_FUZZ set, all at all.
"""

import os
import random
import struct

import emulated
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from variants import MOST, Variant, compiled

from aesedu import native
from aesedu.cipher.key_schedule import ROUNDS
from aesedu.cipher.ttable import DECRYPT, ENCRYPT
from aesedu.codegen import weave
from aesedu.engines.execute import execute
from aesedu.native.assembler import ISA
from aesedu.routines import ttable

BLOCKS = 6
ALL = "AESEDU_FUZZ" in os.environ
VARIANTS = [
    (bits, direction, technique, key_loads, woven)
    for bits in (128, 192, 256)
    for direction in (ENCRYPT, DECRYPT)
    for technique in ttable.TECHNIQUES
    for key_loads in ttable.KEY_LOADS
    for woven in (1, 2)
    if ALL or woven == 1 or bits == 128
]
IDS = ["-".join(map(str, variant)) for variant in VARIANTS]


def recording(bits, direction, technique, key_loads, woven):
    record = (ttable.encrypt if direction == ENCRYPT else ttable.decrypt).record
    one = record(rounds=ROUNDS[bits], technique=technique, key_loads=key_loads)
    return weave(*[one] * woven, grain=16) if woven > 1 else one


def case(variant, isa, budget, rng):
    """A Variant with a random key and blocks, and what OpenSSL makes of them (words)."""
    bits, direction, *_, woven = variant
    key, data = rng.randbytes(bits // 8), rng.randbytes(16 * BLOCKS)
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    wanted = (cipher.encryptor() if direction == ENCRYPT else cipher.decryptor()).update(data)
    memories = [[0] * 4 * BLOCKS, words(data), ttable.key_words(direction, key), ttable.tables(direction)]
    return Variant(compiled(recording(*variant), isa, budget), [], memories, BLOCKS // woven), words(wanted)


def words(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def budgets(isa, rng):
    return range(2, MOST[isa] + 1) if ALL else [rng.randrange(3, MOST[isa] + 1)]


@pytest.mark.parametrize("variant", VARIANTS, ids=IDS)
def test_on_this_host(variant):
    rng = random.Random(str(variant))
    for budget in budgets(ISA, rng):
        made, wanted = case(variant, ISA, budget, rng)
        _, (out, *others) = execute(made.code, [], made.memories, made.count)
        assert out == wanted, budget
        assert others == made.memories[1:], budget


@pytest.mark.skipif(emulated.CAN_SKIP, reason=f"not installed: {', '.join(emulated.MISSING)}")
def test_on_aarch64(tmp_path):
    rng = random.Random(1)
    variants = VARIANTS if ALL else rng.sample(VARIANTS, 8)
    chosen = [(variant, budget) for variant in variants for budget in budgets("aarch64", rng)]
    for start in range(0, len(chosen), 60):  # a program of all would fill a gigabyte
        cases = [case(variant, "aarch64", budget, rng) for variant, budget in chosen[start : start + 60]]
        outcomes = emulated.run([variant for variant, _ in cases], tmp_path)
        for (variant, wanted), (_, (out, *_), changed) in zip(cases, outcomes, strict=True):
            assert out == wanted
            assert not changed, variant.code.budget


def test_known_answer_of_fips_197():
    key, block = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")
    code = compiled(ttable.encrypt.record(), ISA, 9)
    memories = [[0] * 4, words(block), ttable.key_words(ENCRYPT, key), ttable.tables(ENCRYPT)]
    assert execute(code, [], memories)[1][0] == words(bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a"))


def test_in_place():
    made, wanted = case(VARIANTS[1], ISA, MOST[ISA], random.Random(1))
    text = made.code.text("inner") + _IN_PLACE[ISA]
    buffers = [native.Buffer(struct.pack(f"<{len(m)}I", *m)) for m in made.memories[1:]]
    answer = native.run(text, [native.Buffer(bytes(8)), made.count, *buffers])
    assert words(answer.buffers[1]) == wanted


# routine(words, count, block, keys, tables) calls inner with the block as its output, too
_IN_PLACE = {
    "x86_64": ".globl routine\nroutine: mov %r8, %r9\n mov %rcx, %r8\n mov %rdx, %rcx\n jmp inner\n",
    "aarch64": ".globl routine\nroutine: mov x5, x4\n mov x4, x3\n mov x3, x2\n b inner\n",
}
