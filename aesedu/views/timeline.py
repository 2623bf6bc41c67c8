"""The pipeline timeline: one row an instruction, one cell a cycle, with the reason of every wait; variants on one axis.

A cell has a letter and a colour. Pointing at it tells why the instruction waits; `text` says the same in words.
"""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from aesedu.pipeline.limits import CriticalLoop
from aesedu.pipeline.story import story
from aesedu.pipeline.trace import Trace
from aesedu.views import style

# kind of a Span: letter, colour, words for the legend
STATES = {
    "held": ("q", "sky", "waits to be dispatched"),
    "dispatched": ("D", "neutral", "dispatched"),
    "operand": ("w", "orange", "waits for an operand"),
    "port": ("p", "vermilion", "waits for a port"),
    "order": ("o", "purple", "waits for its turn"),
    "executes": ("E", "blue", "executes"),
    "done": ("\N{MIDDLE DOT}", "quiet", "done, waits to retire"),
    "retires": ("R", "green", "retires"),
}
_CELL, _ROW, _LEFT, _HEAD, _NAME = 10, 15, 306, 22, 34  # px; _NAME: letters that an instruction may have
_STEPS = 8  # of a critical loop that are named in a sentence
_BAR = 100  # px of a port that is never idle


@dataclass(frozen=True, eq=False)
class Variant:
    """One loop on one machine: a `title`, its Trace, and its CriticalLoop (None: there is none)."""

    title: str
    trace: Trace
    critical: CriticalLoop | None = None


def timeline(variants, iteration=0, rows=None):
    """HTML: a panel for each Variant, all on one axis of cycles, the ends of all marked in each.

    ``iteration`` is the pass of the loop that is shown (0: into an empty core), ``rows`` a range of its instructions.
    Raises ValueError where there are none.
    """
    windows = [_Window(variant, iteration, rows) for variant in variants]
    cycles = max(window.end for window in windows) + 2
    ends = [(window.end, n) for n, window in enumerate(windows)]
    panels = "".join(_panel(window, cycles, ends) for window in windows)
    return f'<div class="ae-timelines">{panels}</div>{legend(variants)}'


def figure(variants, iteration=0, rows=None):
    """``timeline`` with its sentence beneath: a picture to be shown on its own."""
    return f"{css()}{timeline(variants, iteration, rows)}{style.status(*map(escape, says(variants)))}"


def css():
    """The style sheet of this view, beside the suite's."""
    return f"<style>{style.packed(Path(__file__).with_suffix('.css'))}</style>"


def says(variants):
    """Two sentences: how the last variant does against the first, and whose numbers these are."""
    first, last = variants[0].trace, variants[-1].trace
    if len(variants) == 1:
        headline = f"{variants[0].title}: {first.cycles:.1f} cycles a loop."
    else:
        percent = 100 * (last.cycles / first.cycles - 1)
        both = f"{last.cycles:.1f} against {first.cycles:.1f} cycles a loop, {percent:+.1f} %"
        headline = f"{variants[-1].title} against {variants[0].title}: {both}."
    machines = " and ".join(dict.fromkeys(v.trace.machine.title for v in variants))
    loops = "".join(f" {v.title}: {_loop(v.critical)}." for v in variants if v.critical)
    return headline, f"Model of {machines}, not a measurement.{loops}"


def _loop(critical):
    numbers = [str(index + 1) for index, _, _ in critical.steps]
    most = len(numbers) > _STEPS
    through = ", ".join(numbers[:_STEPS]) + f" and {len(numbers) - _STEPS} more" * most
    return f"operands alone take {critical.cycles:.3g} cycles a loop, through {through}"


class _Window:
    """The part of a Trace that is shown: its cycles count from the first one in which it does anything."""

    def __init__(self, variant, iteration, rows):
        self.variant, self.trace = variant, variant.trace
        instances = self.trace.iteration(iteration)
        self.instances = instances[rows.start : rows.stop] if rows else instances
        if not self.instances or iteration < 0:
            size = f"{self.trace.iterations} passes of {len(self.trace.operations)} instructions"
            raise ValueError(f"{variant.title}: there is nothing in pass {iteration}, {rows or 'all rows'}, of {size}")
        self.spans = [list(story(self.trace, instance)) for instance in self.instances]
        self.start = min(spans[0].first for spans in self.spans)
        self.end = max(instance.retired for instance in self.instances) - self.start
        self.marked = {step[0] for step in variant.critical.steps} if variant.critical else set()

    def letters(self, n):
        """Row number ``n`` as (first cycle, letters)."""
        spans = self.spans[n]
        return spans[0].first - self.start, "".join(_letters(span) for span in spans)

    def summary(self):
        return str(self.trace)


def _letters(span):
    """Execution begins with a capital."""
    letter = STATES[span.kind][0]
    return letter + (letter.lower() if span.kind == "executes" else letter) * (span.last - span.first)


def _panel(window, cycles, ends):
    """Title, axis, rows and ports of one variant; axis and ports stay in view when the rows are scrolled."""
    title, says_ = escape(window.variant.title), escape(window.summary())
    lines = "".join(f'<line class="ae-end ae-{style.SERIES[n]}" x1="{x}" x2="{x}" y2="100%"/>' for x, n in _ends(ends))
    picture = f'role="img" aria-label="Timeline of {title}: {says_}"'
    parts = [(_axis(window, cycles), _HEAD, "aria-hidden=true"), (_rows(window), _ROW * len(window.instances), picture)]
    parts.append((*_ports(window, cycles), "aria-hidden=true"))
    size = 'class="ae-svg" width="{}" height="{}"'
    width = _LEFT + _CELL * cycles
    svgs = "".join(f"<svg {size.format(width, height)} {given}>{body}{lines}</svg>" for body, height, given in parts)
    head = f"<figcaption><b>{title}</b> <span>{says_}</span></figcaption>"
    return (
        f'<figure>{head}<div class="ae-scroller" tabindex="0" role="group" aria-label="{title}">{svgs}</div></figure>'
    )


def _ends(ends):
    return [(_x(cycle + 1), n) for cycle, n in ends]


def _x(cycle):
    return _LEFT + _CELL * cycle


def _text(x, y, words, kind="", anchor="start"):
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(str(words))}</text>'


def _axis(window, cycles):
    numbers = "".join(_text(_x(n) + 5, 16, n, "ae-muted", "middle") for n in range(0, cycles, 5))
    head = _text(24, 16, "#", "ae-muted", "end") + _text(40, 16, "instruction", "ae-muted")
    return head + numbers + _text(_LEFT - 12, 16, "cycle", "ae-muted", "end")


def _rows(window):
    return "".join(_row(window, n, instance) for n, instance in enumerate(window.instances))


def _row(window, n, instance):
    """Number, text, a rectangle for each Span with its reason as title, and the letters."""
    y, number, text = _ROW * n, instance.index + 1, instance.decoded.operation.text
    mark = f'<path class="ae-critical" d="M30 {y + 1}v{_ROW - 2}"/>' if instance.index in window.marked else ""
    shown = text if len(text) <= _NAME else text[: _NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"
    names = _text(24, y + 11.5, number, "ae-muted", "end") + _text(40, y + 11.5, shown)
    boxes = "".join(_box(window, span, y) for span in window.spans[n])
    first, letters = window.letters(n)
    places = " ".join(str(_x(first + i) + 5) for i in range(len(letters)))
    inks = _inks(letters, places.split(), y + 11.5)
    return f"<g>{mark}{names}{boxes}{inks}</g>"


def _inks(letters, places, y):
    """The letters in the two inks that the colours need: white on blue, dark on the others."""
    white = {True: "ae-white", False: "ae-dark"}
    for_blue = "Ee"
    body = ""
    for on_blue, kind in white.items():
        chosen = [(x, letter) for x, letter in zip(places, letters, strict=True) if (letter in for_blue) is on_blue]
        if chosen:
            xs, shown = zip(*chosen, strict=True)
            body += f'<text class="{kind}" x="{" ".join(xs)}" y="{y}">{"".join(shown)}</text>'
    return body


def _box(window, span, y):
    colour = STATES[span.kind][1]
    first, last = span.first - window.start, span.last - window.start
    size = f'x="{_x(first)}" y="{y + 0.5}" width="{_CELL * (last - first + 1)}" height="{_ROW - 1}"'
    return f'<rect class="ae-cell ae-{colour}" {size}><title>{escape(span.says(window.start))}</title></rect>'


def _ports(window, cycles):
    """For each port the share of cycles in which it is busy in the long run, and when it is in this window."""
    trace, body = window.trace, _text(40, 16, "port, share of cycles busy", "ae-muted")
    for n, port in enumerate(trace.machine.ports):
        y, share = _HEAD + _ROW * n, min(1, trace.used[port] / trace.cycles)
        body += _text(40, y + 11.5, port) + _text(_LEFT - 12, y + 11.5, f"{share:.0%}", "ae-num", "end")
        body += f'<rect class="ae-track" x="96" y="{y + 2}" width="{_BAR}" height="{_ROW - 5}"/>'
        body += f'<rect class="ae-busy" x="96" y="{y + 2}" width="{_BAR * share:.1f}" height="{_ROW - 5}"/>'
        busy = [c for c in range(cycles) if (port, c + window.start) in trace.users]
        path = "".join(f"M{_x(c) + 1} {y + 2}h8v{_ROW - 5}h-8z" for c in busy)
        body += f'<path class="ae-busy" d="{path}"/>' if path else ""
    return body, _HEAD + _ROW * len(trace.machine.ports) + 4


def legend(variants):
    """HTML: what letters, colours and lines mean."""
    key = '<i class="ae-state ae-{}">{}</i>'
    states = [key.format(colour, letter) + escape(words) for letter, colour, words in STATES.values()]
    line = '<i class="ae-state-line ae-{}"></i>end of {}'
    lines = [line.format(style.SERIES[n], escape(v.title)) for n, v in enumerate(variants)]
    lines += ['<i class="ae-state-mark"></i>on the critical loop'] if any(v.critical for v in variants) else []
    return f'<div class="ae-caption">{"".join(f"<span>{each}</span>" for each in states + lines)}</div>'


def text(variants, iteration=0, rows=None):
    """The same as plain text: the rows with their letters, the ports, and the reason of every wait in words."""
    return "\n".join([*(_told(_Window(variant, iteration, rows)) for variant in variants), *says(variants), _key(), ""])


def _told(window):
    names = [f"{_sign(window, i)}{i.index + 1:>3} {i.decoded.operation.text}" for i in window.instances]
    wide = max(map(len, names)) + 1
    ticks = "".join(f"{n:<5}" for n in range(0, window.end + 1, 5))
    lines = [f"{window.variant.title}: {window.summary()}", f"{'cycle':>{wide - 1}} {ticks}"]
    for n, name in enumerate(names):
        first, letters = window.letters(n)
        lines.append(f"{name:<{wide}}{' ' * first}{letters}")
    used = (f"{port} {window.trace.used[port] / window.trace.cycles:.0%}" for port in window.trace.machine.ports)
    lines.append(f"ports busy: {', '.join(used)}")
    for instance, spans in zip(window.instances, window.spans, strict=True):
        waits = [s for s in spans if s.kind in ("held", "operand", "port", "order")]
        reasons = "; ".join(s.says(window.start) for s in waits)
        lines += [f"{instance.index + 1:>4} {reasons}"] if reasons else []
    return "\n".join([*lines, ""])


def _sign(window, instance):
    return "*" if instance.index in window.marked else " "


def _key():
    return "; ".join(f"{letter} {words}" for letter, _, words in STATES.values()) + "; * on the critical loop"
