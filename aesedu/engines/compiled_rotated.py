"""The compiled T-table cipher with one table: its words are rotated to their rows. See ``compiled.rounds``."""

import numpy as np


def rounds(t, box, w, source, target, step, count):
    """As ``compiled.rounds``, but only the first 256 words of ``t`` are used: 1 KiB of cache instead of 4."""

    def turn(word, bits):  # numba puts it in line; the cast keeps 32 bits, so that LLVM sees a rotation
        return np.uint32(word << bits | word >> (32 - bits))

    third = 4 - step
    z = w.size - 4
    for _ in range(count):
        for b in range(0, source.size, 4):
            s0, s1 = source[b] ^ w[0], source[b + step] ^ w[1]
            s2, s3 = source[b + 2] ^ w[2], source[b + third] ^ w[3]
            for i in range(4, z, 4):
                n0 = w[i] ^ turn(t[s3 >> 24], 24) ^ turn(t[s2 >> 16 & 255], 16) ^ turn(t[s1 >> 8 & 255], 8)
                n1 = w[i + 1] ^ turn(t[s0 >> 24], 24) ^ turn(t[s3 >> 16 & 255], 16) ^ turn(t[s2 >> 8 & 255], 8)
                n2 = w[i + 2] ^ turn(t[s1 >> 24], 24) ^ turn(t[s0 >> 16 & 255], 16) ^ turn(t[s3 >> 8 & 255], 8)
                n3 = w[i + 3] ^ turn(t[s2 >> 24], 24) ^ turn(t[s1 >> 16 & 255], 16) ^ turn(t[s0 >> 8 & 255], 8)
                s0, s1, s2, s3 = n0 ^ t[s0 & 255], n1 ^ t[s1 & 255], n2 ^ t[s2 & 255], n3 ^ t[s3 & 255]
            n0 = box[s0 & 255] | box[s1 >> 8 & 255] << 8 | box[s2 >> 16 & 255] << 16 | box[s3 >> 24] << 24
            n1 = box[s1 & 255] | box[s2 >> 8 & 255] << 8 | box[s3 >> 16 & 255] << 16 | box[s0 >> 24] << 24
            n2 = box[s2 & 255] | box[s3 >> 8 & 255] << 8 | box[s0 >> 16 & 255] << 16 | box[s1 >> 24] << 24
            n3 = box[s3 & 255] | box[s0 >> 8 & 255] << 8 | box[s1 >> 16 & 255] << 16 | box[s2 >> 24] << 24
            target[b], target[b + step] = n0 ^ w[z], n1 ^ w[z + 1]
            target[b + 2], target[b + third] = n2 ^ w[z + 2], n3 ^ w[z + 3]
