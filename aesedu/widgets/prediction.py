"""predict: asks before an experiment, remembers, and shows the answer beside what came out."""

import re
from html import escape

import ipywidgets
from IPython.display import HTML

from aesedu.views import prediction as view
from aesedu.views.style import page
from aesedu.widgets.base import Card, button, row

_cards = {}  # name -> Prediction, for this session of the kernel


def predict(name, question="", choices=None, unit=""):
    """The prediction called ``name``: asked anew with a ``question``, or the one already asked.

    With ``choices`` (texts) one of them is chosen, else a number in ``unit`` is typed. An answer given before is kept.
    ``predict(name).compare(measured=...)`` shows it beside the result, in any later cell.
    """
    before = _cards.get(name)
    if question or before is None:
        _cards[name] = Prediction(question or name, choices, unit, before and before.answer)
    return _cards[name]


class Prediction(Card):
    """One question. ``answer`` is the choice or number, None while there is none; the notebook runs all the same."""

    def __init__(self, question, choices=None, unit="", answer=None):
        self.answer, self._unit = answer, unit
        if choices:
            given = answer if answer in choices else None
            self.entry = ipywidgets.RadioButtons(options=list(choices), value=given, description="Your prediction")
        else:
            given = "" if answer is None else view.value(answer)
            self.entry = ipywidgets.Text(
                given, placeholder="a number", description="Your prediction", layout={"width": "240px"}
            )
        self._choices = choices
        self.button = button("Predict", lambda: self.on_main(self.remember)(), primary=True)
        entry = [self.entry] if choices or not unit else [self.entry, ipywidgets.Label(unit)]
        super().__init__(question, [row(*entry, self.button)])
        self._tell()

    def remember(self):
        """Keeps what is chosen or typed as the answer."""
        try:
            self.answer = self.entry.value if self._choices else _number(self.entry.value, self._unit)
        except ValueError:
            self.say(f"{escape(self.entry.value)} is not a number.", "Type one such as 1500 or 0.2.", "vermilion")
        else:
            self._tell()
            self.renew_twin()

    def _tell(self):
        if self.answer is None:
            self.say("No prediction yet.", "A guess is enough. The notebook also runs without.")
        else:
            self.say(
                f"You predict: {view.value(self.answer, self._unit)}.", "It is kept while this kernel runs.", "green"
            )

    def compare(self, measured=None, model=None, answer=None):
        """The prediction beside a measurement and, where there is one, a model's figure; to be shown by a cell.

        ``answer`` in place of ``measured`` is for what was worked out, not measured.
        """
        found, name = (measured, "Measured") if answer is None else (answer, "Answer")
        return HTML(page(view.comparison(self.answer, found, model, self._unit, name), self.title))

    def static(self):
        choices = f"<p>Choices: {escape(', '.join(self._choices))}.</p>" if self._choices else ""
        return choices + self.sentence.value


def _number(text, unit=""):
    """A number as people write it: 10 000, 1,500 (commas before three digits each), 0,2, 6.6 %; None for no text."""
    digits = re.sub("[ _]", "", text)
    for words in (unit, view.singular(unit)):
        digits = digits.removesuffix(words.replace(" ", ""))
    grouped = re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d*)?", digits)
    digits = digits.replace(",", "" if grouped else ".")
    return float(digits) if digits else None
