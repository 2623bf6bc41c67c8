"""AES in NumPy: thousands of blocks go through each table look-up at once, and each look-up takes two bytes.

A pair of T-tables becomes one of 65,536 words, so a column is two look-ups instead of four.
"""

import functools
from typing import NamedTuple

import numpy as np

from aesedu.cipher import check_data, check_key, ttable
from aesedu.engines.base import repeated
from aesedu.engines.placement import placed

CHUNK = 8192  # blocks: fewer, and Python's calls cost more than the work; many more, and the arrays leave the cache


class Schedule(NamedTuple):
    """What ``crypt`` needs for one direction and key; a pair of tables serves rows 0 and 1, and rows 2 and 3."""

    step: int  # ttable.ENCRYPT or ttable.DECRYPT
    keys: np.ndarray  # (Nr + 1, 4, 1) words
    inner: tuple  # two arrays of 65,536 words
    last: tuple


def schedule(direction, key):
    """The ``Schedule`` for a direction ("enc" or "dec") and key; raises ValueError or TypeError for a wrong key."""
    return _schedule(direction, check_key(key))


@functools.lru_cache(32)  # modes that chain call for one block at a time, and expanding a key costs many blocks
def _schedule(direction, key):
    round_keys = ttable.encryption_keys(key) if direction == "enc" else ttable.decryption_keys(key)
    return Schedule(*_tables(direction)._replace(keys=np.array(round_keys, np.uint32)[:, :, None]))


@functools.cache
def _tables(direction):
    if direction == "enc":
        return Schedule(ttable.ENCRYPT, None, _pairs(ttable.TE), _pairs(ttable.TE_LAST))
    return Schedule(ttable.DECRYPT, None, _pairs(ttable.TD), _pairs(ttable.TD_LAST))


def _pairs(tables):
    t0, t1, t2, t3 = np.array(tables, np.uint32)
    return np.bitwise_xor.outer(t1, t0).ravel(), np.bitwise_xor.outer(t3, t2).ravel()


def crypt(schedule, blocks, out):
    """Put ``blocks`` through the cipher into ``out``: both (n, 4) arrays of 32-bit words, and may be the same one."""
    for first in range(0, len(blocks), CHUNK):
        _crypt_chunk(schedule, blocks[first : first + CHUNK], out[first : first + CHUNK])


def _crypt_chunk(schedule, blocks, out):
    state = np.empty((8, len(blocks)), np.uint32)  # the four columns, twice: a slice of it is a rotation
    np.bitwise_xor(blocks.T, schedule.keys[0], out=state[:4])
    for key in schedule.keys[1:-1]:
        _round(state, key, schedule.inner, schedule.step)
    _round(state, schedule.keys[-1], schedule.last, schedule.step)
    out[...] = state[:4].T


def _round(state, key, tables, step):
    state[4:] = state[:4]
    words = _look_up(tables[0], state, 0, step)
    words ^= _look_up(tables[1], state, 2, step)
    np.bitwise_xor(words, key, out=state[:4])


def _look_up(table, state, row, step):
    """What rows ``row`` and ``row + 1`` give to all four columns: the two bytes, side by side, are the index."""
    near, far = row * step % 4, (row + 1) * step % 4
    index = state[near : near + 4] & np.uint32(0xFF << 8 * row)
    index |= state[far : far + 4] & np.uint32(0xFF00 << 8 * row)
    index >>= np.uint32(8 * row)
    return table.take(index, mode="wrap")  # every index is in range; "wrap" spares NumPy the check


def ecb(direction, key, data):
    """ECB (SP 800-38A 6.1): bytes in, bytes out. Raises ValueError or TypeError for a wrong key or data."""
    blocks = np.frombuffer(check_data(data), "<u4").reshape(-1, 4)
    out = np.empty_like(blocks)
    crypt(schedule(direction, key), blocks, out)
    return out.tobytes()


def prepare(direction, key, size, placement):
    """The timed form: ``run(count)`` encrypts or decrypts ``size`` bytes ``count`` times, called from Python.

    ``placement`` seeds the page offsets of data and result; the work arrays are NumPy's.
    """
    ready = schedule(direction, key)
    blocks = np.arange(size // 4, dtype=np.uint32).reshape(-1, 4)
    blocks, out = placed([blocks, np.zeros_like(blocks)], placement)
    return repeated(crypt, ready, blocks, out)
