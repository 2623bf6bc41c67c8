"""What others say the answer is: cryptography (OpenSSL), pycryptodome, and the standards' formulas bit by bit.

The formulas serve where neither library has the mode (LRW, GHASH, XTS with 384-bit keys). They stand on OpenSSL's ECB
and on the multiplication of SP 800-38D, bit by bit, and share nothing with aesedu.
"""

from Crypto.Cipher import AES
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESOCB3

try:
    from cryptography.hazmat.decrepit.ciphers.modes import CFB, OFB
except ImportError:  # before they moved
    from cryptography.hazmat.primitives.ciphers.modes import CFB, OFB


def openssl(key, mode, data, aad=None):
    """Return data encrypted by OpenSSL, and the tag, where there is one."""
    encryptor = Cipher(algorithms.AES(key), mode).encryptor()
    if aad is not None:
        encryptor.authenticate_additional_data(aad)
    return encryptor.update(data) + encryptor.finalize(), encryptor.tag if aad is not None else b""


def openssl_ecb(key, data):
    return openssl(key, modes.ECB(), data)[0]


class OpenSSL:
    """OpenSSL's AES as a block cipher for our modes."""

    def __init__(self, key):
        self._cipher = Cipher(algorithms.AES(bytes(key)), modes.ECB())

    def encrypt_blocks(self, data):
        return self._cipher.encryptor().update(data)

    def decrypt_blocks(self, data):
        return self._cipher.decryptor().update(data)


def ghash(h, data):
    """Return GHASH by SP 800-38D's algorithms 1 and 2, with their right shifts; of one block it is the product."""
    y, h = 0, int.from_bytes(h, "big")
    for block in _blocks(data):
        x, v, z = y ^ int.from_bytes(block, "big"), h, 0
        for i in range(127, -1, -1):
            z ^= v if x >> i & 1 else 0
            v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
        y = z
    return y.to_bytes(16, "big")


def _reversed(block):
    """Return the block with its 128 bits in reverse: between GHASH's order and LRW's."""
    return int(f"{int.from_bytes(block, 'big'):0128b}"[::-1], 2).to_bytes(16, "big")


def _bytes_reversed(block):
    """Return the block with the bits of each byte in reverse: between GHASH's order and XTS's."""
    return bytes(int(f"{byte:08b}"[::-1], 2) for byte in block)


X = bytes([0x40]) + bytes(15)  # the element x in GHASH's order


def _blocks(data):
    return [data[i : i + 16] for i in range(0, len(data), 16)]


def _xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def lrw(key, index, data):
    """Return LRW encryption from its definition."""
    aes_key, tweak_key, out = key[:-16], _reversed(key[-16:]), []
    for j, block in enumerate(_blocks(data)):
        number = (int.from_bytes(index, "big") + j) % 2**128
        tweak = _reversed(ghash(tweak_key, _reversed(number.to_bytes(16, "big"))))
        out.append(_xor(openssl_ecb(aes_key, _xor(block, tweak)), tweak))
    return b"".join(out)


def xts(key, tweak, data):
    """Return XTS encryption from its definition, stealing included; for keys that no library takes."""
    k1, k2 = key[: len(key) // 2], key[len(key) // 2 :]
    tweak, out = openssl_ecb(k2, tweak), []
    for block in _blocks(data):
        stolen = b""
        if len(block) < 16:
            last = out.pop()
            block, stolen = block + last[len(block) :], last[: len(block)]
        out.append(_xor(openssl_ecb(k1, _xor(block, tweak)), tweak) + stolen)
        tweak = _bytes_reversed(ghash(X, _bytes_reversed(tweak)))
    return b"".join(out)


def ghash_inverse(h):
    """Return the block g with h times g = 1 in GHASH's order, as h^(2^128 - 2); h is not zero."""
    result, power = None, h
    for _ in range(127):
        power = ghash(power, power)
        result = power if result is None else ghash(power, result)
    return result


def iv_for(key, j0):
    """Return the 16-byte GCM IV whose pre-counter block is ``j0``: (J0 / H XOR its length) / H."""
    inverse = ghash_inverse(openssl_ecb(key, bytes(16)))
    return ghash(inverse, _xor(ghash(inverse, j0), (128).to_bytes(16, "big")))


def answers(mode, key, iv, aad, data, tag_length):
    """Return {who: (ciphertext, tag)} from everybody who has the mode with these lengths."""
    return {
        name: answer
        for name, ask in (("cryptography", _cryptography), ("pycryptodome", _pycryptodome), ("definition", _definition))
        if (answer := ask(mode, key, iv, aad, data, tag_length)) is not None
    }


_PLAIN = {"CBC": modes.CBC, "CFB128": CFB, "OFB": OFB, "CTR": modes.CTR}


def _cryptography(mode, key, iv, aad, data, tag_length):
    if mode == "ECB":
        return openssl(key, modes.ECB(), data)
    if mode in _PLAIN:
        return openssl(key, _PLAIN[mode](iv), data)
    if mode == "XTS" and len(key) != 48:
        return openssl(key, modes.XTS(iv), data)
    if mode in ("GCM", "GMAC") and 8 <= len(iv) <= 128:
        ciphertext, tag = openssl(key, modes.GCM(iv), data, aad)
        return ciphertext, tag[:tag_length]
    if mode == "CCM":
        sealed = AESCCM(key, tag_length).encrypt(iv, data, aad)
    elif mode == "OCB" and tag_length == 16 and len(iv) >= 12:
        sealed = AESOCB3(key).encrypt(iv, data, aad)
    else:
        return None
    return sealed[: len(data)], sealed[len(data) :]


def _pycryptodome(mode, key, iv, aad, data, tag_length):
    if mode == "CFB128":
        if len(data) % 16:
            return None
        return AES.new(key, AES.MODE_CFB, iv, segment_size=128).encrypt(data), b""
    if mode == "ECB":
        return AES.new(key, AES.MODE_ECB).encrypt(data), b""
    if mode == "CTR":
        return AES.new(key, AES.MODE_CTR, nonce=b"", initial_value=iv).encrypt(data), b""
    if mode in ("CBC", "OFB"):
        return AES.new(key, getattr(AES, f"MODE_{mode}"), iv).encrypt(data), b""
    if mode in ("GCM", "GMAC", "CCM", "OCB"):
        which = {"GMAC": AES.MODE_GCM}.get(mode) or getattr(AES, f"MODE_{mode}")
        aead = AES.new(key, which, nonce=iv, mac_len=tag_length)
        aead.update(aad)
        return aead.encrypt_and_digest(data)
    return None


def _definition(mode, key, iv, aad, data, tag_length):
    if mode == "LRW":
        return lrw(key, iv, data), b""
    if mode == "XTS" and len(key) == 48:
        return xts(key, iv, data), b""
    if mode == "GHASH":
        return b"", ghash(key, data)
    return None
