"""Assemble, run and time machine code in a worker process, so that nothing it does can hurt the caller.

`run` calls a routine once; `sample` times a `Subject`; `worker` gives the process itself. Errors are in `errors`.
"""

import importlib

from aesedu.native.errors import (
    AssemblyError,
    Cancelled,
    NativeCrash,
    NativeError,
    NativeTimeout,
    UndefinedSymbol,
    UnsupportedFeature,
)

# These functions take the place of the submodules they come from, hence no lazy import.
from aesedu.native.features import features
from aesedu.native.run import RunResult, run
from aesedu.native.wire import Buffer
from aesedu.native.worker import Worker, cancel, worker

_LAZY = {"Calibration": "clock", "calibrate": "clock", "Sample": "subject", "Subject": "subject"}
_LAZY |= dict.fromkeys(("sample", "samples"), "subject")

__all__ = [
    "AssemblyError",
    "Buffer",
    "Calibration",
    "Cancelled",
    "NativeCrash",
    "NativeError",
    "NativeTimeout",
    "RunResult",
    "Sample",
    "Subject",
    "UndefinedSymbol",
    "UnsupportedFeature",
    "Worker",
    "calibrate",
    "cancel",
    "features",
    "run",
    "sample",
    "samples",
    "worker",
]


def __getattr__(name):
    if name in _LAZY:
        return getattr(importlib.import_module(f"aesedu.native.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'aesedu.native' has no attribute {name!r}")
