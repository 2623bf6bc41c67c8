"""The AES instructions against Intel's example, the standard's printed states and the processor of this host."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from fips197_vectors import KNOWN, examples
from hypothesis import given
from hypothesis import strategies as st

from aesedu import native
from aesedu.cipher import instructions, key_schedule
from aesedu.native.assembler import ISA

ISAS = ("x86_64", "aarch64")
STATE = bytes.fromhex("5d47535d726f74636556747365545b7b")
KEY = bytes.fromhex("5d6e6f726575475b2979616853286948")
blocks = st.binary(min_size=16, max_size=16)


def test_known_answers():
    assert instructions.aesenc(STATE, KEY) == bytes.fromhex(KNOWN["aesenc"]["expected"])
    assert instructions.aese(STATE, KEY) == bytes.fromhex(KNOWN["aese"]["expected"])


@given(blocks, blocks)
def test_one_order_from_the_other(state, key):
    zeros = bytes(16)
    mixed = instructions.aesmc(instructions.aese(state, zeros))
    assert instructions.aesenc(state, key) == instructions.execute("EOR", mixed, key)
    assert instructions.aese(state, key) == instructions.aesenclast(instructions.execute("PXOR", state, key), zeros)


@pytest.mark.parametrize("isa", ISAS)
@given(st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size)), blocks)
def test_either_program_is_the_cipher(isa, key, block):
    openssl = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    encrypted = instructions.trace(isa, key, block)[-1].after
    assert encrypted == openssl.update(block)
    assert instructions.trace(isa, key, encrypted, "decrypt")[-1].after == block


@pytest.mark.parametrize("direction", ["encrypt", "equivalent inverse"])
def test_every_state_is_printed_in_the_standard(direction):
    seen = 0
    for (key, way), rows in examples("fips197_cipher.csv", "key", "direction"):
        if way == direction:
            seen += 1
            _check_states(bytes.fromhex(key), [bytes.fromhex(row["value"]) for row in rows], way.split()[0])
    assert seen >= 3


def _check_states(key, printed, way):
    way = way.replace("equivalent", "decrypt")
    one, other = (instructions.trace(isa, key, printed[0], way) for isa in ISAS)
    assert [step[3:] for step in one] == [step[3:] for step in other]
    # The standard substitutes before it shifts: the state between the two is another.
    between = {step.after for step in one if step.name.endswith("shift_rows")}
    assert {step.after for step in one} - between <= set(printed)


def test_key_generation_assistant_gives_the_words_of_the_standard():
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    first = next(key_schedule.trace(key))
    assert instructions.aeskeygenassist(key, 1)[12:] == first.after_xor_rcon == bytes.fromhex("8b84eb01")
    assert instructions.aeskeygenassist(key, 1)[8:12] == bytes.fromhex("018a84eb")


@pytest.mark.skipif(ISA != "x86_64" or "aes" not in native.features(), reason="needs AES instructions of x86-64")
def test_the_processor_agrees():
    for name in ("AESENC", "AESENCLAST", "AESDEC", "AESDECLAST"):
        assert _run(f"{name.lower()} (%rsi), %xmm0") == instructions.execute(name, STATE, KEY)
    assert _run("aesimc %xmm0, %xmm0") == instructions.aesimc(STATE)
    assert _run("aeskeygenassist $0x1b, %xmm0, %xmm0") == instructions.aeskeygenassist(STATE, 0x1B)


def _run(line):
    text = f".globl routine\nroutine:\nmovdqu (%rdi), %xmm0\n{line}\nmovdqu %xmm0, (%rdi)\nret\n"
    return native.run(text, [native.Buffer(STATE), native.Buffer(KEY)]).buffers[0]
