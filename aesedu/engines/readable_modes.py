"""Any engine's blocks under the readable modes of ``aesedu.cipher``: one message, whole, and the timed form.

``cipher`` and ``make`` stand for AES: a ``cipher.blocks.BlockCipher``, and what makes one of a key.
"""

import importlib
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from aesedu.cipher import modes
from aesedu.cipher.ccm import CCM
from aesedu.cipher.gcm import GCM
from aesedu.cipher.ocb import OCB
from aesedu.engines.base import repeated


class KeyedEngine(NamedTuple):
    """AES of one engine under one key: a ``cipher.blocks.BlockCipher``."""

    encrypt_blocks: Callable[[bytes], bytes]
    decrypt_blocks: Callable[[bytes], bytes]


def hiding(mode, direction, make, key, data, iv):
    """Return the result of a mode without a tag; ``direction`` is "enc" or "dec"."""
    run = getattr(modes, f"{mode.lower()}_{direction}rypt")
    if mode == "ECB":
        return run(make(key), data)
    if mode == "LRW":
        key, tweak_key = modes.lrw_keys(key)
        return run(make(key), tweak_key, iv, data)
    if mode == "XTS":
        return run(*map(make, modes.xts_keys(key)), iv, data)
    return run(make(key), iv, data)


def aead(mode, direction, cipher, iv, data_bytes, aad_bytes, tag_length):
    """Return the object of a message in CCM, GCM, GMAC or OCB."""
    if mode == "CCM":
        return CCM(cipher, iv, data_bytes, aad_bytes, tag_length, direction)
    return {"GCM": GCM, "GMAC": GCM, "OCB": OCB}[mode](cipher, iv, tag_length, direction)


def prepare(module, options, mode, direction, key, iv, size, aad, placement):
    """The timed form: run(count) does a message through Python; sizes as in ``whole_modes.prepare``."""
    engine, mode, data = importlib.import_module(module), mode.upper(), bytes(size)

    def make(key):
        return KeyedEngine(*(partial(engine.ecb, direction, key, **options) for direction in ("enc", "dec")))

    if mode in ("CCM", "GCM", "OCB"):
        once = _sealing(mode, direction, make(key), iv, data, bytes(aad))
    else:
        once = partial(hiding, mode, direction, make, key, data, iv)
    return repeated(once)


def _sealing(mode, direction, cipher, iv, data, associated):
    def message(way):
        return aead(mode, way, cipher, iv, len(data), len(associated), 16)

    if direction == "enc":
        return lambda: message("enc").seal(data, associated)
    ciphertext, tag = message("enc").seal(data, associated)
    return lambda: message("dec").open(ciphertext, associated, tag)
