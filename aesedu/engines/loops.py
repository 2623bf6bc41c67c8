"""Whole modes as machine code around a block routine: one loop a mode, compiled by numba, for every native engine.

A loop calls the routine by its address. Where blocks may overlap it gathers ``gather`` of them and hands them over in
one call; with ``gather`` 1 it calls once for each block, as Linux' LRW and XTS did in 2008. Where each block waits for
the one before, it calls with one block in any case. Blocks are pairs of 64-bit words in memory order (little endian).

numba compiles a loop when it is first called and keeps the result on disk (see ``jit``). Only the worker
imports this module; ``whole_modes`` says what the arrays of a ``Message`` hold in each mode. Like T-tables, the
products of GHASH and LRW are looked up: **not for secrets** where others can time memory accesses.
"""

from typing import NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba.cpython.unsafe.numbers import trailing_zeros

from aesedu.engines.jit import compiled as loop
from aesedu.native.assembler import ISA

numba.config.DISABLE_JIT = 0  # a routine is an address: as plain Python a loop could not call it


class Routine(NamedTuple):
    """A block routine: function(words, count, out, block, keys, tables) with all of them addresses but the count.

    ``one`` takes ``count`` blocks, ``many`` takes ``count`` times ``blocks`` blocks; both may be the same. The
    calling convention is System V, on Windows too, or AAPCS64.
    """

    one: int
    many: int
    blocks: int
    keys: int
    tables: int
    words: int  # room for the routine's results


class Message(NamedTuple):
    """The arrays (of 64-bit words) and numbers of one message; ``size`` in bytes, filled up to whole blocks."""

    source: np.ndarray
    target: np.ndarray  # never the source
    iv: np.ndarray
    aad: np.ndarray
    tables: np.ndarray
    tag: np.ndarray
    scratch: np.ndarray  # 2 words for each block gathered
    size: int
    gather: int
    backward: bool  # decryption


def inlined(function):
    """Compile what is called once a block: passing arrays costs as much as AES does."""
    return loop(function, forceinline=True)


@numba.extending.intrinsic
def call(typing, address, words, count, out, block, keys, tables):
    """Call the function at ``address``."""

    def generate(context, builder, signature, arguments):
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word] * 6).as_pointer()
        convention = "x86_64_sysvcc" if ISA == "x86_64" else ""
        builder.call(builder.inttoptr(arguments[0], kind), arguments[1:], cconv=convention)
        return context.get_dummy_value()

    return numba.void(*[numba.int64] * 7), generate


@inlined
def crypt(routine, target, to, source, start, count):
    """Put ``count`` blocks through the routine, from word ``start`` of ``source`` to word ``to`` of ``target``."""
    out, block = target.ctypes.data + 8 * to, source.ctypes.data + 8 * start
    whole = count // routine.blocks
    if whole:
        call(routine.many, routine.words, whole, out, block, routine.keys, routine.tables)
    done = whole * routine.blocks
    if done < count:
        call(routine.one, routine.words, count - done, out + 16 * done, block + 16 * done, routine.keys, routine.tables)


@inlined
def crypt_one(routine, target, to, source, start):
    """Put one block through the routine."""
    out, block = target.ctypes.data + 8 * to, source.ctypes.data + 8 * start
    call(routine.one, routine.words, 1, out, block, routine.keys, routine.tables)


@numba.extending.intrinsic
def _pointer(typing, address):
    """An address as a pointer."""

    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return numba.types.voidptr(numba.int64), generate


@inlined
def bare(array):
    """The same words without an owner: whenever an array gets another name numba counts its users, 20 cycles each."""
    return numba.carray(_pointer(array.ctypes.data), (array.size,), np.int64)


@inlined
def lent(m):
    """A Message of bare arrays; its owner must outlive it."""
    arrays = bare(m.source), bare(m.target), bare(m.iv), bare(m.aad), bare(m.tables), bare(m.tag), bare(m.scratch)
    return Message(*arrays, m.size, m.gather, m.backward)


# Arithmetic on words


@inlined
def swapped(x):
    """The bytes of a word in opposite order."""
    x = (x & 0x00FF00FF00FF00FF) << 8 | x >> 8 & 0x00FF00FF00FF00FF
    x = (x & 0x0000FFFF0000FFFF) << 16 | x >> 16 & 0x0000FFFF0000FFFF
    return x << 32 | x >> 32 & 0xFFFFFFFF


@inlined
def mask(size):
    """The two words of a block with its first ``size`` bytes all ones, 0 < size < 16."""
    if size < 8:
        return (1 << 8 * size) - 1, 0
    return -1, (1 << 8 * (size - 8)) - 1


@inlined
def end_masked(words, size):
    """Zero what follows the first ``size`` bytes in their last block."""
    if size % 16:
        low, high = mask(size % 16)
        words[size // 16 * 2] &= low
        words[size // 16 * 2 + 1] &= high


@inlined
def xor_into(target, to, words, start, count):
    """XOR ``count`` words into those of ``target``."""
    for i in range(count):
        target[to + i] ^= words[start + i]


@inlined
def times(table, a, b):
    """Return the block (a, b) times what ``table`` was made for: 32 digits of 4 bits, a look-up for each."""
    c = d = 0
    for i in range(16):
        near, far = 2 * (16 * i + (a & 15)), 2 * (16 * i + 256 + (b & 15))
        c ^= table[near] ^ table[far]
        d ^= table[near + 1] ^ table[far + 1]
        a, b = a >> 4, b >> 4
    return c, d


@loop
def ghash(table, a, b, words, start, blocks):
    """Continue GHASH from (a, b) over ``blocks`` blocks (SP 800-38D 6.4)."""
    for i in range(start, start + 2 * blocks, 2):
        a, b = times(table, a ^ words[i], b ^ words[i + 1])
    return a, b


@inlined
def counters(scratch, block, first, count, narrow):
    """Write the counter blocks ``block`` + first, + first + 1, ...; ``narrow``: only 32 bits count (SP 800-38D 6.2)."""
    high, low = swapped(block[0]), swapped(block[1])
    for i in range(count):
        step = first + i
        if narrow:
            scratch[2 * i], scratch[2 * i + 1] = block[0], swapped(low & ~0xFFFFFFFF | low + step & 0xFFFFFFFF)
        else:  # a carry shows as a sum below one of its parts; signed numbers compare so with their top bits turned
            total = low + step
            carry = (total ^ -1 << 63) < (low ^ -1 << 63)
            scratch[2 * i], scratch[2 * i + 1] = swapped(high + carry), swapped(total)


# The modes: each does the whole message ``count`` times


@loop
def ecb(routine, forward, m, count):
    """SP 800-38A 6.1. All blocks in one call unless ``gather`` is 1."""
    m = lent(m)
    step = 1 if m.gather == 1 else max(1, m.size // 16)
    for _ in range(count):
        for first in range(0, m.size // 16, step):
            crypt(routine, m.target, 2 * first, m.source, 2 * first, step)


@loop
def cbc_encrypt(routine, forward, m, count):
    """SP 800-38A 6.2: serial."""
    m = lent(m)
    for _ in range(count):
        a, b = m.iv[0], m.iv[1]
        for i in range(0, m.size // 8, 2):
            m.scratch[0], m.scratch[1] = m.source[i] ^ a, m.source[i + 1] ^ b
            crypt_one(routine, m.target, i, m.scratch, 0)
            a, b = m.target[i], m.target[i + 1]


@loop
def cbc_decrypt(routine, forward, m, count):
    """SP 800-38A 6.2: parallel."""
    m = lent(m)
    blocks = m.size // 16
    for _ in range(count):
        for first in range(0, blocks, m.gather):
            part = min(m.gather, blocks - first)
            crypt(routine, m.target, 2 * first, m.source, 2 * first, part)
            if first == 0:
                xor_into(m.target, 0, m.iv, 0, 2)
            start = max(2, 2 * first)
            xor_into(m.target, start, m.source, start - 2, 2 * (first + part) - start)


@loop
def cfb128_encrypt(routine, forward, m, count):
    """SP 800-38A 6.3: serial."""
    m = lent(m)
    for _ in range(count):
        m.target[0], m.target[1] = m.iv[0], m.iv[1]
        for i in range(0, (m.size + 15) // 16 * 2, 2):
            crypt_one(forward, m.target, i, m.target, max(i - 2, 0))
            xor_into(m.target, i, m.source, i, 2)


@loop
def cfb128_decrypt(routine, forward, m, count):
    """SP 800-38A 6.3: parallel, the cipher runs forwards."""
    m = lent(m)
    blocks = (m.size + 15) // 16
    for _ in range(count):
        crypt_one(forward, m.target, 0, m.iv, 0)
        for first in range(1, blocks, m.gather):
            part = min(m.gather, blocks - first)
            crypt(forward, m.target, 2 * first, m.source, 2 * first - 2, part)
        xor_into(m.target, 0, m.source, 0, 2 * blocks)


@loop
def ofb(routine, forward, m, count):
    """SP 800-38A 6.4: serial."""
    m = lent(m)
    for _ in range(count):
        m.scratch[0], m.scratch[1] = m.iv[0], m.iv[1]
        for i in range(0, (m.size + 15) // 16 * 2, 2):
            crypt_one(forward, m.scratch, 0, m.scratch, 0)
            m.target[i], m.target[i + 1] = m.source[i] ^ m.scratch[0], m.source[i + 1] ^ m.scratch[1]


@inlined
def keystream(forward, m, first, counter, narrow):
    """CTR over up to ``gather`` blocks from block ``first`` on; its counter block is ``m.iv`` + counter."""
    part = min(m.gather, (m.size + 15) // 16 - first)
    counters(m.scratch, m.iv, counter, part, narrow)
    crypt(forward, m.target, 2 * first, m.scratch, 0, part)
    xor_into(m.target, 2 * first, m.source, 2 * first, 2 * part)
    return part


@loop
def ctr(routine, forward, m, count):
    """SP 800-38A 6.5: parallel, all 128 bits count."""
    m = lent(m)
    for _ in range(count):
        for first in range(0, (m.size + 15) // 16, m.gather):
            keystream(forward, m, first, first, False)


@inlined
def masked(routine, m, first, part):
    """XOR the masks in ``scratch`` into ``part`` blocks before and after the routine."""
    for i in range(2 * part):
        m.target[2 * first + i] = m.source[2 * first + i] ^ m.scratch[i]
    crypt(routine, m.target, 2 * first, m.target, 2 * first, part)
    xor_into(m.target, 2 * first, m.scratch, 0, 2 * part)


@loop
def lrw(routine, forward, m, count):
    """IEEE P1619 draft: parallel. ``tables`` holds the tweak key's products; the index counts 128 bits."""
    m = lent(m)
    blocks = m.size // 16
    for _ in range(count):
        for first in range(0, blocks, m.gather):
            part = min(m.gather, blocks - first)
            counters(m.scratch, m.iv, first, part, False)
            for i in range(0, 2 * part, 2):
                m.scratch[i], m.scratch[i + 1] = times(m.tables, m.scratch[i], m.scratch[i + 1])
            masked(routine, m, first, part)


@loop
def xts(routine, forward, m, count):
    """IEEE 1619: parallel; ``forward`` encrypts the tweak under K2. What is stolen takes a second call at the end."""
    m = lent(m)
    part = m.size % 16
    blocks = m.size // 16 - (part > 0)
    for _ in range(count):
        crypt_one(forward, m.tag, 0, m.iv, 0)
        a, b = m.tag[0], m.tag[1]
        for first in range(0, blocks, m.gather):
            now = min(m.gather, blocks - first)
            for i in range(0, 2 * now, 2):
                m.scratch[i], m.scratch[i + 1] = a, b
                a, b = doubled(a, b)
            masked(routine, m, first, now)
        if part:
            steal(routine, m, a, b, blocks)


@inlined
def doubled(a, b):
    """The block (a, b) times x in XTS's order (IEEE 1619 5.2)."""
    return a << 1 ^ 0x87 & -(b >> 63 & 1), b << 1 | a >> 63 & 1


@inlined
def steal(routine, m, a, b, last):
    """The last whole block and the part behind it (IEEE 1619 5.3.2, 5.4.2); (a, b) is the whole block's tweak."""
    c, d = doubled(a, b)
    if m.backward:
        a, b, c, d = c, d, a, b
    m.scratch[0], m.scratch[1] = a, b
    masked(routine, m, last, 1)
    low, high = mask(m.size % 16)
    i = 2 * last
    e, f = m.target[i], m.target[i + 1]
    m.target[i + 2], m.target[i + 3] = e & low, f & high
    m.scratch[0] = m.source[i + 2] & low ^ e & ~low ^ c
    m.scratch[1] = m.source[i + 3] & high ^ f & ~high ^ d
    crypt_one(routine, m.target, i, m.scratch, 0)
    m.target[i] ^= c
    m.target[i + 1] ^= d


@loop
def gcm(routine, forward, m, count):
    """SP 800-38D 7: CTR parallel, GHASH serial behind it. ``iv`` is J0 and the lengths, ``tables`` H's products."""
    m = lent(m)
    blocks = (m.size + 15) // 16
    for _ in range(count):
        a, b = ghash(m.tables, 0, 0, m.aad, 0, m.aad.size // 2)
        for first in range(0, blocks, m.gather):
            part = keystream(forward, m, first, first + 1, True)
            if first + part == blocks:
                end_masked(m.target, m.size)
            a, b = ghash(m.tables, a, b, m.source if m.backward else m.target, 2 * first, part)
        a, b = ghash(m.tables, a, b, m.iv, 2, 1)
        crypt_one(forward, m.tag, 0, m.iv, 0)
        m.tag[0] ^= a
        m.tag[1] ^= b


@inlined
def chain(forward, tag, words, blocks):
    """CBC-MAC goes on: ``tag`` = CIPH(tag XOR block) for each block."""
    for i in range(0, 2 * blocks, 2):
        xor_into(tag, 0, words, i, 2)
        crypt_one(forward, tag, 0, tag, 0)


@loop
def ccm(routine, forward, m, count):
    """SP 800-38C 6: CBC-MAC serial, CTR parallel. ``iv`` is Ctr_0 and B_0, ``aad`` as the standard formats it."""
    m = lent(m)
    blocks = (m.size + 15) // 16
    for _ in range(count):
        for first in range(0, blocks, m.gather):
            keystream(forward, m, first, first + 1, False)
        end_masked(m.target, m.size)
        crypt_one(forward, m.tag, 0, m.iv, 2)
        chain(forward, m.tag, m.aad, m.aad.size // 2)
        chain(forward, m.tag, m.target if m.backward else m.source, blocks)
        crypt_one(forward, m.scratch, 0, m.iv, 0)
        xor_into(m.tag, 0, m.scratch, 0, 2)


@inlined
def ocb_offsets(m, a, b, first, part):
    """Write Offset_{first+1} ... to ``scratch``, from Offset_first = (a, b); return the last (RFC 7253 4.1, 4.2)."""
    for i in range(part):
        l_i = 4 + 2 * trailing_zeros(first + i + 1)  # L_* and L_$ come before L_0
        a, b = a ^ m.tables[l_i], b ^ m.tables[l_i + 1]
        m.scratch[2 * i], m.scratch[2 * i + 1] = a, b
    return a, b


@loop
def ocb_hash(forward, m):
    """HASH(K, A) into ``tag`` (RFC 7253 4.1); ``iv[3]`` is the number of whole blocks, a last part comes padded."""
    a = b = m.tag[0] = m.tag[1] = 0
    blocks = m.aad.size // 2
    for first in range(0, blocks, m.gather):
        part = min(m.gather, blocks - first)
        whole = min(part, m.iv[3] - first)
        a, b = ocb_offsets(m, a, b, first, whole)
        if whole < part:
            m.scratch[2 * whole], m.scratch[2 * whole + 1] = a ^ m.tables[0], b ^ m.tables[1]
        xor_into(m.scratch, 0, m.aad, 2 * first, 2 * part)
        crypt(forward, m.scratch, 0, m.scratch, 0, part)
        for i in range(part):
            xor_into(m.tag, 0, m.scratch, 2 * i, 2)


@loop
def ocb_first_offset(forward, m):
    """Offset_0 (RFC 7253 4.2) from the nonce's block in ``iv`` and ``bottom`` behind it."""
    crypt_one(forward, m.scratch, 0, m.iv, 0)
    a, b, bottom = swapped(m.scratch[0]), swapped(m.scratch[1]), m.iv[2]
    if bottom:
        c = a ^ (a << 8 | b >> 56 & 0xFF)
        low = (1 << bottom) - 1
        a, b = a << bottom | b >> 64 - bottom & low, b << bottom | c >> 64 - bottom & low
    return swapped(a), swapped(b)


@loop
def ocb(routine, forward, m, count):
    """RFC 7253 4.2, 4.3: parallel. ``tables`` holds L_*, L_$, L_0, L_1, ..."""
    m = lent(m)
    blocks, rest = m.size // 16, m.size % 16
    plain = m.target if m.backward else m.source
    for _ in range(count):
        ocb_hash(forward, m)
        a, b = ocb_first_offset(forward, m)
        c = d = 0  # the checksum
        for first in range(0, blocks, m.gather):
            part = min(m.gather, blocks - first)
            a, b = ocb_offsets(m, a, b, first, part)
            masked(routine, m, first, part)
            for i in range(2 * first, 2 * (first + part), 2):
                c, d = c ^ plain[i], d ^ plain[i + 1]
        if rest:
            a, b = a ^ m.tables[0], b ^ m.tables[1]
            m.scratch[0], m.scratch[1] = a, b
            crypt_one(forward, m.target, 2 * blocks, m.scratch, 0)
            xor_into(m.target, 2 * blocks, m.source, 2 * blocks, 2)
            end_masked(m.target, m.size)
            c, d = c ^ plain[2 * blocks], d ^ plain[2 * blocks + 1]
            if rest < 8:
                c ^= 0x80 << 8 * rest
            else:
                d ^= 0x80 << 8 * (rest - 8)
        m.scratch[0], m.scratch[1] = c ^ a ^ m.tables[2], d ^ b ^ m.tables[3]
        crypt_one(forward, m.scratch, 0, m.scratch, 0)
        xor_into(m.tag, 0, m.scratch, 0, 2)
