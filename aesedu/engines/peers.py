"""Other people's AES, where it is installed: peers in the benchmark, no part of the suite."""

import importlib

from aesedu.engines.base import repeated


def _pyaes(direction, key):
    mode = importlib.import_module("pyaes").AESModeOfOperationECB(key)
    block_function = mode.encrypt if direction == "enc" else mode.decrypt
    return lambda data: b"".join(block_function(data[i : i + 16]) for i in range(0, len(data), 16))


def _pycryptodome(direction, key):
    aes = importlib.import_module("Crypto.Cipher.AES")
    cipher = aes.new(key, aes.MODE_ECB)
    return cipher.encrypt if direction == "enc" else cipher.decrypt


_PEERS = {"pyaes": _pyaes, "pycryptodome": _pycryptodome}


def ecb(direction, key, data, package):
    """ECB by ``package``, "pyaes" or "pycryptodome"."""
    return _PEERS[package](direction, key)(data)


def prepare(direction, key, size, placement, package):
    """The timed form, called from Python; ``size`` bytes at a time into a result that the package allocates."""
    return repeated(_PEERS[package](direction, key), bytes(size))
