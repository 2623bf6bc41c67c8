"""How many instructions a core holds: found again on a core of known sizes, and run on this one."""

import pandas
import pytest
from simulated import Machine, Routine

from aesedu import native
from aesedu.bench import core_window
from aesedu.native.assembler import ISA

on_x86_64 = pytest.mark.skipif(ISA != "x86_64", reason="micro-benchmarks of x86-64")


def core(size):
    """Two chains of 150 cycles beside each other while there is room, eight instructions a cycle dispatched."""
    return lambda kind, count: 20 + count / 8 + (150 if count <= size else 300)


@on_x86_64
@pytest.mark.parametrize("size", [1, 2, 57, 206, 430])
def test_the_size_of_a_known_core_is_found(size):
    assert core_window.holds("word registers", measure=core(size)) == size


@on_x86_64
def test_no_end_and_kinds_that_there_are_not():
    assert core_window.holds("word registers", most=64, measure=core(1000)) == 64
    with pytest.raises(ValueError, match="no kind 'ports'; there are: reorder buffer, word registers"):
        core_window.holds("ports")


def test_another_instruction_set(monkeypatch):
    monkeypatch.setattr(core_window, "ISA", "aarch64")
    with pytest.raises(native.UnsupportedFeature, match="x86-64 only"):
        core_window.holds("word registers")


def test_a_machine_that_is_never_steady_is_told():
    restless = Machine(unsteady=1.0)

    def sampler(requests):
        return restless.samples([(Routine(subject.label, 1000), *rest) for subject, *rest in requests])

    with pytest.raises(RuntimeError, match="None of 8 samples of word registers was steady"):
        core_window.cycles("word registers", 3, sampler=sampler, clock=restless.clock)


@on_x86_64
@pytest.mark.parametrize("kind", core_window.KINDS)
def test_what_stands_between_two_chains(kind):
    text = core_window.text(kind, 5)
    between = text.split("imulq $0, %rax, %rax\n")[1].split("\n    movaps %xmm11, %xmm13")[0].split("\n")
    assert len(between) == 5 and all(line.split()[0] == core_window.KINDS[kind].split()[0] for line in between)
    assert native.run(text, [native.Buffer(bytes(64))]) is not None


def test_a_kind_that_cannot_be_counted_says_why():
    def find(kind):
        if kind == "word registers":
            raise RuntimeError("None of 8 samples")
        return 7

    found = core_window.table(find).set_index("kind")
    assert found.fit["vector registers"] == 7 and pandas.isna(found.fit["word registers"])
    assert found.note["word registers"] == "None of 8 samples" and list(found.index) == list(core_window.KINDS)
