"""Record a routine: call the Python function once, on symbols.

    @routine
    def mix(a: u32, b: u32, te: table):
        return te[a & 255] ^ te[b >> 8 & 255], rotl(b, 16)

    mix(1, 2, TE0)      # on ints it runs
    mix.record()        # the Recording that evaluator, pictures and code generator share

Positional parameters are u32, u64, v128, v512, table or memory; a last `*states: v128` stands for as many of them as
`record(states=n)` says. Keyword-only ones are settings of ordinary Python types.
"""

import functools
import inspect

from aesedu.routine.evaluate import run
from aesedu.routine.ops import Type
from aesedu.routine.recorder import Recorder
from aesedu.routine.recording import RoutineError
from aesedu.routine.symbol import Symbol


def routine(function):
    """Decorate a function to make it a Routine."""
    return Routine(function)


class Routine:
    """A Python function that can be run on ints, recorded, or called from another routine."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *arguments, **settings):
        """Run on ints (one result, or a tuple of them); on symbols, become part of the caller's recording."""
        if any(isinstance(a, Symbol) for a in arguments):
            return self.function(*arguments, **settings)
        if self._many:
            settings[self._many] = len(arguments) - len(self._positional) + 1
        results = run(self.record(**settings), *arguments)
        return results[0] if len(results) == 1 else results

    def record(self, **settings):
        """The Recording of the function, with its keyword-only parameters set. Raises RoutineError."""
        recorder = Recorder(self.__name__, self.function.__code__.co_filename)
        many = settings.pop(self._many, 1) if self._many else 1
        symbols = [recorder.parameter(name, kind) for name, kind in self._parameters(recorder, many)]
        try:
            returned = self.function(*symbols, **settings)
        except RoutineError as error:
            raise error.with_traceback(None) from None  # the message says where; how it came here does not help
        except Exception as error:
            line = _line(error, recorder.filename)
            hint = " (words know ^ & | + - * ~ << >>)" if isinstance(error, TypeError) else ""
            message = f"{type(error).__name__}: {error}{hint}"
            raise RoutineError(message, recorder.name, line, recorder.source(line)) from error
        return recorder.finish(self._results(recorder, returned))

    @property
    def _positional(self):
        parameters = inspect.signature(self.function, eval_str=True).parameters.values()
        return [p for p in parameters if p.kind is not p.KEYWORD_ONLY]

    @property
    def _many(self):
        """The name of the parameter with a star, or None."""
        return next((p.name for p in self._positional if p.kind is p.VAR_POSITIONAL), None)

    def _parameters(self, recorder, many):
        for parameter in self._positional:
            if not isinstance(parameter.annotation, Type):
                message = f"say what {parameter.name} is: u32, v128, table, memory ... as in `{parameter.name}: u32`"
                recorder.fail(message, self._first_line(recorder))
            for number in range(many if parameter.name == self._many else 1):
                yield f"{parameter.name}_{number + 1}" if number else parameter.name, parameter.annotation

    def _results(self, recorder, returned):
        results = returned if isinstance(returned, tuple | list) else (returned,)
        for result in results:
            if result is None:
                message = "it returns nothing: end it with `return` and the words it computes"
            elif not isinstance(result, Symbol) or result.recorder is not recorder:
                message = f"it returns {result!r}; a routine returns words that it computes from its parameters"
            else:
                continue
            recorder.fail(message, self._first_line(recorder))
        return results

    def _first_line(self, recorder):
        line = self.function.__code__.co_firstlineno
        return line + 1 if recorder.source(line).startswith("@") else line


def _line(error, filename):
    """The innermost line of `filename` that an exception passed through."""
    trace, line = error.__traceback__, None
    while trace:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == filename else line
        trace = trace.tb_next
    return line
