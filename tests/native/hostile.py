"""Two hundred ways to hurt the process a routine runs in, by families, each with what must come of it.

`Case.expected` is an error class, or a test of (value, buffers, clobbered), or a tuple of both kinds.
"""

from typing import NamedTuple

from aesedu.native import AssemblyError, Buffer, NativeCrash, NativeTimeout, UndefinedSymbol

ENDLESS = 0.25  # seconds until an endless loop is ended


class Case(NamedTuple):
    family: str
    text: str
    expected: object
    detail: object = None  # signal of a NativeCrash, line of an AssemblyError, name of an UndefinedSymbol
    arguments: tuple = ()
    deadline: float = 30.0


def routine(family, body, expected, detail=None, arguments=(), deadline=30.0):
    return Case(family, f".globl routine\nroutine:\n    {body}\n    ret\n", expected, detail, arguments, deadline)


def system_call(number, *arguments):
    moves = (f"mov ${value}, %{name}" for value, name in zip(arguments, ("rdi", "rsi", "rdx"), strict=False))
    return "\n    ".join([*moves, f"mov ${number}, %eax", "syscall"])


def unharmed(value, buffers, clobbered):
    return clobbered == []


def returns(wanted):
    return lambda value, buffers, clobbered: value == wanted and clobbered == []


def clobbers(*names):
    return lambda value, buffers, clobbered: clobbered == list(names)


def syntax_errors():
    for line in (
        "movq %rxx, %rax", "foo %rax", "mov", "add $1, $2", "mov %eax, %rbx", "mov (%rax, %rbx, 3), %ecx", "@!?",
        "call", "mov %rax %rbx", "lea (%rsp,%rsp), %rax", "pop %eax", ".byte 1,,2", "jmp *", '.error "no"', ".endm",
        "aesenc %xmm0", "vaddps %xmm99, %xmm1, %xmm2", ".else", "mov %rip, %rax", ".p2align 99", "mov $1b, %eax",
    ):  # fmt: skip
        yield routine("syntax", line, AssemblyError, 3)
    yield routine("syntax", ".if 1", AssemblyError)
    yield Case("syntax", "\n\n\n  bad\n", AssemblyError, 4)
    yield Case("syntax", "x" * 100_000, AssemblyError, 1)


def undefined_symbols():
    for use in (
        "call nowhere", "jmp nowhere", "lea nowhere(%rip), %rax", "mov nowhere@GOTPCREL(%rip), %rax",
        "call nowhere@PLT", "movq $1, nowhere(%rip)", ".quad nowhere", ".weak nowhere\n    call nowhere",
    ):  # fmt: skip
        yield routine("undefined", use, UndefinedSymbol, "nowhere")
    yield routine("undefined", ".globl nowhere", UndefinedSymbol, "nowhere")
    yield routine("undefined", "call printf", UndefinedSymbol, "printf")
    yield routine("undefined", 'mov "a", %eax', UndefinedSymbol, "a")
    yield routine("undefined", "jmp .Lnowhere", UndefinedSymbol, ".Lnowhere")
    for text in ("", "ret", "routine: ret", ".globl Routine\nRoutine: ret", ".globl routine\n"):
        yield Case("undefined", text, UndefinedSymbol, "routine")


def absolute_relocations():
    for use in (
        "mov table, %eax", "mov $table, %edi", "movq table(,%rax,8), %rdx", "lea table(%rbx), %rax", "push $table",
        "cmpl $1, table", "jmp *table(,%rax,8)", "addq $table, %rax",
    ):  # fmt: skip
        yield Case("absolute", f".globl routine\nroutine:\n    {use}\n    ret\ntable: .long 1\n", AssemblyError, 3)
    for text in (".data\n.long routine", ".data\n.byte routine", "mov routine@GOTTPOFF(%rip), %rax"):
        yield routine("absolute", f"ret\n{text}", AssemblyError)


def endless_loops():
    for body in (
        "jmp routine", "1: pause\n    jmp 1b", "1: mov $-1, %rcx\n2: loop 2b\n    jmp 1b",
        "1: call 2f\n2: pop %rax\n    jmp 1b", system_call(34), "1: movb $0, (%rdi)\n    jmp 1b",
    ):  # fmt: skip
        yield routine("endless", body, NativeTimeout, None, (Buffer(b"x"),), ENDLESS)


def wild_accesses():
    for address in (0, 8, (1 << 47) - 8, 1 << 47, (1 << 64) - 8):
        yield routine("wild", "movq $1, (%rdi)", NativeCrash, "SIGSEGV", (address,))
        yield routine("wild", "mov (%rdi), %rax", NativeCrash, "SIGSEGV", (address,))
    yield routine("wild", "movb $0, routine(%rip)", NativeCrash, "SIGSEGV")
    for store in ("movups %xmm0, -1(%rdi)", "movups %xmm0, 1(%rdi)", "movb $0, -256(%rdi)", "movb $0, 271(%rdi)"):
        yield routine("wild", store, NativeCrash, "buffer overrun", (Buffer(bytes(16)),))
    for direction in ("cld", "std"):
        yield routine("wild", f"{direction}\n    mov $-1, %rcx\n    rep stosb", NativeCrash, "SIGSEGV", (Buffer(b"x"),))


def illegal_instructions():
    for body in ("ud2", ".byte 0x06", ".byte 0x0f, 0xff", ".byte 0xd6", "shl %eax, %ebx"):
        yield routine("illegal", body, NativeCrash, "SIGILL")
    for body in (
        "hlt", "cli", "in $0x60, %al", "rdmsr", "mov %cr0, %rax", "mov %rax, %cr3", "lgdt (%rsp)", "ltr %ax", "wbinvd",
        "swapgs", "mov %dr7, %rax", "int $0x43",
    ):  # fmt: skip
        yield routine("illegal", body, NativeCrash, "SIGSEGV")


def clobbered_registers():
    everything = ("rbx", "rbp", "r12", "r13", "r14", "r15")
    for name in everything:
        yield routine("clobbered", f"mov $7, %{name}", clobbers(name))
        yield routine("clobbered", f"inc %{name}", clobbers(name))
    yield routine("clobbered", "\n    ".join(f"xor %{name}, %{name}" for name in everything), clobbers(*everything))
    yield routine("clobbered", "std", clobbers("direction flag"))
    yield routine("clobbered", "pushq $0x3f80\n    ldmxcsr (%rsp)\n    pop %rax", clobbers("mxcsr"))
    yield routine("clobbered", "pushfq\n    orl $0x40000, (%rsp)\n    popfq", unharmed)  # alignment checks on
    for change in ("sub $64, %rsp", "add $64, %rsp", "xor %esp, %esp", "lea routine(%rip), %rsp", "mov $-1, %rsp"):
        yield routine("clobbered", f"pop %rcx\n    {change}\n    jmp *%rcx", clobbers("rsp"))
    yield routine("clobbered", "ret $16", clobbers("rsp"))
    yield routine(
        "clobbered", "pop %rcx\n    xor %ebp, %ebp\n    mov %rbp, %rsp\n    jmp *%rcx", clobbers("rsp", "rbp")
    )
    yield routine("clobbered", "mov $9, %eax\n    movq %rax, %mm0\n    fld1\n    fld1", returns(9))


def stack_smashing():
    for offset in (8, 128, 4096, 16376):
        yield routine("stack", f"movq $0, {offset}(%rsp)", NativeCrash, "stack smashing")
    yield routine("stack", "lea 8(%rsp), %rdi\n    mov $512, %ecx\n    rep stosq", NativeCrash, "stack smashing")
    for body in (
        "movq $0, (%rsp)", "mov %rsp, %rdi\n    mov $100000, %ecx\n    rep stosq", "push %rax", "call routine",
        "push %rax\n    jmp routine", "sub $4096, %rsp\n    movq $0, (%rsp)\n    jmp routine",
    ):  # fmt: skip
        yield routine("stack", f"xor %eax, %eax\n    {body}", NativeCrash, "SIGSEGV")


def output():
    for descriptor, times in ((1, 1), (2, 1), (1, 100), (2, 100)):
        body = (
            f"push %rbx\n    mov ${times}, %ebx\n    mov %rdi, %rsi\n1:  mov ${descriptor}, %edi\n"
            "    mov $1048576, %edx\n    mov $1, %eax\n    syscall\n    dec %ebx\n    jnz 1b\n    pop %rbx"
        )
        yield routine("output", body, unharmed, None, (Buffer(b"spam\n" * 209716),))
    for descriptor in (3, 4, 5):
        body = f"mov %rdi, %rsi\n    mov ${descriptor}, %edi\n    mov $5, %edx\n    mov $1, %eax\n    syscall"
        yield routine("output", body, (NativeCrash, unharmed), None, (Buffer(b"spam\n"),))
    flood = "mov %rdi, %rsi\n1:  mov $4, %edi\n    mov $65536, %edx\n    mov $1, %eax\n    syscall\n    jmp 1b"
    yield routine("output", flood, (NativeCrash, NativeTimeout), None, (Buffer(bytes(1 << 16)),), ENDLESS)


def arithmetic():
    for divide in ("divb %cl", "divw %cx", "divl %ecx", "divq %rcx", "idivl %ecx", "idivq %rcx"):
        yield routine("arithmetic", f"xor %ecx, %ecx\n    {divide}", NativeCrash, "SIGFPE")
    yield routine("arithmetic", "mov $1, %ecx\n    mov $2, %edx\n    div %ecx", NativeCrash, "SIGFPE")
    trap = "pushq $0\n    ldmxcsr (%rsp)\n    pop %rax\n    xorps %xmm0, %xmm0\n    divss %xmm0, %xmm0"
    yield routine("arithmetic", trap, NativeCrash, "SIGFPE")


def misaligned():
    for body in (
        "movaps 1(%rdi), %xmm0", "movdqa %xmm0, 8(%rdi)", "paddd 4(%rdi), %xmm0", "movntdq %xmm0, 2(%rdi)",
        "movaps (%rsp), %xmm0", "and $-16, %rsp\n    movaps 8(%rsp), %xmm0",
    ):  # fmt: skip
        yield routine("misaligned", body, NativeCrash, "SIGSEGV", (Buffer(bytes(64)),))


def jumps():
    for body in (
        "xor %eax, %eax\n    jmp *%rax", "xor %eax, %eax\n    call *%rax", "jmp *%rsp", "push %rdi\n    ret",
        "mov $-1, %rax\n    jmp *%rax", "lea data(%rip), %rax\n    jmp *%rax\n.data\ndata: ret", "jmp .+0x40000000",
    ):  # fmt: skip
        yield routine("jumps", body, NativeCrash, "SIGSEGV", (Buffer(b"\xc3"),))
    for body in ("int3", ".byte 0xf1", "pushfq\n    orl $0x100, (%rsp)\n    popfq"):
        yield routine("jumps", body, NativeCrash, "SIGTRAP")


def system_calls():
    for status in (0, 1, 255):
        yield routine("system", system_call(231, status), NativeCrash, f"exit status {status}")
    yield routine("system", system_call(60, 0), (NativeCrash, NativeTimeout), None, (), ENDLESS)  # ends one thread
    for descriptors in (range(1), range(1, 2), range(2, 3), range(3)):
        yield routine("system", "\n    ".join(system_call(3, each) for each in descriptors), unharmed)
    for descriptors in (range(3, 4), range(4, 5), range(64)):
        closing = "\n    ".join(system_call(3, each) for each in descriptors)
        yield routine("system", closing, (NativeCrash, unharmed))
    kill = f"{system_call(39)}\n    mov %eax, %edi\n    mov ${{}}, %esi\n    mov $62, %eax\n    syscall"
    for number, name in ((1, "SIGHUP"), (6, "SIGABRT"), (9, "SIGKILL"), (10, "SIGUSR1"), (15, "SIGTERM")):
        yield routine("system", kill.format(number), NativeCrash, name)
    yield routine("system", kill.format(19), NativeTimeout, None, (), ENDLESS)  # SIGSTOP
    yield routine("system", system_call(62, 0, 9), NativeCrash, "SIGKILL")  # its process group, which is its own
    yield routine("system", system_call(57), (NativeCrash, unharmed))  # fork: both halves answer
    yield routine("system", system_call(157, 22, 1), NativeCrash)  # strict seccomp
    unmap = "lea {}(%rip), %rdi\n    and $-4096, %rdi\n    mov $4096, %esi\n    mov $11, %eax\n    syscall"
    yield routine("system", unmap.format("routine"), NativeCrash, "SIGSEGV")
    yield routine("system", unmap.format("routine").replace("lea routine(%rip)", "mov %rsp"), NativeCrash)


def directives():
    for text in (
        '.incbin "/etc/passwd"', ".comm much, 8", '.ident "x"', '.file "a.c"', ".cfi_startproc\nnop\n.cfi_endproc",
        ".symver routine, routine@V", ".macro m\nm\n.endm", "# \"'\\ \\x00 %s %n \u00fc \U0001f512",
        '.ascii "\\\\\\"\\n\\0\u00fc"', '.section .text.more,"ax"\nnop', '.section .init_array,"aw"\n.quad routine',
        '.section .note,"a",@note\n.long 1', ".intel_syntax noprefix\nmov eax, 1", '.warning "w"', "/* c */", ";;;",
    ):  # fmt: skip
        yield routine("directive", f"mov $5, %eax\n    ret\n{text}\n", returns(5))
    for text in (
        '.include "/etc/passwd"', '.include "/nonexistent"', '.incbin "/nonexistent"', ".abort", "\u00fc: nop",
        ".macro m\nm\n.endm\nm", ".macro m x\n\\x\n.endm\nm foo", '.section a,"zz"', ".quad a-b", '"unterminated',
        ".rept 3\n bad\n.endr", "\\", ".irp x, 1, 2\n mov \\x\n.endr", "nop\x01\x7f\x1b[2J",
    ):  # fmt: skip
        yield routine("directive", f"ret\n{text}", AssemblyError)
    yield routine("directive", "nop\0nop", (AssemblyError, unharmed))
    yield routine("directive", ".end\nfoo", NativeCrash)  # nothing after .end: it runs on into whatever follows
    yield routine("directive", ".code32\npush %eax", (NativeCrash, AssemblyError))
    for text in (
        ".rept 1000000000\nnop\n.endr", ".fill 0x7fffffff", '.incbin "/dev/zero"', ".p2align 31\nnop",
        ".macro m n\n.if \\n\nm \\n-1\nm \\n-1\n.endif\n.endm\nm 19", ".bss\n.skip 0x7fffffff",
    ):  # fmt: skip
        yield routine("bomb", f"ret\n{text}", (AssemblyError, NativeTimeout, unharmed), None, (), 2 * ENDLESS)


def cases():
    families = (
        syntax_errors, undefined_symbols, absolute_relocations, endless_loops, wild_accesses, illegal_instructions,
        clobbered_registers, stack_smashing, output, arithmetic, misaligned, jumps, system_calls, directives,
    )  # fmt: skip
    return [case for family in families for case in family()]
