"""The codegen fuzzer's material: random routines at random budgets, and what the evaluator says of them."""

import math
from dataclasses import dataclass

from aesedu import machines
from aesedu.codegen import BudgetError, Code, generate, weave
from aesedu.codegen.code import ENCODINGS
from aesedu.engines.execute import execute
from aesedu.native import NativeError, features
from aesedu.pipeline.schedule import schedule
from aesedu.routine import evaluate, low32, memory, ops, table, u32, u64, v128, v512
from aesedu.routine.ops import KINDS, NUMBERS, OPS
from aesedu.routine.recorder import Recorder
from aesedu.routine.recording import Recording
from aesedu.routines import ttable

MEMORY_WORDS = 96  # a random routine reaches no further than 31 (index) + 39 (offset) + 3 * 3 (advances) + 1
TABLE_WORDS = {"te": 2048, "td": 2048}
MOST = {"x86_64": 15, "aarch64": 26}
MACHINES = {"x86_64": ("zen4", "zen5"), "aarch64": ("a53", "n1")}  # these have a class for every instruction
ROWS = [op for op in OPS.values() if op.name not in ("const", "advance")]
NARROW = [op for op in ROWS if "v512" not in (*op.kinds, op.result)]
SSE = {"aes", "pclmulqdq", "ssse3", "sse4.1"}
NEEDS = {"sse": SSE, "vex": SSE | {"avx"}}
NEEDS["evex"] = NEEDS["vex"] | {"vaes", "vpclmulqdq", "avx512vl", "avx512bw", "avx512dq"}


@dataclass
class Variant:
    """A routine compiled for a budget, and what to call it with."""

    code: Code
    words: list
    memories: list
    count: int
    written: Recording = None  # before its steps were put in another order

    def expected(self):
        """Words and memories afterwards, by the evaluator. A word that no parameter becomes is None if nothing ran."""
        recording, memories = self.written or self.code.original, [list(m) for m in self.memories]
        words, rest = iter(self.words), iter(memories)
        now = {p: View(next(rest)) if p.type.is_memory else next(words) for p in recording.parameters}
        known = {recording.becomes.get(p, p): value for p, value in now.items()}
        for _ in range(self.count):
            known = now | dict(evaluate(recording, *now.values()))
            now = {p: known[recording.becomes.get(p, p)] for p in recording.parameters}
        return [known.get(r) for r in recording.results if not r.type.is_memory], memories

    def fault(self):
        """What is wrong with it on this host, or None."""
        try:
            return self.difference(*execute(self.code, self.words, self.memories, self.count))
        except NativeError as error:
            return f"{type(error).__name__}: {error}"

    def difference(self, words, memories):
        """What is wrong with what came out, or None."""
        want_words, want_memories = self.expected()
        wrong = [f"{w:#x} for {e:#x}" for w, e in zip(words, want_words, strict=True) if e is not None and w != e]
        return ", ".join(wrong) or ("other memory" if memories != want_memories else None)


class View:
    """The words of a list from an offset on: a slice that stores through, as a pointer does."""

    def __init__(self, words, offset=0):
        self.words, self.offset = words, offset

    def __getitem__(self, key):
        return View(self.words, self.offset + key.start) if isinstance(key, slice) else self.words[self.offset + key]

    def __setitem__(self, key, value):
        self.words[self.offset + key] = value


def encodings(isa):
    """The encodings that can run: AArch64's under qemu, those of x86-64 where this processor has the features."""
    return [e for e in ENCODINGS[isa] if isa == "aarch64" or NEEDS[e] <= features()]


def random_variant(rng, isa="x86_64", encoding=None):
    """A random routine or (one in 25) a T-table routine, at random budgets, with random arguments.

    Sometimes it is two woven, sometimes its steps are in an order for a machine.
    Without an `encoding` it is a random one of `encodings` on x86-64, and little-endian on AArch64.
    """
    choices = encodings(isa) if isa == "x86_64" else ["little"]
    encoding = encoding or (rng.choice(choices) if choices else None)
    record, kinds = random_recording, [u32, u32, u64]
    kinds += ([v128] * rng.choice((0, 3)) + [v512] * (encoding == "evex")) if encoding in encodings(isa) else []
    if rng.random() < 0.04:
        record = _ttable
    recording = record(rng, kinds)
    if rng.random() < 0.3:
        recording = weave(recording, record(rng, kinds), grain=rng.choice((1, 1, 2, 5, 100)))
    written = recording
    if rng.random() < 0.3:
        recording = rescheduled(rng, recording, isa, encoding)
    budget = rng.choice((*range(2, 10), rng.randrange(2, MOST[isa] + 1), MOST[isa]))
    code = compiled(recording, isa, budget, rng.choice((1, 2, 3, 4, 6, 10, 16, None)), encoding)
    parameters = code.recording.parameters
    words = [rng.getrandbits(p.type.bits) for p in parameters if not p.type.is_memory]
    sizes = [TABLE_WORDS.get(p.name, MEMORY_WORDS) for p in parameters if p.type.is_memory]
    memories = [[rng.getrandbits(32) for _ in range(size)] for size in sizes]
    return Variant(code, words, memories, rng.choice((1, 1, 1, 2, 3, 0)), written)


def rescheduled(rng, recording, isa, encoding=None):
    """The recording in an order for a machine that has every instruction, within a random bound."""
    bounds = rng.choice((2, 6, None, math.inf)), rng.choice((2, 6, None, math.inf))
    return schedule(recording, machines.load(rng.choice(MACHINES[isa])), *bounds, encoding)


def compiled(recording, isa, budget, vectors=None, encoding=None):
    """Code for budgets, or for the smallest ones that work."""
    try:
        return generate(recording, isa, budget, vectors, encoding)
    except BudgetError as error:
        smallest = {"word": (error.smallest, vectors), "vector": (budget, error.smallest)}[error.bank]
        return compiled(recording, isa, *smallest, encoding)


def _ttable(rng, _):
    choices = {"rounds": (10, 12, 14), "technique": ttable.TECHNIQUES, "key_loads": ttable.KEY_LOADS}
    return ttable.encrypt.record(**{name: rng.choice(values) for name, values in choices.items()})


def random_recording(rng, kinds=(u32, u32, u64)):
    """Up to 60 steps over the whole table of operations; results may repeat, change places or be parameters."""
    recorder = Recorder("random")
    words = [recorder.parameter(f"p{i}", rng.choice(kinds)) for i in range(rng.randrange(1, 9))]
    names = rng.sample(["table1", "table2", "memory1", "memory2"], rng.randrange(1, 5))
    memories = [recorder.parameter(name, table if name.startswith("t") else memory) for name in names]
    values = list(words)
    for _ in range(rng.randrange(1, 60)):
        made = _step(rng, recorder, values, memories, ROWS if v512 in kinds else NARROW)
        values += [] if made is None else [made]
    results = [rng.choice(values[-12:] + words) for _ in range(rng.randrange(1, 7))]
    return recorder.finish(results + [m[rng.randrange(4) :] for m in memories if rng.random() < 0.6])


def _step(rng, recorder, values, memories, rows):
    """One operation with operands of the right types, or None where there are none (or it would be all numbers)."""
    op, types, operands = rng.choice(rows), {}, []
    for name, kind in zip(op.operands, op.kinds, strict=True):
        if kind not in types:
            types[kind] = rng.choice([v.value.type for v in values if v.value.type in KINDS.get(kind, ())] or [None])
        choices = _choices(rng, name, kind, types[kind], values, memories)
        if not choices:
            return None
        operands.append(rng.choice(choices))
    return recorder.step(op, operands) if any(hasattr(o, "recorder") for o in operands) else None


def _choices(rng, name, kind, chosen, values, memories):
    if kind in NUMBERS:
        return [rng.randrange(NUMBERS[kind] or (32 if name == "n" else 40))]
    if kind == "i":
        return [_index(rng, values), rng.randrange(32)]
    if kind in ("m", "out"):
        return [m for m in memories if m.value.type in KINDS[kind]]
    if not chosen:
        return []
    number = rng.choice((0, 1, 0x1B, 0x7FFFFFFF, 1 << chosen.bits - 1, rng.getrandbits(chosen.bits)))
    return [v for v in values[-10:] if v.value.type is chosen] * 3 + [number]


def _index(rng, values):
    """A word below 32; two of the ways to it leave rubbish in the upper half of a 64-bit register."""
    value = rng.choice([v for v in values if v.value.type.bank == "word"] or [None])
    if value is None:
        return 3
    if value.value.type is u64 and rng.random() < 0.7:
        rubbish = low32(value & 0xFFFFFFFF0000001F)
        return ops.join16(rubbish, low32(value) & 31) if rng.random() < 0.5 else rubbish
    return value & 31
