"""OpenSSL through ``cryptography``: as it is, and, in a worker of its own, with the AES instructions masked."""

import platform

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aesedu.cipher import check_data, check_key
from aesedu.engines.base import TIMING_AAD, TIMING_IV
from aesedu.engines.placement import placed

try:
    from cryptography.hazmat.decrepit.ciphers.modes import CFB, OFB
except ImportError:  # before they moved
    from cryptography.hazmat.primitives.ciphers.modes import CFB, OFB


def table_code_reason():
    """Why OpenSSL's T-table code cannot be reached on this host, or ""."""
    if (machine := platform.machine()) in ("x86_64", "AMD64"):
        return ""
    return f"OpenSSL's features can be masked on x86-64 only, not on {machine}"


def _context(direction, key, mode=None):
    cipher = Cipher(algorithms.AES(key), mode or modes.ECB())
    return cipher.encryptor() if direction == "enc" else cipher.decryptor()


def ecb(direction, key, data):
    """ECB by OpenSSL (SP 800-38A 6.1)."""
    context = _context(direction, check_key(key))
    return context.update(check_data(data)) + context.finalize()


_CHAINED = {"ecb": lambda iv: modes.ECB(), "cbc": modes.CBC, "ctr": modes.CTR, "ofb": OFB, "cfb128": CFB}


def prepare(direction, key, size, placement, mode="ecb"):
    """The timed form: ``update_into`` on two preallocated buffers, called from Python ``count`` times.

    The call itself costs a few hundred nanoseconds, which a 16-byte row shows and an 8 KiB row does not. In the modes
    with an IV one message goes on and on: OpenSSL's set-up of a message is not in the time.
    """
    update = _context(direction, key, _CHAINED[mode](TIMING_IV)).update_into
    # update_into wants room for one block less a byte more than it writes
    data, out = placed([np.zeros(size, np.uint8), np.zeros(size + 15, np.uint8)], placement)

    def run(count):
        for _ in range(count):
            update(data, out)

    return run


def prepare_gcm(direction, key, size, placement):
    """The timed form of whole GCM messages: 12 bytes of IV, 8 of associated data, a tag of 16.

    One call a message on preallocated buffers, with the key set up before.
    """
    cipher, iv, aad = AESGCM(key), TIMING_IV[:12], bytes(TIMING_AAD)
    data, out = placed([np.zeros(size, np.uint8), np.zeros(size + 16, np.uint8)], placement)
    call = cipher.encrypt_into
    if direction == "dec":
        data, out, call = np.frombuffer(cipher.encrypt(iv, data, aad), np.uint8), out[:size], cipher.decrypt_into

    def run(count):
        for _ in range(count):
            call(iv, data, aad, out)

    return run
