"""Features, against what the operating system and LLVM say."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from aesedu import native
from aesedu.native.assembler import ISA
from aesedu.native.features import lacking

LINUX = {"sse3": "pni", "sse4.1": "sse4_1", "sse4.2": "sse4_2", "sha": "sha_ni", "avx512vbmi2": "avx512_vbmi2"}
LLVM = {"pclmulqdq": "pclmul", "bmi1": "bmi"}


@pytest.fixture(autouse=True)
def unmasked(monkeypatch):
    """The suite's tests may run with a mask, to try out another machine."""
    monkeypatch.delenv("AESEDU_MASK_FEATURES", raising=False)


@pytest.mark.skipif(ISA != "x86_64" or sys.platform != "linux", reason="x86-64 Linux")
def test_agree_with_linux():
    flags = set(
        re.search(r"^flags\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)[1].split()
    )
    from aesedu.native.features import _CPUID

    for name in _CPUID:
        assert (name in native.features()) == (LINUX.get(name, name) in flags), name


@pytest.mark.skipif(ISA != "x86_64", reason="LLVM names AArch64's otherwise")
def test_agree_with_llvm():
    import llvmlite.binding as llvm

    theirs = llvm.get_host_cpu_features()
    assert native.features() == {name for name in native.features() if theirs[LLVM.get(name, name)]}
    assert "sse2" in native.features()


def test_a_mask_hides_features(monkeypatch):
    everything = native.features()
    first, second, *_ = sorted(everything)
    monkeypatch.setenv("AESEDU_MASK_FEATURES", f"{first.upper()}, {second},nonsense")
    assert everything - native.features() == {first, second}


@pytest.mark.skipif(ISA != "x86_64", reason="x86-64 texts")
def test_what_a_text_lacks(monkeypatch):
    module = importlib.import_module("aesedu.native.features")  # as an attribute, `features` is the function
    monkeypatch.setattr(module, "_detected", lambda: ["sse2", "ssse3"])
    assert lacking("routine:\n  pshufb %xmm0, %xmm1\n  paddd %xmm0, %xmm1\n  ret") == []
    assert lacking("routine: aesenc %xmm0, %xmm1") == ["aes"]
    assert lacking("  vaesenc %zmm0, %zmm1, %zmm1") == ["aes", "avx", "avx512f", "vaes"]
    assert lacking("  # aesenc") == []
