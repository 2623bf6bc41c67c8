"""Whole CTR and CBC messages by the routines of ``aesedu.routines.aes_rounds``, in the worker.

In the routines' ``words`` stands what one call hands to the next: the counter, or the block before.
"""

import numpy as np

from aesedu.engines.loops import crypt, crypt_one, loop, swapped, xor_into


def runner(mode, routine, block_routine, message):
    """run(count) of a message; ``routine`` is that of ``mode``, the name of a loop here, ``block_routine`` ECB's."""
    words = np.zeros(2, np.int64)
    routine = routine._replace(words=words.ctypes.data)
    return lambda count: globals()[mode](routine, block_routine, words, message, count)


@loop
def ctr(routine, block_routine, words, m, count):
    """SP 800-38A 6.5. The routine counts in 64 bits: the upper half goes on where a stretch ends in an overflow."""
    for _ in range(count):
        words[0], words[1] = swapped(m.iv[1]), swapped(m.iv[0])
        done, blocks = 0, (m.size + 15) // 16
        while done < blocks:
            room = -words[0]  # to the overflow; 2^63 and more are not positive as signed numbers
            part = min(room, blocks - done) if room > 0 else blocks - done
            crypt(routine, m.target, 2 * done, m.source, 2 * done, part)
            done += part
            if part == room:
                words[1] += 1


@loop
def cbc_decrypt(routine, block_routine, words, m, count):
    """SP 800-38A 6.2: the routine finds the block before in front of each one but the first."""
    blocks = m.size // 16
    for _ in range(count):
        if blocks:
            crypt_one(block_routine, m.target, 0, m.source, 0)
            xor_into(m.target, 0, m.iv, 0, 2)
            crypt(routine, m.target, 2, m.source, 0, blocks - 1)


@loop
def cbc_encrypt(routine, block_routine, words, m, count):
    """SP 800-38A 6.2: one stream."""
    for _ in range(count):
        words[0], words[1] = m.iv[0], m.iv[1]
        crypt(routine, m.target, 0, m.source, 0, m.size // 16)
