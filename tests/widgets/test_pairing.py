"""Two engines head to head in a notebook, also where one of them cannot run."""

import pytest

from aesedu.engines import catalogue
from aesedu.engines.base import Engine
from aesedu.native import UnsupportedFeature
from aesedu.widgets import block_calls, head_to_head, predict


def test_the_answer_is_the_faster_ones_name():
    found = head_to_head("bytewise", "ttable", size=16, quick=True)
    assert found.answer == "ttable" and found.factor > 2
    assert "ttable against bytewise" in found._repr_html_()


def test_an_engine_that_cannot_run_here_is_a_sentence_and_no_exception(monkeypatch):
    lacking = Engine("lacking", "none", "native", "nowhere", needs=lambda: "x86-64 <only>")
    monkeypatch.setitem(catalogue.ENGINES, "lacking", lacking)
    for names in (("lacking", "ttable"), ("ttable", "lacking")):
        found = head_to_head(*names)
        assert found.answer is None and found.factor is None and "lacking: x86-64 <only>" in repr(found)
        assert "x86-64 &lt;only&gt;" in found._repr_html_()
    assert "Not measured" in predict("x", "Which?", list(names)).compare(measured=found.answer).data


def test_functions_make_what_is_timed_or_say_why_not():
    def lacks():
        raise UnsupportedFeature("code for riscv64")

    found = head_to_head("ttable", lacks)
    assert found.answer is found.factor is None and "riscv64" in repr(found)
    assert "second against ttable" in found._repr_html_()


def test_an_unknown_engine_is_an_error():
    with pytest.raises(ValueError, match="no engine 'nonsense'"):
        head_to_head("ttable", "nonsense")


def test_calls_a_block_and_a_message_are_told_apart():
    found = block_calls()
    if found.comparison is None:
        pytest.skip(repr(found))
    assert found.comparison.a.what["calls"] == "block" and found.comparison.b.what["calls"] == "bulk"
    assert "at once against a call a block" in found._repr_html_()


def test_block_calls_where_no_native_engine_runs(monkeypatch):
    for name in ("aes-x4", "ttable-split-k64"):
        lacking = Engine(name, "none", "native", "nowhere", needs=lambda: "x86-64 <only>")
        monkeypatch.setitem(catalogue.ENGINES, name, lacking)
    monkeypatch.setattr(Engine, "has_loops", True)
    found = block_calls()
    assert found.factor is None and "x86-64 <only>" in repr(found)
