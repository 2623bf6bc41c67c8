"""The worker process: started, asked, cancelled, killed, forked, and never left behind."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from aesedu import native
from aesedu.native import AssemblyError, Buffer, Cancelled, NativeCrash, NativeError, NativeTimeout, Worker
from aesedu.native.assembler import ISA

EXECUTE = "aesedu.native.run:execute"
ENDLESS = {"x86_64": "1: jmp 1b", "aarch64": "1: b 1b"}[ISA]
IDENTITY = {"x86_64": "mov %rdi, %rax; ret", "aarch64": "ret"}[ISA]
TRAP = {"x86_64": "ud2", "aarch64": "udf #0"}[ISA]
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX processes")


def request(body, *arguments):
    return {"text": f".globl routine\nroutine:\n    {body}\n", "arguments": list(arguments), "entry": "routine"}


def process_id(worker):
    """Number of the worker's process, which has then answered."""
    worker.call("aesedu.native.assembler:page_offset", placement=1, step=16)
    return worker.pid


@pytest.fixture
def worker():
    made = Worker()
    yield made
    made.close()


def test_results_and_arguments(worker):
    data = bytes(range(256)) * 300
    assert worker.call(EXECUTE, **request(IDENTITY, -1, Buffer(data)))[:2] == [2**64 - 1, [data]]


def test_builtin_errors_keep_their_class_and_say_where_they_come_from(worker):
    with pytest.raises(ValueError, match="5 bytes") as caught:
        worker.call("aesedu.cipher.key_schedule:expand_key", key=b"short")
    assert "expand_key" in caught.value.__notes__[0]
    with pytest.raises(TypeError):
        worker.call("aesedu.cipher.key_schedule:expand_key", nonsense=1)
    with pytest.raises(AttributeError):
        worker.call("aesedu.cipher.key_schedule:no_such")


@pytest.mark.parametrize(
    "name", ["os:getcwd", "aesedu:engines", "aesedux.native:run", "aesedu.native.run", "", "os.path:join"]
)
def test_only_our_functions_run(worker, name):
    with pytest.raises(ValueError, match="functions of aesedu"):
        worker.call(name)


def test_unsendable_arguments_and_results(worker):
    before = process_id(worker)
    with pytest.raises(TypeError, match="not set"):
        worker.call(EXECUTE, text={1})
    with pytest.raises(TypeError, match="not mappingproxy|not Struct|not Code"):
        worker.call("aesedu.native.assembler:assemble", text=request(IDENTITY)["text"])
    assert process_id(worker) == before


def test_one_process_serves_until_it_crashes(worker):
    first = process_id(worker)
    assert first != os.getpid() and process_id(worker) == first
    with pytest.raises(NativeCrash):
        worker.call(EXECUTE, **request(TRAP))
    assert process_id(worker) != first
    assert not psutil.pid_exists(first)  # and no zombie


def test_timeout_ends_the_process(worker):
    first = process_id(worker)
    with pytest.raises(NativeTimeout, match="0.3 s"):
        worker.call(EXECUTE, 0.3, **request(ENDLESS))
    assert not psutil.pid_exists(first)
    assert worker.call(EXECUTE, **request(IDENTITY, 5))[0] == 5


def test_cancel_from_another_thread(worker):
    process_id(worker)
    cancelled = []

    def cancel():
        while not worker.cancel():
            time.sleep(0.01)
        cancelled.append(time.monotonic())

    threading.Timer(0.3, cancel).start()
    with pytest.raises(Cancelled):
        while True:
            worker.call(EXECUTE, 60, **request(ENDLESS))
    assert cancelled and worker.call(EXECUTE, **request(IDENTITY, 6))[0] == 6


def test_cancel_without_a_call_does_nothing(worker):
    first = process_id(worker)
    assert worker.cancel() is False
    assert process_id(worker) == first


def test_cancel_of_all(worker):
    threading.Timer(0.5, native.cancel).start()
    with pytest.raises(Cancelled):
        worker.call(EXECUTE, 60, **request(ENDLESS))


def test_threads_take_turns(worker):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: worker.call(EXECUTE, **request(IDENTITY, n))[0], range(200)))
    assert found == list(range(200))


def test_threads_survive_each_others_crashes(worker):
    def call(n):
        try:
            return worker.call(EXECUTE, **request(TRAP if n % 5 == 0 else IDENTITY, n))[0]
        except NativeCrash:
            return None

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(call, range(20))) == [None if n % 5 == 0 else n for n in range(20)]


def test_closing_ends_calls_that_wait_for_their_turn_too(worker):
    def call(_):
        with pytest.raises(Cancelled):
            worker.call(EXECUTE, 60, **request(ENDLESS))
        return True

    with ThreadPoolExecutor(3) as pool:
        calls = pool.map(call, range(3))
        time.sleep(0.5)
        worker.close()
        assert all(calls)
    assert worker.pid is None


def test_environment_and_shared_workers():
    assert native.worker() is native.worker() is not native.worker(AESEDU_TEST="x")
    special = native.worker(AESEDU_TEST="x")
    assert psutil.Process(process_id(special)).environ()["AESEDU_TEST"] == "x"
    assert "AESEDU_TEST" not in psutil.Process(process_id(native.worker())).environ()
    special.close()
    assert special.pid is None


def test_a_process_that_cannot_start_says_why():
    worker = Worker({"PYTHONHOME": "/nonexistent"})
    for _ in range(2):
        with pytest.raises(NativeError, match="(?s)ended with status.*encodings"):
            worker.call(EXECUTE, **request(IDENTITY))
    assert worker.pid is None


def test_files_of_the_current_folder_do_not_get_in_the_way(tmp_path, monkeypatch):
    for name in ("json.py", "queue.py", "ctypes.py", "aesedu.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    worker = Worker()
    assert worker.call(EXECUTE, **request(IDENTITY, 8))[0] == 8
    worker.close()


def test_texts_beyond_ascii_in_any_locale():
    worker = Worker({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
    comment = {"x86_64": "#", "aarch64": "//"}[ISA]
    assert worker.call(EXECUTE, **request(f"{IDENTITY} {comment} \u00fc\U0001f512", 9))[0] == 9
    with pytest.raises(AssemblyError, match="\U0001f512"):
        worker.call(EXECUTE, **request("\U0001f512: nop"))
    worker.close()


def in_a_new_process(code):
    """Output of a Python process that runs `code` after some imports."""
    start = textwrap.dedent(
        """
        import os, sys, threading, time
        from aesedu import native

        def ask():
            native.worker().call("aesedu.native.assembler:page_offset", placement=1, step=16)
            return native.worker().pid

        """
    )
    start += f"EXECUTE, ENDLESS, IDENTITY = {EXECUTE!r}, {request(ENDLESS)!r}, {request(IDENTITY)!r}\n"
    return subprocess.Popen([sys.executable, "-c", start + textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)


def gone(pid, seconds=5):
    """Whether a process ends within the time; a zombie has ended, whoever forgets to collect it."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


def test_nothing_is_left_at_exit():
    process = in_a_new_process("print(ask())")
    output, _ = process.communicate()
    assert process.returncode == 0 and gone(int(output))


def test_nothing_is_left_when_a_call_is_running_at_exit():
    process = in_a_new_process(
        """
        print(ask(), flush=True)
        threading.Thread(target=native.worker().call, args=(EXECUTE, 600), kwargs=ENDLESS, daemon=True).start()
        time.sleep(0.5)
        """
    )
    output, _ = process.communicate()
    assert gone(int(output))


@pytest.mark.parametrize("busy", [False, True])
def test_no_orphan_when_the_caller_is_killed(busy):
    process = in_a_new_process(
        f"""
        print(ask(), flush=True)
        native.worker().call(EXECUTE, 600, **ENDLESS) if {busy} else time.sleep(600)
        """
    )
    pid = int(process.stdout.readline())
    time.sleep(0.5)
    assert psutil.pid_exists(pid)
    process.kill()
    process.communicate()
    assert gone(pid)


@posix
def test_ctrl_c_ends_the_call_and_not_the_worker_behind_our_back():
    process = in_a_new_process(
        """
        pid = ask()
        try:
            print("started", flush=True)
            native.worker().call(EXECUTE, 600, **ENDLESS)
        except KeyboardInterrupt:
            print(pid, ask() != pid)
        """
    )
    assert process.stdout.readline() == "started\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate()
    pid, fresh = output.split()
    assert fresh == "True" and gone(int(pid))


@posix
def test_a_forked_process_has_a_worker_of_its_own():
    process = in_a_new_process(
        """
        first = ask()
        if os.fork() == 0:
            print(ask() != first, flush=True)
            native.worker().close()
            os._exit(0)
        os.wait()
        print(ask() == first)
        """
    )
    assert process.communicate()[0].split() == ["True", "True"]


@posix
def test_fork_while_a_call_is_running():
    process = in_a_new_process(
        """
        threading.Thread(target=native.worker().call, args=(EXECUTE, 600), kwargs=ENDLESS, daemon=True).start()
        time.sleep(0.5)
        if os.fork() == 0:
            print(native.worker().call(EXECUTE, **IDENTITY)[0] >= 0, flush=True)
            native.worker().close()
            os._exit(0)
        os.wait()
        """
    )
    assert process.communicate()[0].split() == ["True"]
