"""The readable Python of ``aesedu.cipher`` as engines: byte by byte as FIPS-197 says it, and with T-tables."""

import functools

from aesedu.cipher import BLOCK_BYTES, check_data, fips197, ttable
from aesedu.cipher.key_schedule import expand_key
from aesedu.engines.base import repeated

# (cipher, direction) -> the function of a block and the expanded keys, and what expands them
_CIPHERS = {
    ("bytewise", "enc"): (fips197.cipher, expand_key),
    ("bytewise", "dec"): (fips197.inv_cipher, expand_key),
    ("ttable", "enc"): (ttable.cipher, ttable.encryption_keys),
    ("ttable", "dec"): (ttable.eq_inv_cipher, ttable.decryption_keys),
}


@functools.lru_cache(32)  # modes that chain call for one block at a time, and expanding a key costs many blocks
def _block_function(cipher, direction, key):
    function, expand = _CIPHERS[cipher, direction]
    keys = expand(key)
    return lambda block: function(block, keys)


def ecb(direction, key, data, cipher):
    """ECB (SP 800-38A 6.1), block after block; ``cipher`` is "bytewise" or "ttable"."""
    return _blocks(_block_function(cipher, direction, key), check_data(data))


def _blocks(block_function, data):
    return b"".join(block_function(data[i : i + BLOCK_BYTES]) for i in range(0, len(data), BLOCK_BYTES))


def prepare(direction, key, size, placement, cipher):
    """The timed form: keys expanded once, every block through Python; Python alone decides where its objects lie."""
    return repeated(_blocks, _block_function(cipher, direction, key), bytes(size))
