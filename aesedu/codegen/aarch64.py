"""AArch64 (A64): templates, register views, what its addresses cannot do, and AES in its own order."""

from aesedu.codegen.template import Address, Target
from aesedu.routine import ops, vectors
from aesedu.routine.recording import Value
from aesedu.routine.symbol import Memory, Symbol

_NO_HIGH_BITS = vectors.vector(bytes([0x8F] * 16))  # TBL gives 0 for any place above 15, PSHUFB only above 127


class AArch64(Target):
    """Little endian, AAPCS64. x18 belongs to the platform, x16 and x17 are ours between instructions."""

    name, encoding = "aarch64", "little"
    registers = {
        "word": tuple(f"x{i}" for i in (*range(16), *range(19, 29))),
        "vector": tuple(f"v{i}" for i in (*range(8), *range(16, 32), *range(8, 16))),
    }
    kept = (*(f"x{i}" for i in range(19, 29)), *(f"v{i}" for i in range(8, 16)))  # of v8 to v15, the lower half
    arguments = tuple(f"x{i}" for i in range(8))
    scratch = ("x16", "x17")
    stack = "sp"
    return_address = 0
    views = {32: "w", 64: "x", 128: "q"}
    finest = 16  # bytes: far offsets of vectors are multiples of this
    rows = {
        "xor": "eor {d:?}, {a:?}, {b:?}",
        "and": "and {d:?}, {a:?}, {b:?}",
        "or": "orr {d:?}, {a:?}, {b:?}",
        "add": "add {d:?}, {a:?}, {b:?i}",
        "sub": "sub {d:?}, {a:?}, {b:?i}",
        "mul": "mul {d:?}, {a:?}, {b:?}",
        "invert": "mvn {d:?}, {a:?}",
        "shl": "lsl {d:?}, {a:?}, {n}",
        "shr": "lsr {d:?}, {a:?}, {n}",
        "rotr": "ror {d:?}, {a:?}, {n}",
        "bswap": "rev {d:?}, {a:?}",
        "byte0": "ubfx {d:?}, {a:?}, #0, #8",
        "byte1": "ubfx {d:?}, {a:?}, #8, #8",
        "join16": "bfi {d:?}, {b:?}, #0, #16",
        "low32": "mov {d:w}, {a:w}",
        "widen": "mov {d:w}, {a:w}",
        "const.w": "movz {d:w}, {n:0}\nmovk {d:w}, {n:1}, lsl #16",
        "const.x": "movz {d:x}, {n:0}\nmovk {d:x}, {n:1}, lsl #16\n"
        "movk {d:x}, {n:2}, lsl #32\nmovk {d:x}, {n:3}, lsl #48",
        "load32": "ldr {d:w}, {m}",
        "load64": "ldr {d:x}, {m}",
        "store32": "str {v:w}, {to}",
        "store64": "str {v:x}, {to}",
        "advance": "add {d:x}, {m:+}",
        "copy": "mov {d:?}, {a:?}",
        "reload": "ldr {d:?}, {m}",
        "spill": "str {a:?}, {to}",
        "fetch": "ldr x16, {m}",
        "put": "str x16, {to}",
        "enter": "sub sp, sp, {n}",
        "leave": "add sp, sp, {n}",
        "test": "cbz {a:x}, 2f",
        "test in frame": "ldr x16, {m}\ncbz x16, 2f",
        "count": "subs {d:x}, {d:x}, #1\nb.ne 1b",
        "count in frame": "ldr x16, {to}\nsubs x16, x16, #1\nstr x16, {to}\nb.ne 1b",
        "return": "ret",
        "xor.v": "eor {d:v}.16b, {a:v}.16b, {b:v}.16b",
        "and.v": "and {d:v}.16b, {a:v}.16b, {b:v}.16b",
        "or.v": "orr {d:v}.16b, {a:v}.16b, {b:v}.16b",
        "add32": "add {d:v}.4s, {a:v}.4s, {b:v}.4s",
        "add64": "add {d:v}.2d, {a:v}.2d, {b:v}.2d",
        "shl64": "shl {d:v}.2d, {a:v}.2d, {n}",
        "shr64": "ushr {d:v}.2d, {a:v}.2d, {n}",
        "align": "ext {d:v}.16b, {b:v}.16b, {a:v}.16b, {n}",
        "swap64": "ext {d:v}.16b, {a:v}.16b, {a:v}.16b, #8",
        "bswap128": "rev64 {d:v}.16b, {a:v}.16b\next {d:v}.16b, {d:v}.16b, {d:v}.16b, #8",
        "pshufb": "tbl {d:v}.16b, {{a:v}.16b}, {b:v}.16b",
        "clmul_low": "pmull {d:v}.1q, {a:v}.1d, {b:v}.1d",
        "clmul_high": "pmull2 {d:v}.1q, {a:v}.2d, {b:v}.2d",
        "aese": "aese {d:v}.16b, {b:v}.16b",
        "aesd": "aesd {d:v}.16b, {b:v}.16b",
        "aesmc": "aesmc {d:v}.16b, {a:v}.16b",
        "aesimc": "aesimc {d:v}.16b, {a:v}.16b",
        "aese_aesmc": "aese {d:v}.16b, {b:v}.16b\naesmc {d:v}.16b, {d:v}.16b",  # together, so that cores fuse them
        "aesd_aesimc": "aesd {d:v}.16b, {b:v}.16b\naesimc {d:v}.16b, {d:v}.16b",
        "insert32": "ins {d:v}.s[{n:n}], {w:w}",
        "load128": "ldr {d:q}, {m}",
        "store128": "str {v:q}, {to}",
        "const.v": "ldr {d:q}, {m}",
        "copy.v": "mov {d:v}.16b, {a:v}.16b",
    }

    def meanings(self, recorder):
        """No index together with an offset, no far offsets, rotations to the right only; vectors as in `_rounds`."""
        known = {}

        def beyond(m, at):
            """The address `at` words after `m`, computed once: an `add` holds 12 bits, or 12 bits times 4096."""
            at += m.offset
            if (m.value, at) not in known:
                start = Memory(recorder, m.value)
                coarse = ops.advance(start, at - at % 1024) if at >= 1024 else start
                known[m.value, at] = ops.advance(coarse, at % 1024) if at % 1024 else coarse
            return known[m.value, at]

        def reach(m, at, size):
            """Memory and offset of an access: a multiple of its size, or a near one."""
            offset = 4 * (at + m.offset)
            return (m, at) if offset < 256 or offset % size == 0 and offset < 4096 * size else (beyond(m, at), 0)

        def load32(m, i, at):
            m, at = (beyond(m, at), 0) if isinstance(i, Symbol) else reach(m, at, 4)
            return ops.load32(m, i, at)

        return {
            "rotl": lambda a, n: ops.rotr(a, -n % a.value.type.bits),
            "advance": beyond,
            "load32": load32,
            "load64": lambda m, at: ops.load64(*reach(m, at, 8)),
            "store32": lambda m, at, v: ops.store32(*reach(m, at, 4), v),
            "store64": lambda m, at, v: ops.store64(*reach(m, at, 8), v),
            "load128": lambda m, at: vectors.load128(*reach(m, at, self.finest)),
            "store128": lambda m, at, v: vectors.store128(*reach(m, at, self.finest), v),
            "shr64": lambda a, n: vectors.shr64(a, n) if n else a,
            "shl_bytes": lambda a, n: vectors.align(a, 0, 16 - n) if n else a,
            "shr_bytes": lambda a, n: vectors.align(0, a, n),
            "pshufb": lambda a, b: vectors.pshufb(a, b if _is_masked(b) else b & _NO_HIGH_BITS),
            "clmul_cross": lambda a, b: vectors.clmul_low(vectors.swap64(a), b),
        } | _rounds(recorder)

    def immediate(self, op, n, kind):
        """Whether an instruction can hold the number (`add` and `sub` hold 12 bits)."""
        return n < 4096

    def write(self, operand, view):
        """An operand as it stands in the text: a register's view, a number (or 16 bits of it), an address."""
        if view == "n":
            return str(operand)
        if isinstance(operand, int):
            return f"#{operand >> 16 * int(view) & 0xFFFF if view.isdigit() else operand}"
        if isinstance(operand, Address):
            return _address(operand, view)
        if operand == "sp":
            return operand
        return {"x": "d"}.get(view, view) + operand[1:] if operand[0] == "v" else (view or "x") + operand[1:]


class BigEndian(AArch64):
    """The words of `table` and `memory` stay little-endian, and so do vectors: LD1 and ST1 go byte by byte."""

    encoding = "big"
    finest = 1
    rows = AArch64.rows | {
        "load32": "ldr {d:w}, {m}\nrev {d:w}, {d:w}",
        "load64": "ldr {d:x}, {m}\nrev {d:x}, {d:x}",
        "store32": "rev w16, {v:w}\nstr w16, {to}",
        "store64": "rev x16, {v:x}\nstr x16, {to}",
        "reload.w": "ldr {d:x}, {m}",
        "spill.w": "str {a:x}, {to}",
        "load128": "add x16, {m:+}\nld1 {{d:v}.16b}, {m:@}",
        "store128": "add x16, {to:+}\nst1 {{v:v}.16b}, {to:@}",
        "const.v": "adr x16, {m:+}\nld1 {{d:v}.16b}, {m:@}",
    }


def _rounds(recorder):
    """Rounds that end with the key, by AESE and its like, which begin with one: the key of the round before."""

    def begun(row, a):
        x, y = a.value.operands if a.value.op is ops.xor else (a.value, 0)
        return row(*(Symbol(recorder, o) if isinstance(o, Value) else o for o in (x, y)))

    return {
        "aesenc": lambda a, b: begun(vectors.aese_aesmc, a) ^ b,
        "aesdec": lambda a, b: begun(vectors.aesd_aesimc, a) ^ b,
        "aesenclast": lambda a, b: begun(vectors.aese, a) ^ b,
        "aesdeclast": lambda a, b: begun(vectors.aesd, a) ^ b,
    }


def _is_masked(b):
    """Whether this is part of a recording that was lowered before."""
    return isinstance(b, Symbol) and b.value.op is ops.and_ and b.value.operands[1] == _NO_HIGH_BITS


def _address(address, view):
    if view == "@":
        return "[x16]"
    if not address.base:
        return f"3f+{address.offset}"
    if view == "+":
        return f"{address.base}, #{address.offset}"
    if address.index:
        return f"[{address.base}, {address.index.replace('x', 'w')}, uxtw #2]"
    return f"[{address.base}, #{address.offset}]"
