"""What goes over the pipes comes back the same, and damage is noticed."""

import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aesedu.native import AssemblyError, Buffer, Cancelled, NativeCrash, NativeError, UndefinedSymbol, wire

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
).filter(lambda value: not (isinstance(value, dict) and {"__bytes__", "__buffer__"} & set(value)))


@given(values)
def test_values_come_back(value):
    line = wire.encode(value)
    assert line.isascii() and line.count(b"\n") == 1 and line.endswith(b"\n")
    assert wire.decode(line) == value


def test_buffers_come_back():
    sent = Buffer(b"\0\xff", align=4096, offset=3)
    (found,) = wire.decode(wire.encode([sent]))
    assert (found.data, found.align, found.offset) == (sent.data, sent.align, sent.offset)


@pytest.mark.parametrize("align, offset", [(0, 0), (3, 0), (-2, 0), (16, -1)])
def test_buffers_that_cannot_be_placed(align, offset):
    with pytest.raises(ValueError, match="power of two"):
        Buffer(b"", align, offset)


def test_what_cannot_be_sent_is_named():
    with pytest.raises(TypeError, match="not set"):
        wire.encode({"x": {1}})


@pytest.mark.parametrize(
    "error",
    [ValueError("a", 1), KeyError("k"), OSError(2, "gone"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")]
    + [AssemblyError(3, 4, "m", [[3, 4, "m"], [5, 6, "n"]], "s"), UndefinedSymbol("f", "h", 2), Cancelled()]
    + [NativeCrash("SIGILL", "h", "e"), NativeError("x")],
    ids=lambda error: type(error).__name__,
)
def test_errors_come_back_as_they_were(error):
    line = wire.encode({"id": 7, "error": wire.describe_error(error)})
    number, kind, found = wire.message(line)
    assert (number, kind, type(found), str(found)) == (7, "error", type(error), str(error))
    assert {k: v for k, v in vars(found).items() if k != "__notes__"} == vars(error)


def test_foreign_errors_keep_name_and_message():
    class OddError(Exception):
        pass

    found = wire.message(wire.encode({"id": 1, "error": wire.describe_error(OddError({1}, "why"))})).value
    assert type(found) is NativeError and "OddError" in str(found) and "why" in str(found)


@pytest.mark.parametrize("type_name", ["print", "SystemExit", "KeyboardInterrupt", "type", "no such"])
def test_only_exceptions_are_rebuilt(type_name):
    line = wire.encode({"id": 1, "error": {"type": type_name, "args": [1], "traceback": ""}})
    assert type(wire.message(line).value) is NativeError


@pytest.mark.parametrize(
    "line",
    [b"", b"spam", b"7", b"{}", b'{"id": 1}', b'{"doing": 1}', b"[" * 100_000, b"\xff", b'{"id": 1, "error": 5}']
    + [b'{"id": "x", "result": 1}', b'{"__bytes__": 5}'],
)
def test_damage_raises(line):
    with pytest.raises(Exception):  # noqa: B017 - whichever: the caller takes all of them for a crash
        wire.message(line)


@given(st.lists(st.binary(max_size=300).map(lambda data: data.replace(b"\n", b"")), max_size=20), st.integers(1, 50))
def test_lines_are_cut_at_their_ends_only(wanted, piece):
    reader, writer = os.pipe()
    data = b"".join(line + b"\n" for line in wanted)

    def write():
        for start in range(0, len(data), piece):
            os.write(writer, data[start : start + piece])
        os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    assert list(wire.lines(reader)) == wanted
    thread.join()
    os.close(reader)


def test_a_line_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(wire, "LONGEST", 100_000)
    with open(os.devnull if os.name == "nt" else "/dev/zero", "rb") as endless:
        assert list(wire.lines(endless.fileno())) == []
