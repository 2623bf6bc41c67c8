"""The codegen fuzzer: random order x budget x instruction set x routine, native and emulated, against the evaluator.

AESEDU_FUZZ=2000 sets the number of random routines for each instruction set; by default a sample runs.
"""

import os
import random

import emulated
import pytest
from variants import random_variant

from aesedu.native.assembler import ISA

COUNT = int(os.environ.get("AESEDU_FUZZ", 250))


def test_random_routines_on_this_host():
    faults = {seed: random_variant(random.Random(seed), ISA).fault() for seed in range(COUNT)}
    assert {seed: fault for seed, fault in faults.items() if fault} == {}


@pytest.mark.skipif(emulated.CAN_SKIP, reason=f"not installed: {', '.join(emulated.MISSING)}")
@pytest.mark.parametrize("order", ["little", "big"])
def test_random_routines_on_aarch64(tmp_path, order):
    variants = [random_variant(random.Random(seed), "aarch64", order) for seed in range(COUNT)]
    faults, outcomes = {}, emulated.run(variants, tmp_path)
    for seed, (variant, (*outcome, changed)) in enumerate(zip(variants, outcomes, strict=True)):
        faults[seed] = "registers changed" if changed else variant.difference(*outcome)
    assert {seed: fault for seed, fault in faults.items() if fault} == {}
