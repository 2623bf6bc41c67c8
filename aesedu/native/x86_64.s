# What every call into a routine goes through on x86-64 (System V calling convention, AT&T syntax).
# .set AVX, 1 stands in front of this text on machines that have AVX.

.set CANARIES, 2048             # words between our frames and the routine's stack
.set CANARY, 0x5aa5c33c0ff01e87

# aesedu_call(routine, words, report): calls routine(words[0], ..., words[5]), returns what it returned.
# report[0] = bit mask of what it failed to preserve: rsp rbx rbp r12 r13 r14 r15 direction-flag mxcsr
# report[1] = how many words above its stack it overwrote
.globl aesedu_call
aesedu_call:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    pushfq
    push %rdx
    sub $8, %rsp
    stmxcsr (%rsp)
    mov %rsp, ours(%rip)        # in memory of its own: after the call no register can be trusted
    movabs $CANARY, %rax
    mov $CANARIES, %ecx
1:  push %rax                   # downwards word by word, which Windows' guard page needs
    dec %ecx
    jnz 1b
    lea 1(%rax), %rbx
    lea 2(%rax), %rbp
    lea 3(%rax), %r12
    lea 4(%rax), %r13
    lea 5(%rax), %r14
    lea 6(%rax), %r15
    mov %rdi, %r11
    mov %rsi, %r10
    mov (%r10), %rdi
    mov 8(%r10), %rsi
    mov 16(%r10), %rdx
    mov 24(%r10), %rcx
    mov 32(%r10), %r8
    mov 40(%r10), %r9
    mov %rsp, theirs(%rip)
    xor %eax, %eax
    call *%r11

    mov %rsp, %rcx
    mov theirs(%rip), %rsp
    pushfq
    pop %rdx
    mov ours(%rip), %r8
    push %rax
    push %rdx
    mov (%r8), %edx             # MXCSR before
    sub $8, %rsp
    stmxcsr (%rsp)
    pop %rsi
    xor %esi, %edx
    and $0xffc0, %edx           # control bits only: the status bits are the routine's to set
    neg %edx
    pop %rdx
    setc %r9b                   # bit 8
    movzbl %r9b, %r9d
    add %r9d, %r9d
    bt $10, %rdx                # bit 7
    adc $0, %r9d
    movabs $CANARY, %r11
.macro check register, value    # bits 6 to 0, the last one first
    add %r9d, %r9d
    lea \value(%r11), %r10
    xor \register, %r10
    neg %r10
    adc $0, %r9d
.endm
    check %r15, 6
    check %r14, 5
    check %r13, 4
    check %r12, 3
    check %rbp, 2
    check %rbx, 1
    add %r9d, %r9d
    xor theirs(%rip), %rcx
    neg %rcx
    adc $0, %r9d
    pop %rax

    xor %edx, %edx              # count canaries that changed
    mov $CANARIES, %ecx
2:  pop %r10
    xor %r11, %r10
    neg %r10
    adc $0, %rdx
    dec %ecx
    jnz 2b
.if AVX
    vzeroupper                  # dirty upper halves would slow down all SSE code to come
.endif
    ldmxcsr (%rsp)              # past the canaries: ours again
    add $8, %rsp
    pop %rcx
    mov %r9, (%rcx)
    mov %rdx, 8(%rcx)
    popfq
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret

# aesedu_loop(count, routine, words): routine(words[0], ..., words[5]), count times
.globl aesedu_loop
    .p2align 6
aesedu_loop:
    push %rbx
    push %r12
    push %r13
    mov %rdi, %rbx
    mov %rsi, %r12
    mov %rdx, %r13
    .p2align 4
3:  mov (%r13), %rdi
    mov 8(%r13), %rsi
    mov 16(%r13), %rdx
    mov 24(%r13), %rcx
    mov 32(%r13), %r8
    mov 40(%r13), %r9
    call *%r12
    dec %rbx
    jnz 3b
.if AVX
    vzeroupper
.endif
    pop %r13
    pop %r12
    pop %rbx
    ret

# aesedu_add_chain(count): count x 64 additions, each waiting for the one before: one cycle each
# (both operands in registers: newest cores add constants for nothing)
.globl aesedu_add_chain
    .p2align 6
aesedu_add_chain:
4:
.rept 64
    add %rdx, %rax
.endr
    dec %rdi
    jnz 4b
    ret

# aesedu_multiply_chain(count): the same with multiplications
.globl aesedu_multiply_chain
    .p2align 6
aesedu_multiply_chain:
5:
.rept 64
    imul %rdx, %rax
.endr
    dec %rdi
    jnz 5b
    ret

# aesedu_cpuid(leaf, subleaf, out): CPUID; out = eax, ebx, ecx, edx
.globl aesedu_cpuid
aesedu_cpuid:
    push %rbx
    mov %rdx, %r8
    mov %edi, %eax
    mov %esi, %ecx
    cpuid
    mov %eax, (%r8)
    mov %ebx, 4(%r8)
    mov %ecx, 8(%r8)
    mov %edx, 12(%r8)
    pop %rbx
    ret

# aesedu_xgetbv(): XCR0, the register files that the operating system saves
.globl aesedu_xgetbv
aesedu_xgetbv:
    xor %ecx, %ecx
    xgetbv
    shl $32, %rdx
    or %rdx, %rax
    ret

.bss
    .p2align 3
ours:   .skip 8
theirs: .skip 8
