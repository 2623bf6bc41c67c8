"""Whatever a routine does, its caller gets the right exception or result, and the next routine runs."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import hostile
import psutil
import pytest

from aesedu.native import AssemblyError, Buffer, NativeCrash, UndefinedSymbol, Worker
from aesedu.native.assembler import ISA

pytestmark = [
    pytest.mark.skipif(
        ISA != "x86_64" or sys.platform != "linux", reason="the hostile routines are x86-64 code and Linux system calls"
    ),
    pytest.mark.xdist_group("hostile"),  # all cases run once, for the first test
]
CASES = hostile.cases()
WORKERS = 2
MARK = {"AESEDU_TEST": f"hostile {os.getpid()}"}
_DETAIL = {AssemblyError: "line", NativeCrash: "signal", UndefinedSymbol: "name"}


@pytest.fixture(scope="module")
def outcomes():
    """What came of each case: an exception, or [value, buffers, clobbered]. Two workers, half of the cases each."""
    with ThreadPoolExecutor(WORKERS) as pool:
        halves = pool.map(_run_all, [CASES[start::WORKERS] for start in range(WORKERS)])
    return {case: outcome for half in halves for case, outcome in half}


def _run_all(cases):
    worker = Worker(MARK)
    assert (
        _run(worker, hostile.routine("", "nop", None)) and MARK.items() <= psutil.Process(worker.pid).environ().items()
    )
    pairs = [(case, _run(worker, case)) for case in cases]
    assert _run(worker, hostile.routine("", "mov $42, %eax", None))[0] == 42
    worker.close()
    return pairs


def _run(worker, case):
    request = {"text": case.text, "arguments": list(case.arguments), "entry": "routine"}
    try:
        return worker.call("aesedu.native.run:execute", case.deadline, **request)
    except Exception as error:
        return error


def test_there_are_two_hundred_and_no_two_alike():
    assert len({(case.text, repr([getattr(a, "data", a) for a in case.arguments])) for case in CASES}) >= 200
    assert len(CASES) == len({(case.text, case.arguments) for case in CASES})


@pytest.mark.parametrize("case", CASES, ids=[f"{case.family}-{number}" for number, case in enumerate(CASES)])
def test_outcome(outcomes, case):
    outcome = outcomes[case]
    expected = case.expected if isinstance(case.expected, tuple) else (case.expected,)
    if isinstance(outcome, Exception):
        classes = tuple(each for each in expected if isinstance(each, type))
        assert isinstance(outcome, classes), repr(outcome)
        assert str(outcome)
        if case.detail is not None:
            assert getattr(outcome, _DETAIL[type(outcome)]) == case.detail, str(outcome)
    else:
        assert any(each(*outcome) for each in expected if not isinstance(each, type)), outcome


def test_nothing_is_left_running(outcomes):
    """Nor a copy that a routine made of its process."""
    assert [
        process
        for process in psutil.process_iter(["environ"])
        if MARK.items() <= (process.info["environ"] or {}).items()
    ] == []


def test_output_is_not_kept_in_memory(outcomes):
    """Four floods of up to 100 MB went through this process."""
    before = psutil.Process().memory_info().rss
    flood = next(case for case in CASES if case.family == "output" and "mov $100, %ebx" in case.text)
    worker = Worker()
    assert not isinstance(_run(worker, flood), Exception)
    worker.close()
    assert psutil.Process().memory_info().rss - before < 30 << 20


def test_buffers_come_back_unharmed_after_a_crash():
    worker, data = Worker(), bytes(range(256))
    with pytest.raises(NativeCrash):
        worker.call(
            "aesedu.native.run:execute", text=hostile.routine("", "ud2", None).text, arguments=[], entry="routine"
        )
    text = hostile.routine("", "incb (%rdi)", None).text
    request = {"text": text, "arguments": [Buffer(data)], "entry": "routine"}
    assert worker.call("aesedu.native.run:execute", **request)[1] == [b"\1" + data[1:]]
    worker.close()
