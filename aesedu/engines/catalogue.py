"""The list of engines: names, titles, and what each needs of the host."""

import importlib
import importlib.util

from aesedu.engines.base import Engine

# OPENSSL_ia32cap hides bits of CPUID leaf 1 (ecx stands in the upper half): 57 = AES, 33 = PCLMULQDQ, 41 = SSSE3.
# With AES alone masked OpenSSL takes its vector-permute code, which SSSE3 carries; without that, its T-tables.
MASK = {"OPENSSL_ia32cap": f"~{1 << 57 | 1 << 33 | 1 << 41:#x}"}


def _needs_package(package):
    return lambda: "" if importlib.util.find_spec(package) else f"the package {package} is not installed"


def _ask(function, **options):
    """The reason comes from ``module:function``, imported when asked: listing engines imports none of them."""
    module, name = function.split(":")
    return lambda: getattr(importlib.import_module(module), name)(**options)


def _readable(name, title):
    return Engine(name, title, "python", "aesedu.engines.readable", options={"cipher": name})


def _peer(package, title):
    return Engine(package, title, "peer", "aesedu.engines.peers", _needs_package(_PEERS[package]), {"package": package})


def _routine(name, title, **options):
    """A recorded T-table routine (see ``aesedu.routines.ttable``) through our own code generator."""
    module = "aesedu.engines.routine_engines"
    return Engine(f"ttable-{name}", f"T-table routine, {title}", "native", module, _ask(f"{module}:reason"), options)


def _gcm(form, vectors, lanes=1):
    """Whole GCM by recorded routines, ``vectors`` of ``lanes`` blocks a chunk (see ``aesedu.routines.gcm``)."""
    module, name = "aesedu.engines.gcm_routines", f"gcm-{'vaes' if lanes == 4 else form}-{vectors}"
    options = {"form": form, "vectors": vectors, "lanes": lanes, "grain": lanes}
    title = f"GCM, {vectors * lanes} blocks at a time, encryption and hash {form}"
    return Engine(name, title, "native", module, _ask(f"{module}:reason", lanes=lanes), options)


def _aes(name, title, vectors, lanes=1):
    """A recorded routine of AES instructions (see ``aesedu.routines.aes_rounds``)."""
    module, options = "aesedu.engines.aes_routines", {"vectors": vectors, "lanes": lanes}
    return Engine(name, title, "native", module, _ask(f"{module}:reason", lanes=lanes), options)


_PEERS = {"pyaes": "pyaes", "pycryptodome": "Crypto"}

ENGINES = {
    engine.name: engine
    for engine in [
        _readable("bytewise", "FIPS-197 byte by byte, in Python"),
        _readable("ttable", "T-tables, in Python"),
        Engine("batch", "T-tables over many blocks at once, in NumPy", "numpy", "aesedu.engines.batch"),
        Engine(
            "compiled", "T-tables, compiled by numba", "compiled", "aesedu.engines.compiled", _needs_package("numba")
        ),
        Engine(
            "compiled-rotated",
            "one T-table and rotations, compiled by numba",
            "compiled",
            "aesedu.engines.compiled",
            _needs_package("numba"),
            {"tables": 1},
        ),
        _routine("merged-k32", "halves merged, 32-bit key loads", technique="merged", key_loads="4x32"),
        _routine("merged-k64", "halves merged, 64-bit key loads", technique="merged", key_loads="2x64"),
        _routine("split-k32", "words copied and split, 32-bit key loads", technique="split", key_loads="4x32"),
        _routine("split-k64", "words copied and split, 64-bit key loads", technique="split", key_loads="2x64"),
        _routine("woven", "two blocks woven", technique="split", key_loads="4x32", blocks=2),
        Engine(
            "openssl-table",
            "OpenSSL with its AES instructions masked: T-tables",
            "openssl",
            "aesedu.engines.openssl",
            _ask("aesedu.engines.openssl:table_code_reason"),
            environment=MASK,
        ),
        Engine("openssl", "OpenSSL as it comes", "openssl", "aesedu.engines.openssl", _needs_package("cryptography")),
        *(_aes(f"aes-x{n}", f"AES instructions, {n} block{'s' * (n > 1)} at a time", n) for n in (1, 2, 4, 8, 16)),
        _aes("vaes-x4", "AES instructions on 4 vectors of 4 blocks at a time", 4, lanes=4),
        *(_gcm(form, vectors) for vectors in (4, 8) for form in ("sequential", "lagged", "woven")),
        *(_gcm("woven", vectors, lanes=4) for vectors in (8, 16)),
        _peer("pyaes", "pyaes: AES in plain Python by others"),
        _peer("pycryptodome", "PyCryptodome: AES in C by others"),
    ]
}
