"""Micro-benchmarks of a core: for each class of instruction of the cycle model a chain, and many that do not wait.

In a chain each instruction waits for the one before, which takes the latency; the others show how many start a cycle.
"""

from dataclasses import dataclass

from aesedu import native, pipeline
from aesedu.native.assembler import ISA

PASSES, LINES = 100, 200  # so that the loop and the call around it are under 1 %
LATENCY, THROUGHPUT = "latency", "throughput"


@dataclass(frozen=True)
class _Set:
    """An instruction set: a line a class, {to} and {of} are numbers of registers; `chains` and `many` for the rest."""

    units: dict
    chains: dict
    many: dict
    words: tuple  # numbers of registers for {to}, of which the last is for {of}
    vectors: tuple
    needs: dict  # {class: feature}
    frame: str


_X86_64 = _Set(
    units={
        "alu": "addq %rdx, %r{to}",
        "byte": "movzbl %r{of}b, %r{to}d",
        "merge": "movw %r{of}w, %r{to}w",
        "move": "movq %r{of}, %r{to}",
        "lea": "leaq (%r{of},%rdx), %r{to}",
        "shift": "shrq $1, %r{to}",
        "rotate": "rorq $7, %r{to}",
        "mul": "imulq $3, %r{of}, %r{to}",
        "vlogic": "pxor %xmm15, %xmm{to}",
        "vadd": "paddd %xmm15, %xmm{to}",
        "vmove": "movdqa %xmm{of}, %xmm{to}",
        "vshift": "psrlq $1, %xmm{to}",
        "vshuffle": "pshufd $78, %xmm{of}, %xmm{to}",
        "vbytes": "pshufb %xmm15, %xmm{to}",
        "aes": "aesenc %xmm15, %xmm{to}",
        "clmul": "pclmulqdq $0, %xmm15, %xmm{to}",
        "vlane": "vshufi64x2 $78, %zmm{of}, %zmm{of}, %zmm{to}",
    },
    chains={
        "load": ["movq (%rdi), %rdi"],
        "indexed": ["movq 8(%rdi,%rax,4), %rax"],
        "forward": ["movq %r8, (%rdi)", "movq (%rdi), %r8"],
        "vforward": ["movdqu %xmm0, (%rdi)", "movdqu (%rdi), %xmm0"],
        "blocked": ["movq %xmm0, (%rdi)", "movq %xmm0, 8(%rdi)", "movdqu (%rdi), %xmm0"],
    },
    many={  # loads of what no store wrote just before: Zen 4 takes those by another way, two a cycle
        "load": "movq 8(%rdi), %r{to}",
        "store": "movq %r{to}, (%rdi)",
        "vload": "movdqu 16(%rdi), %xmm{to}",
        "vstore": "movdqu %xmm{to}, (%rdi)",
        "insert": "pinsrd $0, %edx, %xmm{to}",
    },
    words=tuple(range(8, 16)),
    vectors=tuple(range(15)),
    needs={"vbytes": "ssse3", "insert": "sse4.1", "aes": "aes", "clmul": "pclmulqdq", "vlane": "avx512f"},
    frame="""
    pushq %r12; pushq %r13; pushq %r14; pushq %r15
    movq %rdi, (%rdi)
    xorl %eax, %eax
    movl ${passes}, %ecx
    .p2align 6
1:
{body}
    subl $1, %ecx
    jnz 1b
    popq %r15; popq %r14; popq %r13; popq %r12
    {last}
    ret
""",
)
_AARCH64 = _Set(
    units={
        "alu": "add x{to}, x{to}, x9",
        "byte": "uxtb w{to}, w{of}",
        "merge": "movk x{to}, #7, lsl #16",
        "move": "mov x{to}, x{of}",
        "shift": "lsr x{to}, x{to}, #1",
        "rotate": "ror x{to}, x{to}, #7",
        "mul": "mul x{to}, x{of}, x9",
        "vlogic": "eor v{to}.16b, v{to}.16b, v31.16b",
        "vadd": "add v{to}.2d, v{to}.2d, v31.2d",
        "vmove": "mov v{to}.16b, v{of}.16b",
        "vshift": "ushr v{to}.2d, v{to}.2d, #1",
        "vshuffle": "ext v{to}.16b, v{of}.16b, v{of}.16b, #8",
        "vbytes": "tbl v{to}.16b, {{v{to}.16b}}, v31.16b",
        "aes": "aese v{to}.16b, v31.16b",
        "clmul": "pmull v{to}.1q, v{of}.1d, v31.1d",
    },
    chains={
        "load": ["ldr x0, [x0]"],
        "indexed": ["ldr x2, [x8, x2, lsl #3]"],
        "forward": ["str x2, [x0]", "ldr x2, [x0]"],
        "vforward": ["str q0, [x0]", "ldr q0, [x0]"],
        "blocked": ["str d0, [x0]", "str d0, [x0, #8]", "ldr q0, [x0]"],
        "fuse_aes": ["aese v0.16b, v31.16b", "aesmc v0.16b, v0.16b"],
    },
    many={
        "load": "ldr x{to}, [x0, #8]",
        "store": "str x{to}, [x0]",
        "vload": "ldr q{to}, [x0, #16]",
        "vstore": "str q{to}, [x0]",
        "insert": "mov v{to}.d[0], x9",
        "extract": "umov x{to}, v31.d[0]",
    },
    words=(2, 3, 4, 5, 6, 7, *range(10, 18)),  # x18 belongs to the system
    vectors=(*range(8), *range(16, 31)),  # v8 to v15 are the caller's
    needs={"aes": "aes", "fuse_aes": "aes", "clmul": "pmull"},
    frame="""
    str x0, [x0]
    add x8, x0, #8
    mov x9, #0
    mov x2, #0
    mov x1, #{passes}
    .p2align 6
1:
{body}
    subs x1, x1, #1
    b.ne 1b
    ret
""",
)
SETS = {"x86_64": _X86_64, "aarch64": _AARCH64}


@dataclass(frozen=True)
class Probe:
    """A micro-benchmark: `body` is a loop in which what is measured happens `steps` times; `kind` says what it tells.

    `name` is a class, a key of a machine's table `core`, or "mixed" (words and vectors in turn).
    """

    name: str
    kind: str
    isa: str
    body: tuple[str, ...]
    steps: int

    @property
    def label(self):
        return f"{self.name} {self.kind}"

    @property
    def step(self):
        """The lines that show what is measured."""
        return self.body if self.steps == 1 else self.body[: 2 if self.name == "mixed" else 1]

    @property
    def _repeats(self):
        return -(-LINES // len(self.body))

    @property
    def count(self):
        """How often what is measured happens in one call."""
        return PASSES * self._repeats * self.steps

    def text(self):
        """The routine; its argument is a buffer of 64 bytes."""
        body = "\n".join(f"    {line}" for line in self.body * self._repeats)
        last = "vzeroupper" if "zmm" in body else ""
        frame = SETS[self.isa].frame.format(passes=PASSES, body=body, last=last)
        return f".text\n.globl routine\n.p2align 6\nroutine:{frame}"

    def subject(self):
        call = {"text": self.text(), "arguments": [native.Buffer(bytes(64))]}
        return native.Subject(self.label, "aesedu.native.run:prepare", call, what={"engine": self.label})

    def predicted(self, machine):
        """Cycles a step in the model."""
        operations = pipeline.loop("\n".join(self.body), self.isa)
        return pipeline.cycles(operations, machine, iterations=20) / self.steps


def probes(isa=ISA):
    """All Probes of an instruction set."""
    each = SETS[isa]
    for name, line in each.units.items():
        first, second, *_ = _registers(each, line)
        turns = [(first, second), (second, first)] if "{of}" in line else [(first, first)]
        yield Probe(name, LATENCY, isa, tuple(line.format(to=to, of=of) for to, of in turns), len(turns))
    for name, lines in each.chains.items():
        yield Probe(name, LATENCY, isa, tuple(lines), 1)
    for name, line in (each.units | each.many).items():
        body = _many(each, line)
        yield Probe(name, THROUGHPUT, isa, body, len(body))
    pairs = zip(_many(each, each.units["alu"]), _many(each, each.units["vlogic"]), strict=False)
    body = tuple(line for pair in pairs for line in pair)
    yield Probe("mixed", THROUGHPUT, isa, body, len(body))


def _registers(each, line):
    return each.vectors if any(v in line for v in ("mm{to}", "v{to}", "q{to}")) else each.words


def _many(each, line):
    """The line for every register in turn, the last of which is only read."""
    *targets, source = _registers(each, line)
    return tuple(line.format(to=to, of=source) for to in targets)
