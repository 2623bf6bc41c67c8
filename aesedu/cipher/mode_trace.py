"""A mode at work, block by block: every value that ``wiring`` names, taken from the readable modes.

The mode runs over a cipher that takes notes. What CIPH and its inverse gave is read from the notes, so a wiring that
asks for a call the mode never made raises KeyError; plaintext and ciphertext are the mode's own.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from aesedu.cipher import BLOCK_BYTES, ccm, gcm, gf128, modes, ocb, ttable, wiring
from aesedu.cipher.blocks import split, xor

KEY = bytes(range(16))
TWEAK_KEY = bytes(range(16, 32))
IV = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")  # the counter of SP 800-38A F.5: it carries at once
NONCE = IV[:12]


class Step(NamedTuple):
    """One block (or the tag): title, Lines, and the values that are known at its end, by name."""

    number: int
    title: str
    lines: tuple
    values: dict


@dataclass
class Noted:
    """AES under one key that notes what it was asked (``blocks.BlockCipher``)."""

    key: bytes
    notes: dict = field(default_factory=dict)

    def encrypt_blocks(self, data):
        """Each 16 bytes of ``data`` encrypted, and noted as ("E", block)."""
        return b"".join(self._one("E", ttable.encrypt_block, block) for block in split(data))

    def decrypt_blocks(self, data):
        """Each 16 bytes of ``data`` decrypted, and noted as ("D", block)."""
        return b"".join(self._one("D", ttable.decrypt_block, block) for block in split(data))

    def _one(self, op, crypt, block):
        self.notes[op, block] = out = crypt(self.key, block)
        return out


def message(mode):
    """Return a plaintext of four blocks, the first equal to the third; in XTS the last is cut short, to be stolen."""
    equal = bytes(range(0xA0, 0xB0))
    return (equal + bytes(16) + equal + bytes(range(0xB0, 0xC0)))[: 54 if mode == "XTS" else 64]


def trace(mode, direction, data=None, key=KEY):
    """Return the Steps of a message: one for each block, one for the tag where there is one.

    ``data`` (plaintext in "enc", ciphertext in "dec", default that of ``message``) is whole blocks, in XTS anything
    from 16 bytes. Keys, IV and nonce are this module's. Raises ValueError for what ``wiring`` or the mode refuse.
    """
    wiring.wiring(mode, direction)
    if data is None:
        data = message(mode)
        data = data if direction == "enc" else _run(mode, "enc", data, Noted(key))[0]
    if not data or len(data) % BLOCK_BYTES and mode != "XTS":
        raise ValueError(f"{mode}: a message to step through is whole blocks, one or more, not {len(data)} bytes")
    cipher = Noted(key)
    out, given = _run(mode, direction, data, cipher)
    blocks = dict(zip("PC" if direction == "enc" else "CP", (split(data), split(out)), strict=True))
    make = _makers(mode, cipher.notes, given)
    steps, before = [], {}
    for number, (title, lines) in enumerate(_plan(mode, direction, data), start=1):
        known = given | {f"{name}'": value for name, value in before.items()} | _own(blocks, number)
        if "L$" in given:
            known["L"] = _l(given["L$"], number)
        for line in lines:
            if line.name not in known:
                known[line.name] = make[line.op](*(known[name] for name in line.inputs))
        before = {line.name: known[line.name] for line in lines}
        steps.append(Step(number, title, lines, known))
    return steps


def _plan(mode, direction, data):
    """Title and Lines of each step."""
    count = len(split(data))
    plan = [(f"Block {n} of {count}", (wiring.wiring if n > 1 else wiring.first)(mode, direction))
            for n in range(1, count + 1)]  # fmt: skip
    if len(data) % BLOCK_BYTES:
        last, part = wiring.stealing(direction, alone=count == 2)
        plan[-2:] = [(f"Block {count - 1} of {count}, the last whole one", last),
                     (f"Block {count} of {count}, {len(data) % BLOCK_BYTES} bytes: it steals", part)]  # fmt: skip
    return plan + ([("The tag", lines)] if (lines := wiring.tag(mode)) else [])


def _own(blocks, number):
    """Plaintext and ciphertext of a block and of the one before."""
    return {name + "'" * back: part[number - 1 - back] for name, part in blocks.items() for back in (0, 1)
            if 0 <= number - 1 - back < len(part)}  # fmt: skip


def _l(l_dollar, number):
    """L_{ntz(i)} of RFC 7253 4.1."""
    value = gf128.OCB.double(l_dollar)
    for _ in range(ocb.ntz(number)):
        value = gf128.OCB.double(value)
    return value


def _makers(mode, notes, given):
    """What each operation does."""
    return {
        "E": lambda block: notes["E", block],
        "D": lambda block: notes["D", block],
        "E2": lambda block: given["E2"]["E", block],
        "^": xor,
        "*": (gf128.GHASH if mode == "GCM" else gf128.LRW).multiply,
        "* x": gf128.XTS.double,
        "+": lambda block: modes.counter_blocks(block, 1, 1, width=32 if mode == "GCM" else 128),
        "|": lambda part, block: part + block[len(part) :],
        "=": lambda block: block,
    }


def _run(mode, direction, data, cipher):
    """Return what the mode makes of the data, and the values that are not of a block, by name."""
    word = {"enc": "encrypt", "dec": "decrypt"}[direction]
    if mode in ("CCM", "GCM", "OCB"):
        return _run_aead(mode, direction, data, cipher)
    run = partial(getattr(modes, f"{mode.lower()}_{word}"), cipher)
    if mode == "ECB":
        return run(data), {}
    if mode == "LRW":
        return run(TWEAK_KEY, IV, data), {"K": TWEAK_KEY, "Index": IV}
    if mode == "XTS":
        tweaks = Noted(TWEAK_KEY)
        return run(tweaks, IV, data), {"i": IV, "E2": tweaks.notes}
    return run(IV, data), {"IV": IV}


def _run_aead(mode, direction, data, cipher):
    lengths, zero = gcm.lengths_block(0, len(data)), bytes(BLOCK_BYTES)
    if mode == "CCM":
        made = ccm.CCM(cipher, NONCE, len(data), direction=direction)
        mac = cipher.notes["E", ccm.first_block(NONCE, len(data), 0, 16)]
        given = {"Ctr0": ccm.counter_block(NONCE), "M'": mac}
    elif mode == "GCM":
        made = gcm.GCM(cipher, NONCE, direction=direction)
        given = {"H": made.h, "J0": made.j0, "Y'": zero, "Lengths": lengths}
    else:
        made = ocb.OCB(cipher, NONCE, direction=direction)
        dollar = gf128.OCB.double(cipher.notes["E", zero])
        given = {"L$": dollar, "Offset'": ocb.first_offset(cipher, NONCE, 16), "Checksum'": zero}
    out = made.update(data)
    given["Tag"] = made._finish()[1]  # of either direction: there is none to check
    return out, given
