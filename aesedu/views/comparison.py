"""Two times against each other: the ratio and its interval beside the control, on an axis around "no difference"."""

import math
from functools import partial
from html import escape

from aesedu.views import plot
from aesedu.views.chart import number
from aesedu.views.style import status
from aesedu.views.table import table

_TOP, _ROW, _LEFT, _RIGHT = 44, 40, 190, 40  # px
_CREDIBLE = 0.01
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)  # between ticks of an axis in per cent


def _reach(effects):
    """How far the axis goes to either side, as the logarithm of a ratio: 4 % at least."""
    ends = [end for effect in effects if effect for end in effect]
    return max(0.04, 1.15 * max((abs(math.log(end)) for end in ends), default=0))


def _ticks(reach):
    """(ratio, text) pairs within reach: change of time in per cent, or times as fast where the two are far apart."""
    if reach > 0.7:
        powers = [10.0**n for n in range(-6, 7)] if reach > 4 else [1 / 10, 1 / 5, 1 / 2, 1, 2, 5, 10, 20, 50]
        return [(p, _times(p)) for p in powers if abs(math.log(p)) <= reach]
    step = next(step for step in (*_STEPS, 0.25) if reach / step <= 5 or step == 0.25)
    changes = [n * step for n in range(-9, 10)]
    return [(1 / (1 + c), _percent(c)) for c in changes if c > -0.9 and abs(math.log(1 + c)) <= reach]


def _percent(change):
    return "no difference" if abs(change) < 1e-9 else plot.percent(100 * change)


def _times(ratio):
    if ratio == 1:
        return "equally fast"
    times = f"{max(ratio, 1 / ratio):,.0f}\N{MULTIPLICATION SIGN}"
    return f"{times} as {'fast' if ratio > 1 else 'slow'}"


def _place(reach, ratio):
    """Place of a ratio in per cent of the width; faster is further left, as in every timing chart."""
    return 50 - 50 * max(-1.0, min(1.0, math.log(ratio) / reach))


def _line(kind, x1, y1, x2, y2):
    return f'<line class="{kind}" x1="{x1:.2f}%" y1="{y1}" x2="{x2:.2f}%" y2="{y2}"/>'


def _effect(effect, axis, y, colour, hollow):
    """A whisker from end to end of the interval and a mark at the estimate."""
    at, low, high = map(axis, effect)
    ends = "".join(_line("ae-whisker", x, y - 6, x, y + 6) for x in (low, high))
    whisker = _line("ae-whisker", low, y, high, y) + ends
    shape = '<path class="ae-mark{}" d="M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z"/>'.format(" ae-hollow" * hollow)
    return f'<g class="ae-{colour}">{whisker}<svg x="{at:.2f}%" y="{y}" overflow="visible">{shape}</svg></g>'


def _grid(axis, reach, bottom):
    lines, names = "", ""
    for ratio, text in _ticks(reach):
        lines += _line("ae-axis" if ratio == 1 else "ae-rule", axis(ratio), _TOP - 8, axis(ratio), bottom)
        names += f'<text class="ae-muted ae-num" x="{axis(ratio):.2f}%" y="22" text-anchor="middle">{text}</text>'
    left, right = axis(1 + _CREDIBLE), axis(1 - _CREDIBLE)
    place = f'x="{left:.2f}%" y="{_TOP - 8}" width="{right - left:.2f}%" height="{bottom - _TOP + 8}"'
    band = f'<rect class="ae-doubt" {place}/>'
    return band + lines + names


def ratio_chart(rows, title):
    """SVG: for each (label, effect, is_control) the ratio with its 95 % interval; ``effect`` is (ratio, low, high).

    The shaded band holds effects under 1 %, which are not credible. An effect of None leaves its row empty.
    """
    reach, bottom = _reach([effect for _, effect, _ in rows]), _TOP + _ROW * len(rows)
    axis = partial(_place, reach)
    body, says = _grid(axis, reach, bottom), []
    for n, (label, effect, is_control) in enumerate(rows):
        y = _TOP + _ROW * n + _ROW // 2
        body += f'<text x="{-_LEFT}" y="{y + 5}">{escape(label)}</text>'
        if effect:
            body += _effect(effect, axis, y, "orange" if is_control else "blue", is_control)
            says.append(f"{label}: ratio {effect[0]:.4f}, {effect[1]:.4f} to {effect[2]:.4f}")
    return plot.frame(body, title, "; ".join(says) or "not measured yet", bottom, _LEFT, _RIGHT)


_CAPTION = (
    "How the second's time differs from the first's, pair by pair: median and 95 % interval; further left is faster. "
    "Hollow: the control, the first against itself. Shaded: effects under 1 %, which no measurement here can vouch for."
)


def comparison_board(comparison):
    """HTML: chart, numbers and verdict of a ``bench.Comparison``."""
    a, b = comparison.a, comparison.b
    first, second = a.what.get("engine", "A"), comparison.label
    rows = [(f"{second} to {first}", comparison.effect, False), (f"{first} to itself", comparison.control, True)]
    chart = ratio_chart(rows, f"{second} against {first}")
    numbers = table(
        ("what", "ns a call", "95 % interval", "core cycles a call", "samples"),
        [_numbers(first, a), _numbers(second, b)],
        "Both times",
    )
    pairs = sum(map(len, comparison.pairs))
    detail = f"{pairs} pairs in turn over {len(comparison.pairs)} placements of code and data, on this machine."
    colour = "green" if comparison.differs else "orange"
    said = status(_sentence(comparison), detail, colour)
    return f"<figure>{chart}{plot.legend((), _CAPTION)}</figure>{numbers}{said}"


def _sentence(comparison):
    text = comparison.verdict
    return escape(text[0].upper() + text[1:] + ".") if text.startswith("cannot") else escape(text + ".")


def _numbers(name, measurement):
    cycles = number(measurement.in_core_cycles().estimate) if measurement.core_hz else "not known"
    low, high = measurement.interval
    return name, number(measurement.estimate), f"{number(low)} to {number(high)}", cycles, len(measurement.samples)
