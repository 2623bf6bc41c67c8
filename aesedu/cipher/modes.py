"""The modes that only hide: ECB, CBC, CFB128, OFB, CTR (SP 800-38A), LRW (IEEE P1619 draft) and XTS (IEEE 1619).

Each is wiring around a block cipher (``blocks.BlockCipher``). Where the wiring lets blocks overlap, all go to the
cipher in one call; where one block needs the result of the one before, the loop shows it. Nothing is padded. Every
function takes bytes-like objects, returns bytes and raises ValueError for a length that the mode does not allow.
"""

import hmac

from aesedu.cipher import BLOCK_BYTES, check_data, gf128
from aesedu.cipher.blocks import as_bytes, masked, one_block, split, xor

XTS_MOST_BLOCKS = 1 << 20  # SP 800-38E 4


def checked(mode, iv, data):
    """Return (IV, message) as bytes; raises ValueError unless the mode allows them. ``mode`` in capitals, not ECB."""
    return one_block(_IV[mode], iv), _MESSAGE.get(mode, as_bytes)(data)


def ecb_encrypt(cipher, data):
    """Return C_j = CIPH(P_j) (SP 800-38A 6.1): equal blocks stay equal."""
    return cipher.encrypt_blocks(check_data(data))


def ecb_decrypt(cipher, data):
    """Return P_j = CIPH^-1(C_j) (SP 800-38A 6.1)."""
    return cipher.decrypt_blocks(check_data(data))


def cbc_encrypt(cipher, iv, data):
    """Return C_j = CIPH(P_j XOR C_{j-1}), C_0 = IV (SP 800-38A 6.2): each block waits for the one before."""
    (previous, data), out = checked("CBC", iv, data), []
    for block in split(data):
        previous = cipher.encrypt_blocks(xor(block, previous))
        out.append(previous)
    return b"".join(out)


def cbc_decrypt(cipher, iv, data):
    """Return P_j = CIPH^-1(C_j) XOR C_{j-1} (SP 800-38A 6.2): every input is known, so all blocks go at once."""
    iv, data = checked("CBC", iv, data)
    return xor(cipher.decrypt_blocks(data), iv + data)


def cfb128_encrypt(cipher, iv, data):
    """Return C_j = P_j XOR CIPH(C_{j-1}), C_0 = IV (SP 800-38A 6.3, s = 128).

    The standard asks for whole segments; a shorter last one uses the first bytes of its output block, as everywhere.
    """
    (previous, data), out = checked("CFB128", iv, data), []
    for segment in split(data):
        previous = xor(segment, cipher.encrypt_blocks(previous))
        out.append(previous)
    return b"".join(out)


def cfb128_decrypt(cipher, iv, data):
    """Return P_j = C_j XOR CIPH(C_{j-1}) (SP 800-38A 6.3): the cipher runs forwards, on all blocks at once."""
    iv, data = checked("CFB128", iv, data)
    inputs = (iv + data)[: _rounded_up(data)]
    return xor(data, cipher.encrypt_blocks(inputs))


def ofb(cipher, iv, data):
    """Return data XOR O_1 O_2 ..., O_j = CIPH(O_{j-1}), O_0 = IV (SP 800-38A 6.4); the same in both directions."""
    (output, data), outputs = checked("OFB", iv, data), []
    for _ in split(data):
        output = cipher.encrypt_blocks(output)
        outputs.append(output)
    return xor(data, b"".join(outputs))


ofb_encrypt = ofb_decrypt = ofb


def ctr(cipher, counter, data, width=128, offset=0):
    """Return data XOR CIPH(T_1) CIPH(T_2) ... (SP 800-38A 6.5); the same in both directions.

    ``counter`` is T_1; the last ``width`` bits count. Any block can be had without the ones before it: ``offset`` is
    where in the message ``data`` begins, in bytes.
    """
    counter, data = checked("CTR", counter, data)
    first, skip = divmod(offset, BLOCK_BYTES)
    blocks = -(-(skip + len(data)) // BLOCK_BYTES)
    keystream = cipher.encrypt_blocks(counter_blocks(counter, first, blocks, width))
    return xor(data, keystream[skip:])


ctr_encrypt = ctr_decrypt = ctr


def counter_blocks(counter, first, count, width=128):
    """Return T_{first+1} ... T_{first+count}, joined, T_1 being ``counter`` (SP 800-38A B.1).

    Only the last ``width`` bits count, and they wrap around without a carry into the bits before them.
    """
    value, counting = int.from_bytes(counter, "big"), (1 << width) - 1
    fixed = value & ~counting
    return b"".join((fixed | (value + first + i) & counting).to_bytes(BLOCK_BYTES, "big") for i in range(count))


def aes_bits(mode, key_bits):
    """Return the bits of AES's own key: tcrypt counts LRW's tweak key of 128 bits and XTS's second key in."""
    return key_bits - 128 if mode == "lrw" else key_bits // 2 if mode == "xts" else key_bits


def lrw_keys(key):
    """Return (AES key, tweak key) of an LRW key; raises ValueError for another length than 32, 40 or 48 bytes."""
    if len(key := as_bytes(key)) not in (32, 40, 48):
        raise ValueError(f"LRW: a key has 32, 40 or 48 bytes, an AES key and a tweak key of 16, not {len(key)}")
    return key[:-BLOCK_BYTES], key[-BLOCK_BYTES:]


def lrw_encrypt(cipher, tweak_key, index, data):
    """Return C_j = CIPH(P_j XOR T_j) XOR T_j, T_j = tweak key times (index + j) in GF(2^128) (IEEE P1619 draft).

    ``index`` is the first block's, 16 bytes, most significant first; it wraps around.
    """
    index, data = checked("LRW", index, data)
    return masked(cipher.encrypt_blocks, data, lrw_tweaks(tweak_key, index, len(data) // BLOCK_BYTES))


def lrw_decrypt(cipher, tweak_key, index, data):
    """Return P_j = CIPH^-1(C_j XOR T_j) XOR T_j (IEEE P1619 draft)."""
    index, data = checked("LRW", index, data)
    return masked(cipher.decrypt_blocks, data, lrw_tweaks(tweak_key, index, len(data) // BLOCK_BYTES))


def lrw_tweaks(tweak_key, index, count):
    """Return T_0 ... T_{count-1}, joined."""
    times_key = gf128.LRW.multiplier(one_block("LRW's tweak key", tweak_key))
    return b"".join(times_key(block) for block in split(counter_blocks(index, 0, count)))


def xts_keys(key):
    """Return (K1, K2) of an XTS key; raises ValueError for a wrong length and where they are equal."""
    if len(key := as_bytes(key)) not in (32, 48, 64):
        raise ValueError(f"XTS: a key has 32, 48 or 64 bytes, K1 and K2 of an AES key's length, not {len(key)}")
    k1, k2 = key[: len(key) // 2], key[len(key) // 2 :]
    if hmac.compare_digest(k1, k2):
        raise ValueError("XTS: K1 and K2 must differ (FIPS 140 implementation guidance): equal ones void its security")
    return k1, k2


def xts_encrypt(cipher, tweak_cipher, tweak, data):
    """Return XTS-AES encryption of a data unit of 16 bytes or more (IEEE 1619 5.3.2).

    ``cipher`` is AES under K1, ``tweak_cipher`` under K2, ``tweak`` the unit's 16-byte i. A last part of b < 16 bytes
    steals from the ciphertext block before: that block's first b bytes become the end of the ciphertext, and its other
    bytes fill the part up to a block, which is encrypted and takes its place.
    """
    tweak, data = checked("XTS", tweak, data)
    return _xts(cipher.encrypt_blocks, data, xts_tweaks(tweak_cipher, tweak, _rounded_up(data) // BLOCK_BYTES))


def xts_decrypt(cipher, tweak_cipher, tweak, data):
    """Return XTS-AES decryption of a data unit (IEEE 1619 5.4.2).

    With stealing the last whole block was encrypted last, so it is decrypted first and their tweaks change places.
    """
    tweak, data = checked("XTS", tweak, data)
    tweaks = xts_tweaks(tweak_cipher, tweak, _rounded_up(data) // BLOCK_BYTES)
    if len(data) % BLOCK_BYTES:
        *before, last, after = split(tweaks)
        tweaks = b"".join([*before, after, last])
    return _xts(cipher.decrypt_blocks, data, tweaks)


def xts_tweaks(tweak_cipher, tweak, count):
    """Return T_j = CIPH_K2(i) times x^j for j = 0 ... count-1, joined (IEEE 1619 5.2)."""
    value, tweaks = gf128.XTS.load(tweak_cipher.encrypt_blocks(tweak)), []
    for _ in range(count):
        tweaks.append(gf128.XTS.store(value))
        value = gf128.double(value)
    return b"".join(tweaks)


def _xts(crypt, data, tweaks):
    part = len(data) % BLOCK_BYTES
    whole = len(data) - part
    out = masked(crypt, data[:whole], tweaks[:whole])
    if not part:
        return out
    before, last = out[:-BLOCK_BYTES], out[-BLOCK_BYTES:]
    stolen, left = last[:part], last[part:]
    return before + masked(crypt, data[whole:] + left, tweaks[whole:]) + stolen


def _data_unit(data):
    data = as_bytes(data)
    if not BLOCK_BYTES <= len(data) <= XTS_MOST_BLOCKS * BLOCK_BYTES:
        raise ValueError(f"XTS: a data unit has 16 bytes to 2^20 blocks (SP 800-38E 4), not {len(data)} bytes")
    return data


_MESSAGE = {"CBC": check_data, "LRW": check_data, "XTS": _data_unit}
_IV = {"CBC": "CBC's IV", "CFB128": "CFB's IV", "OFB": "OFB's IV", "CTR": "CTR's counter block"}
_IV |= {"LRW": "LRW's index", "XTS": "XTS's tweak"}


def _rounded_up(data):
    return len(data) + -len(data) % BLOCK_BYTES
