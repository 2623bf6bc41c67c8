"""The notebooks and their widgets, as the acceptance tests meet them. A new notebook adds its entry here."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Widget:
    """One card by its title, with the names of all its controls.

    ``buttons`` are pressed three times each; ``sliders`` and ``boxes`` (number boxes) are moved, and each move must
    bring a picture with another ``data-v``, unless the control stands in ``quiet``. ``others`` are reached by keyboard
    only. ``keys``, pressed in turn on the picture, bring another one each. ``runs``: the card is a BenchPanel, whose
    Run, Cancel and Save JSON have tests of their own.
    """

    title: str
    buttons: tuple = ()
    sliders: tuple = ()
    boxes: tuple = ()
    quiet: tuple = ()
    others: tuple = ()
    keys: tuple = ()
    runs: bool = False

    @property
    def names(self):
        bench = ("Run", "Cancel", "Save JSON") * self.runs
        return {*self.buttons, *self.sliders, *self.boxes, *self.others, *bench}


def stepper(title, **more):
    """What every Stepper has."""
    return Widget(
        title,
        buttons=("First", "Back", "Step", "Last", "Play", *more.pop("buttons", ())),
        sliders=("Position", *more.pop("sliders", ())),
        boxes=("Go to", "Steps a second", *more.pop("boxes", ())),
        quiet=("Steps a second", *more.pop("quiet", ())),
        keys=("End", "Home", "ArrowRight", "ArrowLeft"),
        **more,
    )


def bench(title, *choices, recordings=False):
    """What every BenchPanel has, and its check boxes."""
    menus = ("Bytes a call", "Times from") if recordings else ("Bytes a call",)
    return Widget(title, boxes=("Rounds",), quiet=("Rounds",), others=(*menus, *choices), runs=True)


def round_explorer(title="Round explorer"):
    """The cells that lie over its picture are no tab stops: arrow keys go on from the picture, which is one."""
    cells = (f"Row {row}, column {column}" for row in range(4) for column in range(4))
    return Widget(
        title,
        buttons=("First", "Back", "Step", "Last", "Play"),
        sliders=("Round",),
        boxes=("Go to round", "Steps a second"),
        quiet=("Steps a second",),
        others=("Direction", "Key bits", "Plaintext", "Key", *cells),
        keys=("End", "Home", "n", "p", "PageDown", "ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "PageUp"),
    )


def estimate(question):
    """A prediction that is a number."""
    return Widget(question, buttons=("Predict",), boxes=("Your prediction",), quiet=("Your prediction",))


def choice(question, *choices):
    """A prediction that is one of a few texts."""
    return Widget(question, buttons=("Predict",), others=choices)


def quiz(*choices):
    return Widget("Quiz", buttons=("Check",), others=choices)


COMPONENTS = "components.ipynb"  # written by the tests: every shared component with a source that measures nothing

NOTEBOOKS = {
    COMPONENTS: [
        bench("Ladder of fakes", *("bytewise", "batch", "compiled", "openssl", "no-such-instruction"), recordings=True),
        stepper("Powers of two"),
        round_explorer(),
        estimate("How many times faster?"),
        choice("Which is faster?", "four tables", "one table", "cannot tell"),
        quiz("Three", "Four", "Yes", "No"),
    ],
    "00_start_here.ipynb": [
        estimate("How many times as fast as the slowest engine is the fastest?"),
        bench("Ladder", *("bytewise", "ttable", "batch", "compiled", "openssl-table", "openssl", "aes-x1")),
        choice(
            "We time compiled against itself, in turn. What will the verdict be?",
            *("the first is faster", "the second is faster", "cannot tell"),
        ),
        choice("Which is faster?", "compiled", "openssl-table", "cannot tell"),
        quiz(
            *("B is faster", "cannot tell", "A is faster"),
            *("It is wrong", "Caches and predictors are cold in it", "The clock is not ready"),
            *("The time-stamp counter", "A chain of dependent additions", "The processor's label"),
        ),
    ],
}
