"""What an engine is: one implementation of AES with a name, a reason where it cannot run, and a timed form."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field

from aesedu.cipher import check_data, check_key
from aesedu.native import NativeError, Subject, UnsupportedFeature, worker

# The key and data of a timing run. AES's time does not depend on them in any engine but those with tables, whose
# loads hit the cache all the same; a fixed key makes two runs comparable.
TIMING_KEY = bytes(range(32))
PIECE = 1 << 22  # bytes given to an implementation at once: a worker takes no message of any length
LARGEST = 1 << 28  # bytes of a call that is timed; its copies must fit in a worker's memory


def _can_run():
    return ""


@dataclass(frozen=True)
class Engine:
    """One implementation of AES behind the interface that all share.

    ``module`` names a module with ``ecb_encrypt(key, data)``, ``ecb_decrypt(key, data)`` and
    ``prepare(direction, key, size, placement)``, each of which also takes ``options`` as keywords. ``needs`` returns
    why the engine cannot run on this host, or "".
    """

    name: str
    title: str
    kind: str  # python | numpy | compiled | native | openssl | peer
    module: str
    needs: Callable[[], str] = _can_run
    options: dict = field(default_factory=dict)
    environment: dict = field(default_factory=dict)
    modes: tuple = ("ecb",)

    @property
    def reason(self):
        """Why this engine cannot run here, in one sentence; "" where it can."""
        try:
            return self.needs()
        except (ImportError, NativeError) as error:  # of the package or the worker that the question needs
            return str(error)

    @property
    def available(self):
        return not self.reason

    def _run(self, name, key, data):
        self._require()
        key, data = check_key(key), check_data(data)
        pieces = [data[start : start + PIECE] for start in range(0, len(data), PIECE)] or [data]
        return b"".join(self._run_piece(name, key, piece) for piece in pieces)

    def _run_piece(self, name, key, data):
        if self.environment:  # it takes effect when a process starts: a worker of its own
            function = f"{self.module}:{name}"
            return worker(**self.environment).call(function, key=key, data=data, **self.options)
        return getattr(importlib.import_module(self.module), name)(key, data, **self.options)

    def _require(self):
        if self.reason:
            raise UnsupportedFeature(self.name, f"{self.name}: {self.reason}")

    def ecb_encrypt(self, key, data):
        """ECB encryption (SP 800-38A 6.1): bytes in, bytes out; ``len(data)`` a multiple of 16.

        Raises ValueError or TypeError for a wrong key or data, UnsupportedFeature where the engine cannot run.
        """
        return self._run("ecb_encrypt", key, data)

    def ecb_decrypt(self, key, data):
        """ECB decryption (SP 800-38A 6.1); lengths and errors as in ``ecb_encrypt``."""
        return self._run("ecb_decrypt", key, data)

    def subject(self, mode="ecb", direction="enc", key_bits=128, size=8192):
        """The timed form: what ``aesedu.bench`` measures in the worker.

        ``direction`` is "enc" or "dec", ``key_bits`` 128, 192 or 256, ``size`` in bytes, a multiple of 16. Raises
        ValueError for anything else, UnsupportedFeature where the engine cannot run.
        """
        self._check(mode, direction, key_bits, size)
        self._require()
        what = {"engine": self.name, "mode": mode, "direction": direction, "key_bits": key_bits, "bytes": size}
        arguments = {"direction": direction, "key": TIMING_KEY[: key_bits // 8], "size": size, **self.options}
        return Subject(self.name, f"{self.module}:prepare", arguments, self.environment, what)

    def _check(self, mode, direction, key_bits, size):
        if mode not in self.modes:
            raise ValueError(f"{self.name} has no mode {mode!r}; it has: {', '.join(self.modes)}")
        if direction not in ("enc", "dec"):
            raise ValueError(f"direction is 'enc' or 'dec', not {direction!r}")
        if key_bits not in (128, 192, 256):
            raise ValueError(f"an AES key has 128, 192 or 256 bits, not {key_bits!r}")
        if not isinstance(size, int) or size < 16 or size % 16:
            raise ValueError(f"ECB works on whole blocks: a size is a multiple of 16 bytes, not {size!r}")
        if size > LARGEST:
            raise ValueError(f"a call is timed with {LARGEST} bytes at most, not {size}")
