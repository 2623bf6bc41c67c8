"""AArch64 code on any machine: Debian's binutils assemble and link it, qemu-user runs it."""

import os
import shutil
import subprocess

import pytest

TOOLS = ("aarch64-linux-gnu-as", "aarch64-linux-gnu-ld", "qemu-aarch64")


def need_tools():
    """Skip the calling test where the tools are missing; fail it where CI=true."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        give_up = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        give_up(f"{', '.join(missing)} not found: apt-get install binutils-aarch64-linux-gnu qemu-user")


def call(folder, text, entry, arguments, sizes):
    """Call `entry` of an assembly text: (x0, contents of each buffer).

    `arguments`: ints, bytes (a buffer that starts with them), or the name of a label as ("label", name). `sizes`: bytes
    of each buffer to give back.
    """
    moves, data, buffers = [], [], 0
    for register, argument in enumerate(arguments):
        if isinstance(argument, bytes):
            moves.append(f"    adr x{register}, buffer{buffers}")
            data.append(f"    .p2align 4\nbuffer{buffers}: .byte {','.join(map(str, argument))}")
            buffers += 1
        elif isinstance(argument, tuple):
            moves.append(f"    adr x{register}, {argument[1]}")
        else:
            moves.append(f"    ldr x{register}, ={argument}")
    writes = [_write("result", 8), *(_write(f"buffer{number}", size) for number, size in enumerate(sizes))]
    store = ["    adr x9, result", "    str x0, [x9]", *writes, "    mov x0, #0", "    mov x8, #93", "    svc #0"]
    start = [".arch armv8-a+crypto", ".text", ".globl _start", "_start:", *moves, f"    bl {entry}", *store]
    source = "\n".join([*start, "    .p2align 4", "result: .skip 8", *data, "    .ltorg", "    .p2align 4", text])
    output = _run(folder, source)
    parts = [output[sum([8, *sizes[:n]]) : sum([8, *sizes[: n + 1]])] for n in range(len(sizes))]
    return int.from_bytes(output[:8], "little"), parts


def _write(label, size):
    return f"    mov x0, #1\n    adr x1, {label}\n    ldr x2, ={size}\n    mov x8, #64\n    svc #0"


def _run(folder, source):
    program = folder / "program"
    assembled = [TOOLS[0], "-o", f"{program}.o", "-"]
    subprocess.run(assembled, input=source.encode(), check=True)
    subprocess.run([TOOLS[1], "-N", "-o", program, f"{program}.o"], check=True)
    return subprocess.run([TOOLS[2], program], stdout=subprocess.PIPE, check=True, timeout=60).stdout
