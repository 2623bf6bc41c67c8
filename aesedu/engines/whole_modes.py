"""Whole modes of a native engine, in the worker: what each needs beside the message, and the run of its loop.

The readable modes check and prepare (``cipher``), over the same routine; ``loops`` does the message. An engine's module
says ``block_routine(direction, key, placement, **options)`` -> (loops.Routine, what must live as long). It may also
have ``whole_mode(job, **options)``, which returns ``run(count)`` where it has a routine for all of ``job.mode`` in
``job.direction``, or None; that one reads and writes the arrays of ``job.message``.
"""

import functools
import hmac
import importlib
import json

import numpy as np

from aesedu.cipher import BLOCK_BYTES, gf128, modes
from aesedu.cipher.ccm import CCM, encoded_aad_length, first_block
from aesedu.cipher.gcm import GCM, lengths_block
from aesedu.cipher.ocb import nonce_block
from aesedu.engines import loops
from aesedu.engines.placement import placed

_BACKWARD = ("ecb", "cbc", "lrw", "xts", "ocb")  # modes whose decryption runs the cipher backwards
GATHER = 64  # blocks handed over at once: 1 KiB, which stays in the first cache
_OCB_L = 40  # offsets L_0 ... for up to 2^40 blocks


class Job:
    """One message in one mode: ``message`` is what ``loops`` (or an engine's own routine) works on.

    ``mode`` in lower case, ``direction`` "enc" or "dec", ``calls`` "bulk" or "block". Raises ValueError as the readable
    modes do.
    """

    def __init__(self, module, options, mode, direction, key, data=b"", iv=b"", aad=b"", tag_length=16, **timing):
        self.mode, self.direction, self.placement = mode, direction, timing.get("placement", 0)
        self.bulk = timing.get("calls", "bulk") == "bulk"
        self._module, self._options, self._tag_length, self._keeps = module, options, tag_length, []
        self.key, self.tweak_key = _keys(mode, key)
        self.forward = self._routine("enc", self.tweak_key if mode == "xts" else self.key)
        self.routine = self._routine(direction if mode in _BACKWARD else "enc", self.key)
        words = [_words(part) for part in (data, bytes(len(data) or 1), *_SETUP[mode](self, iv, aad, data))]
        gather = GATHER if self.bulk else 1
        arrays = placed([*words, np.zeros(2, np.int64), np.zeros(2 * gather, np.int64)], self.placement)
        self.message = loops.Message(*arrays, len(data), gather, direction == "dec")

    def _routine(self, direction, key):
        made, keeps = _routine(self._module, direction, key, self.placement, json.dumps(self._options))
        self._keeps.append(keeps)
        return made

    def encrypt_blocks(self, data):
        """Each block of ``data`` encrypted: what the readable modes prepare with."""
        source = np.frombuffer(data, np.int64)
        target = np.empty_like(source)
        loops.crypt(self.forward, target, 0, source, 0, len(data) // BLOCK_BYTES)
        return target.tobytes()

    def aead(self, kind, iv, *lengths):
        """The readable object of this message, which checks what it is given."""
        return kind(self, iv, *lengths, tag_length=self._tag_length, direction=self.direction)

    def runner(self):
        """run(count), which does the message ``count`` times."""
        own = getattr(importlib.import_module(self._module), "whole_mode", None) if self.bulk else None
        if run := own and own(self, **self._options):
            run = functools.partial(run)
        else:
            run = getattr(loops, _LOOPS.get((self.mode, self.direction), self.mode))
            run = functools.partial(run, self.routine, self.forward, self.message)
        run.keeps = self  # its routines are known by their addresses alone
        return run


def crypt(module, options, mode, direction, key, data, iv, aad, tag_length, tag=None):
    """[result, tag] of one message. With a ``tag`` that is not the message's the result is None."""
    job = Job(module, options, mode, direction, key, data, iv, aad, tag_length)
    job.runner()(1)
    computed = job.message.tag.tobytes()[:tag_length]
    if tag is not None and not hmac.compare_digest(computed, tag):
        return [None, b""]
    return [job.message.target.tobytes()[: len(data)], computed]


def prepare(module, options, mode, direction, key, iv, size, aad, calls, placement):
    """The timed form: run(count) does a message of ``size`` bytes and ``aad`` bytes of associated data, in a loop."""
    job = Job(module, options, mode, direction, key, bytes(size), iv, bytes(aad), placement=placement, calls=calls)
    run = job.runner()
    run(1)  # compiles
    return run


_LOOPS = {(mode, direction): f"{mode}_{direction}rypt" for mode in ("cbc", "cfb128") for direction in ("enc", "dec")}


@functools.lru_cache(64)
def _routine(module, direction, key, placement, options):
    return importlib.import_module(module).block_routine(direction, key, placement=placement, **json.loads(options))


def _keys(mode, key):
    if mode in ("lrw", "xts"):
        return getattr(modes, f"{mode}_keys")(key)
    return key, b""


def _words(data):
    """Filled up to whole blocks."""
    return np.frombuffer(data + bytes(-len(data) % BLOCK_BYTES), np.int64)


# What each mode needs: the bytes of ``iv``, ``aad`` and ``tables``


def _plain(job, iv, aad, data):
    return iv, b"", b""


def _lrw(job, iv, aad, data):
    return iv, b"", products(gf128.LRW, job.tweak_key)


def _gcm(job, iv, aad, data):
    gcm = job.aead(GCM, iv)
    return gcm.j0 + lengths_block(len(aad), len(data)), aad, products(gf128.GHASH, gcm.h)


def _ccm(job, iv, aad, data):
    ccm = job.aead(CCM, iv, len(data), len(aad))
    return ccm.ctr0 + first_block(iv, len(data), len(aad), job._tag_length), encoded_aad_length(len(aad)) + aad, b""


def _ocb(job, iv, aad, data):
    block, bottom = nonce_block(iv, job._tag_length)
    whole = len(aad) // BLOCK_BYTES
    numbers = bottom.to_bytes(8, "little") + whole.to_bytes(8, "little")
    values = [job.encrypt_blocks(bytes(BLOCK_BYTES))]
    for _ in range(1 + _OCB_L):
        values.append(gf128.OCB.double(values[-1]))
    return block + numbers, aad + b"\x80" if len(aad) % BLOCK_BYTES else aad, b"".join(values)


_SETUP = {"lrw": _lrw, "gcm": _gcm, "ccm": _ccm, "ocb": _ocb}
_SETUP |= dict.fromkeys(("ecb", "cbc", "cfb128", "ofb", "ctr", "xts"), _plain)


def products(order, h):
    """The table of ``loops.times``: the products of the block ``h`` with each digit of 4 bits at each place (8 KiB)."""
    value, rows = order.load(h), {}
    for power in range(128):
        place = int.from_bytes(order.store(1 << power), "little").bit_length() - 1
        rows[place], value = order.store(value), gf128.double(value)
    bits = np.frombuffer(b"".join(rows[place] for place in range(128)), np.int64).reshape(32, 1, 4, 2)
    chosen = np.arange(16)[:, None] >> np.arange(4) & 1
    return np.bitwise_xor.reduce(bits * chosen[None, :, :, None], axis=2).tobytes()
