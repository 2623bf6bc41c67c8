"""Compiled modes around a block routine: n-way and 1-way forms, calls of one block, tails, timed forms.

What is right is said by the differential fuzz and the vectors (tests/cipher), which run through these loops too; here
the readable modes over OpenSSL's blocks are the reference.
"""

import gc
import weakref

import numpy as np
import pytest

from aesedu.cipher import gf128
from aesedu.engines import engine, engines, face, whole_modes
from aesedu.engines.base import IV_BYTES, KEY_BITS, MODES, TAGGED, WHOLE_BLOCKS
from aesedu.native.child import load

KEY, IV = bytes(range(3, 67)), b"\xf0" + b"\xff" * 15  # a counter that overflows soon, and one that does at once
ROUTINES = [e for e in engines() if e.has_loops and e.available]
pytestmark = pytest.mark.skipif(not ROUTINES, reason="no native code here")
several = [e for e in ROUTINES if e.name in ("ttable-split-k64", "ttable-woven", "aes-x8", "vaes-x4")]


def crypt(tested, mode, direction, data, aad=b"", tag=None, bits=0, calls="bulk"):
    """(result, tag) by the loops, in this process."""
    key = KEY[: KEY_BITS.get(mode, (128, 192, 256))[bits] // 8]
    iv = IV[: IV_BYTES.get(mode, 16)]
    job = whole_modes.Job(tested.module, tested.options, mode, direction, key, data, iv, aad, calls=calls)
    job.runner()(2)  # a second time over the first result: nothing of it may stay
    return job.message.target.tobytes()[: len(data)], job.message.tag.tobytes() if mode in TAGGED else b""


def reference(mode, data, aad=b"", bits=0):
    key = KEY[: KEY_BITS.get(mode, (128, 192, 256))[bits] // 8]
    return face.encrypt(mode.upper(), key, data, IV[: IV_BYTES.get(mode, 16)], aad, engine="openssl")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("tested", several, ids=lambda e: e.name)
def test_0_to_17_blocks_and_tails(tested, mode):
    for blocks in range(18):
        for tail in (0,) if mode in WHOLE_BLOCKS else (0, 1, 7, 8, 15):
            data = bytes((5 * i + blocks) % 256 for i in range(16 * blocks + tail))
            if mode == "xts" and len(data) < 16:
                continue
            aad = data[: blocks + tail] if mode in TAGGED else b""
            expected = reference(mode, data, aad, blocks % 3)
            assert crypt(tested, mode, "enc", data, aad, bits=blocks % 3) == expected
            assert crypt(tested, mode, "dec", expected[0], aad, bits=blocks % 3) == (data, expected[1])


@pytest.mark.parametrize("mode", MODES)
def test_more_than_is_gathered_at_once_and_one_call_a_block(mode):
    data = np.random.default_rng(1).bytes(16 * (2 * whole_modes.GATHER + 5))
    expected = reference(mode, data, data if mode in TAGGED else b"")
    for calls in ("bulk", "block"):
        aad = data if mode in TAGGED else b""
        assert crypt(ROUTINES[0], mode, "enc", data, aad, calls=calls) == expected
        assert crypt(ROUTINES[0], mode, "dec", expected[0], aad, calls=calls) == (data, expected[1])


@pytest.mark.parametrize("order", [gf128.GHASH, gf128.LRW], ids=lambda o: o.name)
def test_products_are_those_of_the_field(order):
    from aesedu.engines.loops import times

    a, b = KEY[:16], KEY[17:33]
    table = np.frombuffer(whole_modes.products(order, a), np.int64)
    product = np.array(times(table, *np.frombuffer(b, np.int64)), np.int64).tobytes()
    assert product == order.multiply(a, b)


@pytest.mark.parametrize("mode", TAGGED)
def test_nothing_leaves_the_worker_with_a_wrong_tag(mode):
    tested, iv = ROUTINES[0], IV[: IV_BYTES[mode]]
    what = tested.module, tested.options, mode
    ciphertext, tag = whole_modes.crypt(*what, "enc", KEY[:16], b"secret", iv, b"", 16)
    assert whole_modes.crypt(*what, "dec", KEY[:16], ciphertext, iv, b"", 16, tag) == [b"secret", tag]
    for wrong in (bytes(16), tag[:-1] + bytes([tag[-1] ^ 1])):
        assert whole_modes.crypt(*what, "dec", KEY[:16], ciphertext, iv, b"", 16, wrong) == [None, b""]


def test_a_long_message_goes_through_the_readable_modes(monkeypatch):
    monkeypatch.setattr(face, "_LONG", 40)
    monkeypatch.setattr(type(ROUTINES[0]), "message", None)  # a call of it would be a TypeError
    data = bytes(41)
    assert face.encrypt("CTR", KEY[:16], data, IV, engine=ROUTINES[0].name) == reference("ctr", data)


def test_a_run_keeps_its_routines_alive():
    """They are known by address; what the cache of routines forgets must stay as long as a run may use it."""
    data = bytes(64)
    job = whole_modes.Job(ROUTINES[0].module, ROUTINES[0].options, "xts", "enc", KEY[:32], data, IV)
    message, run = job.message, job.runner()
    held = [weakref.ref(memory) for codes, memory in job._keeps]
    whole_modes._routine.cache_clear()
    del job
    gc.collect()
    run(1)
    assert message.target.tobytes() == reference("xts", data)[0] and all(each() for each in held)


TIMED = ["bytewise", "openssl", *(e.name for e in several)]


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_has_a_timed_form(name, mode):
    """In this process, so that a fault shows its traceback; the worker runs the same function."""
    tested = engine(name)
    for direction in ("enc", "dec", "auth") if mode in TAGGED else ("enc", "dec"):
        for calls in ("bulk", "block") if tested.has_loops else ("bulk",):
            bits = KEY_BITS.get(mode, (128, 192, 256))[1]
            subject = tested.subject(mode, direction, bits, 64, calls)
            load(subject.factory)(**subject.arguments, placement=5)(2)
            assert subject.what["key_bits"] == bits


def test_records_tell_how_the_mode_was_made():
    assert engine("bytewise").subject("cbc").what["wiring"] == "readable Python"
    assert ROUTINES[0].subject("cbc", calls="block").what["wiring"] == "compiled loops"
    assert ROUTINES[0].subject("ecb", calls="block").what["calls"] == "block"


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ({"mode": "xts"}, "xts: a key has 256, 384 or 512 bits, not 128"),
        ({"mode": "lrw", "key_bits": 512}, "256, 320 or 384"),
        ({"mode": "cbc", "size": 40}, "multiple of 16"),
        ({"mode": "ctr", "size": 8}, "16 bytes or more"),
        ({"mode": "ctr", "direction": "auth"}, "'enc' or 'dec', not 'auth'"),
        ({"calls": "some"}, "'bulk' or 'block', not 'some'"),
    ],
)
def test_timed_form_refuses(what, says):
    with pytest.raises(ValueError, match=says):
        ROUTINES[0].subject(**what)
    with pytest.raises(ValueError, match="calls are 'bulk', not 'block'"):
        engine("bytewise").subject("cbc", calls="block")
