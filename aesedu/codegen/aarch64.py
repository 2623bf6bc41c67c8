"""AArch64 (A64): templates, register views, and what its addresses cannot do. Words are little-endian here."""

from aesedu.codegen.template import Address, Target
from aesedu.routine import ops
from aesedu.routine.symbol import Memory, Symbol


class AArch64(Target):
    """AAPCS64 calling convention. x18 belongs to the platform, x16 and x17 are ours between instructions."""

    name = "aarch64"
    registers = {"word": tuple(f"x{i}" for i in (*range(16), *range(19, 29)))}
    kept = tuple(f"x{i}" for i in range(19, 29))
    arguments = tuple(f"x{i}" for i in range(8))
    scratch = ("x16", "x17")
    stack = "sp"
    return_address = 0
    views = {32: "w", 64: "x"}
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
    }

    def meanings(self, recorder):
        """No index together with an offset, no far offsets, rotations to the right only."""
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
        }

    def immediate(self, op, n, kind):
        """Whether an instruction can hold the number (`add` and `sub` hold 12 bits)."""
        return n < 4096

    def write(self, operand, view):
        """An operand as it stands in the text: a register's view, a number (or 16 bits of it), an address."""
        if isinstance(operand, int):
            return f"#{operand >> 16 * int(view) & 0xFFFF if view.isdigit() else operand}"
        if isinstance(operand, Address):
            return _address(operand, view)
        return operand.replace("x", view or "x") if operand != "sp" else operand


def _address(address, view):
    if view == "+":
        return f"{address.base}, #{address.offset}"
    if address.index:
        return f"[{address.base}, {address.index.replace('x', 'w')}, uxtw #2]"
    return f"[{address.base}, #{address.offset}]"
