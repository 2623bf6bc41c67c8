"""The AArch64 micro-benchmarks of a core under qemu, one after another: they end and give back what they must."""

import aarch64_machine

from aesedu.bench.core_probes import probes


def test_all_run(tmp_path):
    aarch64_machine.need_tools()
    texts = [probe.text().replace("routine", f"probe{n}") for n, probe in enumerate(probes("aarch64"))]
    calls = "\n".join(f"    mov x0, x19\n    bl probe{n}" for n in range(len(texts)))
    keep = "stp x19, x30, [sp, #-16]!\n    fmov d8, x30\n    mov x19, x0"
    back = "fmov x0, d8\n    ldp x19, x30, [sp], #16\n    sub x0, x0, x30"
    main = f"all:\n    {keep}\n{calls}\n    {back}\n    ret"
    value, _ = aarch64_machine.call(tmp_path, "\n".join([main, *texts]), "all", [bytes(64)], [64])
    assert len(texts) > 40 and value == 0
