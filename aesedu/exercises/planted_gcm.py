"""AES-GCM with the interface of a driver, and copies of it with one fault each: what the self-test lab looks at.

``Driver`` is right. Each class after it overrides one step; its docstring is the explanation that is shown once the
fault has been found, and thresholds come from the ``random`` it is made with. AES and the carry-less products are
OpenSSL's; counters, pieces, padding, lengths and verdict are made here.
"""

from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aesedu.cipher.gcm import lengths_block
from aesedu.cipher.gf128 import GHASH
from aesedu.cipher.modes import counter_blocks

SWITCH = 1024  # bytes: from here on messages take the bulk path, as in source 003
CHUNK = 64  # bytes the bulk path hashes at a time


class Call(NamedTuple):
    """What a step may know of the message: ``pieces`` has their lengths in bytes."""

    decrypting: bool
    in_place: bool
    pieces: list[int]

    @property
    def size(self):
        return sum(self.pieces)

    @property
    def bulk(self):
        return self.size >= SWITCH


class Driver:
    """GCM (SP 800-38D) for one key after another. It lives as long as a driver does: through many calls.

    A message comes as memoryviews, its pieces; the result goes to ``out`` (a bytearray) from ``start`` on, which may be
    where the pieces lie.
    """

    def __init__(self, random):
        self.accepted = False  # the last verdict
        self.choose(random)

    def choose(self, random):
        """Draw what differs between two copies with the same fault."""

    def set_key(self, memory, offset, size):
        """Use the ``size`` bytes at ``offset`` of ``memory`` as the key: 16, 24 or 32 of them."""
        key = self.key(memory, offset, size)
        self._aes, self._gmac = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update, AESGCM(key).encrypt
        self._times_h = GHASH.multiplier(self._aes(bytes(16)))

    def encrypt(self, nonce, aad, pieces, out, start, tag_length):
        """Encrypt and return the tag, 4 to 16 bytes."""
        self.call = Call(False, _is_in_place(pieces, out), list(map(len, pieces)))
        return self._crypt(nonce, aad, pieces, out, start)[:tag_length]

    def decrypt(self, nonce, aad, pieces, out, start, tag):
        """Decrypt and return whether the tag is right. As in a kernel, the plaintext is written in any case."""
        self.call = Call(True, _is_in_place(pieces, out), list(map(len, pieces)))
        self.accepted = self.verdict(self._crypt(nonce, aad, pieces, out, start)[: len(tag)], tag)
        return self.accepted

    def _crypt(self, nonce, aad, pieces, out, start):
        j0, position, ciphertext = self.first_counter(nonce), 0, []
        stream = self._aes(self.counters(j0, self.call.size // 16 + len(pieces) + 1))
        for piece in pieces:
            text, first = bytes(piece), self.place(position)
            result = _xor(text, stream[first : first + len(text)])
            self.store(out, start + position, result, stream[first + len(text) :])
            position += len(text)
            ciphertext.append(self.to_hash(text, result))
        blocks = self.pad(aad) + self.chunks(_padded(b"".join(ciphertext))) + self.lengths(len(aad), self.call.size)
        return _xor(self.hash(blocks), self._aes(j0))

    def ghash(self, blocks):
        """GHASH by OpenSSL's GMAC, but for the last product: GMAC's last block is its own, of lengths."""
        before, last = blocks[:-16], blocks[-16:]
        if before:
            zero = bytes(12)
            tag = _xor(self._gmac(zero, b"", before), self._aes(zero + b"\0\0\0\1"))
            last = _xor(last, lengths_block(len(before), 0))
            return _xor(tag, self._times_h(last))
        return self._times_h(last)

    # The steps, each of which some fault overrides.

    def key(self, memory, offset, size):
        return bytes(memory[offset : offset + size])

    def first_counter(self, nonce):
        if len(nonce) == 12:
            return nonce + b"\0\0\0\1"
        return self.ghash(_padded(nonce) + lengths_block(0, len(nonce)))

    def counters(self, j0, count):
        return counter_blocks(j0, 1, count, width=32)

    def place(self, position):
        """Where in the key stream the piece begins that has ``position`` bytes before it."""
        return position

    def store(self, out, at, result, stream):
        out[at : at + len(result)] = result

    def to_hash(self, text, result):
        return text if self.call.decrypting else result

    def pad(self, aad):
        return _padded(aad)

    def chunks(self, ciphertext):
        return ciphertext

    def lengths(self, aad_bytes, data_bytes):
        return lengths_block(aad_bytes, data_bytes)

    def hash(self, blocks):
        return self.ghash(blocks)

    def verdict(self, computed, tag):
        return computed == tag


class OnePath(Driver):
    """What only the bulk path, or only the path for small messages, does wrong."""

    def choose(self, random):
        self._bulk = random.random() < 0.5

    @property
    def here(self):
        return self.call.bulk == self._bulk


class FlagLeftSet(Driver):
    """Bulk decryption of a message that ends in an incomplete block does not compare the tags if the call before found
    a right one: a flag that it left is still set. Whether a forgery succeeds depends on what was decrypted before it.
    """

    def verdict(self, computed, tag):
        skipped = self.call.bulk and self.call.size % 16 and self.accepted
        return bool(skipped) or super().verdict(computed, tag)


class TagComparedInPart(Driver):
    """Only the first bytes of the tag are compared, 8 or 12 of them; a change in the others goes unnoticed."""

    def choose(self, random):
        self._compared = random.choice((8, 12))

    def verdict(self, computed, tag):
        return computed[: self._compared] == tag[: self._compared]


class EmptyMessageUnchecked(Driver):
    """Decryption of a message without a byte returns at once, all well: the tag over its associated data is not looked
    at.
    """

    def verdict(self, computed, tag):
        return not self.call.size or super().verdict(computed, tag)


class StalePadding(Driver):
    """Associated data is copied to a buffer that is not cleared. Where its last block is incomplete, what a longer one
    left there in an earlier call is hashed instead of zeros.
    """

    _buffer = b""

    def pad(self, aad):
        whole = _padded(aad)
        self._buffer = aad + self._buffer[len(aad) :]
        return self._buffer[: len(whole)].ljust(len(whole), b"\0")


class StaleHash(Driver):
    """After a message whose tag was wrong the hash is not reset: it goes on where that message ended, and the next
    message gets a wrong tag.
    """

    _left = bytes(16)

    def hash(self, blocks):
        self._result = self.ghash(_xor(blocks[:16], self._left) + blocks[16:])
        return self._result

    def decrypt(self, *arguments):
        accepted = super().decrypt(*arguments)
        self._left = bytes(16) if accepted else self._result
        return accepted


class LengthCutShort(Driver):
    """One of the two lengths in the last block is kept in too few bits: associated data from 128 or 256 bytes on, or a
    message from 2048 or 4096 bytes on, is entered with a wrong length.
    """

    def choose(self, random):
        self._aad, self._data = random.choice(((128, None), (256, None), (None, 2048), (None, 4096)))

    def lengths(self, aad_bytes, data_bytes):
        return lengths_block(aad_bytes % (self._aad or 1 << 60), data_bytes % (self._data or 1 << 60))


class CarryTooFar(Driver):
    """When the 32 bits of the counter overflow, the carry goes on into the bits before them."""

    def choose(self, random):
        self._width = random.choice((40, 64, 128))

    def counters(self, j0, count):
        return counter_blocks(j0, 1, count, self._width)


class NonceMadeToFit(Driver):
    """A nonce longer (in other copies: shorter) than 12 bytes is made to fit, cut off or filled up with zeros, instead
    of being hashed.
    """

    def choose(self, random):
        self._longer = random.random() < 0.5

    def first_counter(self, nonce):
        if len(nonce) != 12 and (len(nonce) > 12) == self._longer:
            nonce = nonce[:12].ljust(12, b"\0")
        return super().first_counter(nonce)


class StreamLost(OnePath):
    """A piece that ends inside a block loses the rest of that block's key stream: the next piece begins with a new
    block. Only one of the two paths does it.
    """

    def place(self, position):
        return _rounded(position) if self.here else position


class HashedTooLate(OnePath):
    """Decryption in place, on one of the two paths, hashes each piece after it was written: the plaintext, where the
    ciphertext is meant.
    """

    def to_hash(self, text, result):
        late = self.here and self.call.decrypting and self.call.in_place
        return result if late else super().to_hash(text, result)


class KeyAligned(Driver):
    """A key of one size is read from the next lower multiple of 2, 4 or 8, as if every key began there."""

    def choose(self, random):
        self._size, self._align = random.choice((16, 24, 32)), random.choice((2, 4, 8))

    def key(self, memory, offset, size):
        return super().key(memory, offset - offset % self._align if size == self._size else offset, size)


class LastChunkLost(Driver):
    """The bulk path hashes one chunk of 64 bytes behind encryption. Where the number of chunks is a multiple of its
    unrolling (2 to 5), the last one is never hashed. Encryption and decryption agree with each other.
    """

    def choose(self, random):
        self._unrolled = random.randrange(2, 6)

    def chunks(self, ciphertext):
        count = -(-len(ciphertext) // CHUNK)
        lost = self.call.bulk and count % self._unrolled == 0
        return ciphertext[: CHUNK * (count - 1)] if lost else ciphertext


class WholeBlockStored(OnePath):
    """An incomplete last block is stored as a whole one, on one of the two paths: up to 15 bytes behind the result are
    overwritten, with key stream.
    """

    def store(self, out, at, result, stream):
        written = at + len(result)
        super().store(out, at, result, stream)
        if self.here and not self.call.in_place and len(result) % 16:
            rest = _rounded(len(result)) - len(result)
            out[written : written + rest] = stream[:rest]


class SwapForgotten(Driver):
    """The bulk path takes four blocks at a time. What is left over, one, two or three blocks (which of them differs
    between copies), gets its counters with the bytes of a little-endian number.
    """

    def choose(self, random):
        self._rest = random.randrange(1, 4)

    def counters(self, j0, count):
        blocks, whole = super().counters(j0, count), -(-self.call.size // 16)
        if not self.call.bulk or whole % 4 != self._rest:
            return blocks
        split = [blocks[i : i + 16] for i in range(0, len(blocks), 16)]
        return b"".join(b[:12] + b[:11:-1] if i >= whole - self._rest else b for i, b in enumerate(split))


FAULTS = (
    FlagLeftSet, TagComparedInPart, EmptyMessageUnchecked, StalePadding, StaleHash, LengthCutShort, CarryTooFar,
    NonceMadeToFit, StreamLost, HashedTooLate, KeyAligned, LastChunkLost, WholeBlockStored, SwapForgotten,
)  # fmt: skip

EASY = (StalePadding, WholeBlockStored)  # lengths drawn at random find these, so no lab hides one of them


def title(fault):
    """A fault's name in words: "flag left set"."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in fault.__name__).strip()


def explanation(fault):
    """What a fault does, in one paragraph."""
    return " ".join(fault.__doc__.split())


def _is_in_place(pieces, out):
    return any(piece.obj is out for piece in pieces)


def _padded(data):
    return data + bytes(-len(data) % 16)


def _rounded(size):
    return size + -size % 16


def _xor(a, b):
    return (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(len(a), "big")
