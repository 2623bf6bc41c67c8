"""aesedu teaches how AES software is made fast: see, change and time real routines in a notebook.

Sub-packages load on first use, so that ``import aesedu`` stays light (no numba, no matplotlib).
"""

import importlib

__version__ = "0.1.0"

_SUBPACKAGES = {"bench", "cipher", "codegen", "data", "doctor", "engines", "exercises", "native", "routine", "routines"}
_SUBPACKAGES |= {"views", "widgets"}
_FACE = dict.fromkeys(("encrypt", "decrypt", "encrypt_into", "decrypt_into", "block_cipher"), "engines.face")
_FACE |= {"InvalidTag": "cipher.aead", "GCM": "cipher.gcm", "CCM": "cipher.ccm", "OCB": "cipher.ocb"}


def __getattr__(name):
    if name in _SUBPACKAGES:
        return importlib.import_module(f"aesedu.{name}")
    if name in _FACE:
        return getattr(importlib.import_module(f"aesedu.{_FACE[name]}"), name)
    raise AttributeError(f"module 'aesedu' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_SUBPACKAGES, *_FACE})
