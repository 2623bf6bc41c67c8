"""Differential fuzz of every mode against cryptography, pycryptodome and the definitions.

Modelled on the extended self-tests of Linux' crypto API: random lengths, key, nonce and tag sizes, pieces split
anywhere, in place or not, odd offsets, poisoned guard bytes around every buffer, tampering. Run it alone:

    python tests/cipher/mode_fuzz.py --cases 100000 --seed 1
    python tests/cipher/mode_fuzz.py --seed 1 --replay 4711     # one case again, printed in full

A case depends on nothing but seed, modes and number.
"""

import argparse
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, fields

import mode_oracles

from aesedu.cipher.aead import InvalidTag
from aesedu.cipher.ccm import CCM
from aesedu.cipher.gcm import GCM
from aesedu.cipher.ocb import OCB
from aesedu.engines import engine, face

MODES = (*face.HIDING, *face.TAGGING)
AEADS = {"CCM": CCM, "GCM": GCM, "GMAC": GCM, "OCB": OCB}
GUARD = 0xFE
ENGINES = {"auto": 12, "openssl": 12, "ttable": 1}  # name: how often
NATIVE = "ttable-split-k64"  # its modes are loops of their own, compiled; where it cannot run nothing stands in
ENGINES |= {NATIVE: 2} if engine(NATIVE).available else {}
SLOW = {"ttable"}  # gets short messages only
MOST_BYTES = 5400


class Difference(AssertionError):  # noqa: N818 - it is what is looked for
    """We and an oracle differ, or a rule of the interface is broken."""


@dataclass(frozen=True)
class Case:
    """One message and the way it is handed over."""

    mode: str
    engine: str
    key: bytes
    iv: bytes
    aad: bytes
    data: bytes
    tag_length: int
    way: str  # whole | into | pieces | pieces into
    in_place: bool
    offset: int  # of the data in its buffer, bytes
    pieces: int  # seed of the splits

    def __str__(self):
        return "\n".join(f"  {f.name}: {_shown(getattr(self, f.name))}" for f in fields(self))


def _shown(value):
    return f"{len(value)} bytes {value.hex()}" if isinstance(value, bytes) else value


# Making a case


def make(seed, number, modes=MODES):
    """Return case ``number`` of ``seed``."""
    rng = random.Random(f"{seed}:{','.join(modes)}:{number}")
    mode = rng.choice(modes)
    (engine,) = rng.choices(list(ENGINES), ENGINES.values())
    most = 100 if engine in SLOW else MOST_BYTES
    key = rng.randbytes(_key_length(rng, mode))
    tagged = mode in AEADS
    return Case(
        mode=mode,
        engine=engine,
        key=key,
        iv=_iv(rng, mode, key),
        aad=some_bytes(rng, _aad_length(rng, mode, most)) if tagged else b"",
        data=some_bytes(rng, _data_length(rng, mode, most)),
        tag_length=rng.choice(AEADS[mode].tag_lengths) if tagged else 16,
        way=rng.choice(["whole", "into"] + ["pieces", "pieces into"] * tagged),
        in_place=rng.random() < 0.5,
        offset=rng.randrange(33),
        pieces=rng.randrange(1 << 32),
    )


def some_bytes(rng, length):
    """Return random bytes, or one of the patterns that hide or show faults: all equal, counting."""
    kind = rng.random()
    if kind < 0.1:
        return bytes([rng.choice((0, 0xFF, rng.randrange(256)))]) * length
    if kind < 0.2:
        start = rng.randrange(256)
        return bytes((start + i) % 256 for i in range(length))
    return rng.randbytes(length)


def some_length(rng, most):
    """Return a length: mostly short, sometimes long, often at a block's edge."""
    length = rng.randrange(rng.choice((17, 65, 257, most + 1)))
    if rng.random() < 0.3:
        length = length // 16 * 16 + rng.choice((-1, 0, 1))
    return min(max(length, 0), most)


def _key_length(rng, mode):
    size = rng.choice((16, 24, 32))
    return {"LRW": size + 16, "XTS": 2 * size, "GHASH": 16}.get(mode, size)


def _data_length(rng, mode, most):
    length = some_length(rng, most)
    if mode in ("ECB", "CBC", "LRW", "GHASH"):
        return length // 16 * 16
    return {"XTS": max(length, 16), "GMAC": 0}.get(mode, length)


def _aad_length(rng, mode, most):
    if mode == "CCM" and most == MOST_BYTES and rng.random() < 0.05:
        return rng.choice((0xFF00, 0x10000)) + rng.randrange(-20, 20)  # about where the length's form changes
    return some_length(rng, min(most, 300))


def _iv(rng, mode, key):
    if mode in ("ECB", "GHASH"):
        return b""
    if mode in ("CTR", "LRW"):
        return _near_overflow(rng, 16)
    if mode == "CCM":
        return rng.randbytes(rng.randint(7, 13))
    if mode == "OCB":
        return some_bytes(rng, rng.choice((12, 12, 15, rng.randint(1, 15))))
    if mode in ("GCM", "GMAC"):
        return _gcm_iv(rng, key)
    return some_bytes(rng, 16)


def _gcm_iv(rng, key):
    kind = rng.random()
    if kind < 0.15:  # a pre-counter block whose 32-bit counter overflows within the message
        return mode_oracles.iv_for(key, rng.randbytes(12) + _near_overflow(rng, 4))
    if kind < 0.55:
        return rng.randbytes(rng.choice((1, 8, 11, 13, 16, 17, 32, 128, rng.randint(1, 200))))
    return rng.randbytes(12)


def _near_overflow(rng, size):
    """Return a counter whose last 1 to ``size`` bytes are about to overflow, or in one of four cases a random one."""
    if rng.random() < 0.25:
        return rng.randbytes(size)
    ones = rng.randint(1, size)
    value = int.from_bytes(rng.randbytes(size - ones) + b"\xff" * ones, "big")
    return (value - rng.randrange(min(8, value))).to_bytes(size, "big")


# Checking a case


def check(case):
    """Raise Difference where encryption, decryption or the refusal of a tampered message goes wrong."""
    oracles = mode_oracles.answers(case.mode, case.key, case.iv, case.aad, case.data, case.tag_length)
    if not oracles:
        raise Difference("no oracle has this case")
    for name, answer in oracles.items():
        _same(f"one-shot encryption and {name}", _whole(case, "enc", case.data), answer)
    ciphertext, tag = next(iter(oracles.values()))
    handed = _WAYS[case.way]
    _same(f"encryption, {case.way}", handed(case, "enc", case.data), (ciphertext, tag))
    source, plaintext = (case.data, b"") if case.mode == "GHASH" else (ciphertext, case.data)
    for way in {_whole, handed}:
        _same(f"decryption, {way.__name__}", way(case, "dec", source, tag), (plaintext, tag))
        if case.mode in face.TAGGING:
            _check_tampered(case, way, source, tag)
    return oracles


def _check_tampered(case, way, data, tag):
    rng = random.Random(case.pieces)
    parts = {"data": data, "tag": tag, "aad": case.aad, "iv": case.iv, "key": case.key}
    idle = {"key"} if case.mode == "GHASH" and not any(data) else set()  # nothing but zeros is multiplied by it
    what = rng.choice([name for name, part in parts.items() if part and name not in idle])
    parts[what] = _flip_bit(rng, parts[what])
    forged = Case(**{**vars(case), "aad": parts["aad"], "iv": parts["iv"], "key": parts["key"]})
    try:
        way(forged, "dec", parts["data"], parts["tag"])
    except InvalidTag:
        return
    raise Difference(f"decryption, {way.__name__}: a changed bit in {what} went unnoticed")


def _flip_bit(rng, part):
    bit = rng.randrange(8 * len(part))
    changed = bytearray(part)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def _same(what, got, expected):
    if got != expected:
        raise Difference(f"{what}: got {_pair(got)}, expected {_pair(expected)}")


def _pair(answer):
    return " / tag ".join(part.hex() for part in answer)


# The ways to hand a message over: each takes (case, direction, data, tag) and returns (result, tag)


def _whole(case, direction, data, tag=b""):
    if direction == "enc":
        return face.encrypt(case.mode, case.key, data, case.iv, case.aad, case.tag_length, case.engine)
    return face.decrypt(case.mode, case.key, data, case.iv, case.aad, tag, case.engine), tag


def _into(case, direction, data, tag=b""):
    buffers = Buffers(case, data)
    try:
        if direction == "enc":
            arguments = case.iv, case.aad, case.tag_length, case.engine
            count, tag = face.encrypt_into(case.mode, case.key, buffers.data, buffers.out, *arguments)
        else:
            arguments = case.iv, case.aad, tag, case.engine
            count = face.decrypt_into(case.mode, case.key, buffers.data, buffers.out, *arguments)
    except InvalidTag:
        buffers.check_untouched()
        raise
    return buffers.result(count), tag


def _pieces(case, direction, data, tag=b""):
    rng = random.Random(case.pieces)
    aead = begin(case, direction, data)
    for piece in pieces(rng, case.aad):
        aead.update_aad(piece)
    out = [aead.update(piece) for piece in pieces(rng, data)]
    return _ended(aead, b"".join(out), tag)


def _pieces_into(case, direction, data, tag=b""):
    rng = random.Random(case.pieces)
    aead, buffers, written = begin(case, direction, data), Buffers(case, data), 0
    aead.update_aad(case.aad)
    for piece in pieces(rng, buffers.data):
        written += aead.update_into(piece, buffers.out[written:])
    head = buffers.result(written)
    return _ended(aead, head, tag)


def _ended(aead, head, tag):
    if aead.direction == "enc":
        return head + aead.finalize(), aead.tag
    return head + aead.finalize(tag), tag


_WAYS = {"whole": _whole, "into": _into, "pieces": _pieces, "pieces into": _pieces_into}


def begin(case, direction, data):
    """Return the incremental object of a case."""
    cipher = face.block_cipher(case.key, case.engine)
    if case.mode == "CCM":
        return CCM(cipher, case.iv, len(data), len(case.aad), case.tag_length, direction)
    return AEADS[case.mode](cipher, case.iv, case.tag_length, direction)


def pieces(rng, data):
    """Yield ``data`` in pieces: empty ones, single bytes, anything up to the rest."""
    while len(data):
        size = rng.randint(0, min(len(data), rng.choice((1, 16, 17, 64, len(data)))))
        yield data[:size]
        data = data[size:]


class Buffers:
    """A source and a destination, or both in one, at an odd offset between poisoned guard bytes."""

    def __init__(self, case, data):
        self._source, self._original = bytearray([GUARD]) * case.offset + data + bytearray([GUARD]) * 33, data
        self._target = self._source if case.in_place else bytearray([GUARD]) * len(self._source)
        self._offset, self._in_place = case.offset, case.in_place
        self.data = memoryview(self._source)[case.offset : case.offset + len(data)]
        self.out = memoryview(self._target)[case.offset :]  # with room enough to write too much

    def result(self, count):
        """Return what was written; raise Difference if a byte outside of it changed."""
        end = self._offset + count
        written = bytes(self._target[self._offset : end])
        after = self._original[count:] if self._in_place else b""
        expected = bytes([GUARD]) * self._offset + written + after
        if self._target != expected.ljust(len(self._target), bytes([GUARD])):
            raise Difference("a byte outside the destination was written")
        if not self._in_place and self.data != self._original:
            raise Difference("the source was written")
        return written

    def check_untouched(self):
        """Raise Difference if anything was written."""
        if self.result(0) or self.data != self._original:
            raise Difference("plaintext was released although the tag is wrong")


# Running many


def run(seed, cases, modes=MODES, first=0, report=None):
    """Check cases until the first difference; return (number of the differing case, its Difference) or (None, None).

    ``report`` is a Counter that takes the cases of each mode and each oracle.
    """
    for number in range(first, first + cases):
        case = make(seed, number, modes)
        try:
            oracles = check(case)
        except Exception as error:  # a crash of ours is a difference too
            return number, error
        if report is not None:
            report.update([case.mode, *oracles])
    return None, None


def replay_line(seed, number, modes=MODES):
    """Return the command that shows one case again."""
    return f"python tests/cipher/mode_fuzz.py --seed {seed} --modes {','.join(modes)} --replay {number}"


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Differential fuzz of the modes.")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--modes", default=",".join(MODES), help="comma-separated")
    parser.add_argument("--engine", help="this one alone")
    parser.add_argument("--replay", type=int, metavar="NUMBER", help="show and check this one case")
    options = parser.parse_args(arguments)
    modes = tuple(options.modes.split(","))
    if options.engine:
        ENGINES.clear()
        ENGINES[options.engine] = 1
    if options.replay is not None:
        print(make(options.seed, options.replay, modes))
    first, cases = (0, options.cases) if options.replay is None else (options.replay, 1)
    report, start = Counter(), time.monotonic()
    number, error = run(options.seed, cases, modes, first, report=report)
    print(f"{time.monotonic() - start:.0f} s;", ", ".join(f"{name} {count}" for name, count in report.items()))
    if error is not None:
        print(f"case {number} differs: {type(error).__name__}: {error}\n{replay_line(options.seed, number, modes)}")
        return 1
    print(f"seed {options.seed}: {cases} cases, 0 differences")
    return 0


if __name__ == "__main__":
    sys.exit(main())
