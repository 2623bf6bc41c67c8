"""The recorder behind the symbols: checks each operation, recognises three phrases, collects the steps."""

import linecache
import sys
from collections import Counter

from aesedu.routine import ops
from aesedu.routine.evaluate import evaluate
from aesedu.routine.ops import KINDS, NUMBERS, VALUES, table
from aesedu.routine.recording import Recording, RoutineError, Value
from aesedu.routine.symbol import Memory, Symbol

MOST_STEPS = 100_000  # a loop that never ends records for ever: stop it here


class Recorder:
    """Collects the steps of one recording; nothing of it outlives a routine that fails.

    `filename` is the routine's own file: lines and names of variables come from the innermost call in it.
    """

    def __init__(self, name, filename=None):
        self.name, self.filename = name, filename
        self.parameters, self.steps = [], []
        self.open = True

    def parameter(self, name, kind):
        """A new parameter, as a symbol."""
        self.parameters.append(Value(None, (), kind, name=name))
        return self._symbol(self.parameters[-1])

    def constant(self, n, kind):
        """A word of fixed value that wants a register of its own."""
        return self._add(ops.const, [n, kind], kind)

    def step(self, op, arguments):
        """Check and note one operation; return the symbol of its result (None for a store)."""
        if not self.open:
            raise RoutineError("a symbol was kept from this finished recording: pass it as a parameter", self.name)
        types = self._types(op, arguments)
        result = types.get(op.result, KINDS.get(op.result, (None,))[0])
        op, operands = _idiom(op, self._operands(op, list(arguments), types))
        return self._add(op, operands, result)

    def finish(self, results, becomes=None):
        """Close the recording; steps on which neither a result nor a store depends are left out.

        `becomes` maps parameters to positions in `results`. By default memory becomes the memory that was derived from
        it, and words become words of the same type, in order.
        """
        results = [ops.advance(r, 0) if isinstance(r, Memory) and r.offset else r for r in results]
        results = tuple(r.value for r in results)
        self.open = False
        becomes = _becomes(self.parameters, results) if becomes is None else becomes
        steps = _needed(self.steps, results)
        shared = Counter(value.name for value in (*self.parameters, *steps))
        for number, step in enumerate(steps):
            step.number = number
            step.name += f".{number}" if step.name and shared[step.name] > 1 else ""
        changing = {p: results[i] for p, i in becomes.items() if p is not results[i]}
        return Recording(self.name, tuple(self.parameters), steps, results, changing)

    def fail(self, message, line=None):
        """Raise a RoutineError at `line`, by default the one of the routine that is being executed."""
        line = line or self._place()[0]
        raise RoutineError(message, self.name, line, self.source(line))

    def source(self, line):
        """The text of a line of the routine's file."""
        return linecache.getline(self.filename, line).strip() if line else ""

    def _symbol(self, value):
        return (Memory if value.type.is_memory else Symbol)(self, value)

    def _add(self, op, operands, kind):
        line, variables = self._place()
        for name, held in variables.items():
            if isinstance(held, Symbol) and held.value in operands and not held.value.name:
                held.value.name = name
        value = Value(op, tuple(operands), kind, line, self.source(line), number=len(self.steps))
        self.steps.append(value)
        if len(self.steps) > MOST_STEPS:
            self.fail(f"more than {MOST_STEPS} steps were recorded: does a loop never end?")
        return self._symbol(value) if kind else None

    def _place(self):
        """Line and local variables of the innermost frame in the routine's own file."""
        frame = sys._getframe(1)
        while frame and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return (frame.f_lineno, frame.f_locals) if frame else (None, {})

    def _types(self, op, arguments):
        """The type behind each letter of the signature; fails if the arguments do not fit it."""
        types = {}
        for name, kind, argument in zip(op.operands, op.kinds, arguments, strict=True):
            if not isinstance(argument, int | Symbol):
                self.fail(f"{op.name} works on words and whole numbers, not on {argument!r}")
            if isinstance(argument, Symbol):
                if argument.recorder is not self:
                    self.fail(f"{argument} belongs to another recording ({argument.recorder.name})")
                self._check(op, name, kind, argument.value.type, types)
        return types

    def _check(self, op, name, kind, given, types):
        if kind in NUMBERS:
            self.fail(f"{op.name}: {name} must be a number that is known beforehand, not a word")
        if given not in KINDS[kind]:
            hint = ": a table is only read, write to `memory`" if given is table and kind == "out" else ""
            self.fail(f"{op.name}: {name} must be {' or '.join(map(str, KINDS[kind]))}, not {given}{hint}")
        if types.setdefault(kind, given) is not given:
            words = "word" in (types[kind].bank, given.bank)
            hint = "low32(x) cuts to u32, widen(x) makes u64" if words else "broadcast(x) makes v512, lane(x, n) v128"
            self.fail(f"{op.name} mixes {types[kind]} and {given}: {hint}")

    def _operands(self, op, arguments, types):
        """Symbols become values, numbers are brought into range, offsets of memory move into `at`."""
        if op.commutes and isinstance(arguments[0], int):
            arguments.reverse()
        if isinstance(arguments[0], Memory):
            self._move_offset(op, arguments)
        for i, kind in enumerate(op.kinds):
            if isinstance(arguments[i], int) and kind in VALUES:
                arguments[i] = self._fit(arguments[i], types.get(kind, KINDS[kind][0]))
            if NUMBERS.get(kind) and not 0 <= arguments[i] < NUMBERS[kind]:
                self.fail(f"{op.name}: {op.operands[i]} is a number from 0 to {NUMBERS[kind] - 1}, not {arguments[i]}")
        if op.kinds[0] in VALUES and isinstance(arguments[0], int):
            arguments[0] = self.constant(arguments[0], types.get(op.kinds[0], KINDS[op.kinds[0]][0]))
        if op.kinds == ("w", "n") and not 0 <= arguments[1] < types["w"].bits:
            self.fail(f"{op.name} by {arguments[1]}: a {types['w']} moves by 0 to {types['w'].bits - 1} bits")
        return [a.value if isinstance(a, Symbol) else a for a in arguments]

    def _move_offset(self, op, arguments):
        at = op.operands.index("at")
        arguments[at] += arguments[0].offset
        if "i" in op.kinds and isinstance(arguments[1], int):
            arguments[at], arguments[1] = arguments[at] + arguments[1], 0

    def _fit(self, number, kind):
        if not -(1 << kind.bits - 1) <= number < 1 << kind.bits:
            self.fail(f"{number:#x} does not fit in {kind.bits} bits")
        return number & (1 << kind.bits) - 1


def replay(recorder, recording, symbols, meanings=None):
    """Record the steps of `recording` again on other symbols; return the symbols of its results.

    Sources and names are kept. `meanings` stand in for operations, as in `evaluate`.
    """
    known = dict(zip(recording.parameters, symbols, strict=True))
    meanings = {"const": recorder.constant, "advance": lambda m, at: m[at:]} | (meanings or {})
    done = len(recorder.steps)
    for step, known[step] in evaluate(recording, *symbols, meanings=meanings):
        for new in recorder.steps[done:]:
            new.line, new.source, new.name = step.line, step.source, step.name.partition(".")[0]
        done = len(recorder.steps)
    return [known[r] for r in recording.results]


def _idiom(op, operands):
    """Three phrases of Python have an operation of their own: a byte, a rotation, two joined halves."""
    a, b = (*operands, None)[:2]
    if isinstance(a, Value) and a.type.bank == "vector":
        return op, operands
    if op is ops.and_ and b == 255:
        return (ops.byte1, [a.operands[0]]) if _is(a, ops.shr, 8) else (ops.byte0, [a])
    if op is ops.or_:
        for x, y in ((a, b), (b, a)):
            if _is(x, ops.shl) and _is(y, ops.shr, x.type.bits - x.operands[1]) and x.operands[0] is y.operands[0]:
                return ops.rotl, list(x.operands)
            if _is(x, ops.and_) and _is(y, ops.and_, 0xFFFF) and x.operands[1] == (1 << x.type.bits) - 0x10000:
                return ops.join16, [x.operands[0], y.operands[0]]
    return op, operands


def _is(value, op, number=None):
    return isinstance(value, Value) and value.op is op and (number is None or value.operands[1] == number)


def _becomes(parameters, results):
    words = [p for p in parameters if not p.type.is_memory]
    becomes = {}
    for i, result in enumerate(results):
        if result.type.is_memory:
            becomes[_origin(result)] = i
        elif words and words[0].type is result.type:
            becomes[words.pop(0)] = i
    return becomes


def _origin(memory):
    while memory.op:
        memory = memory.operands[0]
    return memory


def _needed(steps, results):
    needed = set(results)
    for step in reversed(steps):
        if step in needed or step.type is None:
            needed.update(step.sources())
    return tuple(s for s in steps if s in needed or s.type is None)
