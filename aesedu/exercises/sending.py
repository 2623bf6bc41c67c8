"""Functions of a notebook as bytes that another process can run."""

import functools
import inspect
import io
import sys
import types
from collections import ChainMap

import cloudpickle


def _code(code):
    """Code with the name of its file, which newer cloudpickles leave out and tracebacks need."""
    make, arguments = cloudpickle.Pickler.dispatch_table[types.CodeType](code)
    return make, tuple(code.co_filename if part == "<dynamic-code>" else part for part in arguments)


_Cached = type(functools.cache(len))


def _cached(wrapper):
    """A function of the notebook under ``functools.cache``, of which pickle would send the name alone."""
    if wrapper.__module__ != "__main__":
        return wrapper.__reduce__()
    return _cache, (wrapper.__wrapped__, wrapper.cache_parameters())


def _cache(function, parameters):
    return functools.lru_cache(**parameters)(function)


class _Pickler(cloudpickle.Pickler):
    dispatch_table = ChainMap({types.CodeType: _code, _Cached: _cached}, cloudpickle.Pickler.dispatch_table)


def _dumps(value):
    stream = io.BytesIO()
    _Pickler(stream).dump(value)
    return stream.getvalue()


def pickled(function) -> bytes:
    """The function by value, whatever module it comes from, so that the other process need not find that module.

    Raises whatever pickling raises where the function refers to something that cannot be sent.
    """
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    if module is None or module.__name__ == "__main__":
        return _dumps(function)
    cloudpickle.register_pickle_by_value(module)
    try:
        return _dumps(function)
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def unsendable(function) -> list[str]:
    """The names of the globals to which the function refers and that cannot be sent."""
    names = inspect.getclosurevars(function).globals if inspect.isfunction(function) else {}
    return [name for name, value in names.items() if not _can_be_sent(value)]


def _can_be_sent(value):
    try:
        _dumps(value)
    except Exception:
        return False
    return True
