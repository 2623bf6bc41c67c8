"""The machine-code helpers (x86_64.s, aarch64.s) as Python functions, in the worker process."""

import ctypes
import functools
import os
from pathlib import Path

from aesedu.native import assembler

NAMES = ("call", "loop", "add_chain", "multiply_chain", "cpuid", "xgetbv")


@functools.cache
def helper(name):
    """A helper as a ctypes function of up to three 64-bit words; it returns one."""
    word = ctypes.c_uint64
    windows = "_windows" if os.name == "nt" and assembler.ISA == "x86_64" else ""
    return ctypes.CFUNCTYPE(word, word, word, word)(code().address(f"aesedu_{name}{windows}"))


@functools.cache
def code():
    """The assembled helpers of this machine's instruction set, once a process."""
    text = Path(__file__).with_name(f"{assembler.ISA}.s").read_text(encoding="utf-8")
    if assembler.ISA != "x86_64":
        return assembler.Code(text)
    return assembler.Code(f".set AVX, {int(assembler.host_has('avx'))}\n{text}", wrappers=list(_windows_entries()))


def _windows_entries():
    """LLVM IR of doors from Windows' calling convention to System V, which the helpers have on every system."""
    words = "i64 %a, i64 %b, i64 %c"
    for name in NAMES:
        yield f"declare x86_64_sysvcc i64 @aesedu_{name}(i64, i64, i64)"
        yield f"define win64cc i64 @aesedu_{name}_windows({words}) {{"
        yield f"  %r = call x86_64_sysvcc i64 @aesedu_{name}({words})"
        yield "  ret i64 %r\n}"
