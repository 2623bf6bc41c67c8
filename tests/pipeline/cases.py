"""Loops whose cycles can be computed by hand: (what it shows, text, changes to TOY, cycles a loop)."""

from aesedu.machines import Class

ADDS = "\n".join(f"addq $1, %r{n}" for n in range(8, 12))
MOVES = "\n".join(f"movq %rsi, %r{n}" for n in range(8, 16))
XORS = "\n".join(f"xorl (%rsi), %r{n}d" for n in range(8, 12))
CLMULS = "vpclmulqdq $0, %xmm1, %xmm2, %xmm3\n" * 2
BESIDE = {("a", "l", "m"): 32, ("b",): 32, ("s", "d"): 32}
APART = {("a",): 1, ("b",): 1, ("l", "m", "s", "d"): 32}
LONG, OTHER = Class(30, ("a",)), Class(1, ("b",))

X86_64 = [
    ("a chain takes its latencies", "imulq %rax, %rax", {}, 3),
    ("two chains overlap", "imulq %rax, %rax\nimulq %rbx, %rbx", {}, 3),
    ("independent work is shared by the ports", ADDS, {}, 2),
    ("dispatch", MOVES, {"eliminate": ("move",)}, 2),
    ("a move that is not eliminated needs a port", MOVES, {}, 4),
    ("an eliminated move hands on what it moves", "imulq $3, %rax, %rbx\nmovq %rbx, %rax", {"eliminate": ("move",)}, 3),
    ("a move that is not costs a cycle", "imulq $3, %rax, %rbx\nmovq %rbx, %rax", {}, 4),
    ("retirement", MOVES, {"eliminate": ("move",), "retire": 2}, 4),
    ("occupancy", "vpclmulqdq $0, %xmm1, %xmm2, %xmm3\n" * 3, {}, 6),
    ("of four lanes at once", "vpclmulqdq $0, %zmm1, %zmm2, %zmm3\n" * 3, {"wide": 2}, 12),
    ("no extra micro-operation", "imulq $3, %rsi, %rax\naddq $1, %r8\naddq $1, %r9", {}, 1.5),
    (
        "an extra micro-operation",
        "imulq $3, %rsi, %rax\naddq $1, %r8\naddq $1, %r9",
        {"mul": Class(3, ("a",), extra=(("b",),), slots=1)},
        2,
    ),
    ("microcode", CLMULS, {"clmul": Class(4, ("a", "b"), every=3)}, 6),
    ("others may be dispatched beside microcode", CLMULS + ADDS, {"clmul": Class(4, ("a", "b"), every=3)}, 6),
    ("slots", "imulq $3, %rsi, %rax", {"mul": Class(3, ("a",), slots=3), "dispatch": 1}, 3),
    ("a pointer chain", "movq (%rax), %rax", {"indexed": 1}, 4),
    ("an index costs more", "movq (%rsi,%rax), %rax", {"indexed": 1}, 5),
    ("load and operation in one slot", XORS, {"dispatch": 2}, 2),
    ("load and operation in two", XORS, {"dispatch": 2, "fuse_load_op": False}, 4),
    # four in flight, each 31 cycles from dispatch to retirement
    ("the reorder buffer", "imulq $3, %rsi, %rax", {"mul": LONG, "rob": 4}, 7.75),
    ("registers", "imulq $3, %rsi, %rax", {"mul": LONG, "words": 4}, 7.75),
    ("registers of the other bank", "imulq $3, %rsi, %rax", {"mul": LONG, "vectors": 1}, 1),
    ("vectors' registers", "movdqu (%rsi), %xmm0", {"vload": Class(30, ("l", "m")), "vectors": 4}, 7.75),
    ("flags take no register", "cmpq %rax, %rbx", {"words": 1}, 0.5),
    ("an index takes a slot", "xorl (%rsi,%rdi), %eax", {"split_indexed": True, "dispatch": 1}, 2),
    ("an index takes a slot of a store", "movl %eax, (%rsi,%rdi)", {"split_indexed": True, "dispatch": 1}, 2),
    ("an index takes none of a load", "movl (%rsi,%rdi), %eax", {"split_indexed": True, "dispatch": 1}, 1),
    ("an index takes none of a vector", "pxor (%rsi,%rdi), %xmm0", {"split_indexed": True, "dispatch": 1}, 1),
    # the second product waits for the port of the first, and the add finds the only place beside it taken
    ("queues of ports apart", "imulq $3, %rsi, %rax\nimulq $3, %rsi, %rbx\naddq $1, %r8", {"groups": APART}, 2),
    ("a load's operation is beside it", "xorl (%rsi), %eax\nxorl (%rsi), %ebx", {"groups": BESIDE}, 2),
    ("an operation alone may be anywhere", "xorl %ecx, %eax\nxorl %ecx, %ebx", {"groups": BESIDE}, 1),
    # each add waits 20 cycles in the only place there is, and the load behind it waits too
    (
        "the queue",
        "movq (%rsi), %rax\naddq $1, %rax",
        {"load": Class(20, ("l", "m")), "groups": {("a", "b"): 1, ("l", "m", "s", "d"): 32}},
        10.5,
    ),
    ("renaming", "imulq $3, %rsi, %rax\nimulq %rax, %rax", {}, 2),
    ("xor of a register with itself waits for nothing", "imulq %rax, %rax\nxorq %rax, %rax", {}, 1),
    ("a port is chosen where least is pending", "imulq $3, %rsi, %rax\naddq $1, %r8", {}, 1),
    ("flags", "subq $1, %rcx\njnz 1b", {}, 1),
    # data goes out one cycle after the load brings them, and comes back five cycles later
    ("forwarding", "movq %rax, (%rsi)\nmovq (%rsi), %rax", {}, 6),
    ("forwarding may be fast", "movq %rax, (%rsi)\nmovq (%rsi), %rax", {"forward": 1}, 2),
    ("vectors are forwarded in their own time", "movdqu %xmm0, (%rsi)\nmovdqu (%rsi), %xmm0", {"vforward": 8}, 9),
    ("other bytes", "movq %rax, (%rsi)\nmovq 8(%rsi), %rax", {}, 1),
    ("the same bytes by another offset", "movq %rax, (%rsi)\naddq $8, %rsi\nmovq -8(%rsi), %rax", {}, 6),
    (
        "bytes of the iteration before",
        "movq -8(%rsi), %rax\nmovq %rax, (%rsi)\nleaq 8(%rsi), %rsi",
        {"lea": Class(1, ("a",))},
        6,
    ),
    ("the same index", "movq %rax, (%rsi,%rcx,8)\nmovq (%rsi,%rcx,8), %rax", {}, 6),
    ("through memory", "addq $1, (%rsi)", {}, 7),
    # the second store's data leave in cycle 1, it retires in 2, the load starts in 12 and ends in 16
    ("bytes of two stores", "movl %eax, (%rsi)\nmovl %eax, 4(%rsi)\nmovq (%rsi), %rax", {}, 16),
    # without renaming a part only adds to the chain; a merge is one operation more, and dispatch stops before it
    ("a part of a register", "movw %bx, %ax\nnegl %eax", {}, 2),
    ("a part of a register is joined", "movw %bx, %ax\nnegl %eax", {"partial": 0}, 3),
    ("dispatch stops for it", "movw %bx, %ax\nnegl %eax", {"partial": 4}, 5),
    ("no more than the part is read", "movw %bx, %ax\nmovzbl %ah, %ecx\nnegw %ax", {"partial": 4}, 2),
    ("a part is joined for an address", "movb %bl, %al\nmovl (%rsi,%rax,4), %edx\nmovl %edx, %eax", {"partial": 4}, 7),
    ("a part is joined once", "movw %bx, %ax\nnegl %eax\naddl %eax, %ecx", {"partial": 4}, 5),
    # the next product goes with the sum that waits for this one
    ("in order", "imulq $3, %r8, %r9\naddq %r9, %r10", {"in_order": True, "dispatch": 2, "alu": OTHER}, 3),
    ("out of order", "imulq $3, %r8, %r9\naddq %r9, %r10", {"alu": OTHER}, 1),
    ("in order, two a cycle", ADDS, {"in_order": True, "dispatch": 2}, 2),
    ("in order, one unit", "imulq $3, %r8, %r9\nimulq $3, %r8, %r10", {"in_order": True, "dispatch": 2}, 2),
]

PAIR = "aese v0.16b, v1.16b\naesmc v0.16b, v0.16b"
AARCH64 = [
    ("a fused pair", PAIR, {"fuse_aes": True}, 3),
    ("a pair that is not", PAIR, {}, 6),
    ("fused pairs take one place on the port", PAIR + "\n" + PAIR.replace("v0", "v2"), {"fuse_aes": True}, 3),
    (
        "two registers do not fuse",
        "aese v0.16b, v1.16b\naesmc v2.16b, v0.16b\neor v0.16b, v2.16b, v1.16b",
        {"fuse_aes": True},
        7,
    ),
    (
        "what stands between parts them",
        "aese v0.16b, v1.16b\nadd x1, x1, #1\naesmc v0.16b, v0.16b",
        {"fuse_aes": True},
        6,
    ),
    ("a base that moves on", "str x0, [x1], #8\nldr x0, [x1, #-8]", {}, 6),
    ("a base that moves first", "str x0, [x1, #8]!\nldr x0, [x1]", {}, 6),
    ("the other half of a pair", "stp x0, x2, [x1]\nldr x0, [x1, #8]", {}, 2),
    ("the first half of a pair", "stp x0, x2, [x1]\nldr x0, [x1]", {}, 6),
    ("the own half of a pair", "stp x2, x0, [x1]\nldr x0, [x1, #8]", {}, 6),
]
