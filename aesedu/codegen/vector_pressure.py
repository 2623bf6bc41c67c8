"""What n-way AES costs in memory accesses when all round keys are to stay in vector registers (notebook 02)."""

from typing import NamedTuple

from aesedu.codegen.code import generate
from aesedu.routines import aes_rounds


class Accesses(NamedTuple):
    """Of one pass over ``ways`` blocks with ``registers`` vector registers; operands in memory count as loads."""

    ways: int
    registers: int
    states_stored: int
    states_loaded: int
    keys_loaded: int
    instructions: int


def accesses(ways, isa="x86_64", encoding=None, registers=None, rounds=10):
    """The Accesses of ``aes_rounds.encrypt_kept`` at a budget of ``registers`` (None: all).

    16 is what SSE and VEX have, 32 is EVEX and AArch64. Raises BudgetError where a budget is impossible.
    """
    recording = aes_rounds.encrypt_kept.record(keys=rounds + 1, vectors=ways)
    code = generate(recording, isa, vectors=registers, encoding=encoding)
    frame = [i for i in code.instructions if i.address and i.address.region == "frame" and i.step]
    keys = sum(i.address.what.startswith("keys") for i in frame)
    stored = sum(i.stores for i in frame)
    return Accesses(ways, code.budgets["vector"], stored, len(frame) - stored - keys, keys, len(code.instructions))
