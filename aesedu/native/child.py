"""The worker process's main loop: reads a request a line, runs the function it names, writes the answer a line.

Started as ``python -P -m aesedu.native.child``. Keep its imports few: a restart is felt by whoever waits.
"""

import contextlib
import importlib
import os
import queue
import signal
import threading

from aesedu.native import wire
from aesedu.native.errors import NativeCrash

MEMORY_LIMIT = (
    2 << 30
)  # bytes of private data: numba and pandas together take 130 MB; a `.rept` bomb takes all there is


def main():
    """Serve until standard input ends."""
    requests_in, answers_out, output = _take_over_pipes()
    wire.notes_to = answers_out
    _limit()
    requests = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests_in, requests), daemon=True).start()
    wire.send(answers_out, wire.encode({"ready": os.getpid()}))
    while True:
        answer = _answer(wire.decode(requests.get()))
        try:
            for descriptor in (1, 2):  # a routine may have closed them, and the next error message needs them
                os.dup2(output, descriptor)
            os.fstat(requests_in)  # closed as well: end now, in the call that did it
            wire.send(answers_out, answer)
        except OSError:  # our own descriptors are closed: nothing can be said any more, not even a traceback
            os._exit(1)


def _take_over_pipes():
    """Move the protocol away from descriptors 0 and 1, so that code which reads or prints cannot disturb it."""
    taken = os.dup(0), os.dup(1), os.dup(2)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return taken


def _limit():
    """No core files, no memory bombs (POSIX), no dialogue boxes (Windows)."""
    if os.name == "nt":
        import ctypes

        ctypes.windll.kernel32.SetErrorMode(0x0001 | 0x0002)  # SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX
        return
    import resource

    for what, limit in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_DATA, MEMORY_LIMIT)):
        hard = resource.getrlimit(what)[1]
        with contextlib.suppress(ValueError, OSError):  # where the system has its own mind, the deadline must do
            resource.setrlimit(what, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _read(descriptor, requests):
    """Hand on each line. A thread of its own, so that the parent's end is noticed even during an endless loop."""
    try:
        for line in wire.lines(descriptor):
            requests.put(line)
    finally:
        _end()


def _end():
    """End this process, and whatever student code forked from it."""
    if os.name == "posix" and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def load(name):
    """The function "module:function". Raises ValueError if it is none of ours."""
    module, _, function = name.partition(":")
    if not (module.startswith("aesedu.") and function):
        raise ValueError(f"a worker runs functions of aesedu, given as 'aesedu.module:function', not {name!r}")
    return getattr(importlib.import_module(module), function)


def _answer(request):
    """The answer's line."""
    number = request["id"]
    try:
        result = load(request["call"])(**request["arguments"])
        return wire.encode({"id": number, "result": result})
    except Exception as error:
        if isinstance(error, OSError) and str(error).startswith("exception: "):  # ctypes on Windows, of a crash
            error = NativeCrash(str(error))
        return wire.encode({"id": number, "error": wire.describe_error(error)})


if __name__ == "__main__":
    main()
