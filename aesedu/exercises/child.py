"""What runs in the child process: the learner's function on every case, with bounded time, memory and output.

Nothing is judged here. The parent holds the expected values and compares plain data, so that no object of the
learner's can decide its own result.
"""

import contextlib
import copy
import ctypes
import dis
import importlib
import inspect
import io
import math
import signal
import sys
import threading
import traceback
import types

try:
    import resource
except ImportError:  # Windows: the deadline alone bounds memory there
    resource = None

PRINTED_LIMIT = 4000  # characters kept of what the learner prints
ITEMS_LIMIT = 100_000  # a longer list or string is reported by its length alone
BITS_LIMIT = 4096
FRAMES_LIMIT = 20  # at each end of a traceback
_NO_STEPS = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}  # a docstring, dots and pass are no more
_SCALARS = {int, bool, float, str, bytes, type(None)}


class OutOfTime(BaseException):
    """Raised inside the learner's code when its time is over."""


class Printed(io.TextIOBase):
    """A text stream that keeps the first characters and counts the rest."""

    def __init__(self):
        self.kept, self.dropped = "", 0

    def write(self, text):
        room = PRINTED_LIMIT - len(self.kept)
        self.kept += text[:room]
        self.dropped += max(0, len(text) - room)
        return len(text)


def shape(value, depth=0):
    """The exact type of a value in words: "int", "list of bytes", "numpy.uint8", "list of 1000000 values"."""
    kind = type(value)
    if kind in (list, tuple):
        if not value:
            return f"empty {kind.__name__}"
        if len(value) > ITEMS_LIMIT or depth == 3:
            return f"{kind.__name__} of {len(value)} values"
        return f"{kind.__name__} of " + " and ".join(sorted({shape(item, depth + 1) for item in value}))
    if kind in (bytes, str) and len(value) > ITEMS_LIMIT:
        return f"{kind.__name__} of length {len(value)}"
    if kind is int and value.bit_length() > BITS_LIMIT:
        return f"int of {value.bit_length()} bits"
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _is_plain(value):
    kind = type(value)
    return kind in _SCALARS or (kind in (list, tuple) and all(_is_plain(item) for item in value))


def _builtin(value, depth=0):
    """The value with numpy's numbers, also in lists and tuples, as Python's."""
    kind, numpy = type(value), sys.modules.get("numpy")
    if kind in (list, tuple) and len(value) <= ITEMS_LIMIT and depth < 3 and numpy:
        return kind(_builtin(item, depth + 1) for item in value)
    return value.item() if numpy and kind in numpy.sctypeDict.values() else value


def plain(value):
    """``[shape, value]``, with None for a value that is not made of plain builtins or is too large to send."""
    words = shape(value)
    fits = not any(character.isdigit() for character in words)
    return [words, value if fits and _is_plain(value) else None]


def _answer(function, arguments):
    given = copy.deepcopy(arguments)
    result = plain(_builtin(function(*given)))
    changed = [i for i, before in enumerate(arguments) if plain(given[i]) != plain(before)]
    return [*result, changed]


def _load(name, function, source):
    """The learner's function: from cloudpickle, or the one called ``name`` (else the last) in the source text."""
    if function is not None:
        import cloudpickle

        return cloudpickle.loads(function)
    scope = {"__name__": "__main__", "exercise": lambda _name: lambda function: function}
    exec(compile(source, f"<{name}>", "exec"), scope)
    functions = [value for value in scope.values() if isinstance(value, types.FunctionType)][1:]
    if not functions:
        raise NameError(f"the text defines no function {name}")
    return scope.get(name, functions[-1])


def _body(function):
    """Whether the learner's function has ``steps``, and which of its parameters are ``unread``."""
    code = getattr(inspect.unwrap(getattr(function, "function", function)), "__code__", None)
    steps = [each for each in dis.get_instructions(code) if each.opname not in _NO_STEPS] if code else []
    named = {name for each in steps for name in (each.argval if isinstance(each.argval, tuple) else (each.argval,))}
    parameters = code.co_varnames[: code.co_argcount] if code else ()
    return {"steps": bool(steps), "unread": [name for name in parameters if name not in named]}


def wrapper(around):
    """What makes the function that is called from the learner's: ``around`` ("module:function"), or nothing."""
    if not around:
        return lambda function: function
    module, name = around.split(":")
    return getattr(importlib.import_module(module), name)


def _describe(error):
    frames = [[f.f_code.co_filename, line, f.f_code.co_name] for f, line in traceback.walk_tb(error.__traceback__)]
    if len(frames) > 2 * FRAMES_LIMIT:
        frames = frames[:FRAMES_LIMIT] + frames[-FRAMES_LIMIT:]
    return {
        "kind": type(error).__name__,
        "text": traceback.format_exception_only(error)[-1].strip().removeprefix("aesedu.routine.recording.")[:500],
        "frames": frames,
        "out_of_time": isinstance(error, OutOfTime),
    }


def _interrupt(thread):
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OutOfTime))


@contextlib.contextmanager
def _limits(seconds, megabytes):
    """Raises OutOfTime here after ``seconds``; lets at most ``megabytes`` be allocated where the system can tell."""
    timer = threading.Timer(seconds, _interrupt, [threading.get_ident()])
    timer.daemon = True
    timer.start()
    if hasattr(signal, "alarm"):  # ends what keeps Python's lock, should the parent be gone that would do it sooner
        signal.alarm(math.ceil(seconds) + 2)
    before = resource and resource.getrlimit(resource.RLIMIT_DATA)
    if resource:
        with contextlib.suppress(ValueError):  # a lower hard limit serves as well
            resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, before[1]))
    try:
        yield
    finally:
        timer.cancel()
        if hasattr(signal, "alarm"):
            signal.alarm(0)
        if resource:  # room again to report a MemoryError
            resource.setrlimit(resource.RLIMIT_DATA, before)


@contextlib.contextmanager
def _captured(printed):
    stdin, sys.stdin = sys.stdin, io.StringIO()  # input() meets the end of the file instead of waiting
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            yield
    finally:
        sys.stdin = stdin


def check(name, cases, seconds, megabytes, path, around="", function=None, source=None):
    """Runs the learner's function on each case until one raises.

    ``cases`` are lists of arguments; ``path`` is the parent's ``sys.path``. Returns ``results`` (shape, value, indices
    of changed arguments for each case), ``printed``, ``dropped`` (characters), ``raised`` (None or a description), and
    what ``_body`` says.
    """
    sys.path[:] = path
    printed, results, raised, wrap, body = Printed(), [], None, wrapper(around), {"steps": False, "unread": []}
    try:
        with _captured(printed), _limits(seconds, megabytes):
            loaded = _load(name, function, source)
            candidate, body = wrap(loaded), _body(loaded)
            for arguments in cases:
                results.append(_answer(candidate, arguments))
    except BaseException as error:  # SystemExit and KeyboardInterrupt of the learner's are answers too
        raised = _describe(error)
    return {"results": results, "printed": printed.kept, "dropped": printed.dropped, "raised": raised, **body}
