"""GCM and GHASH (SP 800-38D)."""

from aesedu.cipher import BLOCK_BYTES, check_data, gf128
from aesedu.cipher.aead import AEAD
from aesedu.cipher.blocks import Chain, as_bytes, one_block
from aesedu.cipher.modes import counter_blocks, ctr

MOST_DATA = (1 << 36) - 32  # bytes, 5.2.1.1
MOST_AAD = (1 << 61) - 1


def ghash(h, data):
    """Return GHASH_H(data): Y_i = (Y_{i-1} XOR X_i) times H, Y_0 = 0 (6.4); ``data`` in whole blocks."""
    chain = Chain(gf128.GHASH.multiplier(one_block("GHASH's key H", h)))
    chain.update(check_data(data))
    return chain.value


def pre_counter_block(h, iv):
    """Return J0 (7.1, step 2): IV || 0^31 || 1 for an IV of 96 bits, else GHASH over the padded IV and its length."""
    if not (iv := as_bytes(iv)):
        raise ValueError("GCM: an IV has at least 1 byte (SP 800-38D 5.2.1.1); an empty one would make J0 zero")
    if len(iv) == 12:
        return iv + (1).to_bytes(4, "big")
    return ghash(h, iv + bytes(-len(iv) % BLOCK_BYTES) + lengths_block(0, len(iv)))


def lengths_block(first, second):
    """Return two lengths, given in bytes, as GHASH's last block: 64 bits each, in bits."""
    return (8 * first).to_bytes(8, "big") + (8 * second).to_bytes(8, "big")


class GCM(AEAD):
    """GCM over a block cipher: CTR with a 32-bit counter, and GHASH over what it gives (7.1, 7.2).

    ``iv`` has 1 byte or more. With no message it is GMAC. The steps' names are the standard's.
    """

    name = "GCM"
    tag_lengths = (4, 8, 12, 13, 14, 15, 16)
    tag_rule = "4, 8 or 12 to 16 bytes (SP 800-38D 5.2.1.2)"

    def __init__(self, cipher, iv, tag_length=16, direction="enc"):
        super().__init__(tag_length, direction)
        self._cipher = cipher
        self.h = cipher.encrypt_blocks(bytes(BLOCK_BYTES))
        self.j0 = pre_counter_block(self.h, iv)
        self._icb = counter_blocks(self.j0, 1, 1, width=32)  # inc_32(J0)
        self._ghash = Chain(gf128.GHASH.multiplier(self.h))

    def check_lengths(self, aad_bytes, data_bytes):
        """Raise ValueError for bytes beyond the limits of SP 800-38D 5.2.1.1."""
        if data_bytes > MOST_DATA:
            raise ValueError("GCM: a message has at most 2^36 - 32 bytes (SP 800-38D 5.2.1.1)")
        if aad_bytes > MOST_AAD:
            raise ValueError("GCM: associated data has at most 2^61 - 1 bytes (SP 800-38D 5.2.1.1)")

    def _aad(self, aad):
        self._ghash.update(aad)

    def _aad_end(self):
        self._ghash.pad()

    def _crypt(self, data):
        out = ctr(self._cipher, self._icb, data, width=32, offset=self.data_bytes)
        self._ghash.update(out if self.direction == "enc" else data)  # always the ciphertext
        return out

    def _finish(self):
        self._ghash.pad()
        self._ghash.update(lengths_block(self.aad_bytes, self.data_bytes))
        s = self._ghash.value
        return b"", ctr(self._cipher, self.j0, s, width=32)
