"""The list of engines: names, titles, and what each needs of the host."""

import importlib
import importlib.util

from aesedu.engines.base import Engine

# OPENSSL_ia32cap hides bits of CPUID leaf 1 (ecx stands in the upper half): 57 = AES, 33 = PCLMULQDQ, 41 = SSSE3.
# With AES alone masked OpenSSL takes its vector-permute code, which SSSE3 carries; without that, its T-tables.
MASK = {"OPENSSL_ia32cap": f"~{1 << 57 | 1 << 33 | 1 << 41:#x}"}


def _needs_package(package):
    return lambda: "" if importlib.util.find_spec(package) else f"the package {package} is not installed"


def _ask(function):
    """The reason comes from ``module:function``, imported when asked: listing engines imports none of them."""
    module, name = function.split(":")
    return lambda: getattr(importlib.import_module(module), name)()


def _readable(name, title):
    return Engine(name, title, "python", "aesedu.engines.readable", options={"cipher": name})


def _peer(package, title):
    return Engine(package, title, "peer", "aesedu.engines.peers", _needs_package(_PEERS[package]), {"package": package})


def _routine(name, title, **options):
    """A recorded T-table routine (see ``aesedu.routines.ttable``) through our own code generator."""
    module = "aesedu.engines.routine_engines"
    return Engine(f"ttable-{name}", f"T-table routine, {title}", "native", module, _ask(f"{module}:reason"), options)


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
        Engine(
            "aes-x1",
            "AES instructions, one block at a time",
            "native",
            "aesedu.engines.aes_instructions",
            _ask("aesedu.engines.aes_instructions:reason"),
        ),
        _peer("pyaes", "pyaes: AES in plain Python by others"),
        _peer("pycryptodome", "PyCryptodome: AES in C by others"),
    ]
}
