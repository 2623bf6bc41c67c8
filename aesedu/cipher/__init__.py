"""What AES is, in readable Python: bytes in, bytes out.

``fips197`` follows the standard step by step, ``key_schedule`` expands keys, ``ttable`` melts a round into look-ups.
This module says what may be given to them as key, block or data.
"""

BLOCK_BYTES = 16
KEY_BYTES = (16, 24, 32)


def check_key(key):
    """Return the key as bytes; raises TypeError, or ValueError unless it has 16, 24 or 32 bytes."""
    key = _as_bytes("the key", key)
    if len(key) not in KEY_BYTES:
        raise ValueError(f"the key has {_count(key)}; AES keys have 16, 24 or 32 (128, 192 or 256 bits)")
    return key


def check_block(block):
    """Return the block as bytes; raises TypeError, or ValueError unless it has 16 bytes."""
    block = _as_bytes("the block", block)
    if len(block) != BLOCK_BYTES:
        raise ValueError(f"the block has {_count(block)}; an AES block has 16")
    return block


def check_data(data):
    """Return the data as bytes; raises TypeError, or ValueError unless they are whole blocks of 16 bytes."""
    data = _as_bytes("the data", data)
    if len(data) % BLOCK_BYTES:
        raise ValueError(f"the data has {_count(data)}; whole blocks are allowed, a multiple of 16 (nothing is padded)")
    return data


def _as_bytes(what, value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    hint = "; bytes.fromhex(...) makes bytes of hexadecimal digits" if isinstance(value, str) else ""
    raise TypeError(f"{what} is of type {type(value).__name__}; allowed are bytes, bytearray and memoryview{hint}")


def _count(value):
    return "1 byte" if len(value) == 1 else f"{len(value)} bytes"
