"""The check that a person runs: its routines run, and its exit status follows the verdicts."""

import pytest

from aesedu.bench import ImplausibleError, measure, selfcheck

WHERE = {"cpu": "this", "date": "2000-01-01", "core_hz": 4e9, "drift": 0.001}


def test_the_chain_is_timed_natively():
    result = measure(selfcheck.chain("A", 100), quick=True, where=WHERE)
    assert result.samples and result.what == {"engine": "A"} and result.cold


def test_a_chain_longer_than_what_ran_is_refused():
    with pytest.raises(ImplausibleError, match="loop-carried chain"):
        for _ in range(5):  # a very busy machine may give no core cycles to judge by
            measure(selfcheck.chain("A", 100), quick=True, where=WHERE, loop_carried=100_000)


@pytest.mark.parametrize(("verdict", "status"), [("B is 3.0 % slower (2.8 to 3.2)", 1), ("cannot tell", 1), (None, 0)])
def test_exit_status(monkeypatch, capsys, verdict, status):
    def compare(a, b, **options):
        longer = b.arguments["text"].count("add") - a.arguments["text"].count("add")
        right = "B is 3.0 % slower (2.8 to 3.2)" if longer > 10 else "cannot tell"
        return type("", (), {"verdict": verdict or right})

    monkeypatch.setattr(selfcheck, "compare", compare)
    monkeypatch.setattr(selfcheck.environment, "where", lambda: WHERE)
    assert selfcheck.main(["--runs", "20"]) == status
    assert "of 20 (at least 19)" in capsys.readouterr().out
