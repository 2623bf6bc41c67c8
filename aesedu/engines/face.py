"""The public face: encrypt or decrypt one message in any mode with any engine.

mode   | key                          | iv                     | data                | tag_length
ECB    | AES key: 16, 24 or 32 bytes  | none                   | whole blocks        |
CBC    | AES key                      | 16 bytes               | whole blocks        |
CFB128 | AES key                      | 16 bytes               | any length          |
OFB    | AES key                      | 16 bytes               | any length          |
CTR    | AES key                      | whole counter block    | any length          |
LRW    | AES key, 16-byte tweak key   | 16-byte index          | whole blocks        |
XTS    | K1, K2 of 16, 24 or 32 bytes | 16-byte tweak          | 16 bytes or more    |
CCM    | AES key                      | nonce of 7 to 13 bytes | shorter than 2^8q   | 4, 6, 8 ... 16
GCM    | AES key                      | 1 byte or more         | up to 2^36-32 bytes | 4, 8, 12 ... 16
GMAC   | AES key                      | as GCM                 | none: all in aad    | as GCM
OCB    | AES key                      | nonce of 1 to 15 bytes | any length          | 8 ... 16
GHASH  | H: 16 bytes                  | none                   | whole blocks        | 16
"""

import hmac
from functools import partial

from aesedu import engines
from aesedu.cipher import BLOCK_BYTES, check_key, modes
from aesedu.cipher.aead import InvalidTag, check_room, write_into
from aesedu.cipher.blocks import as_bytes
from aesedu.cipher.gcm import ghash
from aesedu.engines.readable_modes import KeyedEngine, aead, hiding

HIDING = ("ECB", "CBC", "CFB128", "OFB", "CTR", "LRW", "XTS")
TAGGING = ("CCM", "GCM", "GMAC", "OCB", "GHASH")


_LONG = 1 << 25  # bytes, 300 MB of memory; longer messages pass the readable modes, to the worker piece by piece
_UNKEYED = KeyedEngine(bytes, bytes)  # for an object that only checks its arguments


def block_cipher(key, engine="auto"):
    """Return AES under ``key`` (16, 24 or 32 bytes) as the modes take it, from the engine of that name.

    "auto" is the compiled engine where numba is, else T-tables in Python. Raises ValueError for another key length or
    an unknown engine.
    """
    key, chosen = check_key(as_bytes(key)), _engine(engine)
    return KeyedEngine(partial(chosen.ecb_encrypt, key), partial(chosen.ecb_decrypt, key))


def encrypt(mode, key, data, iv=b"", aad=b"", tag_length=16, engine="auto"):
    """Encrypt ``data`` and return (ciphertext, tag), bytes; the tag is b"" in modes without one.

    ``mode`` is a row of the table above, ``tag_length`` in bytes. Nothing is padded. GMAC's message is ``aad``;
    GHASH's result stands in the tag's place. Raises ValueError for a length the mode does not allow, naming the rule.
    """
    if mode in HIDING:
        return _hiding(mode, "enc", key, data, iv, aad, engine), b""
    chosen = _by_loops(engine, data, aad)
    if mode == "GHASH":  # whatever the engine
        return b"", _ghash(key, data, iv, aad, tag_length)
    if chosen:
        tag_length = _aead(mode, "enc", key, data, iv, aad, tag_length).tag_length
        return chosen.message(_loop(mode), "enc", _checked_key(mode, key), data, iv, aad, tag_length)
    return _aead(mode, "enc", key, data, iv, aad, tag_length, engine).seal(data, aad)


def decrypt(mode, key, data, iv=b"", aad=b"", tag=b"", engine="auto"):
    """Decrypt ``data`` and return the plaintext, bytes; the arguments are as in ``encrypt``.

    Raises InvalidTag (a ValueError) if the tag is wrong, and then releases nothing. GMAC and GHASH check the tag of
    their message and return b"".
    """
    if mode in HIDING:
        _empty(mode, "tag", tag)
        return _hiding(mode, "dec", key, data, iv, aad, engine)
    tag, chosen = as_bytes(tag), _by_loops(engine, data, aad)
    if mode == "GHASH":
        result = b"" if hmac.compare_digest(_ghash(key, data, iv, aad, len(tag)), tag) else None
    elif chosen:
        _aead(mode, "dec", key, data, iv, aad, len(tag))
        result, _ = chosen.message(_loop(mode), "dec", _checked_key(mode, key), data, iv, aad, len(tag), tag)
    else:
        result = _aead(mode, "dec", key, data, iv, aad, len(tag), engine).open(data, aad, tag)
    if result is None:
        raise InvalidTag(mode)
    return result


def encrypt_into(mode, key, data, out, iv=b"", aad=b"", tag_length=16, engine="auto"):
    """Encrypt into the start of ``out``; return (bytes written, tag).

    ``out`` is any writable contiguous buffer, at any address; it may be ``data`` itself or overlap it. Raises
    ValueError, writing nothing, where it is too short; the rest as in ``encrypt``.
    """
    result, tag = encrypt(mode, key, data, iv, aad, tag_length, engine)
    check_room(out, len(result))
    return write_into(out, result), tag


def decrypt_into(mode, key, data, out, iv=b"", aad=b"", tag=b"", engine="auto"):
    """Decrypt into the start of ``out`` and return the bytes written; with InvalidTag ``out`` stays as it was."""
    result = decrypt(mode, key, data, iv, aad, tag, engine)
    check_room(out, len(result))
    return write_into(out, result)


def _hiding(mode, direction, key, data, iv, aad, engine):
    _empty(mode, "associated data", aad)
    if mode == "ECB":
        _empty(mode, "iv", iv)
    elif chosen := _by_loops(engine, data):
        iv, data = modes.checked(mode, iv, data)
        return chosen.message(mode.lower(), direction, _checked_key(mode, key), data, iv)[0]
    return hiding(mode, direction, partial(block_cipher, engine=engine), key, as_bytes(data), iv)


def _by_loops(engine, *parts):
    """The engine where it has whole modes of its own for a message of this length, else None."""
    chosen = _engine(engine)
    short = sum(memoryview(part).nbytes for part in parts) <= _LONG
    return chosen if chosen.has_loops and short else None


def _loop(mode):
    return "gcm" if mode == "GMAC" else mode.lower()


def _checked_key(mode, key):
    """The whole key as bytes, once each AES key in it is found to be one."""
    if mode in ("LRW", "XTS"):
        check_key({"LRW": modes.lrw_keys, "XTS": modes.xts_keys}[mode](key)[0])
        return as_bytes(key)
    return check_key(as_bytes(key))


def _aead(mode, direction, key, data, iv, aad, tag_length, engine=None):
    """The object of a message; without an engine one that has checked all arguments and does nothing more."""
    if mode not in TAGGING:
        raise ValueError(f"unknown mode {mode!r}; there are: {', '.join(HIDING + TAGGING)}")
    if mode == "GMAC":
        _empty(mode, "message but aad", data)
    cipher = block_cipher(key, engine) if engine else check_key(as_bytes(key)) and _UNKEYED
    lengths = memoryview(data).nbytes, memoryview(aad).nbytes
    made = aead(mode, direction, cipher, iv, *lengths, tag_length)
    made.check_lengths(*reversed(lengths))
    return made


def _ghash(h, data, iv, aad, tag_length):
    _empty("GHASH", "iv", iv)
    _empty("GHASH", "associated data", aad)
    if tag_length != BLOCK_BYTES:
        raise ValueError(f"GHASH: its result has 16 bytes (SP 800-38D 6.4), not {tag_length}")
    return ghash(h, as_bytes(data))


def _empty(mode, what, value):
    if len(as_bytes(value)):
        raise ValueError(f"{mode} takes no {what}")


def _engine(name):
    if name != "auto":
        return engines.engine(name)
    compiled = engines.engine("compiled")
    return compiled if compiled.available else engines.engine("ttable")
