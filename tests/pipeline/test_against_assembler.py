"""What the readers of text take for an instruction is one: GNU as takes it too."""

import random
import re
import shutil
import subprocess

import pytest

from aesedu.pipeline import UnknownInstructionError, loop
from aesedu.pipeline.operation import operands

TOOLS = {"x86_64": ["as", "--64"], "aarch64": ["aarch64-linux-gnu-as", "-march=armv8.4-a+crypto+sha3"]}
EACH = 1500  # wrong lines of each name
SEEDS = {  # right ones, of which wrong ones are made
    "x86_64": """addl cmpl testl xorl $1, %eax; subq andq orq movq 8(%rsi,%rdi,4), %rbx; addw movw %r9w, (%rax); movb
        xorb %cl, %al; notl negq incb decw (%rax); bswap %eax; shll roll %cl, %eax; shrq sarq rorq $3, -4(%r8);
        sal %r11; imulq %rax, %rbx; imull $3, (%rax), %eax; movabs $1000, %rax; movzbl %ah, %ecx; movsbq (%rax),
        %rbx; movzbw (%rax), %ax; movzwl %ax, %eax; movslq %eax, %rbx; leaq name-8(%rip), %rax; leal
        8(%rsi,%rdi,4), %eax; jmp jne .L3; pushq popq %rax; pxor pand por pandn xorps andps orps paddb paddd
        psubq punpckldq pshufb aesenc aesdeclast %xmm1, %xmm2; vpxor vpand vpsubb vpaddw vxorps vandps
        vpunpcklqdq vpshufb vaesdec vpclmulhqhqdq %ymm1, %ymm2, %ymm3; vpxord vpandnq vpord vpaddq %zmm1, %zmm2,
        %zmm3; vpternlogd vpternlogq vpalignr vshufps vpclmulqdq $1, %xmm1, %xmm2, %xmm3; psllw psrad $3, %xmm1;
        vpsrlq vpslld vpslldq $3, %ymm1, %ymm2; vpsllq vpsrld %xmm1, %ymm1, %ymm2; pshufd shufps palignr
        pclmulqdq vpshufd $1, (%rax), %xmm1; pslldq psrldq $8, %xmm1; vpsrldq $8, %xmm1, %xmm2; aesimc vaesimc
        %xmm1, %xmm2; pinsrd $1, %eax, %xmm1; vpinsrq $1, %rax, %xmm1, %xmm2; vshufi64x2 vshufi32x4 $1, %ymm1,
        %ymm2, %ymm1; vextracti32x4 vextracti64x2 $1, %zmm1, %xmm2; vextracti128 $1, %ymm1, %xmm1; movdqa movups
        movaps %xmm1, (%rax); vmovdqu vmovdqa64 vmovdqu32 (%rax), %ymm1; lddqu vlddqu (%rax), %xmm1;
        vbroadcasti32x4 (%rax), %zmm1; movd vmovd %eax, %xmm1; movq vmovq %xmm1, %rax""",
    "aarch64": """add sub x0, x1, x2, lsl #12; adds subs w0, w1, #1; cmp cmn w0, #1; add sp, sp, #16; and eor orr ands
        x0, x1, #0x00ff00ff00ff00ff; bic eon orr eor and w0, w1, w2, ror #8; mvn neg tst cmp x0, x1, lsl #3; rev
        rev16 mov w0, w1; rev32 x0, x1; movz movk w0, #65535, lsl #16; mov x0, #65536; adr adrp x0, name; lsl
        lsr asr ror w0, w1, #8; lsl ror x0, x1, x2; ubfx sbfx bfi bfxil w0, w1, #8, #16; uxtb uxth sxtb w0, w1;
        sxth sxtw x0, w1; mul umulh x0, x1, x2; madd msub w0, w1, w2, w3; b b.ne 1b; cbz cbnz x0, 1b; tbz tbnz
        w0, #31, 3f; eor and orr bic v0.16b, v1.16b, v2.16b; mvn aese aesd aesmc aesimc v0.16b, v1.16b; movi
        v0.4s, #255, lsl #8; movi v0.16b, #1; eor3 v0.16b, v1.16b, v2.16b, v3.16b; add sub v0.4s, v1.4s, v2.4s;
        shl ushr sshr sri sli v0.4s, v1.4s, #16; ext v0.16b, v1.16b, v2.16b, #8; rev64 rev32 v0.8h, v1.8h; zip1
        zip2 uzp1 uzp2 trn1 trn2 v0.2d, v1.2d, v2.2d; dup v0.4s, v1.s[2]; dup v0.2d, x1; tbl v0.16b,
        {v0.16b,v1.16b}, v2.16b; pmull v0.1q, v1.1d, v2.1d; pmull2 v0.1q, v1.2d, v2.2d; mov ins v0.s[1], w1; mov
        ins v0.d[1], v1.d[0]; mov umov x0, v0.d[1]; fmov d0, x1; ldr str ldur stur q0, [x1,#8]; ldr str w0,
        [x1,w2,uxtw #2]; ldr x0, 3f; ldr str x0, [x1], #8; ldp stp x0, x1, [x1,#8]; ldp stp q0, q1, [x1], #16;
        ld1 st1 {v0.16b,v1.16b}, [x1], #32; ldrb strb ldrh strh w0, [x1,#16]!; ldrsw x0, [x1]; cmp x0, 16;
        add x0, x0, 16; ldr q0, [x1, 16]; str x0, [x1, w2, sxtw 3]; ldr x0, [x1], -8; eor w0, w1, w2, ror 8;
        tbz x0, 3, 1b; ldp x0, x1, [x1, 16]!""",
}
OPERANDS = {
    "x86_64": """$1 $-1 $255 $256 $-129 $70000 $0x7fffffff $0x80000000 $0xffffffff $0x100000000 $1000000000000000000000
        $name 1b .L3 (%rax) 8(%rsi,%rdi,4) -4(%r8) (%eax,%ecx) (%rax,%ecx) (%rax,%rsp) (%xmm0) (%rip) name(%rip)
        name-8(%rip) 4+name(%rip) 3000000000(%rax) (%ax) %al %cl %ah %sil %r8b %r16 %ax %r9w %eax %ecx %r10d
        %rax %rbx %r11 %rsp %xmm0 %xmm1 %xmm2 %xmm17 %xmm32 %ymm1 %ymm2 %ymm18 %zmm1 %zmm2 %zmm3 %rip %st %k1
        %mm0""",
    "aarch64": """w0 w1 w2 x0 x1 x2 x3 x31 w32 sp wsp v0.16b v1.16b v2.16b v3.16b v0.8b v1.8b v0.8h v1.8h v0.4s v1.4s
        v2.4s v0.2d v1.2d v2.2d v0.1q v1.1d v2.1d v0.b[3] v1.h[7] v0.s[1] v1.s[2] v0.d[1] v1.d[0] v40.16b
        v0.s[4] v0 q0 q1 d0 d1 d2 s0 h0 b0 #0 #1 #8 #16 #31 #32 #63 #64 #255 #256 #4095 #4096 #65535 #65536
        #0x00ff00ff00ff00ff #-1 #1000000000000 #4096000 1b 3f name name+8 [x0] [sp,#16] [x1,#8] [x1,#-8]
        [x1,#4088] [x1,#4095] [x1,#65520] [w0] [x1,x2] [x1,x2,lsl#3] [x1,x2,lsl#2] [x1,w2,uxtw#2] [x1,w2,uxtw]
        [x1,#16]! [x1,#256]! [v0] [x31] [x1,x2,lsl#60] {v0.16b} {v0.16b,v1.16b} {v0.16b-v3.16b} {v0.4s,v2.4s}
        {v0.16b-v5.16b} lsl#3 lsl#12 lsl#16 lsl#32 lsl#100 ror#8 lsr#40 uxtw sxtw#2 uxtb""",
}


def right(isa):
    """(mnemonics, operands) of SEEDS."""
    for seed in " ".join(SEEDS[isa].split()).split("; "):
        names, parts = re.fullmatch(r"((?:[a-z.0-9]+ )+)(.*)", seed).groups()
        yield names.split(), operands(f"it {parts}")[1]


def wrong(isa):
    """Lines in which an operand or two are others, are left out or added; some are right."""
    draw, others = random.Random(1), [re.sub(r"(?<=[a-z])#", " #", each) for each in OPERANDS[isa].split()]
    for names, parts in right(isa):
        for name in names * EACH:
            new = list(parts)
            for _ in range(draw.choice([1, 1, 2])):
                at = draw.randrange(len(new) + 1)
                new[at : at + draw.choice([0, 1, 1, 1])] = draw.choices(others, k=draw.choice([0, 1, 1, 1]))
            yield f"{name} {', '.join(new)}"


def known(isa):
    """Of the wrong lines those that are no UnknownInstructionError; nothing else may be raised."""
    for line in dict.fromkeys(wrong(isa)):
        try:
            yield loop(line, isa)[0].text
        except UnknownInstructionError as error:
            assert len(error.lines) == 1


@pytest.mark.parametrize("isa", TOOLS)
def test_what_is_modelled_is_an_instruction(isa, tmp_path):
    lines = [loop(f"{name} {', '.join(parts)}", isa)[0].text for names, parts in right(isa) for name in names]
    lines += known(isa)
    if not shutil.which(TOOLS[isa][0]):
        pytest.skip(f"{TOOLS[isa][0]} is not installed")
    source = tmp_path / "all.s"
    source.write_text("\n1:\n" + "\n".join(lines) + "\n3:\nname:\n.L3:\n", encoding="utf-8")
    done = subprocess.run([*TOOLS[isa], source, "-o", tmp_path / "all.o"], capture_output=True, text=True, check=False)
    faults = re.findall(r"all\.s:(\d+): Error: (.*)", done.stderr)
    assert not faults, [(lines[int(n) - 3], why) for n, why in faults][:20]
    assert done.returncode == 0, done.stderr
