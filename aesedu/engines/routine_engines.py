"""The recorded T-table routines as engines: ECB through generated machine code, in the worker."""

import functools

from aesedu import native
from aesedu.cipher import check_data, check_key, ttable
from aesedu.cipher.key_schedule import ROUNDS
from aesedu.codegen import generate, weave
from aesedu.engines import execute
from aesedu.native.assembler import ISA
from aesedu.routines import ttable as routines

_ROUTINES = {"enc": (routines.encrypt, ttable.ENCRYPT), "dec": (routines.decrypt, ttable.DECRYPT)}


def reason():
    """Why these engines cannot run here, "" where they can."""
    return "" if ISA in ("x86_64", "aarch64") else f"there is no code for {ISA}"


@functools.lru_cache(maxsize=64)
def code(direction, rounds, technique="split", key_loads="2x64", blocks=1, budget=None, isa=ISA):
    """The Code of a T-table routine that takes `blocks` blocks at a time, woven if they are two or more."""
    recording = _ROUTINES[direction][0].record(rounds=rounds, technique=technique, key_loads=key_loads)
    return generate(weave(*[recording] * blocks, grain=16) if blocks > 1 else recording, isa, budget)


def ecb(direction, key, data, **options):
    """ECB (SP 800-38A 6.1), decryption by the equivalent inverse cipher; `options` are those of `code`.

    Raises ValueError, TypeError, NativeError.
    """
    if not check_data(data):
        return b""
    return native.run(*_call(direction, key, data, **options)).buffers[1][: len(data)]


def prepare(direction, key, size, placement, **options):
    """The timed form: run(count) puts `size` bytes through the cipher `count` times, in a machine-code loop."""
    from aesedu.native.run import prepare

    return prepare(*_call(direction, key, bytes(size), **options), placement=placement)


def block_routine(direction, key, placement=0, blocks=1, **options):
    """The routine for `loops`, in the worker; see `execute.block_routine`."""
    step, rounds = _ROUTINES[direction][1], ROUNDS[8 * len(key)]
    one, many = (code(direction, rounds, blocks=n, **options) for n in (1, blocks))
    keys, tables = routines.key_words(step, key), routines.tables(step)
    return execute.block_routine(one, many, blocks, keys, tables, placement)


def _call(direction, key, data, blocks=1, **options):
    """Text and arguments; woven blocks that are missing at the end are filled up."""
    key, step = check_key(key), _ROUTINES[direction][1]
    generated = code(direction, ROUNDS[8 * len(key)], blocks=blocks, **options)
    data = bytes(data) + bytes(-len(data) % (16 * blocks))
    memories = [bytes(len(data)), data, routines.key_words(step, key), routines.tables(step)]
    return generated.text(), execute.arguments(generated, (), memories, len(data) // (16 * blocks))
