"""Cards without a kernel: what Stepper, predict and quiz show and remember, and how callbacks reach the main loop."""

import asyncio
import re
import threading

import pytest

from aesedu.exercises.quizzes import QUIZZES
from aesedu.widgets import Card, Stepper, predict, quiz


def stepper(count=5):
    return Stepper("Letters", "abcdefghij"[:count], lambda f: f"<b>{f}</b>", lambda f: f"This is {f}.")


def shown(card):
    return re.search("<b>(.)</b>", card.picture.value)[1]


def press(card, *names):
    for name in names:
        next(b for b in card.buttons if b.description == name).click()
    return shown(card)


def test_buttons_step_and_stop_at_the_ends():
    card = stepper()
    assert shown(card) == "a" and "This is a." in card.sentence.value
    assert press(card, "Step", "Step") == "c" and press(card, "Back") == "b"
    assert press(card, "Last", "Step") == "e" and press(card, "First", "Back") == "a"


def test_slider_and_box_follow_and_lead():
    card = stepper()
    press(card, "Last")
    assert (card.slider.value, card.box.value) == (5, 5)
    card.slider.value = 2
    assert shown(card) == "b" and card.box.value == 2
    card.box.value = 4
    assert shown(card) == "d" and card.slider.value == 4


def test_other_frames():
    card = stepper()
    press(card, "Last")
    card.load("xy", 1)
    assert shown(card) == "y" and card.slider.max == card.box.max == 2


def test_play_walks_to_the_end_and_starts_again():
    async def play():
        card = stepper()
        card.speed.value, seen = 10, []
        card.picture.observe(lambda _: seen.append(shown(card)), "value")
        press(card, "Play")
        await asyncio.sleep(0.75)
        assert card.buttons[-1].description == "Play" and seen == list("bcde")
        press(card, "Play")
        assert shown(card) == "a" and press(card, "Pause") == "a"
        await asyncio.sleep(0.2)
        assert shown(card) == "a"

    asyncio.run(play())


def test_the_twin_has_every_step():
    assert stepper().static().count("<li>This is") == 5


def test_a_failing_picture_is_said_and_kept():
    card = Stepper("Faults", [1, 0], lambda f: str(1 / f), str)
    card.buttons[2].click()
    assert "ZeroDivisionError" in card.sentence.value and len(card.errors) == 1


def test_callbacks_run_on_the_loop_of_the_cell():
    """What ipykernel's subshells break: a click on another thread must not run there."""
    ran = []

    async def cell():
        card = Card("Any")
        click = card.on_main(lambda: ran.append(threading.current_thread()))
        other = threading.Thread(target=click)
        other.start()
        other.join()
        assert not ran
        await asyncio.sleep(0.01)
        click()

    asyncio.run(cell())
    assert ran == [threading.current_thread()] * 2


def test_a_prediction_is_remembered_under_its_name():
    card = predict("speed", "How many times faster?", unit="times")
    assert card.answer is None and "No prediction yet" in card.sentence.value
    assert "You made no prediction" in card.compare(412).data
    card.entry.value = "20"
    card.button.click()
    assert predict("speed") is card and "20.6 times as much" in predict("speed").compare(412).data
    again = predict("speed", "How many times faster?", unit="times")
    assert again is not card and again.answer == 20 and again.entry.value == "20"
    assert "predict: 20 times" in again.static()


@pytest.mark.parametrize(("typed", "unit"), [("6.6 %", "%"), ("6.6%", "%"), ("6.6 times", "times"), ("6.6", "ns")])
def test_the_unit_may_be_typed(typed, unit):
    card = predict("unit", "How many?", unit=unit)
    card.entry.value = typed
    card.button.click()
    assert card.answer == 6.6


def test_one_of_a_unit():
    card = predict("one", "How many?", unit="times")
    card.entry.value = "1 time"
    card.button.click()
    assert "predict: 1 time." in card.sentence.value


@pytest.mark.parametrize(
    ("typed", "answer"), [("1,500", 1500), (" 2e5", 2e5), ("10 000", 10_000), ("0,2", 0.2), ("", None)]
)
def test_numbers_as_people_write_them(typed, answer):
    card = predict("typed", "How many?")
    card.entry.value = typed
    card.button.click()
    assert card.answer == answer


def test_what_is_no_number_is_refused_and_the_last_answer_stays():
    card = predict("typed", "How many?")
    for typed in ("7", "<lots>"):
        card.entry.value = typed
        card.button.click()
    assert card.answer == 7 and "&lt;lots&gt; is not a number" in card.sentence.value


def test_a_choice_is_remembered_unless_it_is_gone():
    card = predict("winner", "Which?", ["a", "b"])
    card.entry.value = "b"
    card.button.click()
    assert predict("winner", "Which?", ["a", "b"]).entry.value == "b"
    assert predict("winner", "Which now?", ["x", "y"]).entry.value is None


def test_predict_without_a_choice_is_no_prediction():
    card = predict("empty", "Which?", ["a", "b"])
    card.button.click()
    assert card.answer is None and "No prediction yet" in card.sentence.value


def test_a_quiz_explains_what_was_answered_only():
    card = quiz(("Two and two?", ("3", "4"), 1, "Count."), ("Equal?", ("yes", "no"), 0, "Look."))
    card.button.click()
    assert "Choose first." in card.sentence.value and not any(answer.value for answer in card.answers)
    card.entries[0].value = "4"
    card.button.click()
    assert "1 of 2" in card.sentence.value and "Right" in card.answers[0].value and not card.answers[1].value
    card.entries[1].value = "no"
    card.button.click()
    assert "Not so" in card.answers[1].value and "Look." in card.answers[1].value


@pytest.mark.parametrize("number", QUIZZES)
def test_a_notebooks_quiz_has_answers_that_exist(number):
    card = quiz(number)
    assert len(card.questions) >= 3
    for question in card.questions:
        assert 0 <= question.answer < len(set(question.choices)) == len(question.choices) and question.why


def test_a_quiz_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="there are: 00, 01"):
        quiz("44")


def test_a_printed_quiz_has_its_answers_folded_away():
    html = quiz(("A < B?", ("yes", "no"), 1, "See.")).static()
    assert "A &lt; B?" in html and html.index("<details>") < html.index("See.")


@pytest.mark.parametrize("make", [stepper, lambda: quiz(("?", ("a",), 0, "")), lambda: predict("p", "?")])
def test_twins_have_no_controls(make):
    assert not re.search("<(script|button|input|select)", make()._twin_html())
