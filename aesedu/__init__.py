"""aesedu teaches how AES software is made fast: see, change and time real routines in a notebook.

Sub-packages load on first use, so that ``import aesedu`` stays light (no numba, no matplotlib).
"""

from aesedu import lazy

__version__ = "0.1.0"

_SUBPACKAGES = {"bench", "cipher", "codegen", "data", "doctor", "engines", "exercises", "native", "routine", "routines"}
_SUBPACKAGES |= {"views", "widgets"}
_FACE = dict.fromkeys(("encrypt", "decrypt", "encrypt_into", "decrypt_into", "block_cipher"), "engines.face")
_FACE |= {"InvalidTag": "cipher.aead", "GCM": "cipher.gcm", "CCM": "cipher.ccm", "OCB": "cipher.ocb"}
__getattr__, __dir__ = lazy.names(__name__, _FACE, _SUBPACKAGES)
