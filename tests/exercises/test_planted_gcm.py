"""The driver under test is right, and each planted fault is one that the reference fuzzer finds and others do not."""

from random import Random

import pytest
from Crypto.Cipher import AES

from aesedu.cipher.gcm import pre_counter_block
from aesedu.exercises.differential import _TITLED, Case, _nonce_for, check, hunt, make, naive, reference
from aesedu.exercises.planted_gcm import FAULTS, Driver, FlagLeftSet, explanation, title

BOUND = 400  # cases
SEEDS = [str(n) for n in range(20)]
LEAVING = {"flag left set", "stale padding", "stale hash"}  # need what an earlier call left behind
MAIL = {"length": 5326, "aad": 91, "key": 32, "splits": [3779], "in_place": True, "key_offset": 43, "tamper": "tag"}


def pycryptodome(key, nonce, aad, data):
    cipher = AES.new(key, AES.MODE_GCM, nonce=nonce)
    cipher.update(aad)
    return cipher.encrypt_and_digest(data)


@pytest.mark.parametrize("length", [0, 1, 16, 1023, 1024, 5326])
@pytest.mark.parametrize("nonce", [1, 8, 12, 16, 60])
def test_driver_against_pycryptodome(length, nonce):
    random = Random(length * nonce)
    key, nonce, aad, data = (random.randbytes(n) for n in (32, nonce, 91, length))
    driver, out = Driver(random), bytearray(length)
    driver.set_key(b"?" + key, 1, 32)
    pieces = [memoryview(data)[:7], memoryview(data)[7:]]
    tag = driver.encrypt(nonce, aad, pieces, out, 0, 16)
    assert (bytes(out), tag) == pycryptodome(key, nonce, aad, data)
    assert driver.decrypt(nonce, aad, [memoryview(out)], out, 0, tag) and out == data


def test_right_driver_is_never_accused():
    assert hunt(reference, Driver, "right", 2000).number == 0


@pytest.mark.parametrize("fault", FAULTS, ids=title)
def test_reference_finds_every_fault(fault):
    found = [hunt(reference, fault, seed, BOUND) for seed in SEEDS]
    assert all(each.number for each in found)
    assert {each.alone for each in found} == {title(fault) not in LEAVING}
    assert explanation(fault).endswith(".") and len(explanation(fault)) < 300


def test_naive_fuzzer_finds_few():
    found = [title(fault) for fault in FAULTS if hunt(naive, fault, "1", 200).number]
    assert 1 <= len(found) <= 3


def without(setting):
    def next_case(random):
        case = reference(random)
        del case[setting]
        return case if setting != "length" else case | {"splits": []}

    return next_case


@pytest.mark.parametrize(
    ("fault", "setting"),
    [
        ("flag left set", "tamper"), ("tag compared in part", "tamper"), ("empty message unchecked", "tamper"),
        ("stale hash", "tamper"), ("stale padding", "aad"), ("carry too far", "counter"), ("key aligned", "key_offset"),
        ("stream lost", "splits"), ("hashed too late", "in_place"), ("last chunk lost", "length"),
        ("swap forgotten", "length"),
    ],
)  # fmt: skip
def test_without_its_setting_a_fault_is_not_found(fault, setting):
    assert hunt(without(setting), _TITLED[fault], "1", 150).number == 0


def test_the_mails_case_depends_on_the_call_before():
    case, driver = make(MAIL), FlagLeftSet(Random(0))
    assert check(driver, case, Random(1)) == ""
    assert check(driver, make({}), Random(2)) == ""
    assert check(driver, case, Random(1)) == "decryption unexpectedly succeeded"
    assert check(driver, case, Random(1)) == "decryption unexpectedly succeeded"


@pytest.mark.parametrize("counter", [0, 1, 0xFFFFFFFF])
def test_a_nonce_is_found_for_every_counter(counter):
    random = Random(counter)
    key = random.randbytes(16)
    nonce = _nonce_for(key, counter, random)
    h = AES.new(key, AES.MODE_ECB).encrypt(bytes(16))
    assert len(nonce) == 16 and pre_counter_block(h, nonce)[12:] == counter.to_bytes(4, "big")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (None, "dict of settings, not NoneType"),
        ({"lenght": 3}, "no setting 'lenght'; there are length"),
        ({"length": -1}, "length is a whole number from 0 to 8192, not -1"),
        ({"length": 1.5}, "length is a whole number"),
        ({"nonce": 0}, "nonce is a whole number from 8"),
        ({"key": 17}, "key is one of 16, 24, 32, not 17"),
        ({"tag": [16]}, "tag is one of"),
        ({"tamper": "key"}, "tamper is one of None, tag"),
        ({"counter": 2**32}, "counter is a whole number"),
        ({"splits": 3}, "splits is a list"),
        ({"length": 8, "splits": [9]}, "splits is a whole number from 0 to 8, not 9"),
    ],
)
def test_nonsense_is_named(settings, words):
    with pytest.raises(ValueError, match=words):
        make(settings)


def test_what_is_left_out_has_its_default():
    assert make({}) == Case() and make(Case(length=3)) == Case(length=3)
    assert make({"length": 40, "splits": [30, 7]}).splits == (7, 30)
    assert str(make({"bit": 3})) == "all settings as they come"
    assert str(make({"tamper": "tag", "bit": 3})) == "tamper tag, bit 3"
