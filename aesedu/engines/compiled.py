"""The T-table cipher as machine code, through numba (LLVM): one loop over the blocks, four tables in one array.

numba itself is imported at the first call, so that the engines can be listed without it.
"""

import functools

import numpy as np

from aesedu.cipher import check_data, check_key, ttable
from aesedu.cipher.transformations import INV_SBOX, SBOX
from aesedu.engines.placement import placed

_STEP = {"enc": 1, "dec": 3}  # the next column: c + 1 or c - 1 modulo 4


def rounds(t, box, w, source, target, step, count):
    """Put every block of ``source`` through the cipher into ``target``, ``count`` times over; both may be one array.

    All arrays are flat and of 32-bit words: ``t`` holds four tables of 256, ``box`` the last round's S-box, ``w`` the
    expanded key, ``source`` and ``target`` the blocks. Columns are taken in the order 0, step, 2, 4 - step, also in
    ``w``; with step 3 ShiftRows becomes InvShiftRows, so one loop serves both directions.
    """
    third = 4 - step
    z = w.size - 4
    for _ in range(count):
        for b in range(0, source.size, 4):
            s0, s1 = source[b] ^ w[0], source[b + step] ^ w[1]
            s2, s3 = source[b + 2] ^ w[2], source[b + third] ^ w[3]
            for i in range(4, z, 4):  # XORs in this order: LLVM's loop is a tenth faster than row 0 first
                n0 = w[i] ^ t[768 + (s3 >> 24)] ^ t[512 + (s2 >> 16 & 255)] ^ t[256 + (s1 >> 8 & 255)] ^ t[s0 & 255]
                n1 = w[i + 1] ^ t[768 + (s0 >> 24)] ^ t[512 + (s3 >> 16 & 255)] ^ t[256 + (s2 >> 8 & 255)] ^ t[s1 & 255]
                n2 = w[i + 2] ^ t[768 + (s1 >> 24)] ^ t[512 + (s0 >> 16 & 255)] ^ t[256 + (s3 >> 8 & 255)] ^ t[s2 & 255]
                n3 = w[i + 3] ^ t[768 + (s2 >> 24)] ^ t[512 + (s1 >> 16 & 255)] ^ t[256 + (s0 >> 8 & 255)] ^ t[s3 & 255]
                s0, s1, s2, s3 = n0, n1, n2, n3
            n0 = box[s0 & 255] | box[s1 >> 8 & 255] << 8 | box[s2 >> 16 & 255] << 16 | box[s3 >> 24] << 24
            n1 = box[s1 & 255] | box[s2 >> 8 & 255] << 8 | box[s3 >> 16 & 255] << 16 | box[s0 >> 24] << 24
            n2 = box[s2 & 255] | box[s3 >> 8 & 255] << 8 | box[s0 >> 16 & 255] << 16 | box[s1 >> 24] << 24
            n3 = box[s3 & 255] | box[s0 >> 8 & 255] << 8 | box[s1 >> 16 & 255] << 16 | box[s2 >> 24] << 24
            target[b], target[b + step] = n0 ^ w[z], n1 ^ w[z + 1]
            target[b + 2], target[b + third] = n2 ^ w[z + 2], n3 ^ w[z + 3]


@functools.cache
def routine(tables=4):
    """``rounds`` compiled for this processor; from the cache on disk where an earlier process left it there.

    ``tables`` is 4, or 1 for the form that rotates the words of the first table (``compiled_rotated.rounds``).

    numba keeps the cache beside this file, in NUMBA_CACHE_DIR if set, or in the user's cache folder where the
    installation is read-only. Where none of them can be written it compiles anew in every process (about a second).
    """
    import numba

    from aesedu.engines import compiled_rotated, jit

    loop = {4: rounds, 1: compiled_rotated.rounds}[tables]
    word, size = numba.uint32, numba.int64
    reads, writes = numba.types.Array(word, 1, "C", readonly=True), numba.types.Array(word, 1, "C")
    signature = numba.void(reads, reads, reads, reads, writes, size, size)
    return jit.compiled(loop, signature)


def schedule(direction, key):
    """What ``rounds`` wants for a direction ("enc" or "dec") and key: ((t, box, w), step).

    Raises ValueError or TypeError for a wrong key.
    """
    return _schedule(direction, check_key(key))


@functools.lru_cache(32)  # modes that chain call for one block at a time, and expanding a key costs many blocks
def _schedule(direction, key):
    step = _STEP[direction]
    if direction == "enc":
        tables, box, round_keys = ttable.TE, SBOX, ttable.encryption_keys(key)
    else:
        tables, box, round_keys = ttable.TD, INV_SBOX, ttable.decryption_keys(key)
    keys = [[words[c] for c in (0, step, 2, 4 - step)] for words in round_keys]
    return tuple(np.array(words, np.uint32).ravel() for words in (tables, list(box), keys)), step


def ecb(direction, key, data, tables=4):
    """ECB (SP 800-38A 6.1): bytes in, bytes out. Raises ValueError or TypeError for a wrong key or data."""
    arrays, step = schedule(direction, key)
    source = np.frombuffer(check_data(data), "<u4")
    target = np.empty_like(source)
    routine(tables)(*arrays, source, target, step, 1)
    return target.tobytes()


def prepare(direction, key, size, placement, tables=4):
    """The timed form: ``run(count)`` encrypts or decrypts ``size`` bytes ``count`` times, loop in machine code.

    ``placement`` seeds the page offsets of tables, keys and data; where the code lies is up to LLVM.
    """
    compiled = routine(tables)
    arrays, step = schedule(direction, key)
    source = np.arange(size // 4, dtype=np.uint32)
    arrays = placed([*arrays, source, np.zeros_like(source)], placement)
    compiled(*arrays, step, 0)  # numba looks at the types once, which is no part of any call's time
    return lambda count: compiled(*arrays, step, count)
