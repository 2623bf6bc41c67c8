"""What n-way AES costs in memory accesses when all round keys are to stay in vector registers (notebook 02)."""

from typing import NamedTuple

from aesedu.codegen.code import generate
from aesedu.routines import aes_rounds


class Accesses(NamedTuple):
    """Of one pass over ``ways`` blocks with ``registers`` vector registers, by what they are for."""

    ways: int
    registers: int
    states_stored: int  # spills
    states_loaded: int  # reloads
    keys_loaded: int  # at least one a round key; those that are operands of a round count too
    instructions: int


def accesses(ways, isa="x86_64", encoding=None, registers=None, rounds=10):
    """The Accesses of ``aes_rounds.encrypt`` at a budget of ``registers`` (None: all).

    16 is what SSE and VEX have, 32 is EVEX and AArch64. Raises BudgetError where a budget is impossible.
    """
    recording = aes_rounds.encrypt.record(rounds=rounds, vectors=ways, keys_in="registers")
    code = generate(recording, isa, vectors=registers, encoding=encoding)
    frame, keys = (
        [i for i in code.instructions if i.address and i.address.region == region] for region in ("frame", "keys")
    )
    stored = sum(i.stores for i in frame)
    sizes = ways, code.budgets["vector"]
    return Accesses(*sizes, stored, len(frame) - stored, len(keys), len(code.instructions))
