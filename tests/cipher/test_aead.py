"""The objects of GCM, CCM and OCB: the order of calls, what they refuse, when they release what."""

import csv

import mode_oracles
import pytest

from aesedu import data as files
from aesedu.cipher.aead import InvalidTag
from aesedu.cipher.ccm import CCM, encoded_aad_length
from aesedu.cipher.gcm import GCM, pre_counter_block
from aesedu.cipher.ocb import OCB, ntz

KEY, NONCE, AAD, DATA = bytes(16), bytes(12), b"header", bytes(range(45))
AES = mode_oracles.OpenSSL(KEY)


def gcm(direction="enc", tag_length=16):
    return GCM(AES, NONCE, tag_length, direction)


def ccm(direction="enc", tag_length=16):
    return CCM(AES, NONCE, len(DATA), len(AAD), tag_length, direction)


def ocb(direction="enc", tag_length=16):
    return OCB(AES, NONCE, tag_length, direction)


every = pytest.mark.parametrize("make", [gcm, ccm, ocb])


@every
def test_seal_and_open(make):
    ciphertext, tag = make().seal(DATA, AAD)
    name = make.__name__.upper()
    assert (ciphertext, tag) in mode_oracles.answers(name, KEY, NONCE, AAD, DATA, 16).values()
    assert make("dec").open(ciphertext, AAD, tag) == DATA


@every
def test_open_releases_nothing(make):
    ciphertext, tag = make().seal(DATA, AAD)
    with pytest.raises(InvalidTag) as caught:
        make("dec").open(ciphertext, AAD, bytes(16))
    assert issubclass(InvalidTag, ValueError)
    assert DATA.hex() not in str(caught.value)


def test_ocb_keeps_the_last_bytes_until_the_tag_is_checked():
    ciphertext, tag = ocb().seal(DATA, AAD)
    aead = ocb("dec")
    aead.update_aad(AAD)
    assert aead.update(ciphertext) == DATA[:32]
    with pytest.raises(InvalidTag):
        aead.finalize(bytes(16))


@every
def test_order_of_calls(make):
    aead = make()
    aead.update_aad(AAD)
    aead.update(DATA[:1])
    with pytest.raises(ValueError, match="associated data comes before"):
        aead.update_aad(AAD)
    with pytest.raises(ValueError, match="after finalize"):
        aead.tag  # noqa: B018
    aead.update(DATA[1:])
    aead.finalize()
    for again in (lambda: aead.update(b""), aead.finalize):
        with pytest.raises(ValueError, match="has ended"):
            again()


@every
def test_a_refused_message_stays_refused(make):
    ciphertext, tag = make().seal(DATA, AAD)
    aead = make("dec")
    aead.update_aad(AAD)
    aead.update(ciphertext)
    with pytest.raises(InvalidTag):
        aead.finalize(bytes(16))
    with pytest.raises(ValueError, match="has ended"):
        aead.finalize(tag)


@every
def test_finalize_takes_a_tag_in_decryption_only(make):
    with pytest.raises(ValueError, match="only there"):
        make().finalize(bytes(16))
    with pytest.raises(ValueError, match="only there"):
        make("dec").finalize()
    with pytest.raises(ValueError, match="12 bytes was announced, 16"):
        make("dec", 12).finalize(bytes(16))


@every
def test_update_into_refuses_a_short_buffer_and_goes_on(make):
    aead, out = make(), bytearray(len(DATA))
    aead.update_aad(AAD)
    with pytest.raises(ValueError, match="the buffer only 8"):
        aead.update_into(DATA, bytearray(8))
    count = aead.update_into(DATA, out)
    assert bytes(out[:count]) + aead.finalize() == make().seal(DATA, AAD)[0]


@pytest.mark.parametrize("make", [gcm, ccm, ocb])
@pytest.mark.parametrize("length", [0, 3, 17, -1, None, 16.0])
def test_tag_lengths_that_no_standard_has(make, length):
    with pytest.raises(ValueError, match="a tag has"):
        make(tag_length=length)


def test_direction():
    with pytest.raises(ValueError, match="'enc' or 'dec'"):
        gcm("encrypt")


def test_ccm_holds_to_the_announced_lengths():
    with pytest.raises(ValueError, match="more came"):
        ccm().update_aad(AAD + b"!")
    with pytest.raises(ValueError, match="6 bytes of associated data were announced, 0"):
        ccm().update(DATA)
    aead = ccm()
    aead.update_aad(AAD)
    with pytest.raises(ValueError, match="more came"):
        aead.update(DATA + b"!")
    with pytest.raises(ValueError, match="45 bytes was announced, 0"):
        aead.finalize()


def test_ccm_message_must_fit_its_length_field():
    CCM(AES, bytes(13), 65535)
    with pytest.raises(ValueError, match=r"shorter than 2\^16 bytes"):
        CCM(AES, bytes(13), 65536)


@pytest.mark.parametrize(
    ("length", "encoded"),
    [(0, ""), (1, "0001"), (0xFEFF, "feff"), (0xFF00, "fffe0000ff00"), (2**32 - 1, "fffeffffffff")]
    + [(2**32, "ffff0000000100000000"), (2**64 - 1, "ffffffffffffffffffff")],
)
def test_ccm_length_of_associated_data(length, encoded):
    """SP 800-38C A.2.2; the last form would take 4 GiB to reach through a message."""
    assert encoded_aad_length(length).hex() == encoded


def test_gcm_pre_counter_block():
    with files.path("known_answers.csv").open(encoding="utf-8", newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["id"] == "gcm-iv8-j0")
    _, key, _, iv = row["input"].split()
    h = mode_oracles.openssl_ecb(bytes.fromhex(key), bytes(16))
    assert pre_counter_block(h, bytes.fromhex(iv)).hex() == row["expected"]


def test_ntz():
    assert [ntz(i) for i in range(1, 9)] == [0, 1, 0, 2, 0, 1, 0, 3]
