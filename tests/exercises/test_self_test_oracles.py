"""The drivers of the tamper test: what people take for a test of every byte of every part misses one of them."""

import pytest

from aesedu.exercises import catalogue

TAMPER_TEST = next(entry for entry in catalogue() if entry.name == "tamper_test")

TESTS = {
    "last byte": "range(len(part))[-1:]",
    "every second": "range(0, len(part), 2)",
    "a byte a block": "range(0, len(part), 16)",
    "the first twelve": "range(len(part))[:12]",
    "all but the first": "range(1, len(part))",
    "all but the last": "range(len(part) - 1)",
    "of the tag the first": "range(len(part))[: 1 if n == 3 else 99]",
    "of the nonce the ends": "{*range(len(part))} - {*range(1, 11 if n == 0 else 1)}",
    "of the associated data a block": "range(len(part))[: 16 if n == 1 else 99]",
}


@pytest.mark.parametrize("drawn", TESTS.values(), ids=TESTS)
def test_some_bytes_will_not_do(drawn):
    outcome = TAMPER_TEST.check(TAMPER_TEST.solution.replace("range(len(part))", drawn))
    assert outcome.status == "failed" and "does not count'" in outcome.finding, outcome
    assert "returned True, expected False" in outcome.finding


def test_another_bit_will_do():
    assert TAMPER_TEST.check(TAMPER_TEST.solution.replace("^ 1", "^ 0x80")).status == "passed"
