"""The AES instructions of x86-64 and AArch64, step by step: one cipher, cut in two ways.

x86-64 adds the round key last (Intel SDM volume 2A), AArch64 first (Arm ARM C7.2). ShiftRows and SubBytes may change
places, for one moves bytes and the other replaces each by itself. States and keys are 16 bytes in memory order.
"""

from typing import NamedTuple

from aesedu.cipher import check_block, transformations
from aesedu.cipher.key_schedule import equivalent_inverse, expand_key, rot_word, sub_word

_ROUND = ("shift_rows", "sub_bytes")
_INVERSE = ("inv_shift_rows", "inv_sub_bytes")
_KEY = ("add_round_key",)
STEPS = {  # functions of ``transformations`` in the order of the manuals
    "PXOR": _KEY,
    "AESENC": (*_ROUND, "mix_columns", *_KEY),
    "AESENCLAST": (*_ROUND, *_KEY),
    "AESDEC": (*_INVERSE, "inv_mix_columns", *_KEY),
    "AESDECLAST": (*_INVERSE, *_KEY),
    "EOR": _KEY,
    "AESE": (*_KEY, *_ROUND),
    "AESMC": ("mix_columns",),
    "AESD": (*_KEY, *_INVERSE),
    "AESIMC": ("inv_mix_columns",),
}


class Step(NamedTuple):
    """One step of a cipher: ``instruction`` is number ``index`` of the program, ``key`` a round key's or None."""

    instruction: str
    index: int
    key: int | None
    name: str
    before: bytes
    after: bytes


def aesenc(state, key):
    """A round: ShiftRows, SubBytes, MixColumns, then the key."""
    return execute("AESENC", state, key)


def aesenclast(state, key):
    """The last round: ShiftRows, SubBytes, then the key."""
    return execute("AESENCLAST", state, key)


def aese(state, key):
    """The key, then ShiftRows and SubBytes."""
    return execute("AESE", state, key)


def aesmc(state):
    """MixColumns."""
    return execute("AESMC", state)


def aesimc(state):
    """InvMixColumns; x86-64 and AArch64 give it the same name."""
    return execute("AESIMC", state)


def aeskeygenassist(state, rcon):
    """Words 1 and 3 through SubWord, each as it is and, behind that, rotated and with ``rcon`` in its first byte."""
    subbed = [sub_word(state[4:8]), sub_word(state[12:16])]
    return b"".join(word + bytes([rot_word(word)[0] ^ rcon]) + rot_word(word)[1:] for word in subbed)


def execute(instruction, state, key=None):
    """The state after an instruction of ``STEPS``; ``key`` for those that add one. Raises KeyError for another name."""
    for name in STEPS[instruction]:
        state = _step(name, state, key)
    return state


def _step(name, state, key):
    function = getattr(transformations, name)
    return function(state, key) if name == "add_round_key" else function(state)


def program(isa, rounds, direction="encrypt"):
    """Pairs (instruction, number of its round key or None) that make the whole cipher.

    ``isa`` is "x86_64" or "aarch64", ``direction`` "encrypt" or "decrypt" (by the equivalent inverse cipher).
    """
    forward = direction == "encrypt"
    if isa == "x86_64":
        middle, last = ("AESENC", "AESENCLAST") if forward else ("AESDEC", "AESDECLAST")
        return [("PXOR", 0), *((middle, n) for n in range(1, rounds)), (last, rounds)]
    add, mix = ("AESE", "AESMC") if forward else ("AESD", "AESIMC")
    pairs = [each for n in range(rounds - 1) for each in ((add, n), (mix, None))]
    return [*pairs, (add, rounds - 1), ("EOR", rounds)]


def trace(isa, key, block, direction="encrypt"):
    """Every ``Step`` of the cipher by the instructions of ``isa``; the steps of both are the same.

    ``key`` has 16, 24 or 32 bytes. Raises ValueError or TypeError for a wrong key or block.
    """
    keys, state, steps = expand_key(key), check_block(block), []
    keys = keys if direction == "encrypt" else equivalent_inverse(keys)
    for index, (instruction, number) in enumerate(program(isa, len(keys) - 1, direction)):
        for name in STEPS[instruction]:
            after = _step(name, state, None if number is None else keys[number])
            steps.append(Step(instruction, index, number if name == "add_round_key" else None, name, state, after))
            state = after
    return steps
