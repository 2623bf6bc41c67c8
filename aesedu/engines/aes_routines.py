"""The recorded AES routines as engines: n vectors at a time, by the processor's AES instructions, in the worker."""

import functools
from math import gcd

from aesedu import native
from aesedu.cipher import check_data, check_key
from aesedu.cipher.key_schedule import ROUNDS
from aesedu.codegen import generate
from aesedu.codegen.code import ENCODINGS
from aesedu.engines import execute
from aesedu.engines.base import TIMING_IV, TIMING_KEY
from aesedu.engines.placement import LINE
from aesedu.native.assembler import ISA
from aesedu.routines import aes_rounds

_NEEDS = {"sse": {"aes", "ssse3"}, "evex": {"aes", "vaes", "avx512f", "avx512bw", "avx512vl"}, "little": {"aes"}}
_NAMES = {"enc": "encrypt", "dec": "decrypt"}


def reason(lanes=1):
    """Why these engines cannot run here, "" where they can."""
    if encoding(lanes) not in _NEEDS:
        return f"there is no code for {ISA}" if lanes == 1 else "vectors of four blocks are there on x86-64 only"
    missing = sorted(_NEEDS[encoding(lanes)] - native.features())
    return f"this processor lacks {', '.join(missing)}" if missing else ""


def encoding(lanes=1):
    """The encoding of the instructions: four lanes are there in EVEX only. None where there is no code."""
    return {("x86_64", 1): "sse", ("x86_64", 4): "evex", ("aarch64", 1): "little"}.get((ISA, lanes))


@functools.lru_cache(256)
def _code(name, encoded, **settings):
    return generate(getattr(aes_rounds, name).record(**settings), ISA, encoding=encoded)


def code(name, key, encoded, **settings):
    """The Code of a routine of `aes_rounds` for keys as long as `key`."""
    return _code(name, encoded, rounds=ROUNDS[8 * len(key)], **settings)


def _ecb_code(direction, key, encoded, vectors, lanes):
    """(Code, words) of an ECB routine: the one that keeps the round keys in registers where all of them have room."""
    name, keys = _NAMES[direction], ROUNDS[8 * len(key)] + 1
    if lanes == 4 or vectors + keys > len(ENCODINGS[ISA][encoded].registers["vector"]):
        return code(name, key, encoded, vectors=vectors, lanes=lanes), ()
    data = aes_rounds.key_bytes(direction, key)
    words = [int.from_bytes(data[at : at + 16], "little") for at in range(0, len(data), 16)]
    return _code(f"{name}_kept", encoded, keys=keys, vectors=vectors), words


def ecb(direction, key, data, vectors, lanes=1):
    """ECB (SP 800-38A 6.1), decryption by the equivalent inverse cipher; chunks are filled up at the end.

    Raises ValueError or TypeError for a wrong key or data, NativeError.
    """
    if not check_data(data):
        return b""
    filled = bytes(data) + bytes(-len(data) % (16 * vectors * lanes))
    return native.run(*_call(direction, check_key(key), filled, vectors, lanes)).buffers[1][: len(data)]


def prepare(direction, key, size, placement, vectors, lanes=1):
    """The timed form: run(count) puts `size` bytes through the cipher `count` times, in a machine-code loop.

    A message that the chunks of the engine do not divide is taken in the largest that do.
    """
    from aesedu.native.run import prepare

    blocks = gcd(size // 16, vectors * lanes)
    return prepare(*_call(direction, key, bytes(size), *_shape(blocks, lanes), encoding(lanes)), placement=placement)


def _shape(blocks, lanes):
    """Vectors and lanes of a chunk."""
    return (blocks // lanes, lanes) if blocks % lanes == 0 else (blocks, 1)


def _call(direction, key, data, vectors, lanes, encoded=None):
    made, words = _ecb_code(direction, key, encoded or encoding(lanes), vectors, lanes)
    memories = [bytes(len(data)), bytes(data)] + [aes_rounds.key_bytes(direction, key)] * (not words)
    return made.text(), execute.arguments(made, words, memories, len(data) // (16 * vectors * lanes))


def block_routine(direction, key, placement=0, vectors=1, lanes=1):
    """The routine for `loops`, in the worker; see `execute.block_routine`."""
    one = code(_NAMES[direction], key, encoding(lanes))
    many, words = _ecb_code(direction, key, encoding(lanes), vectors, lanes)
    keys = aes_rounds.key_bytes(direction, key)
    return execute.block_routine(one, many, vectors * lanes, keys, None, placement, words)


def _shapes(vectors, lanes):
    return {"vectors": 1, "lanes": 1}, {"vectors": vectors, "lanes": lanes}


# Modes with routines of their own


def whole_mode(job, vectors, lanes=1):
    """run(count) for CTR and CBC messages of ``whole_modes``; None for other modes, which call the block routine."""
    from aesedu.engines import aes_loops

    if job.mode not in ("ctr", "cbc"):
        return None
    name = "ctr" if job.mode == "ctr" else f"cbc_{job.direction}rypt"
    serial = name == "cbc_encrypt"
    shapes = ({}, {}) if serial else _shapes(vectors, lanes)
    codes = [code(name, job.key, encoding(lanes), **shape) for shape in shapes]
    keys = aes_rounds.key_bytes("dec" if name == "cbc_decrypt" else "enc", job.key)
    blocks, words = 1 if serial else vectors * lanes, () if name == "cbc_decrypt" else (0,)
    routine, keeps = execute.block_routine(*codes, blocks, keys, None, job.placement, words)
    run = aes_loops.runner(name, routine, job.routine, job.message)
    run.keeps = keeps  # its addresses are in the routine
    return run


def streams(count, key_bits=128, size=8192):
    """A native.Subject: CBC encryption of `count` independent messages of `size` bytes, a block of each in turn."""
    what = {"engine": f"cbc-streams-{count}", "mode": "cbc", "direction": "enc", "key_bits": key_bits}
    arguments = {"count": count, "key": TIMING_KEY[: key_bits // 8], "size": size}
    factory = f"{__name__}:prepare_streams"
    return native.Subject(f"{count} streams", factory, arguments, what=what | {"bytes": count * size})


def encrypt_streams(key, ivs, data):
    """CBC encryption of messages of equal length that follow one another in `data`, each with its iv (16 bytes)."""
    if not check_data(data):
        return b""
    return native.run(*_streams(check_key(key), ivs, data)).buffers[1]


def prepare_streams(count, key, size, placement):
    """The timed form of `streams`. A line lies between messages: else they compete for one place in the cache."""
    from aesedu.native.run import prepare

    return prepare(*_streams(key, [TIMING_IV] * count, bytes(count * (size + LINE)), LINE), placement=placement)


def _streams(key, ivs, data, gap=0):
    """Text and arguments; the last `gap` bytes of each message are none of it."""
    stride = len(data) // len(ivs)
    if stride % 16 or stride * len(ivs) != len(data):
        raise ValueError(f"{len(data)} bytes are not {len(ivs)} messages of one length in whole blocks")
    made = code("cbc_encrypt", key, encoding(), chains=len(ivs), stride=stride // 4)
    words = [int.from_bytes(iv, "little") for iv in ivs]
    memories = [bytes(len(data)), bytes(data), aes_rounds.key_bytes("enc", key)]
    return made.text(), execute.arguments(made, words, memories, (stride - gap) // 16)
