"""What Linux tells of a machine, in the words of machines that are not this one."""

import psutil
import pytest

from aesedu.bench import environment

ARM = "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: {}\nCPU architecture: 8\nCPU part\t: {}\n"


@pytest.mark.parametrize(
    ("cpuinfo", "name"),
    [
        ("model name\t: Intel(R) Core(TM)2 Duo CPU\nflags\t: fpu\n", "Intel(R) Core(TM)2 Duo CPU"),
        (ARM.format("0x41", "0xd03"), "Cortex-A53"),
        (ARM.format("0x43", "0x0af"), "ThunderX2"),
        (ARM.format("0x41", "0xfff"), "Arm implementer 0x41 part 0xfff"),
    ],
)
def test_cpu_name(cpuinfo, name):
    assert environment._linux_cpu_name(cpuinfo) == name


def devices(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("files", "cpus", "kind"),
    [
        ({}, {3}, None),
        ({"cpu_core/cpus": "0-3,8\n", "cpu_atom/cpus": "4-7\n"}, {8}, "performance"),
        ({"cpu_core/cpus": "0-3,8\n", "cpu_atom/cpus": "4-7\n"}, {5}, "efficiency"),
        ({"cpu_core/cpus": "0-3,8\n", "cpu_atom/cpus": "4-7\n"}, {3, 4}, "mixed"),
        ({f"system/cpu/cpu{n}/cpu_capacity": c for n, c in enumerate(("446", "1024"))}, {0}, "efficiency"),
        ({f"system/cpu/cpu{n}/cpu_capacity": "1024" for n in range(2)}, {0}, None),
    ],
)
def test_core_kind(tmp_path, monkeypatch, files, cpus, kind):
    monkeypatch.setattr(environment, "_DEVICES", devices(tmp_path, files))
    monkeypatch.setattr(environment.sys, "platform", "linux")
    assert environment.core_kind(cpus) == kind


@pytest.mark.parametrize(
    ("names", "maker"),
    [("QEMU Standard PC", "QEMU"), ("Microsoft Corporation Surface Pro", None), ("LENOVO 20XW", None), ("", None)],
)
def test_maker_of_the_virtual_machine(names, maker):
    assert environment._maker(names) == maker


def test_what_the_system_refuses_to_tell_is_left_out(monkeypatch):
    def refuse(*_, **__):
        raise FileNotFoundError("/sys/class/power_supply")

    monkeypatch.setattr(psutil, "sensors_battery", refuse, raising=False)
    assert environment.power() is None
    monkeypatch.setattr(environment.subprocess, "run", refuse)
    assert environment._sysctl("hw.nperflevels") == ""
