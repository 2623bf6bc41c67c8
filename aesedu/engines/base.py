"""What an engine is: one implementation of AES with a name, a reason where it cannot run, and a timed form."""

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field

from aesedu.cipher import check_data, check_key
from aesedu.cipher.blocks import as_bytes
from aesedu.native import NativeError, Subject, UnsupportedFeature, worker

# The key and data of a timing run. AES's time does not depend on them in any engine but those with tables, whose
# loads hit the cache all the same; a fixed key makes two runs comparable.
TIMING_KEY = bytes(range(64))
TIMING_IV = bytes(range(16))
IV_BYTES = {"ecb": 0, "ccm": 11, "gcm": 12, "ocb": 12}  # of a timing run; other modes take a block
TIMING_AAD = 8  # bytes of associated data with each message, as in Linux' tcrypt; the tag has 16
MODES = ("ecb", "cbc", "cfb128", "ofb", "ctr", "lrw", "xts", "ccm", "gcm", "ocb")
OPENSSL_MODES = ("cbc", "ctr", "ofb", "cfb128", "gcm")  # those that are timed as OpenSSL has them
TAGGED = ("ccm", "gcm", "ocb")  # these also have the direction "auth": associated data only
KEY_BITS = {"lrw": (256, 320, 384), "xts": (256, 384, 512)}  # as tcrypt counts, with the tweak key
WHOLE_BLOCKS = ("ecb", "cbc", "lrw")
PIECE = 1 << 22  # bytes given to an implementation at once: a worker takes no message of any length
LARGEST = 1 << 28  # bytes of a call that is timed; its copies must fit in a worker's memory


def _can_run():
    return ""


def repeated(function, *arguments):
    """Return run(count), which calls ``function(*arguments)`` from Python ``count`` times: a timed form."""

    def run(count):
        for _ in range(count):
            function(*arguments)

    return run


@dataclass(frozen=True)
class Engine:
    """One implementation of AES behind the interface that all share.

    ``module`` names a module with ``ecb(direction, key, data)`` and ``prepare(direction, key, size, placement)``, which
    also take ``options`` as keywords. ``needs`` returns why the engine cannot run on this host, or "".
    """

    name: str
    title: str
    kind: str  # python | numpy | compiled | native | openssl | peer
    module: str
    needs: Callable[[], str] = _can_run
    options: dict = field(default_factory=dict)
    environment: dict = field(default_factory=dict)

    @property
    def reason(self):
        """Why this engine cannot run here, in one sentence; "" where it can."""
        try:
            return self.needs()
        except (ImportError, NativeError) as error:  # of the package or the worker that the question needs
            return str(error)

    @property
    def available(self):
        """Whether it can run here."""
        return not self.reason

    @property
    def has_loops(self):
        """Whether its blocks run under compiled modes (``loops``) in the worker, rather than the readable ones."""
        return (
            self.kind == "native"
            and importlib.util.find_spec("numba") is not None
            and hasattr(importlib.import_module(self.module), "block_routine")
        )

    @property
    def modes(self):
        """The modes it can be timed in, by their names in lower case."""
        return MODES if self.kind != "native" or self.has_loops else ("ecb",)

    @property
    def wiring(self):
        """What its modes around the block are: a word for records."""
        return "compiled loops" if self.has_loops else "readable Python"

    def message(self, mode, direction, key, data, iv, aad=b"", tag_length=16, tag=None):
        """(result, tag) of one message by a compiled mode in the worker; the result is None where ``tag`` is wrong.

        The arguments are checked already: see ``face``. Raises UnsupportedFeature where the engine cannot run.
        """
        self._require()
        message = {"data": as_bytes(data), "iv": as_bytes(iv), "aad": as_bytes(aad)}
        message |= {"key": as_bytes(key), "tag_length": tag_length, "tag": tag}
        what = {"module": self.module, "options": self.options, "mode": mode, "direction": direction}
        return tuple(worker(**self.environment).call("aesedu.engines.whole_modes:crypt", 60.0, **what, **message))

    def _ecb(self, direction, key, data):
        self._require()
        key, data = check_key(key), check_data(data)
        pieces = [data[start : start + PIECE] for start in range(0, len(data), PIECE)] or [data]
        return b"".join(self._ecb_piece(direction=direction, key=key, data=piece) for piece in pieces)

    def _ecb_piece(self, **what):
        if self.environment:  # it takes effect when a process starts: a worker of its own
            return worker(**self.environment).call(f"{self.module}:ecb", **what, **self.options)
        return importlib.import_module(self.module).ecb(**what, **self.options)

    def _require(self):
        if self.reason:
            raise UnsupportedFeature(self.name, f"{self.name}: {self.reason}")

    def ecb_encrypt(self, key, data):
        """ECB encryption (SP 800-38A 6.1): bytes in, bytes out; ``len(data)`` a multiple of 16.

        Raises ValueError or TypeError for a wrong key or data, UnsupportedFeature where the engine cannot run.
        """
        return self._ecb("enc", key, data)

    def ecb_decrypt(self, key, data):
        """ECB decryption (SP 800-38A 6.1); lengths and errors as in ``ecb_encrypt``."""
        return self._ecb("dec", key, data)

    def subject(self, mode="ecb", direction="enc", key_bits=128, size=8192, calls="bulk"):
        """The timed form: what ``aesedu.bench`` measures in the worker.

        ``mode`` is one of ``modes``, ``direction`` "enc", "dec" or, in CCM, GCM and OCB, "auth". ``key_bits`` is 128,
        192 or 256; 256, 320 or 384 in LRW and 256, 384 or 512 in XTS. ``size`` in bytes; CCM, GCM and OCB take 8 bytes
        of associated data besides, and make a tag of 16. With ``calls`` "block" a compiled mode calls the block routine
        once a block. Keys are set up before the clock runs, what depends on the IV is part of the time. Raises
        ValueError for anything else, UnsupportedFeature where the engine cannot run.
        """
        self._require()
        self._check(mode, direction, key_bits, size, calls)
        what = {"engine": self.name, "mode": mode, "direction": direction, "key_bits": key_bits, "bytes": size}
        key = TIMING_KEY[: key_bits // 8]
        if mode == "ecb" and calls == "bulk":
            arguments = {"direction": direction, "key": key, "size": size, **self.options}
            return Subject(self.name, f"{self.module}:prepare", arguments, self.environment, what)
        if self.kind == "openssl" and mode in OPENSSL_MODES and direction != "auth":
            arguments = {"direction": direction, "key": key, "size": size} | ({} if mode == "gcm" else {"mode": mode})
            factory, what["wiring"] = f"{self.module}:prepare{'_gcm' * (mode == 'gcm')}", "OpenSSL's own modes"
            return Subject(self.name, factory, arguments, self.environment, what)
        sizes = {"size": 0, "aad": size} if direction == "auth" else {"size": size, "aad": TIMING_AAD}
        arguments = {"module": self.module, "options": self.options, "mode": mode, "key": key, **sizes}
        arguments |= {"direction": "dec" if direction == "dec" else "enc", "iv": TIMING_IV[: IV_BYTES.get(mode, 16)]}
        if mode not in TAGGED:
            arguments["aad"] = 0
        if self.has_loops:
            arguments["calls"] = calls
        factory = "whole_modes" if self.has_loops else "readable_modes"
        what |= {"wiring": self.wiring, "calls": calls}
        return Subject(self.name, f"aesedu.engines.{factory}:prepare", arguments, self.environment, what)

    def _check(self, mode, direction, key_bits, size, calls):
        if mode not in self.modes:
            raise ValueError(f"{self.name} has no mode {mode!r}; it has: {', '.join(self.modes)}")
        directions = ("enc", "dec", "auth") if mode in TAGGED else ("enc", "dec")
        if direction not in directions:
            raise ValueError(f"{mode}: direction is {' or '.join(map(repr, directions))}, not {direction!r}")
        sizes = KEY_BITS.get(mode, (128, 192, 256))
        if key_bits not in sizes:
            raise ValueError("{}: a key has {}, {} or {} bits, not {!r}".format(mode, *sizes, key_bits))
        if not isinstance(size, int) or size < 16 or (size % 16 and mode in WHOLE_BLOCKS):
            rule = "a multiple of 16 bytes" if mode in WHOLE_BLOCKS else "16 bytes or more"
            raise ValueError(f"{mode}: a size is {rule}, not {size!r}")
        if size > LARGEST:
            raise ValueError(f"a call is timed with {LARGEST} bytes at most, not {size}")
        ways = ("bulk", "block") if self.has_loops else ("bulk",)
        if calls not in ways:
            raise ValueError(f"{self.name}: calls are {' or '.join(map(repr, ways))}, not {calls!r}")
