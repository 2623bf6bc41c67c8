"""A message as blocks of 16 bytes: split it, XOR it, take it in pieces, chain a function over it."""

from typing import Protocol

from aesedu.cipher import BLOCK_BYTES


class BlockCipher(Protocol):
    """What a mode is written over: AES under one key, on any number of whole blocks, each by itself (ECB)."""

    def encrypt_blocks(self, data: bytes) -> bytes:
        """Return each 16 bytes of ``data`` encrypted."""

    def decrypt_blocks(self, data: bytes) -> bytes:
        """Return each 16 bytes of ``data`` decrypted."""


def as_bytes(data):
    """Return any bytes-like object, also a view with strides, as bytes of its own; raises TypeError for others.

    The copy is what makes working in place safe: no later write can change what is still to be read.
    """
    return data if type(data) is bytes else bytes(memoryview(data))


def one_block(name, value):
    """Return ``value`` as bytes; raises ValueError unless it is one block long."""
    if len(value := as_bytes(value)) != BLOCK_BYTES:
        raise ValueError(f"{name} is one block, {BLOCK_BYTES} bytes, not {len(value)}")
    return value


def split(data):
    """Return the blocks of ``data`` in order; the last one may be shorter."""
    return [data[i : i + BLOCK_BYTES] for i in range(0, len(data), BLOCK_BYTES)]


def xor(a, b):
    """Return a XOR the first ``len(a)`` bytes of b."""
    size = len(a)
    return (int.from_bytes(a, "little") ^ int.from_bytes(b[:size], "little")).to_bytes(size, "little")


def masked(crypt, data, masks):
    """Return crypt(data XOR masks) XOR masks: the wiring of LRW, XTS and OCB (Rogaway's XEX)."""
    return xor(crypt(xor(data, masks)), masks)


class Pieces:
    """Gathers pieces of any size into whole blocks; ``rest`` is what waits for more."""

    def __init__(self):
        self.rest = b""

    def take(self, piece):
        """Return the whole blocks that are complete with ``piece``."""
        data = self.rest + piece
        whole = len(data) - len(data) % BLOCK_BYTES
        self.rest = data[whole:]
        return data[:whole]


class Chain:
    """Y_i = step(Y_{i-1} XOR X_i) over the blocks of a message given in pieces.

    With multiplication by H as the step it is GHASH (SP 800-38D 6.4), with encryption CBC-MAC (SP 800-38C 6.1).
    """

    def __init__(self, step):
        self.value = bytes(BLOCK_BYTES)
        self._step = step
        self._pieces = Pieces()

    def update(self, piece):
        """Take in the next piece."""
        for block in split(self._pieces.take(piece)):
            self.value = self._step(xor(self.value, block))

    def pad(self):
        """Fill the last block up with zeros, where one has begun."""
        self.update(bytes(-len(self._pieces.rest) % BLOCK_BYTES))
