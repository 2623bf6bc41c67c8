"""quiz: questions with one right answer each, explained once they are checked."""

from html import escape
from typing import NamedTuple

import ipywidgets

from aesedu.exercises.quizzes import QUIZZES
from aesedu.views.style import status
from aesedu.widgets.base import Card, button, row


class Question(NamedTuple):
    """``answer`` is the number of the right one of ``choices``, from 0; ``why`` explains it."""

    text: str
    choices: tuple
    answer: int
    why: str


def quiz(*questions, title="Quiz"):
    """A card of questions, each a Question or (text, choices, answer, why); ``quiz("04")`` is notebook 04's.

    Raises ValueError for a notebook without a quiz.
    """
    if questions and isinstance(questions[0], str):
        if questions[0] not in QUIZZES:
            raise ValueError(f"there is no quiz {questions[0]!r}; there are: {', '.join(QUIZZES)}")
        questions = QUIZZES[questions[0]]
    return Quiz([Question(*question) for question in questions], title)


class Quiz(Card):
    """Choose, press Check: what was chosen is judged and explained; what was not stays open."""

    def __init__(self, questions, title="Quiz"):
        self.questions = questions
        self.entries = [
            ipywidgets.RadioButtons(options=list(q.choices), value=None, description=f"{n}. {q.text}")
            for n, q in enumerate(questions, start=1)
        ]
        self.answers = [ipywidgets.HTML() for _ in questions]
        body = [part for pair in zip(self.entries, self.answers, strict=True) for part in pair]
        self.button = button("Check", lambda: self.on_main(self.check)(), primary=True)
        super().__init__(title, [*body, row(self.button)])
        self.say("Choose, then check.", "Only what you chose is explained.")

    def check(self):
        """Judges and explains each question that has an answer."""
        if all(entry.value is None for entry in self.entries):
            self.say("Choose first.", "Then check: what you chose is explained.", "orange")
            return
        for question, entry, answer in zip(self.questions, self.entries, self.answers, strict=True):
            answer.value = "" if entry.value is None else _judged(question, entry.value)
        right = sum(e.value == q.choices[q.answer] for q, e in zip(self.questions, self.entries, strict=True))
        self.say(f"{right} of {len(self.questions)} right.", "Choose again and check as often as you like.")

    def static(self):
        return "".join(_printed(n, question) for n, question in enumerate(self.questions, start=1))


def _judged(question, chosen):
    right = chosen == question.choices[question.answer]
    verdict, colour = ("\N{CHECK MARK} Right.", "green") if right else ("\N{MULTIPLICATION SIGN} Not so.", "vermilion")
    return status(verdict, escape(question.why), colour)


def _printed(number, question):
    choices = "".join(f"<li>{escape(choice)}</li>" for choice in question.choices)
    answer = f"{escape(question.choices[question.answer])}. {escape(question.why)}"
    return (
        f"<div><b>{number}. {escape(question.text)}</b><ul>{choices}</ul>"
        f"<details><summary>Answer</summary>{answer}</details></div>"
    )
