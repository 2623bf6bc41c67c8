"""The recorded GCM routines as engines: whole messages, chunk by chunk; other modes by the AES routine of this size."""

import functools
import struct
from dataclasses import replace

import numpy as np

from aesedu import native
from aesedu.cipher.key_schedule import ROUNDS
from aesedu.codegen import generate, weave
from aesedu.engines import aes_routines, execute
from aesedu.native.assembler import ISA
from aesedu.routines import gcm, ghash
from aesedu.routines.aes_rounds import key_bytes

_SMALLER = (8, 4, 1)  # blocks at a time, for what is no whole chunk
_WHOLE = 1 << 20  # a grain no recording is longer than: they follow one another


def reason(lanes=1):
    """Why these engines cannot run here, "" where they can."""
    missing = sorted({"x86_64": {"pclmulqdq"}, "aarch64": {"pmull"}}.get(ISA, set()) - native.features())
    if lanes == 4 and "vpclmulqdq" not in native.features():
        missing.append("vpclmulqdq")
    return aes_routines.reason(lanes) or (f"this processor lacks {', '.join(missing)}" if missing else "")


def encoding(lanes=1):
    """The encoding of the instructions: that with three operands where it is there."""
    return "vex" if lanes == 1 and "avx" in native.features() else aes_routines.encoding(lanes)


def ecb(direction, key, data, vectors, lanes, **options):
    """ECB by `aes_routines`: `options` are about GCM."""
    return aes_routines.ecb(direction, key, data, vectors, lanes)


def prepare(direction, key, size, placement, vectors, lanes, **options):
    """The timed form of `ecb`."""
    return aes_routines.prepare(direction, key, size, placement, vectors, lanes)


def block_routine(direction, key, placement=0, *, vectors, lanes, **options):
    """The routine for modes that are no GCM; see `execute.block_routine`."""
    return aes_routines.block_routine(direction, key, placement, vectors, lanes)


@functools.lru_cache(64)
def codes(direction, form, vectors, lanes, rounds, grain=1, multiplication="karatsuba", isa=ISA, encoded=None):
    """The Codes of a chunk, and of counters and hash alone at each size: ``chunk``, {size: (ctr, hash)}."""
    encoded = encoded or encoding(lanes)
    parts = gcm.parts(direction, form, vectors, lanes, rounds, multiplication)
    chunk = generate(weave(*parts, grain=grain if form == "woven" else _WHOLE), isa, encoding=encoded)
    alone = {}
    for size in (vectors * lanes, *(n for n in _SMALLER if n < vectors * lanes)):
        wide = {"lanes": lanes, "vectors": vectors} if size == vectors * lanes else {"lanes": 1, "vectors": size}
        pair = gcm.ctr.record(rounds=rounds, **wide), gcm.hash_out.record(multiplication=multiplication, **wide)
        alone[size] = tuple(generate(recording, isa, encoding=encoded) for recording in pair)
    return chunk, alone


def hash_subject(multiplication, blocks, size):
    """A native.Subject: GHASH over ``size`` bytes, ``blocks`` a reduction."""
    code = generate(ghash.ghash.record(blocks=blocks, multiplication=multiplication), ISA, encoding=encoding())
    memories = [bytes(size), ghash.powers(bytes(range(16)))]
    label = f"{multiplication}, {blocks}"
    made = execute.subject(code, (0,), memories, size // (16 * blocks), label)
    return replace(made, what={"engine": label, "mode": "ghash", "direction": "auth", "key_bits": 128, "bytes": size})


def whole_mode(job, form, vectors, lanes, **options):
    """run(count) for a GCM message of ``whole_modes``; other modes as `aes_routines` has them."""
    from aesedu.engines import gcm_loop

    if job.mode != "gcm":
        return aes_routines.whole_mode(job, vectors, lanes)
    made = codes(job.direction, form, vectors, lanes, ROUNDS[8 * len(job.key)], **options)
    lagged = job.direction == "enc" and form != "sequential"
    routines, keeps = _placed(job, *made, lagged)
    run = functools.partial(gcm_loop.gcm, routines, job.forward, job.message)
    run.keeps = keeps  # its addresses are in the routines
    return run


def _placed(job, chunk, alone, lagged):
    """The ``gcm_loop.Gcm`` of a message, and what must live as long."""
    from aesedu.engines.gcm_loop import Gcm
    from aesedu.native import assembler
    from aesedu.native.run import Memory

    powers = struct.pack(f"<{8 * ghash.MOST}I", *ghash.powers(job.encrypt_blocks(bytes(16))))
    memory = Memory([native.Buffer(key_bytes("enc", job.key)), native.Buffer(powers)], job.placement)
    codes = [assembler.assemble(_text(code), job.placement) for code in (chunk, *sum(alone.values(), ()))]
    first, *others = (code.address("routine") for code in codes)
    names = [p.name.partition("_")[0] for p in chunk.original.parameters]
    words = [name for name in names if name in ("y", "counter")]
    memories = [name for name in names if name not in words]
    known = dict(zip(("keys", "powers"), memory.words, strict=False))
    routines = Gcm(
        chunk=first,
        memories=_array(known.get(name, 0) for name in memories),
        out_at=memories.index("out"),
        block_at=memories.index("block"),
        y_at=2 * words.index("y"),
        counter_at=2 * words.index("counter"),
        lagged=lagged,
        sizes=_array(alone),
        ctrs=_array(others[::2]),
        hashes=_array(others[1::2]),
        **known,
        counter=_array([0] * 2),
        y=_array([0] * 2),
        words=_array([0] * 4),
    )
    return routines, (codes, memory)


@functools.lru_cache(128)
def _text(code):
    return code.text()


def _array(numbers):
    return np.array([*numbers], np.int64)
