"""The codegen fuzzer's material: random routines at random budgets, and what the evaluator says of them."""

from dataclasses import dataclass

from aesedu.codegen import BudgetError, Code, generate, weave
from aesedu.engines.execute import execute
from aesedu.native import NativeError
from aesedu.routine import evaluate, low32, memory, ops, table, u32, u64, vectors
from aesedu.routine.ops import KINDS, OPS
from aesedu.routine.recorder import Recorder
from aesedu.routines import ttable

MEMORY_WORDS = 96  # a random routine reaches no further than 31 (index) + 39 (offset) + 3 * 3 (advances) + 1
TABLE_WORDS = {"te": 2048, "td": 2048}
MOST = {"x86_64": 15, "aarch64": 26}
ROWS = [op for op in OPS.values() if op.name not in ("const", "advance") and op.name not in vars(vectors)]


@dataclass
class Variant:
    """A routine compiled for a budget, and what to call it with."""

    code: Code
    words: list
    memories: list
    count: int

    def expected(self):
        """Words and memories afterwards, by the evaluator. A word that no parameter becomes is None if nothing ran."""
        recording, memories = self.code.recording, [list(m) for m in self.memories]
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


def random_variant(rng, isa="x86_64"):
    """A random routine or (one in 25) a T-table routine, sometimes two woven, at a random budget, random arguments."""
    record = _ttable if rng.random() < 0.04 else random_recording
    recording = record(rng)
    if rng.random() < 0.3:
        recording = weave(recording, record(rng), grain=rng.choice((1, 1, 2, 5, 100)))
    code = compiled(recording, isa, rng.choice((*range(2, 10), rng.randrange(2, MOST[isa] + 1), MOST[isa])))
    parameters = code.recording.parameters
    words = [rng.getrandbits(p.type.bits) for p in parameters if not p.type.is_memory]
    sizes = [TABLE_WORDS.get(p.name, MEMORY_WORDS) for p in parameters if p.type.is_memory]
    memories = [[rng.getrandbits(32) for _ in range(size)] for size in sizes]
    return Variant(code, words, memories, rng.choice((1, 1, 1, 2, 3, 0)))


def compiled(recording, isa, budget):
    """Code for a budget, or for the smallest one that works."""
    try:
        return generate(recording, isa, budget)
    except BudgetError as error:
        return generate(recording, isa, error.smallest)


def _ttable(rng):
    choices = {"rounds": (10, 12, 14), "technique": ttable.TECHNIQUES, "key_loads": ttable.KEY_LOADS}
    return ttable.encrypt.record(**{name: rng.choice(values) for name, values in choices.items()})


def random_recording(rng):
    """Up to 60 steps over the whole table of operations; results may repeat, change places or be parameters."""
    recorder = Recorder("random")
    words = [recorder.parameter(f"p{i}", rng.choice((u32, u32, u64))) for i in range(rng.randrange(1, 9))]
    names = rng.sample(["table1", "table2", "memory1", "memory2"], rng.randrange(1, 5))
    memories = [recorder.parameter(name, table if name.startswith("t") else memory) for name in names]
    values = list(words)
    for _ in range(rng.randrange(1, 60)):
        made = _step(rng, recorder, values, memories)
        values += [] if made is None else [made]
    results = [rng.choice(values[-12:] + words) for _ in range(rng.randrange(1, 7))]
    return recorder.finish(results + [m[rng.randrange(4) :] for m in memories if rng.random() < 0.6])


def _step(rng, recorder, values, memories):
    """One operation with operands of the right types, or None where there are none (or it would be all numbers)."""
    op, word = rng.choice(ROWS), rng.choice(values).value.type
    operands = []
    for name, kind in zip(op.operands, op.kinds, strict=True):
        choices = _choices(rng, name, kind, word, values, memories)
        if not choices:
            return None
        operands.append(rng.choice(choices))
    return recorder.step(op, operands) if any(hasattr(o, "recorder") for o in operands) else None


def _choices(rng, name, kind, word, values, memories):
    if kind == "n":
        return [rng.randrange(word.bits) if name == "n" else rng.randrange(40)]
    if kind == "i":
        return [_index(rng, values), rng.randrange(32)]
    if kind in ("m", "out"):
        return [m for m in memories if m.value.type in KINDS[kind]]
    kind = word if kind in ("w", "x") else KINDS[kind][0]
    number = rng.choice((0, 1, 0x1B, 0x7FFFFFFF, 1 << kind.bits - 1, rng.getrandbits(kind.bits)))
    return [v for v in values[-10:] if v.value.type is kind] * 3 + [number]


def _index(rng, values):
    """A word below 32; two of the ways to it leave rubbish in the upper half of a 64-bit register."""
    value = rng.choice(values)
    if value.value.type is u64 and rng.random() < 0.7:
        rubbish = low32(value & 0xFFFFFFFF0000001F)
        return ops.join16(rubbish, low32(value) & 31) if rng.random() < 0.5 else rubbish
    return value & 31
