"""Prediction against measurement, in words."""

import pytest

from aesedu.views.prediction import comparison, verdict


@pytest.mark.parametrize(
    ("predicted", "measured", "sentence"),
    [
        (20, 412, "You predicted 20 times and measured 412 times: 20.6 times as much."),
        (412, 20, "You predicted 412 times and measured 20 times: 20.6 times less."),
        (100, 130, "You predicted 100 times and measured 130 times: 30.0 % more."),
        (100, 70, "You predicted 100 times and measured 70 times: 30.0 % less."),
        (100, 100.2, "You predicted 100 times and measured 100 times: as predicted."),
        (0, 5, "You predicted 0 times and measured 5 times: 5.00 apart."),
        (None, 412, "Measured: 412 times. You made no prediction."),
        (20, None, "Not measured yet: run the measurement, then this cell again."),
    ],
)
def test_numbers(predicted, measured, sentence):
    assert verdict(predicted, measured, "times") == sentence


def test_choices():
    assert verdict("yes", "yes") == "You predicted yes, and so it is."
    assert verdict("yes", "cannot tell") == "You predicted yes; it is cannot tell."
    assert verdict("True", True) == "You predicted True, and so it is."


def test_the_model_has_a_box_where_there_is_one():
    assert "Model" not in comparison(1, 2) and "Model" in comparison(1, 2, 3)


def test_text_is_escaped():
    assert "<b>&lt;AES&gt;</b>" in comparison("<AES>", "x")


def test_what_was_worked_out_is_not_called_measured():
    html = comparison(52, 12, name="Answer")
    assert "Answer" in html and "You predicted 52; it is 12" in html and "easured" not in html
    assert "Answer: 12" in comparison(None, 12, name="Answer")
