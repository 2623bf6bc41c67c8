"""Packages whose names load on first use: every name that is announced can be had, and no other."""

import importlib
import subprocess
import sys

import pytest

PACKAGES = ["aesedu", "aesedu.bench", "aesedu.native"]


@pytest.mark.parametrize("name", PACKAGES)
def test_announced_names_can_be_had(name):
    package = importlib.import_module(name)
    assert all(hasattr(package, each) for each in dir(package))
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        _ = package.nothing


def test_a_name_loads_its_own_module_alone():
    code = "import sys, aesedu; aesedu.InvalidTag; print(*{'numpy', 'numba', 'pandas'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
