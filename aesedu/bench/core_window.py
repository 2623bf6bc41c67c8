"""How many instructions this core (x86-64) holds that cannot go on: its reorder buffer, registers and queues, measured.

Two chains of divisions need nothing of each other. What stands between them is too much for a resource from the number
on that keeps the second chain from running beside the first. The chain's own entries come on top.
"""

from bisect import bisect_left

from aesedu import native
from aesedu.bench.rounds import Rounds
from aesedu.native.assembler import ISA

DIVISIONS = 12  # of a chain: longer than what stands between takes to be dispatched
PASSES = 50
KINDS = {  # xmm12 and, as zero, rax come from the first chain
    "reorder buffer": "nop",
    "word registers": "leaq (%rdx,%rsi), %r{word}",
    "vector registers": "pshufd $78, %xmm15, %xmm{vector}",
    "word queues": "leaq (%rax,%rdx), %r{word}",
    "load queue": "movq (%rdi,%rax), %r{word}",
    "vector queues": "pshufd $78, %xmm12, %xmm{vector}",
    "vector store queue": "movaps %xmm12, 16(%rdi)",
}
_FRAME = """.text
.globl routine
.p2align 6
routine:
    pushq %r12; pushq %r13; pushq %r14; pushq %r15
    movl $1, %eax
    cvtsi2sdl %eax, %xmm11
    movapd %xmm11, %xmm14
    movl ${passes}, %ecx
    .p2align 6
1:
    movaps %xmm11, %xmm12
{chain12}
    movq %xmm12, %rax
    imulq $0, %rax, %rax
{between}
    movaps %xmm11, %xmm13
{chain13}
    lfence
    subl $1, %ecx
    jnz 1b
    popq %r15; popq %r14; popq %r13; popq %r12
    ret
"""


def text(kind, count):
    """The routine with `count` instructions of a kind between the chains; its argument is a buffer of 64 bytes."""
    lines = [f"    {KINDS[kind].format(word=8 + n % 8, vector=n % 8)}" for n in range(count)]
    chains = {f"chain{n}": "\n".join([f"    divsd %xmm14, %xmm{n}"] * DIVISIONS) for n in (12, 13)}
    return _FRAME.format(passes=PASSES, between="\n".join(lines), **chains)


def cycles(kind, count, rounds=2, **how):
    """Core cycles of a pass, the least of some rounds of four (`how`: arguments of `Rounds`).

    Raises RuntimeError where no sample was steady.
    """
    call = {"text": text(kind, count), "arguments": [native.Buffer(bytes(64))]}
    taken = Rounds(**how)
    taken.add(kind, native.Subject(kind, "aesedu.native.run:prepare", call, what={"engine": kind, "count": count}))
    for _ in range(rounds):
        taken.take()
    if not (found := taken.cycles()[kind]):
        raise RuntimeError(f"None of {4 * rounds} samples of {kind} was steady; end other work on this machine first")
    return min(found.values()) / PASSES


def holds(kind, most=1000, measure=cycles):
    """How many of a kind may stand between; `most` if there is no end before.

    Raises UnsupportedFeature where this host is no x86-64 and ValueError for a kind that is not in KINDS.
    """
    if ISA != "x86_64":
        raise native.UnsupportedFeature(ISA, "these micro-benchmarks are for x86-64 only")
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r}; there are: {', '.join(KINDS)}")
    in_turn = 1.5 * measure(kind, 0)
    return bisect_left(range(most + 1), in_turn, lo=1, key=lambda count: measure(kind, count)) - 1


def table(find=holds):
    """DataFrame, a row a kind: instruction, how many fit, and a note where that cannot be measured here."""
    import pandas

    rows = [(kind, line.partition(" ")[0], *_found(find, kind)) for kind, line in KINDS.items()]
    return pandas.DataFrame(rows, columns=["kind", "instruction", "fit", "note"]).convert_dtypes()


def _found(find, kind):
    try:
        return find(kind), ""
    except RuntimeError as error:
        return None, str(error)
