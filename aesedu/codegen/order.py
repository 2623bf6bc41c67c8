"""The order of steps: as written, or several recordings woven into one (for a machine: pipeline.schedule)."""

from aesedu.routine.recorder import Recorder, replay
from aesedu.routine.recording import Recording


def weave(*recordings, grain=1):
    """One Recording that does the work of several, `grain` steps of each in turn.

    Memory of the same name is shared, and each recording starts where the one before it leaves off: a routine for one
    block, woven with itself, does two. Words are each recording's own; those of the second get names that end in _2.
    A `grain` as long as a recording leaves them one after the other; where one is longer, its steps are spread evenly.
    Raises RoutineError where a name means a table in one recording and writable memory in another, TypeError for what
    is no Recording, ValueError for none at all or a `grain` below 1.
    """
    for each in recordings:
        if not isinstance(each, Recording):
            raise TypeError(f"{each!r:.60} is no Recording: routine.record() makes one of a @routine")
    if not recordings or grain < 1:
        raise ValueError(
            f"weave takes at least one recording, 1 step of each at a time: not {len(recordings)}, {grain}"
        )
    recorder = Recorder(" + ".join(r.name for r in recordings))
    memory, results, becomes, turn = {}, [], {}, {}
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
        steps = recorder.steps[start:]
        turn |= {step: (i // grain * grain / len(steps), part) for i, step in enumerate(steps)}
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


def _words(recording):
    return [r for r in recording.results if not r.type.is_memory]
