"""One loop as a list of Operations: from a Code, or from text that someone pasted."""

import re
from dataclasses import replace

from aesedu.codegen import Code
from aesedu.pipeline import aarch64, x86_64
from aesedu.pipeline.operation import Unknown, UnknownInstructionError, lines

_REGISTERS = {
    "x86_64": re.compile(r"r([abcd]x|[sd]i|[sb]p|[89]|1[0-5])|xmm([12]?\d|3[01])|flags"),
    "aarch64": re.compile(r"x([12]?\d|30)|sp|v([12]?\d|3[01])|flags"),
}
_READERS = {"x86_64": x86_64.read, "aarch64": aarch64.read}


def loop(source, isa="x86_64"):
    """The Operations of one iteration: of a Code, or of a loop's text (AT&T for "x86_64", A64 for "aarch64").

    Raises UnknownInstructionError, which names them all, and ValueError for text without instructions, for a branch
    before the end (which way would it go?) and for another instruction set.
    """
    if isinstance(source, Code):
        return tuple(replace(_READERS[source.isa](i.text), isa=source.isa) for i in source.instructions)
    if isa not in _READERS:
        raise ValueError(f"there is no instruction set {isa!r}; there are: {', '.join(_READERS)}")
    found, unknown = [], []
    for number, text in lines(source):
        try:
            found.append(replace(_READERS[isa](text), isa=isa))
            if not all(map(_REGISTERS[isa].fullmatch, _named(found[-1]))):
                raise Unknown
        except (Unknown, IndexError, KeyError):
            unknown.append((number, text))
    if unknown:
        raise UnknownInstructionError(unknown)
    if not found:
        raise ValueError("there is no instruction in the text")
    if any(operation.kind == "branch" for operation in found[:-1]):
        raise ValueError("a branch before the loop's end: the model runs one straight loop, so leave it out")
    return tuple(found)


def pointer(code, name):
    """The register in which a Code's loop starts with the address of a parameter, by that parameter's name.

    Raises ValueError where it is in no register.
    """
    for register, value in code.instructions[0].held.items():
        if not value.op and value.name == name:
            return register
    raise ValueError(f"no register holds {name!r} when the loop starts")


def _named(operation):
    """The registers of an Operation."""
    places = operation.loads + operation.stores
    return {*operation.reads, *operation.writes, *(register for place in places for register in place.registers)}
