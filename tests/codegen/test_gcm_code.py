"""GHASH and GCM as machine code, random sizes, forms and budgets, against the evaluator: x86-64 here, AArch64 in qemu.

AESEDU_FUZZ as in test_fuzz.py; the evaluator itself is held against OpenSSL in tests/routines.
"""

import os
import random

import emulated
import pytest
from variants import Variant, compiled, encodings, rescheduled

from aesedu.codegen import weave
from aesedu.native.assembler import ISA
from aesedu.routines import gcm, ghash

COUNT = int(os.environ.get("AESEDU_FUZZ", 250)) // 10
SIZES = {"out": 512, "block": 512, "data": 512, "keys": 60}


def some_recording(rng, lanes):
    """A hash, or a chunk of GCM in one of its forms."""
    multiplication, vectors = rng.choice(ghash.MULTIPLICATIONS), rng.randrange(1, 9 if lanes == 1 else 4)
    if rng.random() < 0.3 and lanes == 1:
        return ghash.ghash.record(blocks=vectors, multiplication=multiplication)
    form, rounds = rng.choice(gcm.FORMS), rng.choice((10, 12, 14))
    parts = gcm.parts(rng.choice(("enc", "dec")), form, vectors, lanes, rounds, multiplication)
    return weave(*parts, grain=rng.choice((1, 3, 8)) if form == "woven" else 1000)


def some_variant(seed, isa, encoding=None):
    rng = random.Random(seed)
    encoding = encoding or rng.choice(encodings(isa))
    recording = some_recording(rng, 4 if encoding == "evex" and rng.random() < 0.5 else 1)
    budgets = rng.choice((None, 7, 9)), rng.choice((None, None, 8, 12))
    words = [rng.getrandbits(128) for p in recording.parameters if not p.type.is_memory]
    powers = ghash.powers(rng.randbytes(16))
    memories = [
        powers if p.name == "powers" else [rng.getrandbits(32) for _ in range(SIZES[p.name])]
        for p in recording.parameters
        if p.type.is_memory
    ]
    ordered = rescheduled(rng, recording, isa, encoding) if rng.random() < 0.3 else recording
    return Variant(compiled(ordered, isa, *budgets, encoding), words, memories, rng.choice((1, 2, 3)), recording)


@pytest.mark.skipif(ISA != "x86_64" or not encodings("x86_64"), reason="no x86-64 with carry-less products")
def test_on_this_host():
    faults = {seed: some_variant(seed, "x86_64").fault() for seed in range(COUNT)}
    assert {seed: fault for seed, fault in faults.items() if fault} == {}


@pytest.mark.skipif(emulated.CAN_SKIP, reason=f"not installed: {', '.join(emulated.MISSING)}")
@pytest.mark.parametrize("order", ["little", "big"])
def test_on_aarch64(tmp_path, order):
    variants = [some_variant(seed, "aarch64", order) for seed in range(COUNT)]
    faults = {}
    for seed, (*outcome, changed) in enumerate(emulated.run(variants, tmp_path)):
        faults[seed] = "registers changed" if changed else variants[seed].difference(*outcome)
    assert {seed: fault for seed, fault in faults.items() if fault} == {}
