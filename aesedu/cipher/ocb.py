"""OCB3 (RFC 7253): one pass, one call of the block cipher a block, and a new offset for each."""

from functools import reduce

from aesedu.cipher import BLOCK_BYTES, gf128
from aesedu.cipher.aead import AEAD
from aesedu.cipher.blocks import Pieces, as_bytes, masked, split, xor


class Offsets:
    """Offset_i = Offset_{i-1} XOR L_{ntz(i)} (4.1, 4.2), from the L_0 of the key and an Offset_0."""

    def __init__(self, l_0, offset):
        self.offset = offset
        self._l, self._i = [l_0], 0

    def take(self, count):
        """Return the next ``count`` offsets, joined."""
        return b"".join(self._next() for _ in range(count))

    def _next(self):
        self._i += 1
        zeros = ntz(self._i)
        if zeros == len(self._l):
            self._l.append(gf128.OCB.double(self._l[-1]))
        self.offset = xor(self.offset, self._l[zeros])
        return self.offset


def ntz(i):
    """Return the number of trailing zero bits of i > 0."""
    return (i & -i).bit_length() - 1


def nonce_block(nonce, tag_length):
    """Return the nonce and the tag's length as a block without its last six bits, and these as a number (4.2)."""
    block = bytearray((b"\x01" + nonce).rjust(BLOCK_BYTES, b"\0"))
    block[0] |= (tag_length * 8 % 128) << 1
    bottom = block[-1] & 63
    block[-1] ^= bottom
    return bytes(block), bottom


def first_offset(cipher, nonce, tag_length):
    """Return Offset_0 (4.2): 128 bits out of a stretched Ktop, from a place that the nonce's last six bits choose."""
    block, bottom = nonce_block(nonce, tag_length)
    ktop = cipher.encrypt_blocks(block)
    stretch = int.from_bytes(ktop + xor(ktop[:8], ktop[1:9]), "big")
    return (stretch >> (64 - bottom) & ((1 << 128) - 1)).to_bytes(BLOCK_BYTES, "big")


def pad(part):
    """Return a last, short part || 1 || 0..."""
    return (part + b"\x80").ljust(BLOCK_BYTES, b"\0")


class OCB(AEAD):
    """OCB3 over a block cipher (4.1 to 4.3).

    ``nonce`` has 1 to 15 bytes. The tag's length goes in with it: another length gives another ciphertext.
    update() returns whole blocks only; the last, short one comes from finalize().
    """

    name = "OCB"
    tag_lengths = tuple(range(8, 17))
    tag_rule = "8 to 16 bytes (RFC 7253 3.1 names 8, 12 and 16)"

    def __init__(self, cipher, nonce, tag_length=16, direction="enc"):
        super().__init__(tag_length, direction)
        nonce = as_bytes(nonce)
        if not 1 <= len(nonce) <= 15:
            raise ValueError(f"OCB: a nonce has 1 to 15 bytes (RFC 7253 3.1), not {len(nonce)}")
        self._cipher = cipher
        self._l_star = cipher.encrypt_blocks(bytes(BLOCK_BYTES))
        self._l_dollar = gf128.OCB.double(self._l_star)
        l_0 = gf128.OCB.double(self._l_dollar)
        self._offsets = Offsets(l_0, first_offset(cipher, nonce, tag_length))
        self._pieces, self._checksum = Pieces(), bytes(BLOCK_BYTES)
        self._aad_offsets, self._aad_pieces, self._hash = Offsets(l_0, bytes(BLOCK_BYTES)), Pieces(), bytes(BLOCK_BYTES)

    def _ready(self, size):
        size += len(self._pieces.rest)
        return size - size % BLOCK_BYTES

    def check_lengths(self, aad_bytes, data_bytes):
        """Allow all bytes: the standard's limit is one of use under one key, 2^48 blocks (5)."""

    def _aad(self, aad):
        blocks = self._aad_pieces.take(aad)
        offsets = self._aad_offsets.take(len(blocks) // BLOCK_BYTES)
        self._hash = _sum(self._hash, self._cipher.encrypt_blocks(xor(blocks, offsets)))

    def _aad_end(self):
        if last := self._aad_pieces.rest:
            offset = xor(self._aad_offsets.offset, self._l_star)
            self._hash = _sum(self._hash, self._cipher.encrypt_blocks(xor(pad(last), offset)))

    def _crypt(self, data):
        blocks = self._pieces.take(data)
        offsets = self._offsets.take(len(blocks) // BLOCK_BYTES)
        crypt = self._cipher.encrypt_blocks if self.direction == "enc" else self._cipher.decrypt_blocks
        out = masked(crypt, blocks, offsets)
        self._checksum = _sum(self._checksum, blocks if self.direction == "enc" else out)  # always the plaintext
        return out

    def _finish(self):
        last, offset = b"", self._offsets.offset
        if rest := self._pieces.rest:
            offset = xor(offset, self._l_star)
            last = xor(rest, self._cipher.encrypt_blocks(offset))
            self._checksum = _sum(self._checksum, pad(rest if self.direction == "enc" else last))
        tag = self._cipher.encrypt_blocks(xor(xor(self._checksum, offset), self._l_dollar))
        return last, xor(tag, self._hash)


def _sum(value, blocks):
    return reduce(xor, split(blocks), value)
