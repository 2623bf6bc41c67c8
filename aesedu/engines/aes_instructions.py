"""AES with the processor's AES instructions, one block at a time: the first routine in assembled text.

x86-64: AESENC and its relatives take the state through a whole round and add the key last (Intel SDM volume 2A).
AArch64: AESE adds the key first, AESMC mixes the columns (Arm ARM, C7.2); so the last key is added by an EOR.
"""

from aesedu import native
from aesedu.cipher.key_schedule import equivalent_inverse, expand_key
from aesedu.native.assembler import ISA

_STEP = {"x86_64": {"enc": "aesenc", "dec": "aesdec"}, "aarch64": {"enc": ("aese", "aesmc"), "dec": ("aesd", "aesimc")}}


def reason():
    """Why this engine cannot run here, "" where it can."""
    if ISA not in _STEP:
        return f"there is no text for {ISA}"
    return "" if "aes" in native.features() else "this processor has no AES instructions"


def text(isa, direction, rounds):
    """Assembly of routine(destination, source, blocks, round keys) for "x86_64" or "aarch64", "enc" or "dec"."""
    return {"x86_64": _x86_64, "aarch64": _aarch64}[isa](_STEP[isa][direction], rounds)


def _x86_64(step, rounds):
    middle = "\n".join(f"    {step} {16 * n}(%rcx), %xmm0".ljust(36) + f"# round {n}" for n in range(1, rounds))
    return f"""\
# rdi = destination, rsi = source, rdx = number of blocks, rcx = round keys
.globl routine
    .p2align 6
routine:
    movdqu (%rsi), %xmm0            # a block
    pxor (%rcx), %xmm0              # key 0
{middle}
    {step}last {16 * rounds}(%rcx), %xmm0     # round {rounds} leaves the columns alone
    movdqu %xmm0, (%rdi)
    add $16, %rsi
    add $16, %rdi
    dec %rdx
    jnz routine
    ret
"""


def _aarch64(step, rounds):
    add_key, mix = step
    middle = "\n".join(
        f"    ld1 {{v1.16b}}, [x4], #16\n"
        f"    {add_key} v0.16b, v1.16b       // key {n}, then the bytes and rows of round {n + 1}\n"
        f"    {mix} v0.16b, v0.16b      // and its columns"
        for n in range(rounds - 1)
    )
    return f"""\
// x0 = destination, x1 = source, x2 = number of blocks, x3 = round keys
.globl routine
    .p2align 6
routine:
    mov x4, x3
    ld1 {{v0.16b}}, [x1], #16    // a block
{middle}
    ld1 {{v1.16b, v2.16b}}, [x4]
    {add_key} v0.16b, v1.16b       // key {rounds - 1}; round {rounds} leaves the columns alone
    eor v0.16b, v0.16b, v2.16b // key {rounds}
    st1 {{v0.16b}}, [x0], #16
    subs x2, x2, #1
    b.ne routine
    ret
"""


def ecb_encrypt(key, data):
    """ECB encryption (SP 800-38A 6.1) in the worker; raises ValueError or TypeError for a wrong key, NativeError."""
    return _ecb("enc", key, data)


def ecb_decrypt(key, data):
    """ECB decryption (SP 800-38A 6.1) by the equivalent inverse cipher; errors as `ecb_encrypt`."""
    return _ecb("dec", key, data)


def _ecb(direction, key, data):
    if not data:
        return b""
    return native.run(*_call(direction, key, data)).buffers[0]


def _call(direction, key, data):
    """Text and arguments that put `data` through the cipher; the result comes back in the first buffer."""
    keys = expand_key(key) if direction == "enc" else equivalent_inverse(expand_key(key))
    buffers = [native.Buffer(bytes(len(data))), native.Buffer(data)]
    return text(ISA, direction, len(keys) - 1), [*buffers, len(data) // 16, native.Buffer(b"".join(keys))]


def prepare(direction, key, size, placement):
    """The timed form: run(count) puts `size` bytes through the cipher `count` times, in a machine-code loop."""
    from aesedu.native.run import prepare

    return prepare(*_call(direction, key, bytes(size)), placement=placement)
