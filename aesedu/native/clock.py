"""The clock, and a chain of additions whose length in core cycles is known: nanoseconds become core cycles by it.

MEASURING.md, point 2. One addition that waits for the one before takes one cycle on every core the suite meets;
multiplications (3 cycles on today's x86 cores) cross-check it.
"""

import functools
import os
import statistics
import time
from pathlib import Path
from typing import NamedTuple

from aesedu.native.assembler import ISA
from aesedu.native.helpers import helper
from aesedu.native.worker import worker

_STEPS = 64  # dependent operations in one pass of a chain's loop
_CHAIN_NS = 12_000
_CHAIN_TICKS = 1_000
_BRACKET = 4  # chains on either side of a sample
_COARSE = {"hpet": 70.0, "acpi_pm": 280.0, "jiffies": 4e6}  # ns a tick, of Linux clock sources besides the processor
_WARM_UP_NS = 30_000_000  # a core takes milliseconds to reach its working frequency
_REPEATS = 101
_CPUS = Path("/sys/devices/system/cpu")


class Calibration(NamedTuple):
    """What one core cycle lasts.

    `hz`: core cycles a second, by additions; `imul_hz`: by multiplications of `imul_cycles` (measured; rounded for
    this); `drift`: relative spread of `hz` meanwhile (middle half); `resolution_ns`: one tick of `clock`;
    `core`: number of the core the worker is pinned to, or None.
    """

    hz: float
    imul_hz: float
    imul_cycles: float
    drift: float
    clock: str
    resolution_ns: float
    core: int | None


def calibrate(**env):
    """A `Calibration` of the core on which the worker of an environment runs."""
    return Calibration(**worker(**env).call("aesedu.native.clock:measure", deadline=60.0))


def measure():
    """The child's half of `calibrate`."""
    core = pin()
    pairs = [(chain_ns(), chain_ns("multiply_chain")) for _ in range(_REPEATS)]
    additions, multiplications = ([chain_cycles() / ns for ns in column] for column in zip(*pairs, strict=True))
    low, middle, high = statistics.quantiles(additions, n=4)
    multiplied = statistics.median(multiplications)  # operations a nanosecond, as `middle` is
    return {
        "hz": middle * 1e9,
        "imul_hz": multiplied * round(middle / multiplied) * 1e9,
        "imul_cycles": middle / multiplied,
        "drift": (high - low) / middle,
        "clock": clock_name(),
        "resolution_ns": resolution_ns(),
        "core": core,
    }


def chain_ns(name="add_chain"):
    """Duration of the calibration chain now, without what calling it costs.

    The least of a few, because an interrupt, or code gone cold while the process waited for its request, can only
    lengthen it (measured here: the first one by 7 to 15 %). A call costs 0.5 us, but twice that on a busy machine
    (4 % of the chain), so it is measured beside the chain each time.
    """
    _warm_up()
    times = [(_time_chain(name, _passes()), _time_chain(name, 1)) for _ in range(_BRACKET)]
    chains, calls = zip(*times, strict=True)
    return min(chains) - min(calls)


@functools.cache
def chain_cycles():
    """How many operations, each waiting for the one before, `chain_ns` times."""
    return (_passes() - 1) * _STEPS


def _time_chain(name, passes):
    chain = helper(name)
    start = time.perf_counter_ns()
    chain(passes, 0, 0)
    return time.perf_counter_ns() - start


@functools.cache
def _warm_up():
    start = time.perf_counter_ns()
    while time.perf_counter_ns() - start < _WARM_UP_NS:
        _time_chain("add_chain", _passes())


@functools.cache
def _passes():
    """Passes of the add chain that last long enough for the clock, with a margin for a core that speeds up."""
    trial = 1000
    ns = min(_time_chain("add_chain", trial) for _ in range(20))
    return int(trial * 1.2 * max(_CHAIN_NS, _CHAIN_TICKS * resolution_ns()) / ns) + 2


@functools.cache
def resolution_ns():
    """Nanoseconds in one tick of the clock."""
    stated = time.get_clock_info("perf_counter").resolution * 1e9
    if ISA == "aarch64":  # systems state 1 ns, but the counter behind it is slower
        return max(stated, 1e9 / helper("clock_rate")(0, 0, 0))
    return max(stated, _COARSE.get(_clock_source(), 0))


def clock_name():
    """What the clock is, as Python and Linux call it."""
    return " ".join(filter(None, [time.get_clock_info("perf_counter").implementation, _clock_source()]))


def _clock_source():
    return _read("/sys/devices/system/clocksource/clocksource0/current_clocksource")


@functools.cache
def pin():
    """Keep this process on one core: of the fastest kind, and not the first. Its number; None if that is impossible.

    Workers of one process share their core; those of different processes are spread, for a server has many users.
    """
    cores = _allowed_cores()
    slow = _slow_cores(cores)
    fast = [core for core in cores if core not in slow] or cores
    candidates = fast[1:] or fast
    core = candidates[os.getppid() % len(candidates)]
    return core if _pin_to(core) else None


def _allowed_cores():
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _slow_cores(cores):
    """Efficiency cores among `cores`, by what Linux tells (Intel: a list; Arm: each core's capacity)."""
    listed = {core for part in _read("/sys/devices/cpu_atom/cpus").split(",") if part for core in _span(part)}
    capacity = {core: int(_read(_CPUS / f"cpu{core}/cpu_capacity") or 0) for core in cores}
    return listed | {core for core in cores if capacity[core] < max(capacity.values())}


def _span(part):
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


def _pin_to(core):
    if hasattr(os, "sched_setaffinity"):
        try:
            os.sched_setaffinity(0, {core})
        except OSError:  # some containers forbid it
            return False
        return True
    if os.name == "nt" and core < 64:
        import ctypes

        this_process = ctypes.c_void_p(-1)
        return bool(ctypes.windll.kernel32.SetProcessAffinityMask(this_process, ctypes.c_size_t(1 << core)))
    return False


def _read(path):
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
