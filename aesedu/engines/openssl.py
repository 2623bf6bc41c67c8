"""OpenSSL through ``cryptography``: as it is, and, in a worker of its own, with the AES instructions masked."""

import platform

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from aesedu.cipher import check_data, check_key
from aesedu.engines.placement import placed


def table_code_reason():
    """Why OpenSSL's T-table code cannot be reached on this host, or ""."""
    machine = platform.machine()
    return (
        "" if machine in ("x86_64", "AMD64") else f"OpenSSL's features can be masked on x86-64 only, not on {machine}"
    )


def _context(direction, key):
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    return cipher.encryptor() if direction == "enc" else cipher.decryptor()


def _whole(direction, key, data):
    context = _context(direction, check_key(key))
    return context.update(check_data(data)) + context.finalize()


def ecb_encrypt(key, data):
    """ECB encryption by OpenSSL (SP 800-38A 6.1)."""
    return _whole("enc", key, data)


def ecb_decrypt(key, data):
    """ECB decryption by OpenSSL (SP 800-38A 6.1)."""
    return _whole("dec", key, data)


def prepare(direction, key, size, placement):
    """The timed form: ``update_into`` on two preallocated buffers, called from Python ``count`` times.

    The call itself costs a few hundred nanoseconds, which a 16-byte row shows and an 8 KiB row does not.
    """
    update = _context(direction, key).update_into
    # update_into wants room for one block less a byte more than it writes
    data, out = placed([np.zeros(size, np.uint8), np.zeros(size + 15, np.uint8)], placement)

    def run(count):
        for _ in range(count):
            update(data, out)

    return run
