"""Every exercise keeps its promises: the solution passes, the stub is blank, each planted mistake gets its own hint."""

import ast
import re

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from aesedu.exercises import catalogue

ENTRIES = {entry.name: entry for entry in catalogue()}
MISTAKES = [(name, i) for name, entry in ENTRIES.items() for i in range(len(entry.mistakes))]


@pytest.fixture
def pyaes():
    """AES by others, of the benchmark's packages; .ci/run installs them."""
    return pytest.importorskip("pyaes")


@pytest.fixture(params=ENTRIES.values(), ids=ENTRIES)
def entry(request):
    return request.param


def test_names_are_unique():
    assert len(ENTRIES) == len(catalogue())


def test_solution_passes(entry):
    outcome = entry.check(entry.solution)
    assert outcome.status == "passed", outcome.message


def test_stub_is_not_attempted(entry):
    assert entry.check(entry.stub).status == "not attempted"


def test_stub_fits_a_notebook_cell(entry):
    lines = entry.stub.strip().splitlines()
    assert lines[0] == f'@exercise("{entry.name}")' and lines[1].startswith(f"def {entry.name}(")
    assert len(lines) <= 15 and max(map(len, lines)) <= 120
    assert re.search(r"roughly \d+ line", entry.stub)


def test_solution_is_as_long_as_the_stub_says(entry):
    function = next(n for n in ast.parse(entry.solution).body if isinstance(n, ast.FunctionDef))
    length = function.end_lineno - function.lineno
    assert abs(length - int(re.search(r"roughly (\d+)", entry.stub)[1])) <= 1


def test_each_mistake_is_another_program(entry):
    assert len(entry.mistakes) >= 3
    assert len({entry.solution, *entry.wrong_answers}) == len(entry.mistakes) + 1
    assert len({mistake.hint for mistake in entry.mistakes}) == len(entry.mistakes)


@pytest.mark.parametrize(("name", "i"), MISTAKES)
def test_mistake_fails_with_its_own_hint(name, i):
    entry = ENTRIES[name]
    outcome = entry.check(entry.wrong_answers[i])
    assert (outcome.status, outcome.advice) == ("failed", entry.mistakes[i].hint)
    assert re.search(r"(got|returned) \S+", outcome.finding) and f"{name}(" in outcome.finding


def test_endless_loop_times_out(entry):
    outcome = entry.check("def endless(*arguments):\n    while True:\n        pass\n", deadline=0.2)
    assert outcome.status == "timed out"
    assert "in endless" in outcome.traceback


def test_published_cases_come_first(entry):
    known = entry.known()
    assert known and entry.source
    assert [(list(arguments), result) for arguments, result in known] == entry.cases[: len(known)]


# The oracles against other people's AES. An oracle that shared a mistake with the solution would let it pass.


def test_xtime_oracle_against_tables(pyaes):
    """The low byte of pyaes's T1 is 3 S[x], the next S[x], the top one 2 S[x]."""
    double = {pyaes.AES.S[x]: pyaes.AES.T1[x] >> 24 for x in range(256)}
    assert [ENTRIES["xtime"].oracle(b) for b in range(256)] == [double[b] for b in range(256)]


def test_te0_oracle_against_tables(pyaes):
    expected = [int.from_bytes(word.to_bytes(4, "big"), "little") for word in pyaes.AES.T1]
    ((arguments, result),) = ENTRIES["te0"].known()
    assert result == expected == ENTRIES["te0"].oracle(bytes(pyaes.AES.S))
    assert arguments == (bytes(pyaes.AES.S),) and expected[0] == 0xA56363C6


def test_column_oracle_makes_an_encryption(pyaes):
    """Nine rounds of the oracle between the first key and pyaes's last round give what OpenSSL gives."""
    key, block = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"), bytes.fromhex("3243f6a8885a308d313198a2e0370734")
    keys = [[int.from_bytes((w & 0xFFFFFFFF).to_bytes(4, "big"), "little") for w in k] for k in pyaes.AES(key)._Ke]
    state = [int.from_bytes(block[4 * c : 4 * c + 4], "little") ^ keys[0][c] for c in range(4)]
    for round_key in keys[1:-1]:
        state = [ENTRIES["column"].oracle(None, state, round_key[c], c) for c in range(4)]
    after = b"".join(w.to_bytes(4, "little") for w in state)
    last = b"".join(w.to_bytes(4, "little") for w in keys[-1])
    shifted = bytes(pyaes.AES.S[after[(4 * c + r + 4 * r) % 16]] for c in range(4) for r in range(4))
    openssl = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    assert bytes(a ^ b for a, b in zip(shifted, last, strict=True)) == openssl.update(block)


@pytest.mark.parametrize("size", [16, 24, 32])
def test_inverse_round_keys_oracle_against_pyaes(pyaes, size):
    aes = pyaes.AES(bytes(range(size)))
    forward, backward = (
        [b"".join((word & 0xFFFFFFFF).to_bytes(4, "big") for word in words) for words in keys]
        for keys in (aes._Ke, aes._Kd)
    )
    assert ENTRIES["inverse_round_keys"].oracle(forward) == backward


def test_verdict_cases_hold_every_answer():
    answers = [case.expected for case in ENTRIES["verdict"].cases]
    assert all(answers.count(word) >= 3 for word in ("faster", "slower", "cannot tell"))
