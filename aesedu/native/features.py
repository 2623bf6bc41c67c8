"""What this machine's processor can do, asked of the processor itself (x86) or of the operating system (AArch64).

The environment variable AESEDU_MASK_FEATURES ("aes,pclmulqdq") hides features, to try out what a machine without them
shows. It changes what `features` answers, not what the processor executes.
"""

import ctypes
import functools
import os
import re
import sys

from aesedu.native.assembler import ISA
from aesedu.native.helpers import helper
from aesedu.native.worker import worker

# Intel SDM volume 2A, CPUID: leaf, register and bit of each feature.
_CPUID = {
    "sse2": (1, "edx", 26), "sse3": (1, "ecx", 0), "pclmulqdq": (1, "ecx", 1), "ssse3": (1, "ecx", 9),
    "fma": (1, "ecx", 12), "sse4.1": (1, "ecx", 19), "sse4.2": (1, "ecx", 20), "movbe": (1, "ecx", 22),
    "popcnt": (1, "ecx", 23), "aes": (1, "ecx", 25), "avx": (1, "ecx", 28), "avx2": (7, "ebx", 5),
    "bmi1": (7, "ebx", 3), "bmi2": (7, "ebx", 8), "avx512f": (7, "ebx", 16), "avx512dq": (7, "ebx", 17),
    "adx": (7, "ebx", 19), "sha": (7, "ebx", 29), "avx512bw": (7, "ebx", 30), "avx512vl": (7, "ebx", 31),
    "avx512vbmi": (7, "ecx", 1), "avx512vbmi2": (7, "ecx", 6), "gfni": (7, "ecx", 8), "vaes": (7, "ecx", 9),
    "vpclmulqdq": (7, "ecx", 10),
}  # fmt: skip
# Intel SDM volume 1, 13.3: XCR0 tells which registers the operating system saves.
_OSXSAVE = 27  # bit of leaf 1 ecx
_YMM, _ZMM = 0x06, 0xE6
_NEED_YMM = {"avx", "avx2", "fma", "vaes", "vpclmulqdq"}
# Linux asm/hwcap.h for AArch64: bit of AT_HWCAP. macOS sysctl names. Windows: one flag for the Cryptographic Extension.
_AT_HWCAP = 16
_HWCAP = {"asimd": 1, "aes": 3, "pmull": 4, "sha1": 5, "sha2": 6, "crc32": 7, "sha3": 17, "sha512": 21, "sve": 22}
_FEAT = {"aes": "AES", "pmull": "PMULL", "sha1": "SHA1", "sha2": "SHA256", "crc32": "CRC32", "sha3": "SHA3"}
_PF_ARM_V8_CRYPTO = 30
# What a text's instructions need, for the explanation of an illegal one.
_NEEDS = {
    "x86_64": {
        "aes": r"v?aes\w+",
        "pclmulqdq": r"v?pclmul\w+",
        "ssse3": r"v?(pshufb|palignr)",
        "avx": r"v[a-z]\w+",
        "avx2": r"v\w+\s.*%ymm",
        "avx512f": r"v\w+\s.*%zmm",
        "vaes": r"vaes\w+\s.*%[yz]mm",
        "vpclmulqdq": r"vpclmul\w+\s.*%[yz]mm",
        "gfni": r"v?gf2p8\w+",
        "bmi2": r"(mulx|pdep|pext|rorx|sarx|shlx|shrx)\w*",
    },
    "aarch64": {"aes": r"aes\w+", "pmull": r"pmull2?\s.*1q", "sha2": r"sha256\w+", "sha3": r"eor3|bcax|rax1|xar"},
}


def features():
    """Lower-case names of the instruction-set features that processor and operating system offer, as a frozenset."""
    masked = os.environ.get("AESEDU_MASK_FEATURES", "").lower().replace(" ", "").split(",")
    return frozenset(_detected()).difference(masked)


def lacking(text, able=None):
    """Features that instructions of an assembly text need and this machine (or `able`) does not have, sorted."""
    needed = {name for name, form in _NEEDS[ISA].items() if re.search(rf"(?m)^\s*([\w.$]+:\s*)?({form})", text)}
    return sorted(needed.difference(_detected() if able is None else able))


@functools.cache
def _detected():
    return worker().call("aesedu.native.features:detect", deadline=60.0)


def detect():
    """The child's half of `features`, without the mask: a sorted list."""
    if ISA == "x86_64":
        return sorted(_detect_x86())
    if ISA != "aarch64":
        return []
    return sorted({"linux": _detect_linux, "darwin": _detect_macos}.get(sys.platform, _detect_windows)())


def _detect_x86():
    names = {name for name, place in _CPUID.items() if _bit(*place)}
    saved = helper("xgetbv")(0, 0, 0) if _bit(1, "ecx", _OSXSAVE) else 0
    if saved & _YMM != _YMM:
        names -= _NEED_YMM
    if saved & _ZMM != _ZMM:
        names = {name for name in names if not name.startswith("avx512")}
    return names


def _bit(leaf, register, bit):
    return leaf <= _cpuid(0)["eax"] and _cpuid(leaf)[register] >> bit & 1


@functools.cache
def _cpuid(leaf):
    out = (ctypes.c_uint32 * 4)()
    helper("cpuid")(leaf, 0, ctypes.addressof(out))
    return dict(zip(("eax", "ebx", "ecx", "edx"), out, strict=True))


def _detect_linux():
    getauxval = ctypes.CDLL(None).getauxval
    getauxval.restype, getauxval.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    return {name for name, bit in _HWCAP.items() if getauxval(_AT_HWCAP) >> bit & 1}


def _detect_macos():
    return {"asimd"} | {name for name, feat in _FEAT.items() if _sysctl(f"hw.optional.arm.FEAT_{feat}")}


def _sysctl(name):
    """An integer that macOS tells, 0 where it does not."""
    size, out = ctypes.c_size_t(8), ctypes.c_uint64(0)
    ctypes.CDLL(None).sysctlbyname(name.encode(), ctypes.byref(out), ctypes.byref(size), None, ctypes.c_size_t(0))
    return out.value


def _detect_windows():
    crypto = ctypes.windll.kernel32.IsProcessorFeaturePresent(_PF_ARM_V8_CRYPTO)
    return {"asimd"} | ({"aes", "pmull", "sha1", "sha2"} if crypto else set())
