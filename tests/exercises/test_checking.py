"""What learners really write, and worse: every one of it ends in a clear outcome, and never in a pass."""

import os
import signal
import sys
import threading
import time

import pytest

from aesedu.exercises import catalogue
from aesedu.exercises.child import ITEMS_LIMIT, PRINTED_LIMIT, plain, shape
from aesedu.exercises.judge import comparable, difference, equal
from aesedu.native import NativeCrash, Worker

XTIME = next(entry for entry in catalogue() if entry.name == "xtime")
COLUMN = next(entry for entry in catalogue() if entry.name == "column")
LOCK = threading.Lock()
FACTOR = 2


RIGHT = "def right(b): return b << 1 ^ (0x11B if b & 0x80 else 0)"


def right(b):
    return b * FACTOR ^ (0x11B if b & 0x80 else 0)


class Yes(int):
    """Equal to everything."""

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


IMPOSTOR = """
class Impostor:
    __class__ = int

    def __eq__(self, other):
        return True

    def __repr__(self):
        raise RuntimeError

def xtime(b):
    return Impostor()
"""


def raises(error):
    def function(b):
        raise error

    return function


def deep(b):
    return deep(b) + 1


def endless_print(b):
    while True:
        print("x" * 1000)


def stubborn(b):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def hoard(b):
    return bytes(20 << 30)


def hoard_slowly(b):
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


def numpy_scalar(b):
    import numpy

    return numpy.uint8(right(b))


def patched_builtins(b):
    import builtins

    builtins.type = lambda value: int
    builtins.all = lambda items: True
    return Yes(1)


def forker(b):
    if b == 0x57:
        os.fork()
    return right(b) + 1


def stdin_reader(b):
    return sys.stdin.read()


def generator(b):
    yield right(b)


def loop_later(b):
    while b == 0x8E:
        pass
    return right(b)


CRASHES = [
    (raises(KeyboardInterrupt()), "KeyboardInterrupt", ""),
    (raises(GeneratorExit()), "GeneratorExit", ""),
    (lambda b: input("b? "), "EOFError", "no keyboard"),
    (lambda b: sys.exit(0), "SystemExit", "return"),
    (lambda b: os._exit(0), "ended its process", "os._exit"),
    (lambda b: os.abort(), "ended its process", ""),
    (lambda b: __import__("ctypes").string_at(8), "ended its process", ""),
    (deep, "RecursionError", "without end"),
    (lambda b: nowhere, "NameError", "Run the cell"),  # noqa: F821
    (lambda: 0, "TypeError", "calls xtime(b)"),
    (lambda b: LOCK.locked(), "refers to LOCK", "arguments"),
    ("def xtime(b):\n  return b +", "SyntaxError", ""),
    ("", "NameError", ""),
    (None, "TypeError", "calls xtime(b)"),
]

FAILURES = [
    (lambda b: Yes(1), "Yes; expected an int"),
    (IMPOSTOR, "Impostor; expected an int"),
    (lambda b: True, "a bool"),
    (lambda b: float(right(b)) + 0.5, "returned 174.5, expected 0xae"),
    (lambda b: [right(b)], "a list of int"),
    (lambda b: 1 << 10**6, "int of 1000001 bits"),
    (lambda b: [0] * 10**6, "list of 1000000 values"),
    (lambda b: [], "an empty list; expected an int (case 1 of 260)."),
    (lambda b: str(b), "a str; expected an int (case 1 of 260)."),
    (generator, "yield makes a generator"),
    (lambda b: (x for x in [b]), "round brackets around a for"),
    (stdin_reader, "a str"),
    (lambda b: right(b) if b < 0x80 else None, "without return"),
    (patched_builtins, "xtime("),
]  # fmt: skip

BLANKS = [
    "def xtime(b): ...",
    "def xtime(b):\n    pass",
    "def xtime(b):\n    '''Only words.'''",
    "def xtime(b): return NotImplemented",
    "def xtime(b): raise NotImplementedError",
    "def xtime(b): raise NotImplementedError('later')",
    "def xtime(b): return ...",
    "def xtime(b): return None",
]

NO_RESULT = [
    ("def xtime(b):\n    doubled = b << 1\n    print(doubled)", "returns nothing. Printing is not returning"),
    ("def xtime(b):\n    doubled = b << 1", "It has steps but returns nothing."),
    ("def xtime(b):\n    doubled = b << 1\n    return None", "It has steps but returns nothing."),
    ("def xtime(b):\n    if b != 0x57:\n        return b << 1", "One way through the function ends without return."),
]


def test_right_answer_with_its_globals_passes():
    assert XTIME.check(right).status == "passed"


@pytest.mark.parametrize("candidate", [numpy_scalar, lambda b: float(right(b))])
def test_numbers_are_compared_by_value(candidate):
    assert XTIME.check(candidate).status == "passed"


def with_result(name, old, new):
    """The outcome of an exercise's solution with another result."""
    entry = next(entry for entry in catalogue() if entry.name == name)
    assert old in entry.solution
    return entry.check(entry.solution.replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("interleave", "cycles / blocks]", "int(cycles / blocks) if cycles % blocks == 0 else cycles / blocks]"),
        ("interleave", "[blocks, cycles / blocks]", "(float(blocks), cycles / blocks)"),
        ("fixed_and_slope", "[time - slope * size, slope]", "__import__('numpy').float64(time - slope * size), slope"),
    ],
)
def test_right_values_of_another_type_pass(name, old, new):
    outcome = with_result(name, old, new)
    assert outcome.status == "passed", outcome


def test_a_wrong_value_of_another_type_meets_its_hint():
    outcome = with_result("interleave", "min(needed, registers - 1)", "float(needed)")
    assert outcome.status == "failed" and "not that many registers" in outcome.advice
    assert 'hint("interleave")' in outcome.message


def test_numbers_are_no_truth_values_and_bytes_no_list():
    for value, expected in ((True, 1), (1, True), ([1], b"\1"), ("1", 1), ([1, "2"], [1, 2])):
        assert not comparable(value, expected)
    assert comparable([1, (2.0,)], (1.0, [2])) and equal([1, (2.0,)], (1.0, [2])) and not equal(10**400, 1.0)


@pytest.mark.parametrize(("candidate", "finding", "advice"), CRASHES)
def test_crash(candidate, finding, advice):
    outcome = XTIME.check(candidate)
    assert outcome.status == "crashed", outcome
    assert finding in outcome.finding and advice in outcome.advice


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere only the deadline bounds memory")
@pytest.mark.parametrize("candidate", [hoard, hoard_slowly])
def test_memory_is_bounded(candidate, monkeypatch):
    monkeypatch.setattr("aesedu.exercises.definition.MEGABYTES", 200)
    outcome = XTIME.check(candidate, deadline=20)
    assert outcome.status == "crashed" and "MemoryError" in outcome.finding and "1 GB" in outcome.advice


@pytest.mark.parametrize(("candidate", "message"), FAILURES)
def test_failure(candidate, message):
    outcome = XTIME.check(candidate)
    assert outcome.status == "failed", outcome
    assert message in outcome.message


@pytest.mark.parametrize(
    ("name", "result", "advice"),
    [
        ("interleave", "['8', 1]", "in order: int, float."),
        ("fixed_and_slope", "('100', '2')", "float(item)"),
        ("xts_double", "7", "to_bytes"),
        ("fixed_and_slope", "7", "one list"),
        ("fixed_and_slope", "[0] * 10**6", ""),
        ("xts_double", "bytes(10**9)", ""),
        ("karatsuba", "__import__('numpy').ones(2)", "records the function"),
    ],
)
def test_advice_about_types(name, result, advice):
    entry = next(entry for entry in catalogue() if entry.name == name)
    outcome = entry.check(f"def {name}(*arguments): return {result}")
    assert advice in outcome.advice if advice else not outcome.advice, outcome


@pytest.mark.parametrize("source", BLANKS)
def test_blank(source):
    assert XTIME.check(source).status == "not attempted"


@pytest.mark.parametrize(("source", "words"), NO_RESULT)
def test_steps_without_a_result_fail(source, words):
    outcome = XTIME.check(source)
    assert outcome.status == "failed" and words in outcome.message


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ("return max(chain, work)", "It never reads extra and most."),
        ("return [n for n in range(most)][chain % work % 2] + extra", ""),
        ("def inner(): return most\n    return chain + work + inner()", "It never reads extra."),
    ],
)
def test_a_parameter_that_is_never_read_is_named(body, advice):
    entry = next(entry for entry in catalogue() if entry.name == "choose_chunk")
    outcome = entry.check(f"def choose_chunk(chain, work, extra, most):\n    {body}")
    assert (outcome.status, outcome.advice) == ("failed", advice)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_does_not_pass():
    assert XTIME.check(forker).status in ("failed", "crashed")


@pytest.mark.parametrize("candidate", [endless_print, stubborn, lambda b: time.sleep(60), lambda b: 7 ** (1 << 40)])
def test_endless(candidate, monkeypatch):
    monkeypatch.setattr("aesedu.exercises.definition.GRACE", 0.6)
    assert XTIME.check(candidate, deadline=0.2).status == "timed out"


@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="Windows has no alarm")
def test_what_keeps_pythons_lock_ends_without_its_parent():
    source = "def xtime(b):\n    return 7 ** (1 << 40)"
    given = {"cases": [[1]], "seconds": 0.2, "megabytes": 200, "path": sys.path, "source": source}
    with pytest.raises(NativeCrash, match="SIGALRM"):
        Worker().call("aesedu.exercises.child:check", deadline=20, name="xtime", **given)


def test_much_data_is_not_sent(monkeypatch):
    monkeypatch.setattr("aesedu.exercises.definition.MOST_SENT", 1000)
    data = bytes(2000)
    outcome = XTIME.check(lambda b: b + len(data))
    assert outcome.status == "crashed" and "too much for the process that checks" in outcome.finding


@pytest.mark.parametrize("report", ["5", "{}", "{'results': [['int', None, []]], 'raised': None}"])
def test_a_forged_report_is_no_exception(report):
    forger = "import aesedu.native.wire as wire\nencode = wire.encode\ndef xtime(b):\n"
    forger += f"    wire.encode = lambda document: encode({{**document, 'result': {report}}})"
    assert XTIME.check(forger).status == "crashed"


def test_endless_loop_in_a_later_case_is_named():
    outcome = XTIME.check(loop_later, deadline=0.2)
    assert outcome.status == "timed out" and outcome.finding.startswith("xtime(0x8e)")
    assert "in loop_later" in outcome.traceback and "while b ==" in outcome.traceback


def test_traceback_holds_only_the_learner_s_lines():
    source = 'def helper(b):\n    import json\n    return json.loads("{")\n\n\ndef xtime(b):\n    return helper(b)\n'
    outcome = XTIME.check(source)
    assert outcome.finding.startswith("xtime(0x57) raised json.decoder.JSONDecodeError: ")
    lines = ["<xtime>, line 7, in xtime", "    return helper(b)"]
    assert outcome.traceback.splitlines() == [*lines, "<xtime>, line 3, in helper", '    return json.loads("{")']


def test_deep_traceback_is_cut():
    assert len(XTIME.check(deep).traceback.splitlines()) <= 15


def test_prints_come_back_cut():
    assert XTIME.check("def xtime(b):\n    print('b is', b)\n    return 0").printed.startswith("b is 87\nb is 174\n")
    outcome = XTIME.check("def xtime(b):\n    print('x' * 10**8 if b == 87 else '')\n    return 0", deadline=8)
    assert outcome.status == "failed" and len(outcome.printed) < PRINTED_LIMIT + 100
    assert "more characters" in outcome.printed


def test_prints_of_a_subprocess_do_no_harm():
    assert (
        XTIME.check("import os\n\ndef xtime(b):\n    os.write(1, b'{}')\n    os.system('echo 1')\n    return 0").status
        == "failed"
    )


def test_a_hint_is_given_only_where_all_results_are_those_of_the_mistake():
    """xtime(0xae) comes out as with 0x11D, and so does the whole case; the rest does not."""
    outcome = XTIME.check("def xtime(b):\n    return 0x41 if b == 0xAE else right(b)\n" + RIGHT)
    assert outcome.status == "failed" and not outcome.advice


def test_changed_argument_is_no_pass():
    change = COLUMN.solution.replace("    return", "    words[0] = 0\n    return")
    outcome = COLUMN.check(change)
    assert outcome.status == "failed" and "changed its argument words" in outcome.finding


def test_one_answer_leaves_nothing_for_the_next():
    XTIME.check("import builtins\nbuiltins.left = 1\ndef xtime(b): return 0")
    assert XTIME.check("def xtime(b): return left").status == "crashed"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1, "int"), (True, "bool"), (None, "NoneType"), (b"", "bytes"), ([], "empty list"), ((1, 2), "tuple of int"),
        ([1, b"2"], "list of bytes and int"), ([[1], [b"2"]], "list of list of bytes and list of int"),
        ("x" * (ITEMS_LIMIT + 1), f"str of length {ITEMS_LIMIT + 1}"), (range(3), "range"),
    ],
)  # fmt: skip
def test_shape(value, words):
    assert shape(value) == words


def test_a_list_that_holds_itself_is_not_sent():
    loop = []
    loop.append(loop)
    assert plain(loop)[1] is None and "values" in plain(loop)[0]


@pytest.mark.parametrize(
    ("value", "expected", "parts", "words"),
    [
        (0x100, 0x1B, (), "returned 0x100, expected 0x1b"),
        ([1, 2], [1, 3], ("entry",), "differs first in entry 1 (counted from 0): got 0x02, expected 0x03"),
        (
            [b"ab", b"ab"],
            [b"ab", b"aa"],
            ("round", "byte"),
            "differs first in round 1, byte 1 (counted from 0): got 0x62, expected 0x61",
        ),
        ([b"a"], [b"ab"], ("round", "byte"), "round 0 (counted from 0) has length 1, expected 2"),
        ([], [1], ("entry",), "returned length 0, expected 1"),
    ],
)
def test_difference(value, expected, parts, words):
    assert difference(value, expected, parts, 2) == words
