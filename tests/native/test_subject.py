"""Timed samples and the calibration. No assertion here is about how fast this machine is."""

import importlib
import json
import os
import sys
import time
from dataclasses import FrozenInstanceError, asdict

import psutil
import pytest

from aesedu import native
from aesedu.native import Subject, clock, subject, wire
from aesedu.native.assembler import ISA

RETURN = Subject(
    "return", "aesedu.native.run:prepare", {"text": ".globl routine\nroutine:\n    ret\n"}, what={"bytes": 0}
)


def test_a_sample_is_bracketed_by_the_chain():
    sample = native.sample(RETURN, 1000)
    assert sample.count == 1000 and sample.ns > 0
    assert sample.chain_cycles % 64 == 0 and sample.chain_cycles >= 64 * 100
    assert sample.chain_before_ns > 0 and sample.chain_after_ns > 0


def test_more_operations_take_longer():
    few, many = (min(native.sample(RETURN, count).ns for _ in range(5)) for count in (100, 1_000_000))
    assert many > 20 * few


def test_the_chain_spans_a_thousand_ticks():
    ns = native.worker().call("aesedu.native.clock:chain_ns")
    assert ns > 1000 * native.worker().call("aesedu.native.clock:resolution_ns")


def test_preparing_is_done_once_for_each_placement(monkeypatch):
    """In this process, which must not be pinned."""
    prepared = []
    monkeypatch.setattr(clock, "pin", lambda: None)
    module = importlib.import_module("aesedu.native.run")  # as an attribute, `run` is the function
    monkeypatch.setattr(module, "prepare", lambda placement: prepared.append(placement) or (lambda count: None))
    for placement in (0, 1, 2, 1, 0):
        subject.take(RETURN.factory, wire.encode({}).decode(), 1, placement)
    assert prepared == [0, 1, 2]


@pytest.mark.parametrize("seconds, calls", [(0, [2, 1, 2]), (0.05, [2, 2])])
def test_a_short_call_is_made_once_before_the_clock_but_not_for_the_cold_sample(monkeypatch, seconds, calls):
    made = []
    monkeypatch.setattr(clock, "pin", lambda: None)
    module = importlib.import_module("aesedu.native.run")
    run = lambda count: made.append(count) or time.sleep(seconds * count)  # noqa: E731
    monkeypatch.setattr(module, "prepare", lambda placement: run)
    subject._prepared.cache_clear()
    for _ in range(2):
        subject.take(RETURN.factory, wire.encode({}).decode(), 2, 0)
    assert made == calls


@pytest.mark.parametrize("factory", ["os:system", "aesedu.native.run", "prepare"])
def test_only_our_factories_are_called(factory):
    with pytest.raises(ValueError, match="functions of aesedu"):
        native.sample(Subject("x", factory, {}), 1)


@pytest.mark.parametrize("count", [0, -1, 1.5])
def test_a_sample_without_operations_is_refused(count):
    with pytest.raises(ValueError, match="1 operation or more"):
        native.sample(RETURN, count)


def test_subjects_do_not_change_and_are_plain_data():
    with pytest.raises(FrozenInstanceError):
        RETURN.label = "other"
    assert Subject(**json.loads(json.dumps(asdict(RETURN)))) == RETURN


def test_an_environment_has_a_worker_of_its_own():
    native.sample(Subject("x", RETURN.factory, RETURN.arguments, environment={"AESEDU_TEST": "1"}), 1)
    special = native.worker(AESEDU_TEST="1")
    assert special.pid not in (None, native.worker().pid)
    special.close()


def test_calibration():
    found = native.calibrate()
    assert found.hz > 0 and found.drift >= 0
    assert 1.5 < found.imul_cycles < 8  # 3 on today's x86 cores, 3 to 5 on Arm's
    assert found.imul_hz / found.hz == pytest.approx(round(found.imul_cycles) / found.imul_cycles)
    assert found.clock and 0 < found.resolution_ns <= 1000


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system pins no process")
def test_the_worker_is_pinned_and_we_are_not():
    ours = os.sched_getaffinity(0)
    core = native.calibrate().core
    assert psutil.Process(native.worker().pid).cpu_affinity() == [core]
    assert os.sched_getaffinity(0) == ours
    assert core != 0 or ours == {0} or clock._slow_cores(sorted(ours)) == ours - {0}


def test_workers_of_different_processes_are_spread(monkeypatch):
    monkeypatch.setattr(clock, "_allowed_cores", lambda: list(range(8)))
    monkeypatch.setattr(clock, "_slow_cores", lambda cores: {5, 6, 7})
    monkeypatch.setattr(clock, "_pin_to", lambda core: True)
    chosen = set()
    for parent in range(100, 120):
        monkeypatch.setattr(os, "getppid", lambda parent=parent: parent)
        chosen.add(clock.pin.__wrapped__())
    assert chosen == {1, 2, 3, 4}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system pins no process")
def test_where_pinning_is_forbidden_there_is_no_core(monkeypatch):
    def refuse(*_):
        raise PermissionError("seccomp")

    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    assert clock.pin.__wrapped__() is None


def test_efficiency_cores_are_told_apart(monkeypatch):
    monkeypatch.setattr(clock, "_read", lambda path: "4-5,7" if str(path).endswith("cpu_atom/cpus") else "")
    assert clock._slow_cores(range(8)) == {4, 5, 7}
    capacities = {"cpu0": "446", "cpu1": "446", "cpu2": "1024", "cpu3": "1024"}
    monkeypatch.setattr(
        clock, "_read", lambda path: capacities.get(getattr(path, "parent", path) and str(path).split("/")[-2], "")
    )
    assert clock._slow_cores(range(4)) == {0, 1}


@pytest.mark.skipif(ISA != "x86_64" or sys.platform != "linux", reason="x86-64 Linux")
def test_coarse_clock_sources_lengthen_the_chain(monkeypatch):
    monkeypatch.setattr(clock, "_clock_source", lambda: "hpet")
    assert clock.resolution_ns.__wrapped__() == 70
    assert clock.clock_name().endswith("hpet")
