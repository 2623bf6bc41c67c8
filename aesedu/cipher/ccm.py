"""CCM (SP 800-38C): CBC-MAC over nonce, lengths, associated data and plaintext, then CTR over plaintext and MAC."""

from aesedu.cipher import BLOCK_BYTES
from aesedu.cipher.aead import AEAD
from aesedu.cipher.blocks import Chain, as_bytes, xor
from aesedu.cipher.modes import ctr


def first_block(nonce, length, aad_length, tag_length):
    """Return B_0 = flags || N || Q (A.2.1); lengths in bytes, Q is the message's in q = 15 - len(nonce) bytes."""
    q = 15 - len(nonce)
    flags = 64 * (aad_length > 0) + 8 * ((tag_length - 2) // 2) + (q - 1)
    return bytes([flags]) + nonce + length.to_bytes(q, "big")


def encoded_aad_length(length):
    """Return the length of associated data (bytes) as it goes before them (A.2.2): in 0, 2, 6 or 10 bytes."""
    if length == 0:
        return b""
    if length < (1 << 16) - (1 << 8):
        return length.to_bytes(2, "big")
    if length < 1 << 32:
        return b"\xff\xfe" + length.to_bytes(4, "big")
    return b"\xff\xff" + length.to_bytes(8, "big")


def counter_block(nonce):
    """Return Ctr_0 (A.3): q - 1 in one byte, the nonce, and a counter of q = 15 - len(nonce) bytes."""
    q = 15 - len(nonce)
    return bytes([q - 1]) + nonce + bytes(q)


class CCM(AEAD):
    """CCM over a block cipher (6.1, 6.2).

    ``nonce`` has 7 to 13 bytes. The lengths of message and associated data (bytes) go into the very first block, so
    they must be known at the start; a message that turns out otherwise raises ValueError.
    """

    name = "CCM"
    tag_lengths = (4, 6, 8, 10, 12, 14, 16)
    tag_rule = "4, 6, 8, 10, 12, 14 or 16 bytes (SP 800-38C A.1)"

    def __init__(self, cipher, nonce, length, aad_length=0, tag_length=16, direction="enc"):
        super().__init__(tag_length, direction)
        nonce = as_bytes(nonce)
        if not 7 <= len(nonce) <= 13:
            raise ValueError(f"CCM: a nonce has 7 to 13 bytes (SP 800-38C A.1), not {len(nonce)}")
        if not 0 <= length < 256 ** (15 - len(nonce)):
            raise ValueError(
                f"CCM: with a nonce of {len(nonce)} bytes a message is shorter than 2^{120 - 8 * len(nonce)} bytes"
            )
        if not 0 <= aad_length < 1 << 64:
            raise ValueError("CCM: associated data is shorter than 2^64 bytes (SP 800-38C A.2.2)")
        self._cipher, self._length, self._aad_length = cipher, length, aad_length
        self.ctr0 = counter_block(nonce)
        self._mac = Chain(cipher.encrypt_blocks)
        self._mac.update(first_block(nonce, length, aad_length, tag_length) + encoded_aad_length(aad_length))

    def check_lengths(self, aad_bytes, data_bytes):
        """Raise ValueError where more bytes came than were announced; CCM formats both lengths first (A.2)."""
        if aad_bytes > self._aad_length or data_bytes > self._length:
            raise ValueError(f"CCM: more came than the announced {self._aad_length} and {self._length} bytes")

    def _aad(self, aad):
        self._mac.update(aad)

    def _aad_end(self):
        if self.aad_bytes != self._aad_length:
            raise ValueError(f"CCM: {self._aad_length} bytes of associated data were announced, {self.aad_bytes} came")
        self._mac.pad()

    def _crypt(self, data):
        out = ctr(self._cipher, self.ctr0, data, offset=BLOCK_BYTES + self.data_bytes)  # from Ctr_1 on
        self._mac.update(data if self.direction == "enc" else out)  # always the plaintext
        return out

    def _finish(self):
        if self.data_bytes != self._length:
            raise ValueError(f"CCM: a message of {self._length} bytes was announced, {self.data_bytes} came")
        self._mac.pad()
        s0 = self._cipher.encrypt_blocks(self.ctr0)
        return b"", xor(self._mac.value, s0)
