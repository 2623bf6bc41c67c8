"""What LLVM makes of the compiled cipher: its assembly, the loop of the rounds in it, what goes through the stack."""

import re
from typing import NamedTuple

from aesedu import native

LOADS = 20  # a round: 16 words of tables and 4 of a key
_MEMORY = re.compile(r"\(%|\[")  # an operand in memory, x86-64 and AArch64
_STACK = re.compile(r"\(%[re]sp\)|\[sp\b")
_JUMP = re.compile(r"^(?:j\w+|b(?:\.\w+)?|cbn?z|tbn?z)\b.*?(\.?L\w+)$")
_COMMENT = re.compile(r"\s#+\s.*|//.*")
_COPY = re.compile(r"^mov[lq]? %\w+, *%\w+$|^mov [wx]\d+, [wx]\d+$")


class Loop(NamedTuple):
    """Instructions of a loop in order; ``rounds`` are those of AES in one pass."""

    lines: tuple[str, ...]

    @property
    def rounds(self):
        """Rounds of AES in one pass, by the loads that are not of the stack."""
        return sum(_touches(line) == "load" for line in self.lines) // LOADS

    @property
    def spills(self):
        """Stores to the stack."""
        return sum(_touches(line) == "spill" for line in self.lines)

    @property
    def reloads(self):
        """Loads from the stack, alone or as part of another instruction."""
        return sum(_touches(line) == "reload" for line in self.lines)

    @property
    def copies(self):
        """Moves from register to register."""
        return sum(bool(_COPY.match(line)) for line in self.lines)


def _touches(line):
    """What a line does with memory: "load", "store", "reload" and "spill" with the stack, or ""."""
    if not _MEMORY.search(line) or line.startswith("lea"):
        return ""
    stores = line.startswith(("str", "stp")) or (line.startswith("mov") and line.endswith(")"))
    if _STACK.search(line):
        return "spill" if stores else "reload"
    return "store" if stores else "load"


def assembly():
    """The text of ``compiled.rounds`` for this processor, in the process that is asked (numba takes 100 MB).

    Compiled anew, because what comes from numba's cache on disk has lost its text.
    """
    import numba

    from aesedu.engines import compiled

    signature = compiled.routine().signatures[0]
    made = numba.njit(signature, nogil=True)(compiled.rounds)
    return made.inspect_asm(signature)


def compiled_loops():
    """(loop of the rounds, loop of the blocks without it) as LLVM compiled them here. Raises NativeError."""
    return loops(native.worker().call("aesedu.engines.inspection:assembly", 120.0))


def loops(text):
    """The same from an assembly text. Raises ValueError where it has no loop with a round's look-ups."""
    lines = [_COMMENT.sub("", line).strip().replace("\t", " ") for line in text.splitlines()]
    labels = {line[:-1]: n for n, line in enumerate(lines) if line.endswith(":")}
    jumps = [(labels.get(m[1], len(lines)), n) for n, line in enumerate(lines) if (m := _JUMP.match(line))]
    ranges = sorted(((a, b) for a, b in jumps if a < b), key=lambda ends: ends[1] - ends[0])
    straight = [(a, b) for a, b in ranges if not any(a < n < b for n in labels.values())]
    inner = next(((a, b) for a, b in straight if _loop(lines[a:b]).rounds), None)
    if inner is None:
        raise ValueError("no loop of this text looks up a round's words")
    outer = next(((a, b) for a, b in ranges if a < inner[0] and inner[1] < b), (inner[0], inner[0]))
    return _loop(lines[inner[0] : inner[1] + 1]), _loop(lines[outer[0] : inner[0]] + lines[inner[1] + 1 : outer[1] + 1])


def _loop(lines):
    return Loop(tuple(line for line in lines if line and not line.endswith(":") and not line.startswith(".")))
