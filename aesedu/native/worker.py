"""The caller's side of the worker: starts the process, asks it, survives it.

A worker protects its caller from accidents, not from malice: code in it has the rights of whoever runs it.
"""

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

from aesedu.native import diagnostics, wire
from aesedu.native.errors import AssemblyError, Cancelled, NativeCrash, NativeError, NativeTimeout, UndefinedSymbol

_START_SECONDS = 60.0  # a cold disk and a virus scanner take their time
_KEPT, _HEAD = 64 << 10, 4 << 10  # bytes of the process's output: so many, of which so many the first
_MOST_ERRORS = 5  # looked for in one assembly text; each costs a restart
_TICK = 0.2  # a waiting caller looks up this often, so that Ctrl-C reaches it on Windows too
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_workers = weakref.WeakSet()
_shared = {}


class Worker:
    """A process that runs functions of `aesedu`; started on first use, and again after it ended.

    `env`: environment variables to set in it. Calls from several threads are served one after the other.
    """

    def __init__(self, env=None):
        self.env = dict(env or {})
        self._reset()
        _workers.add(self)

    def _reset(self):
        self._turn = threading.Lock()  # held by the call that is being served
        self._state = threading.Lock()  # held for a moment, to change the next two
        self._busy = self._cancelled = False
        self._child = None
        self._count = 0

    def call(self, function, /, deadline=10.0, **arguments):
        """Run "module:function" with `arguments` in the process and return its result.

        Arguments and result: JSON values, bytes, Buffers. `deadline`: seconds that one step (loading the assembler,
        assembling, running) may take. Raises what the function raised if that is a builtin exception or one of our
        errors, else NativeError; ValueError for a function outside `aesedu`; AssemblyError, NativeCrash, NativeTimeout,
        Cancelled. The next call always works.
        """
        with self._turn, self._being_busy():
            try:
                return self._exchange(function, deadline, arguments)
            except AssemblyError as error:
                if not error.text:
                    raise
                raise self._with_further_errors(error, deadline) from None

    @property
    def pid(self):
        """Number of the process that runs now, or None."""
        child = self._child
        return child and child.pid

    def cancel(self):
        """End the call being served, from any thread: it raises Cancelled. False if there is none."""
        with self._state:
            if self._busy:
                self._cancelled = True
                if self._child:
                    self._child.kill()
            return self._busy

    def close(self):
        """End the process. Calls being served or waiting raise Cancelled; a later one starts a new process."""
        self.cancel()
        while not self._turn.acquire(timeout=_TICK):
            self.cancel()
        self._drop()
        self._turn.release()

    @contextlib.contextmanager
    def _being_busy(self):
        with self._state:
            self._busy, self._cancelled = True, False
        try:
            yield
        finally:
            with self._state:
                self._busy = False
            if self._cancelled:
                self._drop()
                raise Cancelled from None

    def _exchange(self, function, deadline, arguments):
        self._count += 1
        request = wire.encode({"id": self._count, "call": function, "arguments": arguments})
        try:
            child = self._ready()
            kind, value = child.ask(request, self._count, deadline)
        except _EndedError:
            raise diagnostics.explain(self._drop(), child.output(), child.doing, child.text) from None
        except BaseException:
            self._drop()
            raise
        if kind == "result":
            return value
        if isinstance(value, NativeCrash):
            self._drop()  # damage may lie where nobody looked
        raise value

    def _ready(self):
        if self._child is None:
            self._child = _Child(self.env)
            self._child.wait_until_ready()
        if self._cancelled:
            raise Cancelled
        return self._child

    def _drop(self):
        """End the process, if there is one; its exit status."""
        child, self._child = self._child, None
        return child and child.stop()

    def _with_further_errors(self, first, deadline):
        """LLVM ends the process at a text's first error: look for more in the text without that line."""
        errors, text, line = list(first.errors), first.text, first.line
        while len(errors) < _MOST_ERRORS:
            before, text = text, diagnostics.without_line(text, line)
            if text == before:
                break
            try:
                self._exchange("aesedu.native.assembler:check", deadline, {"text": text})
                break
            except AssemblyError as error:
                errors += error.errors if error.line else []
                line = error.line
            except (UndefinedSymbol, NativeCrash, NativeTimeout):
                break
        return AssemblyError(first.line, first.column, first.message, errors, first.source)


class _EndedError(Exception):
    """The process ended, or what it sent is damaged, which is as bad."""


class _Child:
    """One process and its pipes."""

    def __init__(self, env):
        new = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW if os.name == "nt" else 0
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "aesedu.native.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**_ONE_THREAD, **os.environ, **_search_path(), **env},
            start_new_session=os.name == "posix",  # Ctrl-C is for us; and its process group is its own
            creationflags=new,
        )
        self.pid = self._process.pid
        self._lines, self._written = queue.SimpleQueue(), bytearray()
        self.doing = self.text = ""
        threading.Thread(target=_read_lines, args=(self._process.stdout, self._lines), daemon=True).start()
        self._reader = threading.Thread(target=_read_output, args=(self._process.stderr, self._written), daemon=True)
        self._reader.start()

    def wait_until_ready(self):
        """Raises NativeError if the process does not start."""
        try:
            if self._next(time.monotonic() + _START_SECONDS):
                return
            reason = f"is not ready after {_START_SECONDS:g} s"
        except _EndedError:
            reason = f"ended with status {self.stop()}"
        raise NativeError(f"the worker process {reason}:\n{self.output()}")

    def ask(self, request, number, deadline):
        """Send a request, wait for its answer: ("result", value) or ("error", exception).

        Raises NativeTimeout and _EndedError.
        """
        self.doing = self.text = ""
        self._written.clear()
        try:
            wire.send(self._process.stdin.fileno(), request)
        except OSError:
            raise _EndedError from None
        until = time.monotonic() + deadline
        while message := self._next(until):
            if message.kind == "doing":
                self.doing, self.text = message.value
                until = time.monotonic() + deadline
            elif message.number == number:
                return message.kind, message.value
            elif message.number > number:
                raise _EndedError  # older ones come from copies that a routine made of the process: no harm
        raise NativeTimeout(deadline)

    def _next(self, until):
        """The next message, or None when time is up."""
        while (left := until - time.monotonic()) > 0:
            try:
                return wire.message(self._lines.get(timeout=min(left, _TICK)))
            except queue.Empty:
                if self._process.poll() is not None:  # yet a copy of it holds the pipe
                    raise _EndedError from None
            except Exception:  # whatever damage does to the decoder
                raise _EndedError from None
        return None

    def output(self):
        """Start and end of what the process wrote during this call."""
        return bytes(self._written).decode("utf-8", "replace")

    def kill(self):
        """End the process and all that it started. It stays to be waited for."""
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def stop(self):
        """Kill, and wait for the end. The exit status: its own if it had ended by itself."""
        if os.name == "nt":  # where killing a process about to end would change its status
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=_TICK)
        self.kill()
        status = self._process.wait()
        self._reader.join(0.5)
        self._process.stdin.close()
        return status

    def abandon(self):
        """Let go of a process that belongs to the process we were forked from."""
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            pipe.close()
        self._process.returncode = 0


def _search_path():
    """So that the process finds this very package where it is not installed (`-P`: and nobody's random.py)."""
    root = str(Path(__file__).parents[2])
    if "-packages" in root:
        return {}
    return {"PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}


def _read_lines(pipe, lines):
    with pipe:
        for line in wire.lines(pipe.fileno()):
            lines.put(line)
    lines.put(b"")  # not a document: ends whoever waits


def _read_output(pipe, written):
    with pipe:
        while chunk := os.read(pipe.fileno(), _KEPT):
            written += chunk
            del written[_HEAD : -(_KEPT - _HEAD)]


def worker(**env):
    """The shared worker for an environment: `worker(OPENSSL_ia32cap="...")`. It ends with this process."""
    key = tuple(sorted(env.items()))
    return _shared.get(key) or _shared.setdefault(key, Worker(env))


def cancel():
    """End every call that is being served, from any thread: they raise Cancelled. False if there is none."""
    return any(list(map(Worker.cancel, list(_workers))))


@atexit.register
def _close_all():
    for each in list(_workers):
        each.close()


def _forget_children():
    for each in list(_workers):
        child = each._child
        each._reset()
        if child:
            child.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_children)
