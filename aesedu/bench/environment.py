"""Where a measurement was taken: the processor, the system around it, its clock, and the day."""

import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGES = ("aesedu", "numpy", "numba", "llvmlite", "cryptography")
# (implementer, part) of AArch64's MIDR_EL1, which Linux gives as numbers only; the cores that the suite speaks of.
ARM_CORES = {
    (0x41, 0xD03): "Cortex-A53",
    (0x41, 0xD07): "Cortex-A57",
    (0x41, 0xD08): "Cortex-A72",
    (0x41, 0xD0B): "Cortex-A76",
    (0x41, 0xD0C): "Neoverse-N1",
    (0x41, 0xD40): "Neoverse-V1",
    (0x41, 0xD49): "Neoverse-N2",
    (0x41, 0xD4F): "Neoverse-V2",
    (0x43, 0x0AF): "ThunderX2",
}
_DEVICES = Path("/sys/devices")
_X86_KINDS = {"performance": "cpu_core", "efficiency": "cpu_atom"}
_HYPERVISORS = r"KVM|QEMU|VMware|VirtualBox|Xen|Microsoft Corporation|Amazon EC2|Google|Parallels|Bochs|OpenStack"


def where():
    """Return the "where" of a Measurement as a dict; the keys are in data/measurement.schema.json.

    What the system does not tell is None. The calibration is made anew, so that its drift is of now.
    """
    from aesedu import native

    calibration = native.calibrate()
    return {
        **machine(),
        "features": sorted(native.features()),
        "clock": calibration.clock,
        "core_hz": calibration.hz,
        "imul_hz": calibration.imul_hz,
        "drift": calibration.drift,
        "core_kind": core_kind(set() if calibration.core is None else {calibration.core}),
        "power": power(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


@cache
def machine():
    """Return what stays the same while the process runs: cpu, os, virtual_machine, packages."""
    return {
        "cpu": cpu_name(),
        "os": f"{platform.system()} {platform.release()} {platform.machine()}",
        "virtual_machine": virtual_machine(),
        "packages": {"python": platform.python_version()} | {p: found for p in PACKAGES if (found := version(p))},
    }


def cpu_name():
    """Return the processor's name as its maker gives it."""
    if sys.platform == "darwin":
        return _sysctl("machdep.cpu.brand_string") or platform.machine()
    if sys.platform == "win32":
        return _registry(r"HARDWARE\DESCRIPTION\System\CentralProcessor\0", "ProcessorNameString")
    return _linux_cpu_name(_text("/proc/cpuinfo"))


def _linux_cpu_name(cpuinfo):
    if name := re.search(r"^model name\s*: (.+)$", cpuinfo, re.MULTILINE):
        return name[1].strip()
    number = r"^CPU {}\s*: (0x[0-9a-f]+)$"
    codes = [re.search(number.format(each), cpuinfo, re.MULTILINE) for each in ("implementer", "part")]
    if not all(codes):
        return platform.processor() or platform.machine()
    implementer, part = (int(code[1], 16) for code in codes)
    return ARM_CORES.get((implementer, part), f"Arm implementer {implementer:#x} part {part:#x}")


def virtual_machine():
    """Return the virtual machine's maker (True: nameless), False on bare metal, None where that is not told."""
    if sys.platform == "darwin":
        return {"1": True, "0": False}.get(_sysctl("kern.hv_vmm_present"))
    if sys.platform == "win32":
        bios = r"HARDWARE\DESCRIPTION\System\BIOS"
        return _maker(" ".join(_registry(bios, name) for name in ("SystemManufacturer", "SystemProductName")))
    flags = re.search(r"^flags\s*:.*", _text("/proc/cpuinfo"), re.MULTILINE)
    if flags and " hypervisor" not in flags[0]:
        return False
    names = [f"/sys/class/dmi/id/{name}" for name in ("sys_vendor", "product_name")]
    return _maker(" ".join(map(_text, ["/sys/hypervisor/type", *names]))) or (True if flags else None)


def _maker(names):
    """Return the hypervisor that the names speak of, or None. A Microsoft laptop (Surface) is none."""
    found = re.search(_HYPERVISORS, names, re.IGNORECASE)
    return found[0] if found and "Surface" not in names else None


def core_kind(cpus):
    """Return "performance", "efficiency" or "mixed" for a set of core numbers of a hybrid processor.

    None where all cores are alike or the system does not tell; only Linux tells it of single cores.
    """
    if sys.platform == "darwin" and _sysctl("hw.nperflevels") not in ("", "1"):
        return "mixed"  # macOS moves threads between the two kinds and cannot be asked to pin one
    kinds = {kind for kind, members in _hybrid_cores().items() if members & cpus}
    return kinds.pop() if len(kinds) == 1 else "mixed" if kinds else None


def _hybrid_cores():
    """Return the core numbers of each kind: from x86's two core types, or from Arm's stated capacities."""
    kinds = {kind: _numbers(_text(_DEVICES / name / "cpus")) for kind, name in _X86_KINDS.items()}
    files = (_DEVICES / "system/cpu").glob("cpu[0-9]*/cpu_capacity")
    capacities = {int(file.parent.name.removeprefix("cpu")): int(_text(file)) for file in files}
    if len(set(capacities.values())) > 1:
        top = max(capacities.values())
        kinds["performance"] = {cpu for cpu, capacity in capacities.items() if capacity == top}
        kinds["efficiency"] = set(capacities) - kinds["performance"]
    return kinds


def _numbers(ranges):
    """Return the set that Linux writes as "0-3,8"."""
    ends = (part.split("-") for part in ranges.split(",") if part)
    return {number for end in ends for number in range(int(end[0]), int(end[-1]) + 1)}


def power():
    """Return "mains" or "battery", or None where there is no battery or the system does not tell."""
    import psutil

    try:
        battery = psutil.sensors_battery()
    except Exception:  # psutil lacks it, or fails where a container has no /sys/class/power_supply: not told
        return None
    if battery is None or battery.power_plugged is None:
        return None
    return "mains" if battery.power_plugged else "battery"


def version(package):
    """Return the version of an installed package, None where it is missing."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _text(path):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _sysctl(name):
    try:
        done = subprocess.run(["sysctl", "-n", name], capture_output=True, encoding="utf-8", check=False)
    except OSError:  # /usr/sbin is not on everybody's path
        return ""
    return done.stdout.strip()


def _registry(key, name):
    import winreg

    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as opened:
            return str(winreg.QueryValueEx(opened, name)[0]).strip()
    except OSError:
        return ""
