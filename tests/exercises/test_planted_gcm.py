"""The driver under test is right, and each planted fault is one that the reference fuzzer finds and others do not."""

import re
from random import Random

import pytest
from Crypto.Cipher import AES

from aesedu.cipher.gcm import pre_counter_block
from aesedu.exercises.differential import _TITLED, Case, _nonce_for, check, finds, hunt, make, naive, reference
from aesedu.exercises.planted_gcm import FAULTS, Driver, FlagLeftSet, explanation, title
from aesedu.exercises.self_test import _SETTINGS, NEXT_CASE

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


def without(settings):
    def next_case(random):
        case = {name: value for name, value in reference(random).items() if name not in settings}
        return case if "length" in case else case | {"splits": []}

    return next_case


@pytest.mark.parametrize("name", [*map(title, FAULTS)])
def test_without_the_settings_that_are_named_a_fault_is_not_found(name):
    assert hunt(without(re.split(" and | or ", _SETTINGS[name])), _TITLED[name], "1", 150).number == 0


def test_the_exercise_counts_and_names_settings_but_no_fault():
    outcome = NEXT_CASE.check(naive)
    assert "find 2 of 14 faults" in outcome.finding and "tamper and length" in outcome.advice
    outcome = NEXT_CASE.check(without(["nonce"]))
    assert "find 13 of 14 faults" in outcome.finding and "other values of nonce or counter." in outcome.advice
    outcomes = [NEXT_CASE.check(each) for each in (naive, lambda random: {"lenght": 1}, lambda random: 1 / 0)]
    assert not [name for name in _TITLED for outcome in outcomes if name in str(outcome)]


@pytest.mark.parametrize("bit", [0, 1, 10**30])
def test_any_bit_will_do(bit):
    for part in ("tag", "data", "aad", "nonce"):
        assert check(Driver(Random(0)), make({"aad": 3, "tamper": part, "bit": bit}), Random(1)) == ""


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


TAMPERED = """
def next_case(random):
    from aesedu.exercises import differential
    differential.{what}
    return {{"length": 3}}
"""


@pytest.mark.parametrize(
    "what",
    [
        'check = lambda *a: "wrong"',
        'hunt = lambda *a: differential.Found(1, "wrong")',
        '_check_decryption = lambda driver, *a: "" if type(driver).__name__ == "Driver" else "wrong"',
        "Buffers.trouble = lambda *a: 'wrong'",
        "_TITLED.update(dict.fromkeys(differential._TITLED, differential.FAULTS[-2]))",
    ],
)
def test_a_fuzzer_that_changes_the_check_does_not_pass(what):
    assert NEXT_CASE.check(TAMPERED.format(what=what)).status == "failed"


def test_a_fuzzer_that_makes_the_check_accuse_all_is_told():
    outcome = NEXT_CASE.check(TAMPERED.format(what="Buffers.trouble = lambda *a: 'wrong'"))
    assert "without a fault is accused" in outcome.finding


def test_asking_whether_it_is_written_takes_no_case_away():
    """The first case counts: a fuzzer with a state of its own gets every case tried."""
    cases = iter([{"length": 0, "tamper": "tag"}, *({} for _ in range(400))])
    assert finds(lambda random: next(cases))(["empty message unchecked"]) == "found"
