"""numba's compiler with a cache on disk that never stands in the way; it imports numba."""

import contextlib
import functools
from pathlib import Path

import numba
from numba.core.caching import FunctionCache


def compiled(function, signature=None, **options):
    """Compile now, for a signature, or at the first call; from the cache where a folder for it can be written."""
    made = numba.njit(nogil=True, **options)(function)
    if made is function:  # NUMBA_DISABLE_JIT
        return function
    with contextlib.suppress(RuntimeError):  # no locator available
        made._cache = _Cache(function)
    if signature:
        made.compile(signature)
        made.disable_compile()
    return made


class _Cache(FunctionCache):
    """numba's own, but with damaged files and on a full disk it compiles anew, and with a loop's callees in mind."""

    def __init__(self, function):
        super().__init__(function)
        self._cache_file._source_stamp = self._cache_file._source_stamp, _stamps()

    def load_overload(self, *what):
        """What an earlier process compiled, or None; a damaged file is thrown away."""
        try:
            return super().load_overload(*what)
        except Exception:  # whatever damage does to unpickling
            with contextlib.suppress(OSError):
                self.flush()

    def save_overload(self, *what):
        """Keeps what was compiled where the disk lets it."""
        with contextlib.suppress(OSError):
            super().save_overload(*what)


@functools.cache
def _stamps():
    """Loops inline those of other files, whose changes numba does not see."""
    return [(path.stat().st_mtime, path.stat().st_size) for path in sorted(Path(__file__).parent.glob("*loop*.py"))]
