"""Timing over offsets on a simulated machine whose truth is known; one short run on this one."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from aesedu import native
from aesedu.bench import protocol
from aesedu.engines import key_offsets as subjects
from aesedu.layout import Spot
from aesedu.views.chart import Row
from aesedu.widgets import OffsetPanel
from aesedu.widgets import key_offsets as module
from aesedu.widgets.bench_panel import LIVE

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from simulated import Machine, Routine  # noqa: E402


def simulate(monkeypatch, crossing=1.0, everywhere=1.0, **machine):
    """A machine on which crossing loads cost the factor ``crossing``, and offsets not 0 mod 8 ``everywhere``."""
    made = Machine(placement=0.0, **machine)

    def sampler(requests):
        return made.samples([(Routine(s.label, call_ns(s.what)), count, place) for s, count, place in requests])

    def call_ns(what):
        odd = what["offset"] % 8 == 4
        return 1000 * (crossing if odd and what["width"] == 64 else 1) * (everywhere if odd else 1)

    stopwatch = protocol.Stopwatch
    monkeypatch.setattr(module.protocol, "Stopwatch", lambda: stopwatch(sampler, made.clock))


def run(panel):
    panel.run_button.click()
    if panel._thread_of_run:
        panel._thread_of_run.join(60)
    assert not panel.errors
    return panel


@pytest.mark.parametrize("seed", range(3))
def test_no_effect_is_not_found(monkeypatch, seed):
    simulate(monkeypatch, seed=seed)
    panel = run(OffsetPanel("cipher", 40))
    assert panel.answer == "cannot tell" and abs(panel.percent) < 1
    assert "Cannot tell whether" in panel.sentence.value and "Measured on this machine" in panel.sentence.value


@pytest.mark.parametrize("factor", [1.03, 1.136, 0.9])
def test_a_planted_effect_is_found(monkeypatch, factor):
    simulate(monkeypatch, crossing=factor)
    panel = run(OffsetPanel("loads", 40))
    assert panel.answer == ("slower" if factor > 1 else "faster")
    assert panel.percent == pytest.approx(100 * (factor - 1), abs=0.5)
    label = Spot(64, 20).label
    assert panel.rows[label].value == pytest.approx(factor, abs=0.01)
    assert panel.rows[label].low < factor < panel.rows[label].high


def test_an_effect_under_one_per_cent_is_not_claimed(monkeypatch):
    simulate(monkeypatch, crossing=1.006, noise=0.0005, spikes=0)
    assert run(OffsetPanel("cipher", 40)).answer == "cannot tell"


def test_where_32_bit_loads_differ_too_there_is_no_verdict(monkeypatch):
    simulate(monkeypatch, everywhere=1.05)
    panel = run(OffsetPanel("cipher", 40))
    assert panel.answer == "cannot tell" and "32-bit loads differ too" in panel.sentence.value


def test_few_rounds_are_no_verdict(monkeypatch):
    simulate(monkeypatch, crossing=1.136)
    panel = run(OffsetPanel("cipher", 5))
    assert panel.answer == "cannot tell" and "30 steady rounds are needed" in panel.sentence.value


def test_nothing_is_told_before_a_run():
    panel = OffsetPanel("cipher")
    assert panel.answer is None and panel.percent is None and "not measured yet" in panel.picture.value


@pytest.mark.parametrize(("kind", "answer"), [("cipher", "cannot tell"), ("loads", "slower")])
def test_the_recorded_runs_say_what_the_notebook_says(kind, answer):
    recorded = {row.label: row for row in module.recording(kind).rows}
    assert module._judged(recorded, kind)[0] == answer
    assert set(recorded) == set(OffsetPanel(kind).rows)


def test_where_there_is_no_code_the_recording_is_all_there_is(monkeypatch):
    monkeypatch.setattr(subjects, "ISA", "riscv64")
    panel = OffsetPanel("loads")
    assert LIVE not in dict(panel.origin.options)
    assert run(panel).answer == "slower" and "Recorded on" in panel.sentence.value
    assert all(row.origin == "recorded" for row in panel.rows.values()) and "ae-hollow" in panel.picture.value


def test_the_twin_shows_the_recording_before_a_run():
    twin = OffsetPanel("loads").static()
    assert twin.count("ae-mark ae-hollow") == len(module.SPOTS) and "all that was recorded on" in twin


def test_a_saved_run_holds_every_ratio(monkeypatch, tmp_path):
    simulate(monkeypatch)
    monkeypatch.chdir(tmp_path)
    panel = run(OffsetPanel("cipher", 8))
    monkeypatch.setattr(module.environment, "where", lambda: {"cpu": "simulated"})
    panel.save_button.click()
    (path,) = tmp_path.glob("*.json")
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert [Row(**row) for row in saved["rows"]] == [replace(panel.rows[row["label"]]) for row in saved["rows"]]
    for row in saved["rows"]:
        assert sum(map(len, saved["ratios"][row["label"]])) == row["samples"]


@pytest.mark.skipif(bool(subjects.reason()), reason=subjects.reason())
@pytest.mark.parametrize("kind", subjects.KINDS)
def test_a_run_here(kind):
    panel = run(OffsetPanel(kind, 3))
    assert any(row.value for row in panel.rows.values())  # how many pairs are steady is the machine's affair


@pytest.mark.parametrize("isa", ["x86_64", "aarch64"])
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_the_loop_loads_every_byte_once(isa, key_bits):
    for width in (32, 64):
        places = [
            int(at) for at in re.findall(r"(?:mov |, #)(\d+)(?=\(%rdi\)|\])", subjects.text(isa, key_bits, width))
        ]
        assert places == list(range(0, 16 * (key_bits // 32 + 7), width // 8))


@pytest.mark.skipif(bool(subjects.reason()), reason=subjects.reason())
@pytest.mark.parametrize("offset", [0, 4, 60])
@pytest.mark.parametrize("across", [False, True])
def test_the_schedule_lies_where_it_should(offset, across):
    """A routine that returns its first argument tells the address."""
    back = {"x86_64": "mov %rdi, %rax\n ret", "aarch64": "ret"}[subjects.ISA]
    buffer = subjects._schedule(bytes(176), offset, across)
    address = native.run(f".globl routine\nroutine:\n {back}\n", [buffer]).value
    assert address % 64 == offset
    assert not across or address % 4096 == 4096 - 128 + offset  # else the page is up to the placement
