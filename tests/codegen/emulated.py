"""Run AArch64 code on any Linux host: many variants in one program, assembled by binutils, run by qemu-user.

All variants of a program have one order of bytes.
"""

import os
import shutil
import struct
import subprocess

TOOLS = ("aarch64-linux-gnu-as", "aarch64-linux-gnu-ld", "qemu-aarch64", "qemu-aarch64_be")
MISSING = [tool for tool in TOOLS if not shutil.which(tool)]
CAN_SKIP = MISSING and not os.environ.get("CI")
KEPT = range(19, 29)
KEPT_VECTORS = range(8, 16)  # their lower halves


def run(variants, folder):
    """For each Variant its words, its memories, and whether it left a register or the stack pointer changed."""
    data, places = bytearray(), [_lay_out(variant) for variant in variants]
    offsets = []
    for blocks in places:
        offsets.append([])
        for block in blocks:
            data += bytes(-len(data) % 64)
            offsets[-1].append(len(data))
            data += block
    (folder / "data.bin").write_bytes(data)
    (folder / "program.s").write_text(_program(variants, offsets, len(data)), encoding="utf-8")
    big = variants[0].code.encoding == "big"
    order, qemu = ("-EB", TOOLS[3]) if big else ("-EL", TOOLS[2])
    assemble = [TOOLS[0], order, "-march=armv8-a+crypto", "program.s", "-o", "program.o"]
    for command in (assemble, [TOOLS[1], order, "program.o", "-o", "program"]):
        subprocess.run(command, cwd=folder, check=True)
    left = subprocess.run([qemu, "program"], cwd=folder, check=True, capture_output=True).stdout
    return [_outcome(*all_of_one, left) for all_of_one in zip(variants, places, offsets, strict=True)]


def _lay_out(variant):
    """The bytes a call needs: a flag, the words, each memory."""
    memories = [struct.pack(f"<{len(m)}I", *m) for m in variant.memories]
    return [bytes(8), variant.code.pack(variant.words, variant.code.encoding), *memories]


def _outcome(variant, blocks, offsets, left):
    flag, words, *memories = (left[o : o + len(b)] for o, b in zip(offsets, blocks, strict=True))
    return (
        variant.code.unpack(words, variant.code.encoding),
        [list(struct.unpack(f"<{len(m) // 4}I", m)) for m in memories],
        flag != bytes(8),
    )


def _program(variants, offsets, size):
    calls = "\n".join(_call(n, v.count, o) for n, (v, o) in enumerate(zip(variants, offsets, strict=True)))
    routines = "\n".join(v.code.text(f"routine{n}") for n, v in enumerate(variants))
    return f"""\
.globl _start
_start:
{calls}
    mov x0, #1
    adrp x1, data
    add x1, x1, :lo12:data
    ldr x2, ={size}
    mov x8, #64         // write
    svc #0
    mov x0, #0
    mov x8, #93         // exit
    svc #0
    .ltorg
{routines}
.data
    .balign 4096
data: .incbin "data.bin"
"""


def _call(number, count, offsets):
    flag, *arguments = offsets
    registers = [0, *range(2, 2 + len(arguments))]
    return "\n".join([
        *(f"    mov x{n}, #{n}" for n in KEPT),
        *(f"    fmov d{n}, x{n + 11}" for n in KEPT_VECTORS),
        "    mov x29, sp",
        *(_address(r, o) for r, o in zip(registers, arguments, strict=False)),
        f"    mov x1, #{count}",
        f"    bl routine{number}",
        "    mov x10, sp",
        "    sub x9, x10, x29",
        *(f"    sub x10, x{n}, #{n}\n    orr x9, x9, x10" for n in KEPT),
        *(f"    fmov x10, d{n}\n    sub x10, x10, #{n + 11}\n    orr x9, x9, x10" for n in KEPT_VECTORS),
        _address(10, flag),
        "    str x9, [x10]",
    ])  # fmt: skip


def _address(register, offset):
    return f"    adrp x{register}, data+{offset}\n    add x{register}, x{register}, :lo12:data+{offset}"
