"""The NumPy engine: chunks, in place, against OpenSSL, and faults in its tables that OpenSSL must catch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nist import openssl

from aesedu.engines import batch, placement

KEYS = st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size))


@settings(deadline=None)
@given(KEYS, st.integers(0, 40), st.randoms(use_true_random=False))
def test_agrees_with_openssl(key, blocks, random):
    data = random.randbytes(16 * blocks)
    encrypted = openssl("enc", key)(data)
    assert batch.ecb("enc", key, data) == encrypted
    assert batch.ecb("dec", key, encrypted) == data


@pytest.mark.parametrize("blocks", [batch.CHUNK - 1, batch.CHUNK, batch.CHUNK + 1, 2 * batch.CHUNK + 5])
@pytest.mark.parametrize("direction", ["enc", "dec"])
def test_chunks_join(direction, blocks):
    data = np.random.default_rng(blocks).bytes(16 * blocks)
    key = data[:32]
    assert batch.ecb(direction, key, data) == openssl(direction, key)(data)


def test_in_place():
    data = bytes(range(256)) * 16
    blocks = np.frombuffer(data, "<u4").reshape(-1, 4).copy()
    batch.crypt(batch.schedule("enc", bytes(16)), blocks, blocks)
    assert blocks.tobytes() == openssl("enc", bytes(16))(data)


@pytest.mark.parametrize("direction", ["enc", "dec"])
def test_the_timed_form_does_the_work(monkeypatch, direction):
    buffers = []
    monkeypatch.setattr(batch, "placed", lambda *arguments: buffers.extend(placement.placed(*arguments)) or buffers)
    batch.prepare(direction, bytes(24), 4096, placement=5)(2)
    blocks, out = buffers
    assert out.tobytes() == openssl(direction, bytes(24))(blocks.tobytes())


@pytest.mark.parametrize(
    "fault", [{"step": -1}, {"inner": "last"}, {"last": "inner"}, {"keys": "backwards"}, {"inner": "pairs exchanged"}]
)
def test_openssl_catches_a_fault(fault):
    good = batch.schedule("enc", bytes(16))
    wrong = {"last": good.last, "inner": good.inner, "backwards": good.keys[::-1], "pairs exchanged": good.inner[::-1]}
    bad = good._replace(**{field: wrong.get(value, value) for field, value in fault.items()})
    blocks = np.arange(64, dtype=np.uint32).reshape(-1, 4)
    for schedule, agrees in ((good, True), (bad, False)):
        out = np.empty_like(blocks)
        batch.crypt(schedule, blocks, out)
        assert (out.tobytes() == openssl("enc", bytes(16))(blocks.tobytes())) == agrees


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="the data has 17 bytes; whole blocks are allowed, a multiple of 16"):
        batch.ecb("enc", bytes(16), bytes(17))
    with pytest.raises(ValueError, match="the key has 8 bytes"):
        batch.ecb("dec", bytearray(8), bytes(16))
    with pytest.raises(TypeError, match=r"the data is of type str; .*bytes\.fromhex"):
        batch.ecb("enc", bytes(16), "00" * 16)


def test_placement_moves_the_buffers_and_keeps_their_contents():
    array = np.arange(1000, dtype=np.uint32).reshape(-1, 4)
    offsets = set()
    for seed in range(20):
        copies = placement.placed([array, array], seed)
        assert all((copy == array).all() and copy.flags.c_contiguous for copy in copies)
        offsets |= {copy.ctypes.data % placement.PAGE for copy in copies}
        again = placement.placed([array, array], seed)
        assert [copy.ctypes.data % placement.PAGE for copy in again] == [
            copy.ctypes.data % placement.PAGE for copy in copies
        ]
    assert len(offsets) > 20 and not any(offset % placement.LINE for offset in offsets)
