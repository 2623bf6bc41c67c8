"""Differential tests of a GCM driver against OpenSSL: what a case is, what is checked, how many cases a fault takes.

It runs where the learner's ``next_case`` runs, in the child process.
"""

import math
import operator
from collections.abc import Mapping
from itertools import product
from random import Random
from types import FunctionType
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aesedu.cipher.gcm import lengths_block
from aesedu.cipher.gf128 import GHASH, POLYNOMIAL
from aesedu.exercises.planted_gcm import FAULTS, Driver, title

MOST = 8192  # bytes of a message
GUARD = bytes([0xFE]) * 48  # around every buffer: nobody may write it
RUNS = 300  # cases after which the exercise counts a fault as not found

_RANGES = {
    "length": (0, MOST), "aad": (0, 1024), "nonce": (8, 64), "counter": (0, 0xFFFFFFFF), "key_offset": (0, 63),
    "bit": (0, math.inf),
}  # fmt: skip
_CHOICES = {"key": (16, 24, 32), "tag": (4, 8, 12, 13, 14, 15, 16), "tamper": (None, "tag", "data", "aad", "nonce")}


class Case(NamedTuple):
    """One test: how a message is made and handed over. Sizes and places in bytes.

    ``counter`` asks for a nonce of 16 bytes from which GCM's first counter block ends in this 32-bit number. ``tamper``
    names the part whose bit number ``bit`` is flipped before decryption ("data" is the ciphertext; of a part without
    bytes the tag instead), None checks encryption and decryption.
    """

    length: int = 64
    aad: int = 0
    nonce: int = 12
    counter: int | None = None
    key: int = 16
    key_offset: int = 0
    tag: int = 16
    splits: tuple[int, ...] = ()
    in_place: bool = False
    tamper: str | None = None
    bit: int = 0

    def __str__(self):
        given = self._asdict() if self.tamper else self._replace(bit=0)._asdict()
        told = [f"{name} {value}" for name, value in given.items() if value != self._field_defaults[name]]
        return ", ".join(told) or "all settings as they come"


def make(settings):
    """A Case from a dict of settings; what is left out has its default. Raises ValueError, which names the setting."""
    if isinstance(settings, Case):
        settings = settings._asdict()
    if not isinstance(settings, Mapping):
        raise ValueError(f"a case is a dict of settings, not {type(settings).__name__}")
    if unknown := [name for name in settings if name not in Case._fields]:
        raise ValueError(f"a case has no setting {unknown[0]!r}; there are {', '.join(Case._fields)}")
    checked = {name: _checked(name, value) for name, value in settings.items()}
    length = checked.get("length", Case().length)
    splits = sorted(_whole("splits", value, 0, length) for value in checked.get("splits", ()))
    return Case(**{**checked, "splits": tuple(splits)})


def _checked(name, value):
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise ValueError(f"{name} is one of {', '.join(map(str, _CHOICES[name]))}, not {value!r}")
        return _CHOICES[name][_CHOICES[name].index(value)]  # 16 for 16.0
    if name == "splits":
        if not isinstance(value, list | tuple):
            raise ValueError(f"splits is a list of places, not {value!r}")
        return value
    if name == "in_place":
        return bool(value)
    if name == "counter" and value is None:
        return None
    return _whole(name, value, *_RANGES[name])


def _whole(name, value, low, high):
    try:
        if low <= operator.index(value) <= high:
            return operator.index(value)
    except TypeError:
        pass
    raise ValueError(f"{name} is a whole number from {low} to {high}, not {value!r}")


def check(driver, case, random):
    """What is wrong with how ``driver`` serves this case, in words; "" where all is right.

    ``random`` makes the bytes. OpenSSL has the right answers.
    """
    key, aad, data = random.randbytes(case.key), random.randbytes(case.aad), random.randbytes(case.length)
    nonce = random.randbytes(case.nonce) if case.counter is None else _nonce_for(key, case.counter, random)
    sealed = AESGCM(key).encrypt(nonce, data, aad)
    parts = {"nonce": nonce, "aad": aad, "data": sealed[: len(data)], "tag": sealed[len(data) :][: case.tag]}
    driver.set_key(random.randbytes(case.key_offset) + key, case.key_offset, case.key)
    if case.tamper:
        return _check_forgery(driver, case, parts)
    buffers = Buffers(case, data)
    tag = driver.encrypt(nonce, aad, *buffers.arguments, case.tag)
    return (
        buffers.trouble("encryption", parts["data"])
        or ("" if tag == parts["tag"] else "encryption made a wrong tag")
        or _check_decryption(driver, case, parts, data)
    )


def _check_decryption(driver, case, parts, data):
    buffers = Buffers(case, parts["data"])
    accepted = driver.decrypt(parts["nonce"], parts["aad"], *buffers.arguments, parts["tag"])
    return buffers.trouble("decryption", data) or ("" if accepted else "decryption refused a right message")


def _check_forgery(driver, case, parts):
    what = case.tamper if parts[case.tamper] else "tag"
    forged = {**parts, what: flip(parts[what], case.bit)}
    buffers = Buffers(case, forged["data"])
    accepted = driver.decrypt(forged["nonce"], forged["aad"], *buffers.arguments, forged["tag"])
    return "decryption unexpectedly succeeded" if accepted else buffers.trouble("decryption")


def flip(part, bit):
    """``part`` with one bit flipped; ``bit`` counts from the first byte's lowest and starts again after the last."""
    changed = bytearray(part)
    changed[bit // 8 % len(part)] ^= 1 << bit % 8
    return bytes(changed)


class Buffers:
    """Source and destination, with guard bytes around them."""

    def __init__(self, case, data):
        self._source = bytearray(GUARD + data + GUARD)
        self._out = self._source if case.in_place else bytearray(GUARD + bytes(len(data)) + GUARD)
        cuts = [0, *case.splits, len(data)]
        view = memoryview(self._source)[len(GUARD) : -len(GUARD)]
        self._pieces = [view[a:b] for a, b in zip(cuts, cuts[1:], strict=False)]

    @property
    def arguments(self):
        """What a driver gets: pieces, destination, start."""
        return self._pieces, self._out, len(GUARD)

    def trouble(self, doing, expected=None):
        """What went wrong with the bytes written, "" if nothing did; without ``expected`` only the guards count."""
        before, written, after = self._out[: len(GUARD)], self._out[len(GUARD) : -len(GUARD)], self._out[-len(GUARD) :]
        if before != GUARD or after != GUARD or len(self._out) != len(self._source):
            return f"{doing} wrote outside of its destination"
        return "" if expected in (None, written) else f"{doing} gave wrong bytes"


def _nonce_for(key, counter, random):
    """A nonce of 16 bytes whose pre-counter block ends in ``counter``: GHASH solved for it (SP 800-38D 7.1)."""
    j0 = random.randbytes(12) + counter.to_bytes(4, "big")
    h = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(bytes(16))
    inverse = GHASH.store(_inverse(GHASH.load(h)))
    hashed = int.from_bytes(GHASH.multiply(j0, inverse), "big") ^ int.from_bytes(lengths_block(0, 16), "big")
    return GHASH.multiply(hashed.to_bytes(16, "big"), inverse)


def _inverse(a):
    """The inverse of an element that is not 0, by Euclid's algorithm for polynomials."""
    u, v, of_u, of_v = a, POLYNOMIAL, 1, 0
    while u != 1:
        shift = u.bit_length() - v.bit_length()
        if shift < 0:
            u, v, of_u, of_v, shift = v, u, of_v, of_u, -shift
        u, of_u = u ^ v << shift, of_u ^ of_v << shift
    return of_u


class Found(NamedTuple):
    """``number`` of the case that found the fault, from 1, or 0; ``alone``: whether a new driver fails on it, too."""

    number: int
    trouble: str = ""
    case: str = ""
    alone: bool = False


def hunt(next_case, fault, seed, cases):
    """Run up to ``cases`` cases on one driver until one differs from OpenSSL.

    ``fault`` is a class of ``planted_gcm``; ``seed``, a text, decides its thresholds and all cases. None where nothing
    comes as the first case: ``next_case`` is not written yet.
    """
    driver, random = fault(Random(seed)), Random(f"cases {seed}")
    for number in range(1, cases + 1):
        settings, contents = next_case(random), f"{seed} {number}"  # whatever next_case does to its random
        if number == 1 and (settings is None or settings is ...):
            return None
        case = make(settings)
        if trouble := check(driver, case, Random(contents)):
            alone = check(fault(Random(seed)), case, Random(contents))
            return Found(number, trouble, str(case), bool(alone))
    return Found(0)


def reference(random):
    """The reference fuzzer's next case: every setting drawn by itself, edges more often than chance would have them."""
    length = random.choice((0, 16, random.randrange(64), random.randrange(8193), 64 * random.randrange(16, 97)))
    return {
        "length": length,
        "aad": random.randrange(random.choice((1, 17, 65, 400))),
        "nonce": random.choice((12, 12, 8, 16, random.randrange(8, 65))),
        "counter": 2**32 - 1 - random.randrange(8) if random.random() < 0.2 else None,
        "key": random.choice((16, 24, 32)),
        "key_offset": random.randrange(64),
        "tag": random.choice((4, 8, 12, 16, 16)),
        "splits": [random.randrange(length + 1) for _ in range(random.randrange(4))],
        "in_place": random.random() < 0.5,
        "tamper": random.choice((None, None, "tag", "data", "aad", "nonce")),
        "bit": random.randrange(1 << 16),
    }


def naive(random):
    """What many write first: lengths at random, everything else as it comes."""
    return {"length": random.randrange(256), "aad": random.randrange(32)}


# What is called in place of the learner's next_case.


RIGHT = "no fault"
_TITLED = {title(fault): fault for fault in FAULTS} | {RIGHT: Driver}


def finds(next_case):
    """For the exercise: [the name of a fault] -> whether it is found, in words. Nothing returned stays nothing."""

    def found(names):
        (name,) = names
        search = hunt(next_case, _TITLED[name], name, RUNS)
        return search and ("found" if search.number else "not found")

    return found


def hunts(next_case):
    """For the lab: [names of faults, seeds, cases] -> a Found, as a list, for each fault and each seed."""

    def all_found(task):
        names, seeds, cases = task
        searches = (hunt(next_case, _TITLED[name], f"{name} {seed}", cases) for name, seed in product(names, seeds))
        first = next(searches)
        return first and [list(each) for each in (first, *searches)]

    return all_found


def _keep():
    """Give what is called the names of this module as they stand now: a fuzzer that changes the module changes none."""
    names = dict(globals())
    own = [f for f in names.values() if isinstance(f, FunctionType) and f.__module__ == __name__]
    names |= {f.__name__: FunctionType(f.__code__, names, f.__name__, f.__defaults__) for f in own}
    globals().update(finds=names["finds"], hunts=names["hunts"])


_keep()
