"""Record a routine: call the Python function once on symbols, whose operators write down what they are asked to do.

    @routine
    def mix(a: u32, b: u32, te: table):
        return te[a & 255] ^ te[b >> 8 & 255], rotl(b, 16)

    mix(1, 2, TE0)      # on ints it runs
    mix.record()        # the Recording that evaluator, pictures and code generator share

Positional parameters are u32, u64, table or memory; keyword-only ones are settings of ordinary Python types.
"""

import functools
import inspect
import linecache
import sys
from collections import Counter

from aesedu.routine import ops
from aesedu.routine.evaluate import evaluate, run
from aesedu.routine.ops import KINDS, Type, table
from aesedu.routine.recording import Recording, RoutineError, Value

MOST_STEPS = 100_000  # a loop that never ends records for ever: stop it here

_NO_BRANCH = "a routine does the same steps for every input: it cannot branch on a word or compare it. Use masks"
_NO_NUMBER = "a word has no number yet while the routine is recorded. To look something up, make it a `table` parameter"
_NO_WALK = "this cannot be walked through or unpacked. Index it: [te[i] for i in range(4)]"


class Symbol:
    """Stands for a word while a routine is recorded."""

    def __init__(self, recorder, value):
        self.recorder, self.value = recorder, value

    def __repr__(self):
        return f"{self.value} ({self.value.type})"

    __hash__ = object.__hash__  # `==` is refused below, so sets and dictionaries go by identity

    def __getitem__(self, key):
        self.recorder.fail(f"{self} is a word and has no elements: only `table` and `memory` parameters have")

    __setitem__ = __getitem__

    def __invert__(self):
        return ops.invert(self)


class Memory(Symbol):
    """Stands for a `table` or `memory` parameter, from word `offset` on."""

    def __init__(self, recorder, value, offset=0):
        super().__init__(recorder, value)
        self.offset = offset

    def __getitem__(self, key):
        if isinstance(key, slice):
            if key.step is not None or isinstance(key.stop, Symbol):
                self.recorder.fail(f"a slice of {self} has plain numbers and no step")
            return Memory(self.recorder, self.value, self.offset + self._number(key.start or 0))
        return ops.load32(self, key, 0) if isinstance(key, Symbol) else ops.load32(self, 0, self._number(key))

    def __setitem__(self, key, value):
        ops.store32(self, self._number(key), value)

    def _number(self, key):
        if not isinstance(key, int) or key < 0:
            self.recorder.fail(f"{self} cannot be indexed by {key!r} here: words are counted from 0 by plain numbers")
        return key


def _operator(row, swapped):
    return lambda self, other: row(other, self) if swapped else row(self, other)


def _refusal(message):
    return lambda self, *_: self.recorder.fail(message)


for _row in ("xor", "and", "or", "add", "sub", "mul"):
    setattr(Symbol, f"__{_row}__", _operator(ops.OPS[_row], False))
    setattr(Symbol, f"__r{_row}__", _operator(ops.OPS[_row], True))
for _name, _row in (("lshift", ops.shl), ("rshift", ops.shr)):
    setattr(Symbol, f"__{_name}__", _operator(_row, False))
    setattr(Symbol, f"__r{_name}__", _operator(_row, True))
for _names, _message in (
    ("bool eq ne lt le gt ge", _NO_BRANCH),
    ("index int float", _NO_NUMBER),
    ("iter len contains", _NO_WALK),
):
    for _name in _names.split():
        setattr(Symbol, f"__{_name}__", _refusal(_message))


class Recorder:
    """Collects the steps of one recording; nothing of it outlives a routine that fails."""

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

        `becomes` maps parameters to positions in the results. By default memory becomes the memory that was derived
        from it, and words become words of the same type, in order.
        """
        results = [ops.advance(r, 0) if isinstance(r, Memory) and r.offset else r for r in results]
        results = tuple(r.value for r in results)
        self.open = False
        if becomes is None:
            becomes = _becomes(self.parameters, results)
        steps = _needed(self.steps, results)
        shared = Counter(value.name for value in (*self.parameters, *steps))
        for number, step in enumerate(steps):
            step.number = number
            step.name += f".{number}" if step.name and shared[step.name] > 1 else ""
        carried = {p: results[i] for p, i in becomes.items() if p is not results[i]}
        return Recording(self.name, tuple(self.parameters), steps, results, carried)

    def fail(self, message, line=None):
        """Raise a RoutineError at `line`, by default the one of the routine that is being executed."""
        line = line or self._place()[0]
        raise RoutineError(message, self.name, line, self._source(line))

    def _symbol(self, value):
        return (Memory if value.type in KINDS["m"] else Symbol)(self, value)

    def _add(self, op, operands, kind):
        line, variables = self._place()
        for name, held in variables.items():
            if isinstance(held, Symbol) and held.value in operands and not held.value.name:
                held.value.name = name
        value = Value(op, tuple(operands), kind, line, self._source(line), number=len(self.steps))
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

    def _source(self, line):
        return linecache.getline(self.filename, line).strip() if line else ""

    def _types(self, op, arguments):
        """The type behind each letter of the signature; fails if the arguments do not fit it."""
        types = {}
        for name, kind, argument in zip(op.operands, op.kinds, arguments, strict=True):
            if not isinstance(argument, int | Symbol):
                self.fail(f"{op.name} works on words and whole numbers, not on {argument!r}")
            if not isinstance(argument, Symbol):
                continue
            if argument.recorder is not self:
                self.fail(f"{argument} belongs to another recording ({argument.recorder.name})")
            self._check(op, name, kind, argument.value.type, types)
        return types

    def _check(self, op, name, kind, given, types):
        if kind == "n":
            self.fail(f"{op.name}: {name} must be a number that is known beforehand, not a word")
        if given not in KINDS[kind]:
            hint = ": a table is only read, write to `memory`" if given is table and kind == "out" else ""
            self.fail(f"{op.name}: {name} must be {' or '.join(map(str, KINDS[kind]))}, not {given}{hint}")
        if types.setdefault(kind, given) is not given:
            self.fail(f"{op.name} mixes {types[kind]} and {given}: low32(x) cuts to u32, widen(x) makes u64")

    def _operands(self, op, arguments, types):
        """Symbols become values, numbers are brought into range, offsets of memory move into `at`."""
        if op.commutes and isinstance(arguments[0], int):
            arguments.reverse()
        if isinstance(arguments[0], Memory):
            arguments[op.operands.index("at")] += arguments[0].offset
        for i, kind in enumerate(op.kinds):
            if isinstance(arguments[i], int) and kind in ("w", "u32", "u64"):
                arguments[i] = self._fit(arguments[i], types.get(kind, KINDS[kind][0]))
        if op.kinds[0] == "w" and isinstance(arguments[0], int):
            arguments[0] = self.constant(arguments[0], types["w"])
        if op.kinds[1:] == ("n",) and "w" in types and not 0 <= arguments[1] < types["w"].bits:
            self.fail(f"{op.name} by {arguments[1]}: a {types['w']} moves by 0 to {types['w'].bits - 1} bits")
        return [a.value if isinstance(a, Symbol) else a for a in arguments]

    def _fit(self, number, kind):
        if not -(1 << kind.bits - 1) <= number < 1 << kind.bits:
            self.fail(f"{number:#x} does not fit in {kind.bits} bits")
        return number & (1 << kind.bits) - 1


def _idiom(op, operands):
    """Three phrases of Python have an operation of their own: a byte, a rotation, two joined halves."""
    a, b = (*operands, None)[:2]
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
    words = [p for p in parameters if p.type not in KINDS["m"]]
    becomes = {}
    for i, result in enumerate(results):
        if result.type in KINDS["m"]:
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


class Routine:
    """A Python function that can be run on ints, recorded, or called from another routine."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *arguments, **settings):
        """Run on ints (one result, or a tuple of them); on symbols, become part of the caller's recording."""
        if any(isinstance(a, Symbol) for a in arguments):
            return self.function(*arguments, **settings)
        results = run(self.record(**settings), *arguments)
        return results[0] if len(results) == 1 else results

    def record(self, **settings):
        """The Recording of the function, with its keyword-only parameters set. Raises RoutineError."""
        recorder = Recorder(self.__name__, self.function.__code__.co_filename)
        symbols = [recorder.parameter(name, kind) for name, kind in self._parameters(recorder)]
        try:
            returned = self.function(*symbols, **settings)
        except RoutineError:
            raise
        except Exception as error:
            line = _line(error, recorder.filename)
            hint = " (words know ^ & | + - * ~ << >>)" if isinstance(error, TypeError) else ""
            message = f"{type(error).__name__}: {error}{hint}"
            raise RoutineError(message, recorder.name, line, recorder._source(line)) from error
        return recorder.finish(self._results(recorder, returned))

    def _parameters(self, recorder):
        for parameter in inspect.signature(self.function, eval_str=True).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY:
                continue
            if not isinstance(parameter.annotation, Type):
                message = f"say what {parameter.name} is: u32, u64, table or memory, as in `{parameter.name}: u32`"
                recorder.fail(message, self._first_line())
            yield parameter.name, parameter.annotation

    def _results(self, recorder, returned):
        results = returned if isinstance(returned, tuple | list) else (returned,)
        for result in results:
            if result is None:
                recorder.fail("it returns nothing: end it with `return` and the words it computes", self._first_line())
            if not isinstance(result, Symbol) or result.recorder is not recorder:
                recorder.fail(f"it returns {result!r}, which is none of its words", self._first_line())
        return results

    def _first_line(self):
        lines, first = inspect.getsourcelines(self.function)
        return first + next((n for n, text in enumerate(lines) if text.lstrip().startswith("def ")), 0)


def routine(function):
    """Decorate a function to make it a Routine."""
    return Routine(function)


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


def _line(error, filename):
    """The innermost line of `filename` that an exception passed through."""
    trace, line = error.__traceback__, None
    while trace:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == filename else line
        trace = trace.tb_next
    return line
