"""Names of a package that load on first use (PEP 562), so that importing it stays light."""

import importlib
import sys


def names(package, homes, modules=()):
    """Return the ``__getattr__`` and ``__dir__`` of a package.

    ``homes`` says in which of its modules each name is defined, ``modules`` are modules to be had as such.
    """

    def get(name):
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        if name in homes:
            return getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: sorted({*vars(sys.modules[package]), *homes, *modules})
