// What every call into a routine goes through on AArch64 (AAPCS64). x18 is never used: macOS and Windows own it.

.set CANARIES, 2048             // words between our frames and the routine's stack

.macro canary register
    movz \register, #0x1e87
    movk \register, #0x0ff0, lsl #16
    movk \register, #0xc33c, lsl #32
    movk \register, #0x5aa5, lsl #48
.endm

// aesedu_call(routine, words, report): calls routine(words[0], ..., words[5]), returns what it returned.
// report[0] = bit mask of what it failed to preserve: sp x19 ... x29 d8 ... d15 fpcr
// report[1] = how many words above its stack it overwrote
.globl aesedu_call
aesedu_call:
    stp x29, x30, [sp, #-192]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mrs x9, fpcr
    stp x2, x9, [sp, #160]
    adrp x10, saved
    add x10, x10, :lo12:saved
    mov x9, sp
    str x9, [x10]               // in memory of its own: after the call no register can be trusted
    canary x12
    mov x11, #CANARIES
1:  stp x12, x12, [sp, #-16]!   // downwards word by word, which Windows' guard page needs
    subs x11, x11, #2
    b.ne 1b
    mov x9, sp
    str x9, [x10, #8]
.irp number, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    add x\number, x12, #\number
.endr
.irp number, 8, 9, 10, 11, 12, 13, 14, 15
    add x9, x12, #\number
    fmov d\number, x9
.endr
    mov x16, x0
    mov x17, x1
    ldp x0, x1, [x17]
    ldp x2, x3, [x17, #16]
    ldp x4, x5, [x17, #32]
    blr x16

    adrp x10, saved
    add x10, x10, :lo12:saved
    canary x12
    ldp x11, x13, [x10]         // our stack pointer, the routine's
    mrs x14, fpcr
    ldr x15, [x11, #168]
    cmp x14, x15
    cset x9, ne
    msr fpcr, x15
.macro check left, right        // the mask's next lower bit
    cmp \left, \right
    cset x14, ne
    orr x9, x14, x9, lsl #1
.endm
.irp number, 15, 14, 13, 12, 11, 10, 9, 8
    add x15, x12, #\number
    fmov x16, d\number
    check x16, x15
.endr
.irp number, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19
    add x15, x12, #\number
    check x\number, x15
.endr
    mov x15, sp
    check x15, x13
    mov sp, x13

    mov x13, #0                 // count canaries that changed
    mov x15, sp
2:  ldr x14, [x15], #8
    cmp x14, x12
    cinc x13, x13, ne
    cmp x15, x11
    b.ne 2b
    mov sp, x11
    ldr x14, [sp, #160]
    stp x9, x13, [x14]
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldp x29, x30, [sp], #192
    ret

// aesedu_loop(count, routine, words): routine(words[0], ..., words[5]), count times
.globl aesedu_loop
    .p2align 6
aesedu_loop:
    stp x29, x30, [sp, #-48]!
    stp x19, x20, [sp, #16]
    str x21, [sp, #32]
    mov x19, x0
    mov x20, x1
    mov x21, x2
3:  ldp x0, x1, [x21]
    ldp x2, x3, [x21, #16]
    ldp x4, x5, [x21, #32]
    blr x20
    subs x19, x19, #1
    b.ne 3b
    ldr x21, [sp, #32]
    ldp x19, x20, [sp, #16]
    ldp x29, x30, [sp], #48
    ret

// aesedu_add_chain(count): count x 64 additions, each waiting for the one before: one cycle each
.globl aesedu_add_chain
    .p2align 6
aesedu_add_chain:
4:
.rept 64
    add x1, x1, x2
.endr
    subs x0, x0, #1
    b.ne 4b
    ret

// aesedu_multiply_chain(count): the same with multiplications
.globl aesedu_multiply_chain
    .p2align 6
aesedu_multiply_chain:
5:
.rept 64
    mul x1, x1, x2
.endr
    subs x0, x0, #1
    b.ne 5b
    ret

// aesedu_clock_rate(): ticks a second of the system's counter
.globl aesedu_clock_rate
aesedu_clock_rate:
    mrs x0, cntfrq_el0
    ret

.bss
    .p2align 4
saved: .skip 16
