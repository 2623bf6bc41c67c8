"""The order of steps: as written, or several recordings woven into one (for a machine: pipeline.schedule)."""

from math import inf

from aesedu.codegen.select import word_type
from aesedu.routine.ops import table
from aesedu.routine.recorder import Recorder, replay
from aesedu.routine.recording import Recording, Value


def weave(*recordings, grain=1):
    """One Recording that does the work of several, `grain` steps of each in turn.

    Memory of the same name is shared, and each recording starts where the one before it leaves off: a routine for one
    block, woven with itself, does two. Words are each recording's own; those of the second get names that end in _2.
    A `grain` as long as a recording leaves them one after the other; where one is longer, its steps are spread evenly.
    The results are always those of the recordings one after the other: a recording waits before a step that may meet
    an earlier one in memory, if one of the two stores. Two names are taken to be the same place or apart.
    Raises RoutineError where a name means a table in one recording and writable memory in another, TypeError for what
    is no Recording, ValueError for none at all or a `grain` below 1.
    """
    for each in recordings:
        if not isinstance(each, Recording):
            raise TypeError(f"{each!r:.60} is no Recording: routine.record() makes one of a @routine")
    if not recordings or not isinstance(grain, int) or grain < 1:
        raise ValueError(
            f"weave takes at least one recording, 1 step of each at a time: not {len(recordings)}, {grain!r}"
        )
    recorder = Recorder(" + ".join(r.name for r in recordings))
    memory, results, becomes, turn, met = {}, [], {}, {}, []
    for part, recording in enumerate(recordings, 1):
        own = [_parameter(recorder, p, part, memory) for p in recording.parameters]
        start = len(recorder.steps)
        ends = dict(zip(recording.results, replay(recorder, recording, own), strict=True))
        for parameter, symbol in zip(recording.parameters, own, strict=True):
            end = recording.becomes.get(parameter)
            if end and parameter.type.is_memory:
                memory[parameter.name] = ends[end]
            elif end:
                becomes[symbol.value] = len(results) + _words(recording).index(end)
        results += [ends[r] for r in _words(recording)]
        turns = _turns(recorder.steps[start:], grain, met)
        turn |= {step: (at, part) for step, at in turns.items()}
        met += [(here, turns[step]) for step in turns if (here := _touched(step))]
    recorder.steps.sort(key=turn.get)
    for parameter in recorder.parameters:
        end = memory.get(parameter.name)
        if end is not None and end.offset:
            becomes[parameter] = len(results)
            results.append(end)
    return recorder.finish(results, becomes)


def _parameter(recorder, parameter, part, memory):
    if not parameter.type.is_memory:
        return recorder.parameter(parameter.name + (f"_{part}" if part > 1 else ""), parameter.type)
    if parameter.name not in memory:
        memory[parameter.name] = recorder.parameter(parameter.name, parameter.type)
    symbol = memory[parameter.name]
    if symbol.value.type is not parameter.type:
        recorder.fail(f"{parameter} is a {symbol.value.type} in one recording and a {parameter.type} in another")
    return symbol


def _turns(steps, grain, met):
    """When each step has its turn, from 0 to 1; `met`: what earlier recordings touched, and when."""
    turns, now = {}, 0
    for i, step in enumerate(steps):
        here = _touched(step)
        waits = (at for there, at in met if _meet(here, there)) if here else ()
        turns[step] = now = max(now, i // grain * grain / len(steps), *waits)
    return turns


def _touched(step):
    """(whether it stores, first word, the one after the last); None where that is no memory that may be written."""
    fields = dict(zip(step.op.operands, step.operands, strict=True))
    if "at" not in fields or fields["m"].type is table:
        return None
    stores, first = step.type is None, fields["at"]
    anywhere = isinstance(fields.get("i"), Value)
    return (stores, -inf, inf) if anywhere else (stores, first, first + word_type(step).bits // 32)


def _meet(a, b):
    return (a[0] or b[0]) and a[1] < b[2] and b[1] < a[2]


def _words(recording):
    return [r for r in recording.results if not r.type.is_memory]
