"""The T-table cipher as machine code, through numba (LLVM): one loop over the blocks, four tables in one array.

numba itself is imported at the first call, so that the engines can be listed without it.
"""

import functools

import numpy as np

from aesedu.cipher import check_data, check_key, ttable
from aesedu.engines.placement import placed

_TABLES = {"enc": (*ttable.TE, ttable.TE_LAST[0]), "dec": (*ttable.TD, ttable.TD_LAST[0])}
_STEP = {"enc": 1, "dec": 3}  # the next column: c + 1 or c - 1 modulo 4


def rounds(tables, keys, source, target, step, count):
    """Put every block of ``source`` through the cipher into ``target``, ``count`` times over; both may be one array.

    All arrays are flat and of 32-bit little-endian words: ``tables`` 5 x 256 (four tables and the last round's),
    ``keys`` 4 a round, ``source`` and ``target`` 4 a block. Columns are taken in the order 0, step, 2, 4 - step, also
    in ``keys``; with step 3 ShiftRows becomes InvShiftRows, so one loop serves both directions.
    """
    third = 4 - step
    last = keys.size - 4
    for _ in range(count):
        for b in range(0, source.size, 4):
            s0, s1 = source[b] ^ keys[0], source[b + step] ^ keys[1]
            s2, s3 = source[b + 2] ^ keys[2], source[b + third] ^ keys[3]
            for k in range(4, last, 4):
                t0 = tables[s0 & 255] ^ tables[256 + (s1 >> 8 & 255)]
                t1 = tables[s1 & 255] ^ tables[256 + (s2 >> 8 & 255)]
                t2 = tables[s2 & 255] ^ tables[256 + (s3 >> 8 & 255)]
                t3 = tables[s3 & 255] ^ tables[256 + (s0 >> 8 & 255)]
                t0 ^= tables[512 + (s2 >> 16 & 255)] ^ tables[768 + (s3 >> 24)] ^ keys[k]
                t1 ^= tables[512 + (s3 >> 16 & 255)] ^ tables[768 + (s0 >> 24)] ^ keys[k + 1]
                t2 ^= tables[512 + (s0 >> 16 & 255)] ^ tables[768 + (s1 >> 24)] ^ keys[k + 2]
                t3 ^= tables[512 + (s1 >> 16 & 255)] ^ tables[768 + (s2 >> 24)] ^ keys[k + 3]
                s0, s1, s2, s3 = t0, t1, t2, t3
            t0 = tables[1024 + (s0 & 255)] | tables[1024 + (s1 >> 8 & 255)] << 8
            t1 = tables[1024 + (s1 & 255)] | tables[1024 + (s2 >> 8 & 255)] << 8
            t2 = tables[1024 + (s2 & 255)] | tables[1024 + (s3 >> 8 & 255)] << 8
            t3 = tables[1024 + (s3 & 255)] | tables[1024 + (s0 >> 8 & 255)] << 8
            t0 |= tables[1024 + (s2 >> 16 & 255)] << 16 | tables[1024 + (s3 >> 24)] << 24
            t1 |= tables[1024 + (s3 >> 16 & 255)] << 16 | tables[1024 + (s0 >> 24)] << 24
            t2 |= tables[1024 + (s0 >> 16 & 255)] << 16 | tables[1024 + (s1 >> 24)] << 24
            t3 |= tables[1024 + (s1 >> 16 & 255)] << 16 | tables[1024 + (s2 >> 24)] << 24
            target[b], target[b + step] = t0 ^ keys[last], t1 ^ keys[last + 1]
            target[b + 2], target[b + third] = t2 ^ keys[last + 2], t3 ^ keys[last + 3]


@functools.cache
def routine():
    """``rounds`` compiled for this processor; from the cache on disk where an earlier process left it there.

    numba keeps the cache beside this file, in NUMBA_CACHE_DIR if set, or in the user's cache folder where the
    installation is read-only. Where none of them can be written it compiles anew in every process (about a second).
    """
    import numba

    word, size = numba.uint32, numba.int64
    reads, writes = numba.types.Array(word, 1, "C", readonly=True), numba.types.Array(word, 1, "C")
    signature = numba.void(reads, reads, reads, writes, size, size)
    try:
        return numba.njit(signature, cache=True, nogil=True)(rounds)
    except RuntimeError:  # no locator available
        return numba.njit(signature, nogil=True)(rounds)


def schedule(direction, key):
    """The arrays and step that ``rounds`` wants for a direction ("enc" or "dec") and key: (tables, keys, step).

    Raises ValueError or TypeError for a wrong key.
    """
    return _schedule(direction, check_key(key))


@functools.lru_cache(32)  # modes that chain call for one block at a time, and expanding a key costs many blocks
def _schedule(direction, key):
    round_keys = ttable.encryption_keys(key) if direction == "enc" else ttable.decryption_keys(key)
    step = _STEP[direction]
    keys = np.array(round_keys, np.uint32)[:, [0, step, 2, 4 - step]]
    return np.array(_TABLES[direction], np.uint32).ravel(), keys.ravel(), step


def ecb_encrypt(key, data):
    """ECB encryption (SP 800-38A 6.1): bytes in, bytes out. Raises ValueError or TypeError for a wrong key or data."""
    return _ecb("enc", key, data)


def ecb_decrypt(key, data):
    """ECB decryption (SP 800-38A 6.1); errors as ``ecb_encrypt``."""
    return _ecb("dec", key, data)


def _ecb(direction, key, data):
    tables, keys, step = schedule(direction, key)
    source = np.frombuffer(check_data(data), "<u4").astype(np.uint32, copy=False)
    target = np.empty_like(source)
    routine()(tables, keys, source, target, step, 1)
    return target.astype("<u4", copy=False).tobytes()


def prepare(direction, key, size, placement):
    """The timed form: ``run(count)`` encrypts or decrypts ``size`` bytes ``count`` times, loop in machine code.

    ``placement`` seeds the page offsets of tables, keys and data; where the code lies is up to LLVM.
    """
    compiled = routine()
    tables, keys, step = schedule(direction, key)
    source = np.arange(size // 4, dtype=np.uint32)
    tables, keys, source, target = placed([tables, keys, source, np.zeros_like(source)], placement)
    return lambda count: compiled(tables, keys, source, target, step, count)
