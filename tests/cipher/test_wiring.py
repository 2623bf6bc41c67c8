"""Wirings and their values: against OpenSSL, and with planted faults."""

import mode_oracles as oracle
import pytest

from aesedu.cipher import mode_trace, wiring
from aesedu.cipher.mode_trace import IV, KEY, NONCE, TWEAK_KEY, message, trace

CASES = [(mode, direction) for mode in wiring.MODES for direction in ("enc", "dec")]
every_case = pytest.mark.parametrize(("mode", "direction"), CASES)


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b, strict=False))


def product(a, b, mode):
    """By SP 800-38D's formula; LRW's order of bits is GHASH's from the other end."""
    if mode == "GCM":
        return oracle.ghash(b, a)
    return oracle._reversed(oracle.ghash(oracle._reversed(b), oracle._reversed(a)))


def shifted(block):
    return oracle._bytes_reversed(oracle.ghash(oracle.X, oracle._bytes_reversed(block)))


def plus_one(block, mode):
    head, counter = (block[:12], block[12:]) if mode == "GCM" else (b"", block)
    return head + ((int.from_bytes(counter, "big") + 1) % 256 ** len(counter)).to_bytes(len(counter), "big")


def expected(mode, line, a, b=b""):
    """What a line's value must be, not by the suite's own code."""
    match line.op:
        case "E" | "D":
            return getattr(oracle.OpenSSL(KEY), "encrypt_blocks" if line.op == "E" else "decrypt_blocks")(a)
        case "E2":
            return oracle.openssl_ecb(TWEAK_KEY, a)
        case "^":
            return xor(a, b)
        case "* x":
            return shifted(a)
        case "*":
            return product(a, b, mode)
        case "+":
            return plus_one(a, mode)
        case "|":
            return (a + b[len(a) :])[:16]
        case "head":
            return a[: len(message("XTS")) % 16]
        case "=":
            return a


def faults(mode, direction):
    """The values of a message that are not what their wiring says."""
    try:
        steps = trace(mode, direction)
    except KeyError as error:
        return [f"a call the mode never made: {error}"]
    return [
        (step.title, line.name)
        for step in steps
        for line in step.lines
        if line.op and step.values[line.name] != expected(mode, line, *(step.values[name] for name in line.inputs))
    ]


@every_case
def test_every_value_is_what_its_wiring_says(mode, direction):
    assert faults(mode, direction) == []


@every_case
def test_the_message_is_everybodys(mode, direction):
    steps = [step for step in trace(mode, direction) if step.title != "The tag"]
    assert b"".join(step.values["P"] for step in steps) == message(mode)
    ciphertext = b"".join(step.values["C"] for step in steps)
    key = KEY + TWEAK_KEY * (mode in ("LRW", "XTS"))
    iv = NONCE if mode in ("CCM", "GCM", "OCB") else IV
    answers = oracle.answers(mode, key, iv, b"", message(mode), 16)
    assert answers
    assert set(answers.values()) == {(ciphertext, steps[0].values.get("Tag", b""))}


@pytest.mark.parametrize("size", [16, 17, 31, 32, 33, 100])
def test_xts_of_other_lengths(size):
    data = bytes(range(size))
    steps = trace("XTS", "enc", data)
    ciphertext = b"".join(step.values["C"] for step in steps)
    assert {ciphertext} == {answer for answer, _ in oracle.answers("XTS", KEY + TWEAK_KEY, IV, b"", data, 16).values()}
    assert b"".join(step.values["P"] for step in trace("XTS", "dec", ciphertext)) == data


# (mode, direction) -> names that wait for the block before; as SP 800-38A 6 says of the first five.
WAITING = {
    ("CBC", "enc"): {"C"},
    ("CFB128", "enc"): {"O"},
    ("OFB", "enc"): {"O"},
    ("OFB", "dec"): {"O"},
    ("CCM", "enc"): {"M"},
    ("CCM", "dec"): {"M"},
    ("GCM", "enc"): {"Y"},
    ("GCM", "dec"): {"Y"},
}


@every_case
def test_what_waits_for_the_block_before(mode, direction):
    waits = wiring.waits(mode, direction)
    assert {name for name, chain in waits.items() if chain} == WAITING.get((mode, direction), set())
    assert wiring.overlaps(mode, direction) == ((mode, direction) not in WAITING)
    starts = {}
    for call in wiring.schedule(mode, direction):
        starts.setdefault(call.line.name, []).append(call.start)
    for name, times in starts.items():
        assert (times == sorted(set(times))) if waits[name] else len(set(times)) == 1


@pytest.mark.parametrize("direction", ["enc", "dec"])
def test_a_part_that_steals_waits_for_the_block_before_it(direction):
    assert [call.start for call in wiring.schedule("XTS", direction, steals=True)] == [0, 0, 0, 1]


def test_a_chain_leads_from_one_call_to_the_other():
    chain = wiring.waits("CFB128", "enc")["O"]
    assert [wiring.label(line.name, number) for line, number in chain] == ["O2", "C1", "O1"]
    assert wiring.formula(chain[1][0], 1) == "P1 ⊕ O1"


PLANTED = [
    (("CBC", "enc"), "P ^ C'", "P ^ C"),
    (("CBC", "dec"), "Y ^ C'", "Y ^ C"),
    (("CFB128", "dec"), "E(C')", "E(C)"),
    (("OFB", "enc"), "E(O')", "D(O')"),
    (("CTR", "enc"), "E(T)", "E(T')"),
    (("XTS", "enc"), "Y ^ T", "Y ^ T'"),
    (("LRW", "enc"), "I * K", "I' * K"),
    (("CCM", "dec"), "Z 2,3 = P ^ M'", "Z 2,3 = C ^ M'"),
    (("GCM", "enc"), "Z 2,3 = C ^ Y'", "Z 2,3 = P ^ Y'"),
    (("OCB", "enc"), "Offset' ^ L", "Offset' ^ P"),
]


@pytest.mark.parametrize(("case", "old", "new"), PLANTED)
def test_a_wrong_wiring_is_found(monkeypatch, case, old, new):
    text = wiring._text(*case)
    assert old in text
    monkeypatch.setitem(wiring._EACH, case, text.replace(old, new))
    wiring.wiring.cache_clear()
    try:
        assert faults(*case)
    finally:
        wiring.wiring.cache_clear()


def test_a_wrong_value_is_found(monkeypatch):
    monkeypatch.setattr(mode_trace, "xor", lambda a, b: a)
    assert faults("CBC", "enc")


@every_case
def test_no_two_boxes_overlap(mode, direction):
    for step in trace(mode, direction):
        places = [(line.lane, line.level) for line in step.lines]
        assert all(
            lane != other or abs(level - below) >= 1
            for n, (lane, level) in enumerate(places)
            for other, below in places[n + 1 :]
        ), step.title


@pytest.mark.parametrize(("mode", "direction"), [("CBC", "encrypt"), ("EAX", "enc")])
def test_refuses_what_is_not_there(mode, direction):
    with pytest.raises(ValueError, match="modes: ECB, CBC"):
        wiring.wiring(mode, direction)


@pytest.mark.parametrize(("mode", "size"), [("CTR", 20), ("GCM", 17), ("ECB", 0), ("XTS", 15)])
def test_refuses_messages_it_cannot_draw(mode, size):
    with pytest.raises(ValueError, match=f"not {size} bytes"):
        trace(mode, "enc", bytes(size))


def test_names():
    assert [wiring.label(name, 4) for name in ("C", "C'", "T+", "IV", "L", "Offset'")] == [
        "C4", "C3", "T5", "IV", "L2", "Offset 3",
    ]  # fmt: skip
