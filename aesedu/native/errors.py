# ruff: noqa: N818 - named after what happened, as the suite's texts call them
"""What can go wrong when machine code is assembled, run or timed.

`args` of each error are its constructor's arguments: so it crosses the pipe from the worker, and can be pickled.
"""


class NativeError(RuntimeError):
    """Base of all errors of `aesedu.native`."""


class AssemblyError(NativeError):
    """The text is not valid assembly. Lines and columns count from 1; line 0 = the assembler named no place.

    `errors` lists every error found as [line, column, message]; `source` is the student's line with a caret below.
    """

    text = ""  # the whole text, where the assembler ended the process

    def __init__(self, line, column, message, errors=(), source=""):
        super().__init__(line, column, message, list(errors), source)
        self.line, self.column, self.message, self.source = line, column, message, source
        self.errors = list(errors) or [[line, column, message]]

    def __str__(self):
        first = f"line {self.line}, column {self.column}: {self.message}" if self.line else self.message
        others = [f"line {line}, column {column}: {message}" for line, column, message in self.errors[1:]]
        return "\n".join(filter(None, [first, self.source, *others]))


class UndefinedSymbol(NativeError):
    """The text uses, or the caller asks for, a name that no line of the text defines (`line`: first use, or 0)."""

    def __init__(self, name, hint="", line=0):
        super().__init__(name, hint, line)
        self.name, self.hint, self.line = name, hint, line

    def __str__(self):
        where = f" in line {self.line}" if self.line else ""
        return f"undefined symbol {self.name!r}{where}" + (f": {self.hint}" if self.hint else "")


class NativeCrash(NativeError):
    """The routine ended the worker process, or damaged memory around what it was given.

    `signal` is the signal's name (POSIX), the exception's (Windows), or what was damaged; `stderr` is the end of what
    the worker wrote.
    """

    def __init__(self, signal, hint="", stderr=""):
        super().__init__(signal, hint, stderr)
        self.signal, self.hint, self.stderr = signal, hint, stderr

    def __str__(self):
        wrote = f"\nThe worker wrote: {self.stderr}" if self.stderr else ""
        return self.signal + (f": {self.hint}" if self.hint else "") + wrote


class NativeTimeout(NativeError):
    """The worker gave no answer within `seconds` and was ended."""

    def __init__(self, seconds):
        super().__init__(seconds)
        self.seconds = seconds

    def __str__(self):
        return f"no answer within {self.seconds:g} s, so the worker was ended. An endless loop?"


class UnsupportedFeature(NativeError):
    """This machine lacks the feature `name` (spelled as in `native.features()`) or, says `reason`, another thing."""

    def __init__(self, name, reason=""):
        super().__init__(name, reason)
        self.name, self.reason = name, reason

    def __str__(self):
        return self.reason or f"this machine lacks the instruction-set feature {self.name!r}"


class Cancelled(NativeError):
    """`cancel()` was called while the call was running."""

    def __str__(self):
        return "cancelled"
