"""Whole GCM messages by routines that encrypt and hash a chunk at once (see ``aesedu.routines.gcm``), in the worker.

What is no whole chunk, at the ends of message and associated data, goes through smaller routines.
"""

from typing import NamedTuple

import numpy as np

from aesedu.engines.loops import call, crypt_one, end_masked, loop, swapped


class Gcm(NamedTuple):
    """The routines of one key and direction, by their addresses.

    ``ctrs`` and ``hashes`` take ``sizes`` blocks, from as many as ``chunk`` takes down to 1. ``memories`` are those of
    ``chunk`` in its order, with room for out and block at two places; so are hash and counter in its ``words``.
    """

    chunk: int
    memories: np.ndarray
    out_at: int
    block_at: int
    y_at: int
    counter_at: int
    lagged: bool
    sizes: np.ndarray
    ctrs: np.ndarray
    hashes: np.ndarray
    keys: int
    powers: int
    counter: np.ndarray  # the next counter block as the routines have it: bytes reversed
    y: np.ndarray  # the hash
    words: np.ndarray


@loop
def encrypt(g, out, block, count):
    """CTR over ``count`` blocks; addresses."""
    for level in range(g.sizes.size):
        times = count // g.sizes[level]
        if times:
            call(g.ctrs[level], g.counter.ctypes.data, times, out, block, g.keys, 0)
            done = times * g.sizes[level]
            out, block, count = out + 16 * done, block + 16 * done, count - done


@loop
def absorb(g, data, count):
    """GHASH over ``count`` blocks at an address."""
    for level in range(g.sizes.size):
        times = count // g.sizes[level]
        if times:
            call(g.hashes[level], g.y.ctypes.data, times, data, g.powers, 0, 0)
            done = times * g.sizes[level]
            data, count = data + 16 * done, count - done


@loop
def chunks(g, out, block, count):
    """Encrypt and hash ``count`` chunks; a lagged routine hashes what is at ``out`` and writes behind it."""
    y, c, a = g.y_at, g.counter_at, g.memories
    g.words[y : y + 2], g.words[c : c + 2] = g.y, g.counter
    a[g.out_at], a[g.block_at] = out, block
    call(g.chunk, g.words.ctypes.data, count, a[0], a[1], a[2], a[3])
    g.y[:], g.counter[:] = g.words[y : y + 2], g.words[c : c + 2]


@loop
def message(g, m):
    """All whole chunks of a message; returns how many blocks they are."""
    size, out, block = g.sizes[0], m.target.ctypes.data, m.source.ctypes.data
    count = m.size // (16 * size)
    if count and g.lagged:
        encrypt(g, out, block, size)
        if count > 1:
            chunks(g, out, block + 16 * size, count - 1)
        absorb(g, out + 16 * size * (count - 1), size)
    elif count:
        chunks(g, out, block, count)
    return size * count


@loop
def gcm(g, forward, m, count):
    """SP 800-38D 7, ``count`` times. ``m.iv`` is J0 and the lengths; who releases the text compares the tag."""
    for _ in range(count):
        g.y[:] = 0
        g.counter[0], g.counter[1] = swapped(m.iv[1]), swapped(m.iv[0])
        g.counter[0] += 1 if g.counter[0] & 0xFFFFFFFF < 0xFFFFFFFF else -0xFFFFFFFF  # inc_32 (6.2)
        absorb(g, m.aad.ctypes.data, m.aad.size // 2)
        done = message(g, m)
        rest = (m.size + 15) // 16 - done
        out, block = m.target.ctypes.data + 16 * done, m.source.ctypes.data + 16 * done
        if rest:
            encrypt(g, out, block, rest)
            end_masked(m.target, m.size)
            absorb(g, block if m.backward else out, rest)
        absorb(g, m.iv.ctypes.data + 16, 1)
        crypt_one(forward, m.tag, 0, m.iv, 0)
        m.tag[0] ^= swapped(g.y[1])
        m.tag[1] ^= swapped(g.y[0])
