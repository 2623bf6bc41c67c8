"""From what the child reports to an outcome: the first wrong case, spelt out."""

import math
import re
import sys

from aesedu.exercises.child import plain
from aesedu.exercises.outcome import CRASHED, FAILED, NOT_ATTEMPTED, PASSED, TIMED_OUT, Outcome
from aesedu.exercises.trace import own_frames

_NUMBERS, _LISTS = {int, float}, {list, tuple}
_BLANK = {"NoneType", "ellipsis", "NotImplementedType"}
_SEQUENCES = {"bytearray", "bytes", "list", "map", "numpy.ndarray", "range", "tuple", "zip"}
_NOT_CONVERTED = {"bool", "dict", "empty", "function", "set", "str"}
_ADVICE = {
    "EOFError": "There is no keyboard here: what the function needs arrives as its arguments.",
    "MemoryError": "The function may use 1 GB.",
    "NameError": "Run the cell that defines this name, then this one again.",
    "NotImplementedError": "A later case reaches a part that is not written yet.",
    "RecursionError": "The function calls itself without end.",
    "RoutineError": "The exercise records the function, as @routine does, to see its machine code.",
    "SystemExit": "Leave the function with return, not with exit.",
}


def judge(exercise, report):
    """The outcome of ``exercise`` for what ``child.check`` reported."""
    extra = {"printed": _printed(report)}
    if _is_blank(report):
        written = report["steps"] and [words for words, *_ in report["results"]][:1] == ["NoneType"]
        return Outcome(exercise.name, FAILED if written else NOT_ATTEMPTED, *_invitation(report, written), **extra)
    for i, (result, case) in enumerate(zip(report["results"], exercise.cases, strict=False)):
        if fault := _fault(exercise, case, result):
            return Outcome(exercise.name, FAILED, *_explain(exercise, i, fault, report), **extra)
    if report["raised"]:
        return _stopped(exercise, report, extra)
    if len(report["results"]) != len(exercise.cases):
        return Outcome(exercise.name, CRASHED, "The check ended before its last case.", **extra)
    return Outcome(exercise.name, PASSED, exercise.praise, **extra)


def _is_blank(report):
    if report["results"]:
        return all(words in _BLANK for words, *_ in report["results"])
    return report["raised"] is not None and report["raised"]["kind"] == "NotImplementedError"


def _invitation(report, written):
    if written and report["printed"]:
        return "The function returns nothing.", "Printing is not returning: end with a return statement."
    if written:
        return "It has steps but returns nothing.", "What it works out is lost: end with return and the result."
    return "The function returns nothing yet.", "Write it in place of the dots, end it with return, and run the cell."


def _fault(exercise, case, result):
    """What is wrong with one result, as (finding, advice); None where all is right."""
    words, value, changed = result
    expected_words, expected = plain(case.expected)
    if changed:
        return f"changed its argument {exercise.parameters[changed[0]]}", "Work on a copy: list(...) makes one."
    if not comparable(value, expected):
        advice = _conversion(words, expected_words, expected)
        return f"returned {_article(words)}; expected {_article(expected_words)}", advice
    if not equal(value, expected):
        return difference(value, expected, exercise.parts, exercise.digits), ""
    return None


def _explain(exercise, i, fault, report):
    finding, advice = fault
    case = exercise.cases[i]
    finding = f"{_call(exercise, case)} {finding} (case {i + 1} of {len(exercise.cases)})."
    return finding, advice or exercise.recognise(report["results"]) or _unread(report)


def _unread(report):
    return f"It never reads {' and '.join(report['unread'])}." if report["unread"] else ""


def comparable(value, expected):
    """Whether two plain builtins can be compared by value: numbers, lists and tuples, else things of one type."""
    kinds = {type(value), type(expected)}
    if kinds <= _LISTS:
        return len(value) != len(expected) or all(map(comparable, value, expected))
    return len(kinds) == 1 or kinds <= _NUMBERS


def equal(value, expected):
    """Equality of two comparable values; floats to nine digits."""
    if type(expected) is float:
        return value == expected or abs(value) < sys.float_info.max and math.isclose(value, expected, rel_tol=1e-9)
    if isinstance(expected, (list, tuple)):
        return len(value) == len(expected) and all(map(equal, value, expected))
    return value == expected


def difference(value, expected, parts, digits):
    """Where two unequal comparable values first differ, by the names of ``parts``: "round 1, byte 5"."""
    where = []
    while isinstance(expected, (list, tuple, bytes)):
        part, *parts = parts or ("item",)
        if len(value) != len(expected):
            return f"{_place(where) + ' has' if where else 'returned'} length {len(value)}, expected {len(expected)}"
        if isinstance(expected, bytes):
            digits = 2
        i = next(i for i, (a, b) in enumerate(zip(value, expected, strict=True)) if not equal(a, b))
        where.append(f"{part} {i}")
        value, expected = value[i], expected[i]
    place = f"differs first in {_place(where)}: got" if where else "returned"
    return f"{place} {spell(value, digits)}, expected {spell(expected, digits)}"


def _place(where):
    return f"{', '.join(where)} (counted from 0)"


def _call(exercise, case):
    """The call in question; a long argument is given by the name of its parameter."""
    arguments = zip(exercise.parameters, case.arguments, strict=True)
    return f"{exercise.name}({', '.join(_brief(name, argument, exercise.digits) for name, argument in arguments)})"


def _brief(name, argument, digits):
    if isinstance(argument, list):
        short = len(argument) <= 4 and all(isinstance(item, int) for item in argument)
        return f"[{', '.join(spell(item, digits) for item in argument)}]" if short else name
    if isinstance(argument, bytes):
        return (argument.hex() or 'b""') if len(argument) <= 16 else name
    return spell(argument, digits and 1) if argument not in range(10) else str(argument)


def spell(value, digits):
    """A scalar in words: integers in hexadecimal where the exercise gives a number of digits."""
    return f"{value:#0{digits + 2}x}" if type(value) is int and digits else repr(value)


def _article(words):
    if words == "bytes":
        return words
    return f"an {words}" if words[0] in "aeio" else f"a {words}"


def _conversion(words, expected, right):
    if words == "NoneType":
        return "One way through the function ends without return."
    if words == "generator":
        made = "yield makes a generator, and so do round brackets around a for"
        return f"{made}: write bytes(...) or list(...) around it."
    if words == "coroutine":
        return "Use return, not async."
    container, _, item = expected.partition(" of ")
    words = re.sub("^tuple of", "list of", words) if container == "list" else words
    if re.search(r" of (length )?\d", words):
        return ""
    if " and " in item and words.startswith(container):
        return f"The types of its items, in order: {', '.join(type(each).__name__ for each in right)}."
    if words.startswith(f"{container} of "):
        from_bytes = item == "int" and words.endswith("bytes")
        return f"Make each item one: {'int.from_bytes(item, ...)' if from_bytes else f'{item}(item)'}."
    given = words.split()[0]
    if container == "list" and given in ("int", "float"):
        return "Return one list, with every result in it: [..., ...]."
    if (given, container) == ("int", "bytes"):
        return "number.to_bytes(length, byteorder) makes bytes of a number."
    alike = (given in _SEQUENCES) == (container in _SEQUENCES) and not _NOT_CONVERTED & {given, container}
    return f"Wrap the result in {container}(...)." if alike else ""


def _printed(report):
    more = f"\n... {report['dropped']} more characters" if report["dropped"] else ""
    return report["printed"] + more


def _stopped(exercise, report, extra):
    """Outcome for code that raised, or was stopped in its endless loop."""
    raised, done = report["raised"], len(report["results"])
    frames = own_frames(raised["frames"])
    line = _call(exercise, exercise.cases[done]) if done < len(exercise.cases) else exercise.name
    if raised["out_of_time"]:
        finding, advice = f"{line} did not end in time.", "Does every loop come to its end?"
        return Outcome(exercise.name, TIMED_OUT, finding, advice, traceback=frames, **extra)
    advice = _ADVICE.get(raised["kind"], "")
    if not frames:
        advice = advice or f"The exercise calls {exercise.name}({', '.join(exercise.parameters)})."
    return Outcome(exercise.name, CRASHED, f"{line} raised {raised['text']}", advice, traceback=frames, **extra)
