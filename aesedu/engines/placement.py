"""Where the buffers of a timing run lie: at page offsets drawn from a seed, so that no layout is the only one timed."""

import random

import numpy as np

from aesedu.layout import LINE, PAGE


def placed(arrays, placement):
    """Copies of ``arrays``, each at a page offset of its own: a multiple of 64 bytes drawn from the seed."""
    draw = random.Random(placement)
    return [_at(array, draw.randrange(0, PAGE, LINE)) for array in arrays]


def _at(array, offset):
    room = np.zeros(array.nbytes + 2 * PAGE, np.uint8)
    start = -room.ctypes.data % PAGE + offset
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
