"""Run a recording one step at a time.

On ints every step computes. On symbols every step records itself again, and with other `meanings` it records
something else in its place: that is how a recording is lowered to an instruction set.
"""

from aesedu.routine.recording import Value


def evaluate(recording, *arguments, meanings=None):
    """Yield ``(step, result)`` for every step in program order; the result of a store is None.

    Arguments are ints for words, and sequences of 32-bit ints for `table` and `memory` (stores write into the latter).
    `meanings` maps names of operations to functions that stand in for them. Raises RoutineError if an argument does
    not fit its parameter or an index its memory.
    """
    known = bind(recording, arguments)
    for step in recording.steps:
        operands = [known[o] if isinstance(o, Value) else o for o in step.operands]
        try:
            known[step] = _apply(step, operands, meanings or {})
        except IndexError:
            message = f"{step.english()} lies outside: it has {len(operands[0])} words here"
            raise recording.fault(message, step) from None
        yield step, known[step]


def run(recording, *arguments):
    """The results of a recording on ints, as a tuple (see `evaluate`)."""
    known = bind(recording, arguments) | dict(evaluate(recording, *arguments))
    return tuple(known[r] for r in recording.results)


def _apply(step, operands, meanings):
    if step.op.name in meanings:
        return meanings[step.op.name](*operands)
    if any(hasattr(o, "recorder") for o in operands):
        return step.op(*operands)
    return step.op.compute(operands, step.type.bits if step.type else 64)


def bind(recording, arguments):
    """{parameter: argument}. Raises RoutineError if one does not fit."""
    if len(arguments) != len(recording.parameters):
        names = ", ".join(map(str, recording.parameters))
        raise recording.fault(f"{len(arguments)} arguments were given; it takes {len(recording.parameters)}: {names}")
    for parameter, argument in zip(recording.parameters, arguments, strict=True):
        if not _fits(parameter.type, argument):
            raise recording.fault(f"{parameter} must be a {parameter.type}, not {argument!r:.60}")
    return dict(zip(recording.parameters, arguments, strict=True))


def _fits(kind, argument):
    if kind.is_memory or hasattr(argument, "recorder"):
        return hasattr(argument, "__getitem__")
    return isinstance(argument, int) and 0 <= argument < 1 << kind.bits
