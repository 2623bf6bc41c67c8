"""AES as FIPS-197 writes it: the cipher, its inverse, the equivalent inverse, and each of them step by step."""

from typing import NamedTuple

from aesedu.cipher import check_block
from aesedu.cipher.key_schedule import equivalent_inverse, expand_key
from aesedu.cipher.transformations import (  # all of FIPS-197 can be had from here
    INV_SBOX,  # noqa: F401
    SBOX,  # noqa: F401
    add_round_key,
    gmul,  # noqa: F401
    inv_mix_columns,
    inv_shift_rows,
    inv_sub_bytes,
    mix_columns,
    shift_rows,
    sub_bytes,
    xtime,  # noqa: F401
)


def cipher(block, round_keys):
    """Encrypt one block: CIPHER() (5.1, Algorithm 1). ``round_keys`` as from ``expand_key``.

    Raises ValueError or TypeError for anything but a block of 16 bytes and a list of round keys.
    """
    state = add_round_key(_check(block, round_keys), round_keys[0])
    for round_key in round_keys[1:-1]:
        state = add_round_key(mix_columns(shift_rows(sub_bytes(state))), round_key)
    return add_round_key(shift_rows(sub_bytes(state)), round_keys[-1])


def inv_cipher(block, round_keys):
    """Decrypt one block: INVCIPHER() (5.3, Algorithm 3). ``round_keys`` and errors as in ``cipher``."""
    state = add_round_key(_check(block, round_keys), round_keys[-1])
    for round_key in round_keys[-2:0:-1]:
        state = inv_mix_columns(add_round_key(inv_sub_bytes(inv_shift_rows(state)), round_key))
    return add_round_key(inv_sub_bytes(inv_shift_rows(state)), round_keys[0])


def eq_inv_cipher(block, decryption_keys):
    """Decrypt one block in the order of steps of ``cipher``: EQINVCIPHER() (5.3.5, Algorithm 4).

    ``decryption_keys`` as from ``equivalent_inverse``, in their order of use; errors as ``cipher``.
    """
    state = add_round_key(_check(block, decryption_keys), decryption_keys[0])
    for round_key in decryption_keys[1:-1]:
        state = add_round_key(inv_mix_columns(inv_shift_rows(inv_sub_bytes(state))), round_key)
    return add_round_key(inv_shift_rows(inv_sub_bytes(state)), decryption_keys[-1])


def _check(block, round_keys):
    if not isinstance(round_keys, (list, tuple)):
        kind = type(round_keys).__name__
        raise TypeError(f"the round keys are of type {kind}; give the list that expand_key(key) makes of a key")
    return check_block(block)


def encrypt_block(key, block):
    """Encrypt 16 bytes under a key of 16, 24 or 32 bytes; raises ValueError or TypeError for anything else."""
    return cipher(block, expand_key(key))


def decrypt_block(key, block):
    """Decrypt 16 bytes under a key of 16, 24 or 32 bytes; raises ValueError or TypeError for anything else."""
    return inv_cipher(block, expand_key(key))


class Step(NamedTuple):
    """One line of FIPS-197 (2001) appendix C; ``str()`` prints it as there."""

    round: int
    name: str  # input, start, s_box, s_row, m_col, k_sch, output; with an i in front for the inverses, and ik_add
    value: bytes

    def __str__(self):
        return f"round[{self.round:2}].{self.name:<10}{self.value.hex()}"


def trace(key, block, direction="encrypt"):
    """Every intermediate value as ``Step``s, in the order of FIPS-197 (2001) appendix C.

    ``direction`` is "encrypt", "decrypt" (the inverse cipher) or "equivalent inverse". Raises ValueError or TypeError
    for a wrong direction, key or block.
    """
    if direction not in _TRACES:
        raise ValueError(f"direction is one of {', '.join(map(repr, _TRACES))}, not {direction!r}")
    return _TRACES[direction](check_block(block), expand_key(key))


def _trace_cipher(block, round_keys, i="", steps=(sub_bytes, shift_rows, mix_columns)):
    """Algorithm 1; with the inverse transformations, their ``i`` and their keys Algorithm 4: one order of steps."""
    yield Step(0, f"{i}input", block)
    yield Step(0, f"{i}k_sch", round_keys[0])
    state = add_round_key(block, round_keys[0])
    last = len(round_keys) - 1
    for number, round_key in enumerate(round_keys[1:], 1):
        yield Step(number, f"{i}start", state)
        for name, step in zip(("s_box", "s_row", "m_col"), steps if number != last else steps[:2], strict=False):
            yield Step(number, f"{i}{name}", state := step(state))
        yield Step(number, f"{i}k_sch", round_key)
        state = add_round_key(state, round_key)
    yield Step(last, f"{i}output", state)


def _trace_inv_cipher(block, round_keys):
    yield Step(0, "iinput", block)
    yield Step(0, "ik_sch", round_keys[-1])
    state = add_round_key(block, round_keys[-1])
    last = len(round_keys) - 1
    for number, round_key in enumerate(round_keys[-2::-1], 1):
        yield Step(number, "istart", state)
        yield Step(number, "is_row", state := inv_shift_rows(state))
        yield Step(number, "is_box", state := inv_sub_bytes(state))
        yield Step(number, "ik_sch", round_key)
        state = add_round_key(state, round_key)
        if number != last:
            yield Step(number, "ik_add", state)
            state = inv_mix_columns(state)
    yield Step(last, "ioutput", state)


def _trace_eq_inv_cipher(block, round_keys):
    inverses = inv_sub_bytes, inv_shift_rows, inv_mix_columns
    return _trace_cipher(block, equivalent_inverse(round_keys), "i", inverses)


_TRACES = {"encrypt": _trace_cipher, "decrypt": _trace_inv_cipher, "equivalent inverse": _trace_eq_inv_cipher}
