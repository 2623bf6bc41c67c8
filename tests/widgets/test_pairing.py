"""Two engines head to head in a notebook, also where one of them cannot run."""

import pytest

from aesedu.engines import catalogue
from aesedu.engines.base import Engine
from aesedu.widgets import head_to_head, predict


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


def test_an_unknown_engine_is_an_error():
    with pytest.raises(ValueError, match="no engine 'nonsense'"):
        head_to_head("ttable", "nonsense")
