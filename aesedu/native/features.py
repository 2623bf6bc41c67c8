"""What this machine's processor can do and is called, asked of the processor (x86) or the operating system (AArch64).

The environment variable AESEDU_MASK_FEATURES ("aes,pclmulqdq") hides features, to try out what a machine without them
shows. It changes what `features` answers, not what the processor executes.
"""

import ctypes
import functools
import os
import re
import sys
from pathlib import Path

from aesedu.native.assembler import ISA
from aesedu.native.helpers import helper
from aesedu.native.worker import worker

# Intel SDM volume 2A, CPUID: (leaf, register) -> bit of each feature.
_CPUID = {
    (1, "edx"): {"sse2": 26},
    (1, "ecx"): {
        "sse3": 0,
        "pclmulqdq": 1,
        "ssse3": 9,
        "fma": 12,
        "sse4.1": 19,
        "sse4.2": 20,
        "movbe": 22,
        "popcnt": 23,
    }
    | {"aes": 25, "avx": 28},
    (7, "ebx"): {"bmi1": 3, "avx2": 5, "bmi2": 8, "avx512f": 16, "avx512dq": 17, "adx": 19, "sha": 29, "avx512bw": 30}
    | {"avx512vl": 31},
    (7, "ecx"): {"avx512vbmi": 1, "avx512vbmi2": 6, "gfni": 8, "vaes": 9, "vpclmulqdq": 10},
}
# Intel SDM volume 1, 13.3: XCR0 tells which registers the operating system saves.
_OSXSAVE, _HYPERVISOR = 27, 31  # bits of leaf 1 ecx
_YMM, _ZMM = 0x06, 0xE6
_NEED_YMM = {"avx", "avx2", "fma", "vaes", "vpclmulqdq"}
# Linux asm/hwcap.h for AArch64: bit of AT_HWCAP. macOS sysctl names. Windows: one flag for the Cryptographic Extension.
_AT_HWCAP = 16
_HWCAP = {"asimd": 1, "aes": 3, "pmull": 4, "sha1": 5, "sha2": 6, "crc32": 7, "sha3": 17, "sha512": 21, "sve": 22}
_FEAT = {"aes": "AES", "pmull": "PMULL", "sha1": "SHA1", "sha2": "SHA256", "crc32": "CRC32", "sha3": "SHA3"}
_PF_ARM_V8_CRYPTO = 30
# MIDR_EL1 implementer and part numbers (Arm, Cavium)
_PARTS = {(0x41, 0xD03): "Cortex-A53", (0x41, 0xD07): "Cortex-A57", (0x41, 0xD08): "Cortex-A72"}
_PARTS |= {(0x41, 0xD0B): "Cortex-A76", (0x41, 0xD0C): "Neoverse N1", (0x41, 0xD40): "Neoverse V1"}
_PARTS |= {(0x41, 0xD49): "Neoverse N2", (0x41, 0xD4F): "Neoverse V2", (0x43, 0x0AF): "ThunderX2"}
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
    return frozenset(_processor()["features"]).difference(masked)


def cpu_name():
    """The processor's name for people."""
    return _processor()["name"]


def virtual_machine():
    """Name of the hypervisor this system runs under ("KVM"), or "" where none shows itself."""
    return _processor()["hypervisor"]


def lacking(text):
    """Features that instructions of an assembly text need and this machine does not have, sorted."""
    needed = {name for name, form in _NEEDS[ISA].items() if re.search(rf"(?m)^\s*([\w.$]+:\s*)?({form})", text)}
    return sorted(needed.difference(_processor()["features"]))


@functools.cache
def _processor():
    return worker().call("aesedu.native.features:detect", deadline=60.0)


def detect():
    """The child's half: features, name and hypervisor of this machine."""
    return _detect_x86() if ISA == "x86_64" else _detect_arm()


def _detect_x86():
    names = {
        name for (leaf, register), bits in _CPUID.items() for name, bit in bits.items() if _bit(leaf, register, bit)
    }
    saved = helper("xgetbv")(0, 0, 0) if _bit(1, "ecx", _OSXSAVE) else 0
    if saved & _YMM != _YMM:
        names -= _NEED_YMM
    if saved & _ZMM != _ZMM:
        names = {name for name in names if not name.startswith("avx512")}
    brand = "".join(_letters(leaf, "eax", "ebx", "ecx", "edx") for leaf in (0x80000002, 0x80000003, 0x80000004))
    hypervisor = (_letters(0x40000000, "ebx", "ecx", "edx") or "unnamed") if _bit(1, "ecx", _HYPERVISOR) else ""
    return {"features": sorted(names), "name": " ".join(brand.split()), "hypervisor": hypervisor}


def _bit(leaf, register, bit):
    return leaf <= _cpuid(0)["eax"] and _cpuid(leaf)[register] >> bit & 1


def _letters(leaf, *registers):
    return (
        b"".join(_cpuid(leaf)[register].to_bytes(4, "little") for register in registers).decode("latin-1").strip("\0 ")
    )


@functools.cache
def _cpuid(leaf):
    out = (ctypes.c_uint32 * 4)()
    helper("cpuid")(leaf, 0, ctypes.addressof(out))
    return dict(zip(("eax", "ebx", "ecx", "edx"), out, strict=True))


def _detect_arm():
    detect = {"linux": _detect_arm_linux, "darwin": _detect_arm_macos}.get(sys.platform, _detect_arm_windows)
    names, name, hypervisor = detect()
    return {"features": sorted(names), "name": name, "hypervisor": hypervisor}


def _detect_arm_linux():
    getauxval = ctypes.CDLL(None).getauxval
    getauxval.restype, getauxval.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    names = {name for name, bit in _HWCAP.items() if getauxval(_AT_HWCAP) >> bit & 1}
    product = _read("/sys/class/dmi/id/sys_vendor") + " " + _read("/sys/class/dmi/id/product_name")
    known = re.search("QEMU|KVM|VMware|VirtualBox|Xen|Amazon EC2|Google|Microsoft|Parallels|Apple", product)
    return names, _arm_core(_read("/proc/cpuinfo")), known[0] if known and "metal" not in product else ""


def _arm_core(cpuinfo):
    """Names of the kinds of core that /proc/cpuinfo lists."""
    ids = re.findall(r"CPU implementer\s*: (\w+)(?:(?!processor).)*?CPU part\s*: (\w+)", cpuinfo, re.DOTALL)
    kinds = {(int(implementer, 0), int(part, 0)) for implementer, part in ids}
    return " + ".join(_PARTS.get(kind, "Arm core {:#x}/{:#x}".format(*kind)) for kind in sorted(kinds)) or "Arm"


def _detect_arm_macos():
    names = {name for name, feat in _FEAT.items() if _sysctl(f"hw.optional.arm.FEAT_{feat}") == b"\1\0\0\0"}
    virtual = _sysctl("kern.hv_vmm_present").startswith(b"\1")
    return {"asimd", *names}, _sysctl("machdep.cpu.brand_string").rstrip(b"\0").decode(), "Apple" if virtual else ""


def _sysctl(name):
    size, out = ctypes.c_size_t(256), ctypes.create_string_buffer(256)
    failed = ctypes.CDLL(None).sysctlbyname(name.encode(), out, ctypes.byref(size), None, ctypes.c_size_t(0))
    return b"" if failed else out.raw[: size.value]


def _detect_arm_windows():
    crypto = ctypes.windll.kernel32.IsProcessorFeaturePresent(_PF_ARM_V8_CRYPTO)
    return (
        {"asimd"} | ({"aes", "pmull", "sha1", "sha2"} if crypto else set()),
        os.environ.get("PROCESSOR_IDENTIFIER", ""),
        "",
    )


def _read(path):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
    except OSError:
        return ""
