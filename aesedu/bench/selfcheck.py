"""Does the verdict hold on this machine? ``python -m aesedu.bench.selfcheck`` compares routines of known speed."""

import argparse
import sys

from aesedu.bench import environment
from aesedu.bench.comparison import compare
from aesedu.native import Buffer, Subject
from aesedu.native.assembler import ISA

ADDITIONS = 800  # each waits for the one before; the first for the last call's, through memory
CASES = [  # label, additions more than A, verdict that is right, how many in twenty must be right
    ("the same again", 0, "cannot tell", 20),
    ("0.5 % more", 4, "cannot tell", 20),
    ("3 % more", 24, "slower", 19),
]
_TEXT = {
    "x86_64": ("mov (%rdi), %rax", "add %rdx, %rax", "mov %rax, (%rdi)"),
    "aarch64": ("ldr x9, [x0]", "add x9, x9, x2", "str x9, [x0]"),
}


def chain(label, additions):
    """Return the Subject of a routine that does nothing but dependent additions, a cycle each."""
    load, add, store = _TEXT[ISA]
    body = "\n".join([load, *[add] * additions, store, "ret"])
    # The comment makes it another text, assembled for itself at an address of its own.
    text = f".globl routine\nroutine: // {label}\n{body}\n".replace("//", "#" if ISA == "x86_64" else "//")
    arguments = {"text": text, "arguments": [Buffer(bytes(64))]}
    return Subject(label, "aesedu.native.run:prepare", arguments, what={"engine": label})


def check(extra, wanted, runs, quick, where):
    """Return how many of ``runs`` comparisons with a chain so much longer give the wanted verdict; print the others."""
    a, b = chain("A", ADDITIONS), chain("B", ADDITIONS + extra)
    verdicts = [compare(a, b, quick=quick, where=where).verdict for _ in range(runs)]
    for verdict in verdicts:
        if wanted not in verdict:
            print(f"  {verdict}")
    return sum(wanted in verdict for verdict in verdicts)


def main(arguments=None):
    """Print the counts; the exit status is 0 if all are as they must be."""
    parser = argparse.ArgumentParser(prog="python -m aesedu.bench.selfcheck", description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="comparisons of each kind (default: 20)")
    parser.add_argument("--quick", action="store_true", help="check the quick form")
    options = parser.parse_args(arguments)
    where, good = environment.where(), True
    print(f"{where['cpu']}, {where['core_hz'] / 1e9:.2f} GHz, drift {100 * where['drift']:.2f} %")
    for label, extra, wanted, least in CASES:
        right = check(extra, wanted, options.runs, options.quick, where)
        print(f"{label}: {wanted!r} in {right} of {options.runs} (at least {least * options.runs // 20})")
        good &= right >= least * options.runs // 20
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
