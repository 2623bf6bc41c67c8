"""Assemble, run and time machine code in a worker process, so that nothing it does can hurt the caller.

`run` calls a routine once; `sample` times a `Subject`; `worker` gives the process itself. Errors are in `errors`.
"""

from aesedu import lazy
from aesedu.native.errors import (  # noqa: F401 - these names, and those below, are the package's face
    AssemblyError,
    Cancelled,
    NativeCrash,
    NativeError,
    NativeTimeout,
    UndefinedSymbol,
    UnsupportedFeature,
)

# These functions take the place of the submodules they come from, hence no lazy import.
from aesedu.native.features import features  # noqa: F401
from aesedu.native.run import RunResult, run  # noqa: F401
from aesedu.native.wire import Buffer  # noqa: F401
from aesedu.native.worker import Worker, cancel, worker  # noqa: F401

_LAZY = {"Calibration": "clock", "calibrate": "clock", "Sample": "subject", "Subject": "subject"}
_LAZY |= dict.fromkeys(("sample", "samples"), "subject")
__getattr__, __dir__ = lazy.names(__name__, _LAZY)
