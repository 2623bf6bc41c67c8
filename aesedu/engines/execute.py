"""Run and time generated code on this host, in the worker."""

import struct

from aesedu import native
from aesedu.native.assembler import ISA


def execute(code, words=(), memories=(), count=1, deadline=5.0):
    """Call a `Code`: its results that are words, and its memories afterwards, as lists of ints.

    `words` and `memories` go to the routine's parameters in order; a memory is a sequence of 32-bit ints, or bytes.
    `count`: iterations of the loop. Raises ValueError if the arguments do not fit the parameters or the code is for
    another instruction set; NativeError as `native.run` does, also if a register is not handed back as it was.
    """
    answer = native.run(code.text(), arguments(code, words, memories, count), deadline=deadline)
    if answer.clobbered:
        raise native.NativeError(f"the routine did not preserve {', '.join(answer.clobbered)}")
    words, *rest = answer.buffers
    return code.unpack(words), [list(struct.unpack(f"<{len(m) // 4}I", m)) for m in rest]


def subject(code, words=(), memories=(), count=1, label=""):
    """A native.Subject: one operation is a call of the `Code` with `count` iterations. Errors as `execute`."""
    call = {"text": code.text(), "arguments": arguments(code, words, memories, count)}
    return native.Subject(label or code.recording.name, "aesedu.native.run:prepare", call)


def block_routine(one, many, blocks, keys, tables, placement=0, words=()):
    """(loops.Routine, what must live as long as it): a `Code` of a block routine and one that takes `blocks` at a time.

    For the worker. `keys` and `tables`: bytes or 32-bit ints; without tables None. `words` are what `many` takes; `one`
    takes the first of them, or none. Both run once, checked. Errors as `execute`.
    """
    from aesedu.engines.loops import Routine
    from aesedu.native import assembler
    from aesedu.native.run import Memory, call

    data = bytes(16 * blocks)
    taken = sum(not p.type.is_memory for p in one.original.parameters)
    call_of_one = arguments(one, words[:taken], [data, data, keys] + [tables] * (tables is not None), 1)
    memory = Memory([native.Buffer(many.pack(words)), *call_of_one[1:]], placement)
    codes = [assembler.assemble(code.text(), placement) for code in (one, many)]
    addresses = [code.address("routine") for code in codes]
    for address in addresses:
        if clobbered := call(address, memory)[1]:
            raise native.NativeError(f"the routine did not preserve {', '.join(clobbered)}")
    words, _, _, _, keys, tables = memory.words
    return Routine(*addresses, blocks, keys, tables, words), (codes, memory)


def arguments(code, words, memories, count):
    """What `native.run` passes to the text of a `Code`."""
    recording = code.recording
    if code.isa != ISA:
        raise ValueError(f"{recording.name} is code for {code.isa}, and this host has {ISA}")
    wanted = sum(p.type.is_memory for p in recording.parameters)
    if (len(words), len(memories)) != (len(recording.parameters) - wanted, wanted):
        raise ValueError(f"{recording.name} takes {len(recording.parameters) - wanted} words and {wanted} memories")
    buffers = [m if isinstance(m, bytes) else struct.pack(f"<{len(m)}I", *m) for m in memories]
    return [native.Buffer(code.pack(words)), count, *map(native.Buffer, buffers)]
