"""Every implementation of AES in the suite behind one interface: ``aesedu.engines()`` lists them."""

import sys
import types

from aesedu.engines.base import Engine
from aesedu.engines.catalogue import ENGINES


def engines():
    """All engines, from the slowest kind to the fastest; those that cannot run here say why in ``reason``."""
    return list(ENGINES.values())


def engine(name):
    """The engine of that name; raises ValueError, which lists the names there are."""
    if name not in ENGINES:
        raise ValueError(f"there is no engine {name!r}; there are: {', '.join(ENGINES)}")
    return ENGINES[name]


class _Callable(types.ModuleType):
    """``aesedu.engines`` is this package, and by the suite's interface also a function: ``aesedu.engines()``."""

    def __call__(self):
        return engines()


sys.modules[__name__].__class__ = _Callable

__all__ = ["Engine", "engine", "engines"]
