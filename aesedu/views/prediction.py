"""A prediction beside the model and the measurement."""

from html import escape

from aesedu.views.chart import number
from aesedu.views.style import status


def value(answer, unit=""):
    """An answer as text: a number with its unit, a choice as it is, a dash where there is none."""
    if answer is None:
        return "–"
    if isinstance(answer, str | bool):
        return str(answer)
    figure = f"{answer:,.0f}" if float(answer).is_integer() else number(answer)
    return f"{figure} {singular(unit) if answer == 1 else unit}".rstrip()


def singular(unit):
    """The unit of one: "cycle" for "cycles"; abbreviations such as "ns" stay."""
    return unit.removesuffix("s") if len(unit) > 3 else unit


def comparison(predicted, measured=None, model=None, unit="", name="Measured"):
    """HTML: what was predicted, what the model says (where there is one) and what was measured, and how far apart.

    Each is a number in ``unit``, one of the choices as text, or None. ``name`` heads what came out where nothing was
    measured: "Answer".
    """
    parts = [("Your prediction", predicted, "blue"), ("Model", model, "orange"), (name, measured, "green")]
    shown = [part for part in parts if part[0] != "Model" or model is not None]
    boxes = (
        f'<div class="ae-{colour}"><span class="ae-muted">{name}</span><b>{escape(value(answer, unit))}</b></div>'
        for name, answer, colour in shown
    )
    return f'<div class="ae-trio">{"".join(boxes)}</div>{status(escape(verdict(predicted, measured, unit, name)))}'


def verdict(predicted, measured, unit="", name="Measured"):
    """One sentence on prediction and what came out."""
    if measured is None:
        return "Not measured yet: run the measurement, then this cell again."
    if predicted is None:
        return f"{name}: {value(measured, unit)}. You made no prediction."
    if isinstance(measured, str | bool):
        agrees = str(predicted) == str(measured)
        return (
            f"You predicted {predicted}, and so it is." if agrees else f"You predicted {predicted}; it is {measured}."
        )
    says = " and measured" if name == "Measured" else "; it is"
    both = f"You predicted {value(predicted, unit)}{says} {value(measured, unit)}"
    return f"{both}: {_distance(predicted, measured)}."


def _distance(predicted, measured):
    if min(predicted, measured) <= 0:
        return f"{number(abs(measured - predicted))} apart"
    ratio = measured / predicted
    if ratio >= 2 or ratio <= 0.5:
        return f"{number(ratio)} times as much" if ratio > 1 else f"{number(1 / ratio)} times less"
    percent = 100 * abs(ratio - 1)
    return "as predicted" if percent < 0.5 else f"{number(percent)} % {'more' if ratio > 1 else 'less'}"
