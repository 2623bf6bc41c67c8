"""What goes over the worker's pipes: one JSON document a line, with bytes and buffers written as objects."""

import base64
import builtins
import json
import os
from typing import NamedTuple

from aesedu.native import errors

LONGEST = 1 << 30  # bytes in a line: more is a flood, not a message
notes_to = None  # in a worker, the descriptor that answers go to


class Message(NamedTuple):
    """What came from a worker: "ready", "doing" (number 0), or the "result" or "error" of request `number`."""

    number: int
    kind: str
    value: object


class Buffer:
    """Memory given to a routine: starts as `data`, at an address that is `offset` bytes past a multiple of `align`."""

    __slots__ = ("align", "data", "offset")

    def __init__(self, data, align=64, offset=0):
        if align < 1 or align & (align - 1) or offset < 0:
            raise ValueError(f"align must be a power of two and offset >= 0, not {align} and {offset}")
        self.data, self.align, self.offset = bytes(data), align, offset

    def __repr__(self):
        return f"Buffer({len(self.data)} bytes, align={self.align}, offset={self.offset})"


def _to_json(value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"__bytes__": base64.b64encode(value).decode("ascii")}
    if isinstance(value, Buffer):
        return {"__buffer__": [value.data, value.align, value.offset]}
    raise TypeError(f"the worker takes JSON values, bytes and Buffers, not {type(value).__name__}")


def _from_json(value):
    if "__bytes__" in value:
        return base64.b64decode(value["__bytes__"])
    if "__buffer__" in value:
        return Buffer(*value["__buffer__"])
    return value


def encode(document):
    """One line of ASCII bytes, newline included."""
    return json.dumps(document, default=_to_json).encode("ascii") + b"\n"


def decode(line):
    """The document of one line. Raises ValueError where the line is damaged."""
    return json.loads(line, object_hook=_from_json)


def send(descriptor, line):
    """Write all of a line. Raises OSError."""
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def lines(descriptor):
    """Yield each line, without its end, until the other side closes its end or sends a line without one."""
    parts, size = [], 0
    while (chunk := os.read(descriptor, 1 << 16)) and size < LONGEST:
        size += len(chunk)
        *ended, rest = chunk.split(b"\n")
        for end in ended:
            yield b"".join([*parts, end])
            parts, size = [], len(rest)
        parts.append(rest)


def note(doing, text=""):
    """Tell the caller's side what this worker does now, and with which text, in case that ends it.

    Each note starts the deadline anew. Outside a worker nothing happens.
    """
    if notes_to is not None:
        send(notes_to, encode({"doing": doing, "text": text}))


def describe_error(error):
    """An exception as a document: its class, arguments that rebuild it, and where it came from."""
    import traceback

    described = {"type": type(error).__name__, "traceback": "".join(traceback.format_exception(error))}
    try:
        encode(error.args)
    except (TypeError, ValueError):
        return {**described, "args": [str(error)]}
    return {**described, "args": error.args}


def message(line):
    """The `Message` in a line from a worker. Raises whatever decoding raises where the line is damaged."""
    document = decode(line)
    if "ready" in document:
        return Message(0, "ready", document["ready"])
    if "doing" in document:
        return Message(0, "doing", (str(document["doing"]), str(document["text"])))
    if "error" in document:
        return Message(int(document["id"]), "error", _rebuild_error(**document["error"]))
    return Message(int(document["id"]), "result", document["result"])


def _rebuild_error(type, args, traceback):
    """The exception of `describe_error`: the same class if it is a builtin or one of ours, else a NativeError."""
    found = getattr(errors, type, None) or getattr(builtins, type, None)
    try:
        error = found(*args) if issubclass(found, Exception) else None
    except TypeError:
        error = None
    error = error or errors.NativeError(f"{type}: {' '.join(map(str, args))}")
    if not isinstance(error, errors.NativeError):
        error.add_note(f"In the worker:\n{traceback}")
    return error
