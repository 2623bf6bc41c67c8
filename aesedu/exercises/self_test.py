"""Exercises of notebook 07 about self-tests: the tamper test, the fuzzer, both byte orders."""

import inspect
from dataclasses import replace

from aesedu.cipher.modes import counter_blocks
from aesedu.exercises import differential
from aesedu.exercises.definition import Exercise, Mistake
from aesedu.exercises.judge import judge
from aesedu.exercises.outcome import FAILED
from aesedu.exercises.planted_gcm import FAULTS, Driver, EmptyMessageUnchecked, title

# Test case 4 of the GCM specification
_KEY = bytes.fromhex("feffe9928665731c6d6a8f9467308308")
_NONCE, _AAD = bytes.fromhex("cafebabefacedbaddecaf888"), bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
_CIPHERTEXT = bytes.fromhex(
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
    "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
)
_TAG = bytes.fromhex("5bc94fbc3221a5db94fae95ae7121a47")


class _Blind(Driver):
    """One byte of one part does not count."""

    def __init__(self, part, i):
        super().__init__(None)
        self._part, self._i = part, i

    def _seen(self, part, data):
        return data[: self._i] + b"\0" + data[self._i + 1 :] if part == self._part else data

    def pad(self, aad):
        return super().pad(self._seen("associated data", aad))

    def chunks(self, ciphertext):
        return self._seen("ciphertext", ciphertext)

    def first_counter(self, nonce):
        return super().first_counter(self._seen("nonce", nonce))

    def verdict(self, computed, tag):
        return self._seen("tag", computed) == self._seen("tag", tag)


class _NotCompared(Driver):
    def verdict(self, computed, tag):
        return True


class _RefusesAll(Driver):
    def verdict(self, computed, tag):
        return False


_RIGHT, _CUT = "a right GCM", "a tag cut short is accepted"
_EMPTY, _UNCHECKED = "a right GCM, empty message", "every empty message is accepted"
_OTHERS = {
    "no tag is compared": _NotCompared, _CUT: Driver, _EMPTY: Driver, _UNCHECKED: EmptyMessageUnchecked,
    "every message is refused": _RefusesAll,
}  # fmt: skip
_SIZES = {"tag": 16, "ciphertext": 36, "associated data": 20, "nonce": 12}
_BLIND = {f"byte {i} of the {part} does not count": (part, i) for part, size in _SIZES.items() for i in range(size)}


def _driver(name):
    driver = _Blind(*_BLIND[name]) if name in _BLIND else _OTHERS.get(name, Driver)(None)
    driver.set_key(_KEY, 0, len(_KEY))
    return driver


def with_decrypt(function):
    """The learner's function, given a decrypt function for the name of a driver."""

    def decrypting(name):
        driver = _driver(name)

        def decrypt(nonce, aad, ciphertext, tag):
            out = bytearray(len(ciphertext))
            right = driver.decrypt(nonce, aad, [memoryview(ciphertext)], out, 0, tag)
            return bytes(out) if right and (len(tag) == len(_TAG) or name == _CUT) else None

        return decrypt

    return lambda name, *message: function(decrypting(name), *message)


def _draw_messages(random):
    """For each driver a message that it has sealed itself."""
    messages = []
    for name in (*_OTHERS, *_BLIND):
        nonce, aad, data = (random.randbytes(_SIZES[part]) for part in ("nonce", "associated data", "ciphertext"))
        data = b"" if name in (_EMPTY, _UNCHECKED) else data
        out = bytearray(len(data))
        tag = _driver(name).encrypt(nonce, aad, [memoryview(data)], out, 0, len(_TAG))
        messages.append((name, nonce, aad, bytes(out), tag))
    return messages


TAMPER_TEST = Exercise(
    name="tamper_test",
    notebook="07",
    stub='''
@exercise("tamper_test")
def tamper_test(decrypt, nonce, aad, ciphertext, tag):
    """True if `decrypt` accepts this message and no forgery of it, else False (roughly 9 lines).

    decrypt(nonce, aad, ciphertext, tag) returns the plaintext, or None where it finds the
    tag wrong. Forge every byte of every part, and cut the tag short.
    """
    ...
''',
    solution='''
def tamper_test(decrypt, nonce, aad, ciphertext, tag):
    parts = [nonce, aad, ciphertext, tag]
    if decrypt(*parts) is None or decrypt(nonce, aad, ciphertext, tag[:12]) is not None:
        return False
    for n, part in enumerate(parts):
        for i in range(len(part)):
            forged = part[:i] + bytes([part[i] ^ 1]) + part[i + 1 :]
            if decrypt(*parts[:n], forged, *parts[n + 1 :]) is not None:
                return False
    return True
''',
    hints=(
        "Two things must hold: the message itself is accepted, and each forgery gives None.",
        "part[:i] + bytes([part[i] ^ 1]) + part[i + 1:] is a part with one bit of byte i flipped.",
        "Go through nonce, aad, ciphertext and tag, and through each byte of each. At last try tag[:12].",
    ),
    known=lambda: [((_RIGHT, _NONCE, _AAD, _CIPHERTEXT, _TAG), True)],
    source="the GCM specification",
    draw=_draw_messages,
    oracle=lambda name, *message: name in (_RIGHT, _EMPTY),
    mistakes=(
        Mistake("range(len(part))", "range(len(part))[:1]",
                "A driver may look at the first bytes only. Forge every byte, one at a time."),
        Mistake("range(len(part))", "range(len(part))[-1:]",
                "Only the last byte of each part is forged. A driver may leave out any other: forge every byte."),
        Mistake("range(len(part))", "sorted({*range(len(part))} & {0, len(part) // 2, len(part) - 1})",
                "First, middle and last are three bytes of many, and a driver may leave out any other: forge each."),
        Mistake("enumerate(parts)", "[(3, tag)]",
                "A changed tag is one forgery. Ciphertext, associated data and nonce can be changed, too."),
        Mistake("decrypt(*parts) is None or ", "",
                "A driver that refuses everything passes this test. The message itself must be accepted."),
        Mistake(" or decrypt(nonce, aad, ciphertext, tag[:12]) is not None", "",
                "No tag was cut short. Who may choose the tag's length needs to guess fewer bits."),
        Mistake("part[i] ^ 1", "part[i] | 1",
                "This accuses a right GCM: | 1 leaves a byte as it is whose lowest bit is 1. Flip the bit with ^ 1."),
        Mistake("[n + 1 :]) is not None", "[n + 1 :]) is None",
                "This accuses a right GCM: None says that the forgery was noticed, which is well."),
        Mistake("[n + 1 :]) is not None", "[n + 1 :])",
                'An empty message decrypts to b"", which counts as false in an if: compare with None.'),
        Mistake("decrypt(*parts) is None", "not decrypt(*parts)",
                'This accuses a right GCM: `not b""` is true, and b"" is the right plaintext of an empty message.'),
    ),
    around="aesedu.exercises.self_test:with_decrypt",
)  # fmt: skip


_SETTINGS = {
    "flag left set": "tamper and length", "tag compared in part": "tamper and bit",
    "empty message unchecked": "tamper and length", "stale padding": "aad", "stale hash": "tamper",
    "length cut short": "length and aad", "carry too far": "counter", "nonce made to fit": "nonce or counter",
    "stream lost": "splits and length", "hashed too late": "in_place and length", "key aligned": "key and key_offset",
    "last chunk lost": "length", "whole block stored": "length", "swap forgotten": "length",
}  # fmt: skip


def _judge_found(exercise, report):
    """How many of the faults are found, and which settings show one of the others; no fault's name."""
    outcome = judge(exercise, report)
    names = [name for ((name,),), _ in exercise.known()]
    values = {name: value for name, (_, value, _) in zip(names, report["results"], strict=False)}
    accused = values.pop(differential.RIGHT, "") == "found"
    missed = [name for name, value in values.items() if value and value != "found"]
    if outcome.status == FAILED and accused and not missed:
        return replace(outcome, finding="A driver without a fault is accused, too.", advice="Leave the check as it is.")
    if outcome.status != FAILED or not missed:
        return outcome
    found = f"{sum(value == 'found' for value in values.values())} of {len(FAULTS)} faults"
    finding = f"next_case(random) returned cases that find {found}; each is given {differential.RUNS}."
    advice = outcome.advice or f"One that is missed shows with other values of {_SETTINGS[missed[0]]}."
    return replace(outcome, finding=finding, advice=advice)


NEXT_CASE = Exercise(
    name="next_case",
    notebook="07",
    stub='''
@exercise("next_case")
def next_case(random):
    """A dict with the settings of the next case, drawn from `random` (roughly 15 lines).

    In bytes: length 0 to 8192, aad 0 to 1024, nonce 8 to 64, key 16, 24 or 32, key_offset
    0 to 63, tag 4, 8 or 12 to 16. counter: None, or the 32-bit number that the counter
    starts at. splits: a list of places, 0 to length. in_place: True or False. tamper:
    None, "tag", "data", "aad" or "nonce", of which one bit is flipped. bit: which, any whole
    number from 0 on; it is taken modulo the bits of that part.
    """
    ...
''',
    solution="\n" + inspect.getsource(differential.reference).replace("def reference(", "def next_case("),
    hints=(
        'return {"length": random.randrange(8193), ...}: give every setting a line, drawn by itself.',
        "Lengths need both ends: nothing at all, a few bytes, whole blocks, and 1024 bytes and more for the bulk path.",
        "tamper must be None in some cases and a part in others: a wrong verdict shows in forgeries alone, and what a "
        "refused message leaves behind only in the right one after it.",
        "The counter overflows in no message of this size unless it starts at the end: 2**32 - 1 - a few.",
    ),
    known=lambda: [  # names in a list, which no message spells out
        *((([title(fault)],), "found") for fault in FAULTS), (([differential.RIGHT],), "not found"),
    ],
    source="the lab's planted faults and a right driver",
    draw=lambda random: [],
    oracle=lambda name: "",
    mistakes=(
        Mistake('(None, None, "tag", "data", "aad", "nonce")', "[None]",
                "Nothing is tampered with, so a driver that accepts everything passes."),
        Mistake("2**32 - 1 - random.randrange(8) if random.random() < 0.2 else None", "random.randrange(2**32)",
                "A random counter reaches its end once in 2^32 blocks. Start it just before its end now and then."),
        Mistake("[random.randrange(length + 1) for _ in range(random.randrange(4))]", "[]",
                "Every message comes in one piece: what happens between two pieces is never seen."),
        Mistake("random.randrange(64),\n        \"tag\"", "8 * random.randrange(8),\n        \"tag\"",
                "The key always begins at a multiple of 8 bytes. In source 003's message it began at byte 43."),
        Mistake('"in_place": random.random() < 0.5', '"in_place": False',
                "Source and destination are always apart. In place, what is read last has been overwritten."),
    ),
    around="aesedu.exercises.differential:finds",
    verdict=_judge_found,
)  # fmt: skip


class Machine:
    """A machine's loads and stores of 32 bits, by its byte order, "little" or "big"."""

    def __init__(self, order):
        self.order, self.big = order, order == "big"

    def load(self, four_bytes):
        """The number that a load instruction makes of four bytes."""
        if len(four_bytes) != 4:
            raise ValueError(f"load takes 4 bytes, not {len(four_bytes)}")
        return int.from_bytes(four_bytes, self.order)

    def store(self, number):
        """The four bytes that a store instruction writes; what is above 32 bits is lost."""
        return (number & 0xFFFFFFFF).to_bytes(4, self.order)

    def swap(self, number):
        """The number with its four bytes turned round."""
        return int.from_bytes((number & 0xFFFFFFFF).to_bytes(4, "little"), "big")


def on_machine(function):
    """The learner's function, given a Machine for the name of a byte order."""
    return lambda block, order: function(block, Machine(order))


def _draw_counters(random):
    ends = [random.randbytes(4 - n) + b"\xff" * n for n in (0, 0, 1, 2, 3, 4)]
    return [(random.randbytes(12) + end, order) for end in ends for order in ("little", "big")]


BOTH_ORDERS = Exercise(
    name="both_orders",
    notebook="07",
    stub='''
@exercise("both_orders")
def both_orders(block, machine):
    """GCM's counter block after `block`, right on machines of either byte order (roughly 3 lines).

    machine.load(four_bytes) is the number that a load makes, machine.store(number) the four
    bytes that a store writes, machine.swap(number) turns the four bytes of a number round,
    and machine.big says whether the machine is big-endian.
    """
    ...
''',
    solution='''
def both_orders(block, machine):
    turn = int if machine.big else machine.swap
    counter = turn(machine.load(block[12:]))
    return block[:12] + machine.store(turn(counter + 1))
''',
    hints=(
        "In the block the counter is a big-endian number, whatever the machine. Whose load reads it so?",
        "A big-endian machine needs no swap, a little-endian one needs two: after the load and before the store.",
        "Only the last four bytes count; a carry out of them is lost, as store does.",
    ),
    known=lambda: [((_NONCE + b"\0\0\0\1", order), _NONCE + b"\0\0\0\2") for order in ("little", "big")],
    source="the GCM specification",
    draw=_draw_counters,
    oracle=lambda block, order: counter_blocks(block, 1, 1, width=32),
    mistakes=(
        Mistake("int if machine.big else machine.swap", "machine.swap",
                "Right on little-endian machines. A big-endian one has read the counter right: the swap undoes that."),
        Mistake("int if machine.big else machine.swap", "int",
                "Right on big-endian machines. A little-endian one reads the counter's last byte as its highest."),
        Mistake("int if machine.big else machine.swap", "machine.swap if machine.big else int",
                "The two are exchanged: the counter is big-endian, so the little-endian machine must swap."),
        Mistake("store(turn(counter + 1))", "store(counter + 1)",
                "The number is turned round after the load, but not back before the store."),
    ),
    parts=("byte",),
    around="aesedu.exercises.self_test:on_machine",
)  # fmt: skip

EXERCISES = [TAMPER_TEST, NEXT_CASE, BOTH_ORDERS]
