"""One loop as a list of Operations: from a Code, or from text that someone pasted."""

from dataclasses import replace

from aesedu.codegen import Code
from aesedu.pipeline import aarch64, x86_64
from aesedu.pipeline.operation import Unknown, UnknownInstructionError, lines

_READERS = {"x86_64": x86_64.read, "aarch64": aarch64.read}


def loop(source, isa="x86_64"):
    """The Operations of one iteration: of a Code, or of a loop's text (AT&T for "x86_64", A64 for "aarch64").

    Raises UnknownInstructionError, which names them all, and ValueError for text without instructions, for a branch
    before the end (which way would it go?) and for another instruction set.
    """
    if isinstance(source, Code):
        return tuple(replace(_READERS[source.isa](i.text), isa=source.isa) for i in source.instructions)
    if not isinstance(source, str):
        raise ValueError(
            f"a loop is a Code or a text, not {type(source).__name__}: generate(routine.record()) is a Code"
        )
    if isa not in _READERS:
        raise ValueError(f"there is no instruction set {isa!r}; there are: {', '.join(_READERS)}")
    found, unknown = _read(source, isa)
    if unknown:
        other = next((name for name in _READERS if name != isa and not found and _read(source, name)[0]), None)
        raise UnknownInstructionError(unknown, f" (as {isa}; it is {other}: take a core of that)" if other else "")
    if not found:
        raise ValueError("there is no instruction in the text")
    if any(operation.kind == "branch" for operation in found[:-1]):
        raise ValueError("a branch before the loop's end: the model runs one straight loop, so leave it out")
    return tuple(found)


def _read(text, isa):
    """The Operations of what is known in a text, and (line, text) of what is not."""
    found, unknown = [], []
    for number, line in lines(text, isa):
        try:
            found.append(replace(_READERS[isa](line), isa=isa))
        except Unknown:
            unknown.append((number, line))
    return found, unknown


def pointer(code, name):
    """The register in which a Code's loop starts with the address of a parameter, by that parameter's name.

    Raises ValueError where it is in no register.
    """
    for register, value in code.instructions[0].held.items():
        if not value.op and value.name == name:
            return register
    raise ValueError(f"no register holds {name!r} when the loop starts")
