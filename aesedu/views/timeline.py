"""The pipeline timeline: one row an instruction, one cell a cycle, with the reason of every wait; variants on one axis.

A cell has a letter and a colour. Pointing at it tells why the instruction waits; `text` says the same in words.
"""

from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from aesedu.pipeline.limits import CriticalLoop
from aesedu.pipeline.story import story
from aesedu.pipeline.trace import Trace
from aesedu.views import style
from aesedu.views.plot import percent as signed
from aesedu.views.table import table

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
_CELL, _ROW, _HEAD, _NAME = 10, 15, 22, 40  # px; _NAME: letters of an instruction that are shown
_INKS = {"E": "class=ae-white ", "e": "class=ae-white ", STATES["done"][0]: "class=ae-faint "}  # others: dark
_LETTER, _GAP = 7.6, 52  # px of a letter, and of what stands beside the instructions
_STEPS = 8  # of a critical loop that are named in a sentence
_DECIDES = 0.98  # of a loop's cycles: what takes as many alone is what decides
_ALONE = {  # limits whose names say too little
    "window": "operands, reorder buffer and queues",
    "operands": "the chain of operands",
    "ports": "the busiest ports",
}
_MOST = 500  # rows; more never fit into ROOM
_BEYOND = 500  # cycles that are shown behind the last one of the rows, at most
ROOM = 230_000  # bytes of picture and text: a notebook keeps both, and style and sentence beside them
_BAR = 80  # px of a port that is never idle
_WAITS = ("held", "operand", "port", "order")
_PLAIN = {"is dispatched", "retires", "is done and waits for older instructions to retire"}  # the letter says it all


@dataclass(frozen=True, eq=False)
class Variant:
    """One loop on one machine: a `title`, its Trace, its CriticalLoop and what `pipeline.limits` says (None: none)."""

    title: str
    trace: Trace
    critical: CriticalLoop | None = None
    limits: dict | None = None

    @property
    def deciding(self):
        """The CriticalLoop where it decides, None where something else does."""
        return self.critical if self.critical and self.critical.cycles >= _DECIDES * self.trace.cycles else None


def timeline(variants, iteration=0, rows=None):
    """HTML: a panel for each Variant, all on one axis of cycles, the ends of all marked in each.

    ``iteration`` is the pass of the loop that is shown (0: into an empty core), ``rows`` a range of its instructions.
    Raises ValueError where there are none.
    """
    return board(windows(variants, iteration, rows))


def windows(variants, iteration=0, rows=None):
    """The Window of each variant, for ``board`` and ``moment``; arguments and errors as ``timeline``."""
    return [Window(variant, iteration, rows) for variant in variants]


def board(shown):
    """``timeline`` of windows."""
    axis = _Axis(shown)
    panels = "".join(_panel(window, axis) for window in shown)
    return f'<div class="ae-timelines">{panels}</div>{legend([window.variant for window in shown])}'


def fit(shown):
    """The windows, with fewer rows of each where picture and text of all would take more than ROOM."""
    rows = max(len(window.instances) for window in shown)
    while (size := len((board(shown) + told(shown)).encode())) > ROOM and rows > 1:
        rows = min(rows - 1, 1 + int(0.95 * rows * ROOM / size))
        shown = [window.cut(rows) for window in shown]
    return shown


def part(shown):
    """Which rows these are, in words; "" where they are all."""
    rows, longest = shown[0].instances, max(len(window.trace.operations) for window in shown)
    last = max(window.instances[-1].index for window in shown) + 1
    return f"Rows {rows[0].index + 1} to {last} of {longest}." if longest > len(rows) else ""


def figure(variants, iteration=0, rows=None):
    """``timeline`` with limits and sentence beneath: a picture to be shown on its own, as many rows as fit."""
    shown = fit(windows(variants, iteration, rows))
    note = f'<p class="ae-muted">{_others(shown)}</p>' if _others(shown) else ""
    return f"{css()}{board(shown)}{note}{limits_table(variants)}{style.status(*map(escape, says(variants)))}"


def _others(shown):
    """``part``, and how to see others."""
    next_, size = max(window.instances[-1].index for window in shown) + 1, len(shown[0].instances)
    first = next_ if next_ < max(len(window.trace.operations) for window in shown) else 0
    return part(shown) and f"{part(shown)} rows=range({first}, {first + size}) shows others."


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
        both = f"{last.cycles:.1f} against {first.cycles:.1f} cycles a loop, {signed(percent, 1)}"
        headline = f"{variants[-1].title} against {variants[0].title}: {both}."
    machines = " and ".join(dict.fromkeys(v.trace.machine.title for v in variants))
    loops = "".join(f" {v.title}: {_loop(v)}." for v in variants if v.critical)
    return headline, f"Model of {machines}, not a measurement.{loops}"


def _loop(variant):
    """What decides: the critical loop with its rows, or what takes longer than its operands alone."""
    alone = variant.critical.cycles
    takes = f"{alone:.3g} cycle{'s' * (alone != 1)} a loop"
    if variant.deciding:
        return f"its critical loop decides, {takes} through {_through(variant.critical)}"
    told = variant.limits and max(variant.limits.values()) == variant.limits["operands"]
    return decides(variant) + ("" if told else f"; operands alone take {takes}")


def _through(critical):
    """The rows of a loop in the order of time, from the first of them."""
    numbers = [step[0] + 1 for step in critical.steps]
    first = numbers.index(min(numbers))
    numbers = numbers[first:] + numbers[:first]
    more = f" and {len(numbers) - _STEPS} more" * (len(numbers) > _STEPS)
    shown = numbers if _ranges(numbers).count(",") < _STEPS else numbers[:_STEPS]
    return f"row{'s' * (len(numbers) > 1)} {_ranges(shown)}{more * (shown != numbers)}"


def decides(variant):
    """What limits a Variant most, with the share of its cycles that this takes alone; needs its limits."""
    if not variant.limits:
        return "something other than operands decides"
    most = max(variant.limits, key=variant.limits.get)
    takes, cycles, name = variant.limits[most], variant.trace.cycles, _ALONE.get(most, most)
    if takes >= _DECIDES * cycles:
        return f"the limit is {name}, {takes:.1f} cycles a loop"
    return f"no limit alone decides; the largest, {name}, takes {takes:.1f} of {cycles:.1f} cycles a loop"


def limits_table(variants):
    """HTML: cycles a loop if only one thing limited, beside what the whole model takes; "" where it is not known."""
    known = [(v.title, f"{v.trace.cycles:.1f}", *(f"{n:.1f}" for n in v.limits.values())) for v in variants if v.limits]
    if not known:
        return ""
    columns = ("cycles a loop, if only this limited", "all", *next(v.limits for v in variants if v.limits))
    return table(columns, known, "Cycles a loop if only one thing limited")


class Window:
    """The part of a Trace that is shown: cycles count from the first one in which its pass does anything.

    ``first`` and ``last`` are the cycles in which the rows shown do something, ``end`` is the end of the pass.
    """

    def __init__(self, variant, iteration, rows):
        if not isinstance(iteration, int):
            raise TypeError(f"iteration is the number of a pass, from 0 on, not {iteration!r}")
        if rows is not None and not (isinstance(rows, range) and rows.step == 1):
            raise TypeError(f"rows is a range of instructions, range(0, 20) for the first 20, not {rows!r}")
        self.variant, self.trace, self.iteration = variant, variant.trace, iteration
        whole = self.trace.iteration(iteration)
        self.instances = (whole if rows is None else whole[rows.start : rows.stop])[:_MOST]
        if not self.instances or iteration < 0 or rows and rows.start < 0:
            size = f"{self.trace.iterations} passes of {len(self.trace.operations)} instructions"
            where = "all rows" if rows is None else rows
            raise ValueError(f"{variant.title}: there is nothing in pass {iteration}, {where}, of {size}")
        self.spans = [list(story(self.trace, instance)) for instance in self.instances]
        self.start = next(story(self.trace, whole[0])).first
        self.first = min(spans[0].first for spans in self.spans) - self.start
        self.last = max(instance.retired for instance in self.instances) - self.start
        self.end = whole[-1].retired - self.start
        self.marked = {step[0] for step in variant.deciding.steps} if variant.deciding else set()

    def cut(self, rows):
        """The window with so many of its rows, from its first on."""
        first = self.instances[0].index
        return Window(self.variant, self.iteration, range(first, first + min(rows, len(self.instances))))

    def letters(self, n):
        """Row number ``n`` as (first cycle, letters)."""
        spans = self.spans[n]
        return spans[0].first - self.start, "".join(_letters(span) for span in spans)

    def busy(self, port, cycles):
        """{class of the picture: (first cycle, how many) when a port is busy}: for this pass, for another."""
        runs, own = {"ae-used": [], "ae-used ae-other": []}, self.instances[0].iteration
        users = (self.trace.users.get((port, cycle + self.start)) for cycle in cycles)
        whose = [(cycle, user and user.iteration == own) for cycle, user in zip(cycles, users, strict=True)]
        for mine, run in groupby(whose, key=lambda each: each[1]):
            first, *others = run
            if mine is not None:
                runs["ae-used" if mine else "ae-used ae-other"].append((first[0], 1 + len(others)))
        return runs

    def summary(self):
        return f"{self.trace}; this pass ends in cycle {self.end}"


def _letters(span):
    """Execution begins with a capital."""
    letter = STATES[span.kind][0]
    return letter + (letter.lower() if span.kind == "executes" else letter) * (span.last - span.first)


class _Axis:
    """What all panels share: the cycles, the ends, the ports that are used at all, and the px of the names."""

    def __init__(self, shown):
        self.first = min(window.first for window in shown) // 5 * 5
        last = min(max(window.end for window in shown), max(window.last for window in shown) + _BEYOND)
        self.cycles = last + 2 - self.first
        self.ends = [(window.end + 1, n) for n, window in enumerate(shown)]
        self.ports = {port for window in shown for port, busy in window.trace.used.items() if busy}
        longest = max(len(_name(instance)[0]) for window in shown for instance in window.instances)
        self.left = max(220, int(_GAP + _LETTER * longest))

    def x(self, cycle):
        return _CELL * (cycle - self.first)

    @property
    def lines(self):
        """The ends of all variants."""
        line = '<line class="ae-end ae-{}" x1="{x}" x2="{x}" y2="100%"/>'
        return "".join(
            line.format(style.SERIES[n], x=self.x(c)) for c, n in self.ends if 0 < c - self.first < self.cycles
        )


def _name(instance):
    """An instruction's text as it is shown, and what is left out of it."""
    text = instance.decoded.operation.text.replace(", ", ",")
    return (text, "") if len(text) <= _NAME else (text[: _NAME - 1] + "\N{HORIZONTAL ELLIPSIS}", text)


def _panel(window, axis):
    """Title, axis, rows and ports of one variant; axis, names and ports stay in view when the rows are scrolled."""
    title, says_ = escape(window.variant.title), escape(window.summary())
    picture = f'role="img" aria-label="Timeline of {title}: {says_}"'
    ports = [port for port in window.trace.machine.ports if port in axis.ports]
    foot = 4 + _HEAD + _ROW * len(ports)
    parts = [
        _part(axis, _HEAD, "ae-axis-row", _axis_names(axis), _axis(axis)),
        _part(axis, _ROW * len(window.instances), "", _names(window), _rows(window, axis), picture),
        _part(axis, foot, "ae-port-rows", *_ports(window, axis, ports)),
    ]
    head = f"<figcaption><b>{title}</b> <span>{says_}</span></figcaption>"
    scroller = f'class="ae-scroller" style="--ae-fixed:{_HEAD + foot}px" tabindex="0" role="group" aria-label="{title}"'
    return f"<figure>{head}<div {scroller}>{''.join(parts)}</div></figure>"


def _part(axis, height, kind, left, right, picture="aria-hidden=true"):
    """Names, which stay when cycles are scrolled, and what happens beside them."""
    svg = '<svg class="ae-svg {}" width="{}" height="{}" {}>{}</svg>'
    names = svg.format("ae-names", axis.left, height, "aria-hidden=true", left)
    cursor = f'<rect class="ae-cursor" x="{axis.x(0)}" width="{_CELL}" height="100%"/>'
    cells = svg.format("ae-cells", _CELL * axis.cycles, height, picture, right + axis.lines + cursor)
    return f'<div class="ae-part {kind}">{names}{cells}</div>'


def _text(x, y, words, kind="", anchor="start"):
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(str(words))}</text>'


def _axis_names(axis):
    head = _text(24, 16, "#", "ae-muted", "end") + _text(40, 16, "instruction", "ae-muted")
    return head + _text(axis.left - 12, 16, "cycle", "ae-muted", "end")


def _axis(axis):
    others = range(axis.first + 5, axis.first + axis.cycles - 1, 5)
    first = _text(1, 16, axis.first, "ae-muted")  # in its middle it would be cut off
    return first + "".join(_text(axis.x(n) + 5, 16, n, "ae-muted", "middle") for n in others)


def _names(window):
    return "".join(_named(window, _ROW * n, instance) for n, instance in enumerate(window.instances))


def _named(window, y, instance):
    """Number and text of a row, and the mark of the critical loop."""
    mark = f'<path class="ae-critical" d="M30 {y + 1}v{_ROW - 2}"/>' if instance.index in window.marked else ""
    shown, whole = _name(instance)
    more = f"<title>{escape(whole)}</title>" if whole else ""
    text = f'<text x="40" y="{y + 11.5}">{more}{escape(shown)}</text>'
    return f'{mark}<text class="ae-muted ae-right" x="24" y="{y + 11.5}">{instance.index + 1}</text>{text}'


def _rows(window, axis):
    return "".join(_row(window, axis, n) for n in range(len(window.instances)))


def _row(window, axis, n):
    """A rectangle for each Span, waits with their reason as title, and the letters."""
    boxes = "".join(_box(window, axis, span) for span in window.spans[n])
    first, letters = window.letters(n)
    inks, cycle = "", first
    for ink, run in groupby(letters, key=lambda letter: _INKS.get(letter, "")):
        shown = "".join(run)
        place = f"x={axis.x(cycle) + 1} textLength={_CELL * len(shown) - 2}" if shown[1:] else f"x={axis.x(cycle) + 2}"
        inks += f"<text {ink}{place}>{shown}</text>"
        cycle += len(shown)
    return f'<g class="ae-row" transform="translate(0 {_ROW * n + 11.5})">{boxes}{inks}</g>'


def _box(window, axis, span):
    width = _CELL * (span.last - span.first + 1)
    place = f"class=ae-{STATES[span.kind][1]} x={axis.x(span.first - window.start)} width={width}"
    title = "" if span.text in _PLAIN else f"<title>{escape(span.says(window.start))}</title>"
    return f"<rect {place}>{title}</rect>"


def _ports(window, axis, ports):
    """For each port the share of cycles in which it is busy in the long run, and when it is in this window."""
    trace, left, right = window.trace, _text(12, 16, "port, share of cycles busy", "ae-muted"), ""
    for n, port in enumerate(ports):
        y, share = _HEAD + _ROW * n, trace.used[port]
        left += _text(12, y + 11.5, port) + _text(axis.left - 12, y + 11.5, f"{share:.0%}", "ae-num", "end")
        left += f'<rect class="ae-track" x="56" y="{y + 2}" width="{_BAR}" height="{_ROW - 5}"/>'
        left += f'<rect class="ae-busy" x="56" y="{y + 2}" width="{_BAR * share:.1f}" height="{_ROW - 5}"/>'
        for kind, busy in window.busy(port, range(axis.first, axis.first + axis.cycles)).items():
            path = "".join(f"M{axis.x(first) + 1} {y + 7}h{_CELL * length}" for first, length in busy)
            right += f'<path class="{kind}" d="{path}"/>' if path else ""
    return left, right


def moment(shown, cycle):
    """HTML: what every row of the windows does in one cycle, by state, and why the oldest that waits does.

    It moves the cursor of the ``board`` in the same card there.
    """
    rule = f"display:block;translate:{_CELL * cycle}px"
    cursor = f'<style>.ae-card:has([data-cycle="{cycle}"]) .ae-cursor{{{rule}}}</style>'
    rows = "".join(f"<p>{_moment(window, cycle)}</p>" for window in shown)
    active = (
        n for window in shown for n, spans in enumerate(window.spans) if any(_at(s, window, cycle) for s in spans)
    )
    place = f'data-cycle="{cycle}" data-x="{_Axis(shown).x(cycle)}" data-y="{_ROW * min(active, default=0)}"'
    return f'{cursor}<div class="ae-moment" {place}><p><b>Cycle {cycle}</b></p>{rows}</div>'


def _moment(window, cycle):
    now = [
        (i, s) for i, spans in zip(window.instances, window.spans, strict=True) for s in spans if _at(s, window, cycle)
    ]
    chips = ""
    for kind, (letter, colour, words) in STATES.items():
        numbers = [i.index + 1 for i, span in now if span.kind == kind]
        if numbers:
            chips += f'<span><i class="ae-state ae-{colour}">{letter}</i>{escape(words)}: {_ranges(numbers)}</span>'
    wait = next((f"{i.index + 1} {span.text}" for i, span in now if span.kind in _WAITS), "")
    oldest = f"<span>The oldest that waits: {escape(wait)}</span>" if wait else ""
    return f"<b>{escape(window.variant.title)}</b> {chips or 'Nothing shown here is under way.'}{oldest}"


def _at(span, window, cycle):
    return span.first <= cycle + window.start <= span.last


def _ranges(numbers):
    """1, 2, 3, 7 as "1 to 3, 7"."""
    parts = []
    for n in numbers:
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in parts)


def legend(variants):
    """HTML: what letters, colours and lines mean."""
    key = '<i class="ae-state ae-{}">{}</i>'
    states = [key.format(colour, letter) + escape(words) for letter, colour, words in STATES.values()]
    line = '<i class="ae-state-line ae-{}"></i>end of {}'
    lines = [line.format(style.SERIES[n], escape(v.title)) for n, v in enumerate(variants)]
    lines += ['<i class="ae-state-mark"></i>on the critical loop'] if any(v.deciding for v in variants) else []
    port = '<i class="ae-state-port{}"></i>port busy for {}'
    lines += [port.format("", "this pass"), port.format(" ae-other", "another")]
    return f'<div class="ae-caption">{"".join(f"<span>{each}</span>" for each in states + lines)}</div>'


def text(variants, iteration=0, rows=None):
    """``figure`` as plain text: the rows with their letters, the ports, and the reason of every wait in words."""
    shown = fit(windows(variants, iteration, rows))
    return told(shown) + (f"{_others(shown)}\n" if _others(shown) else "")


def told(shown):
    """``text`` of windows."""
    return "\n".join([*map(_told, shown), *says([window.variant for window in shown]), _key(), ""])


def _told(window):
    names = [f"{_sign(window, i)}{i.index + 1:>3} {i.decoded.operation.text}" for i in window.instances]
    wide = max(map(len, names)) + 1
    start = window.first // 5 * 5
    ticks = "".join(f"{n:<5}" for n in range(start, window.last + 1, 5))
    lines = [f"{window.variant.title}: {window.summary()}", f"{'cycle':>{wide - 1}} {ticks}"]
    for n, name in enumerate(names):
        first, letters = window.letters(n)
        lines.append(f"{name:<{wide}}{' ' * (first - start)}{letters}")
    used = (f"{port} {window.trace.used[port]:.0%}" for port in window.trace.machine.ports)
    lines.append(f"ports busy: {', '.join(used)}")
    alone = (f"{name} {cycles:.1f}" for name, cycles in (window.variant.limits or {}).items())
    lines += [f"cycles a loop, if only this limited: {', '.join(alone)}"] if window.variant.limits else []
    for instance, spans in zip(window.instances, window.spans, strict=True):
        waits = [s for s in spans if s.kind in _WAITS]
        reasons = "; ".join(s.says(window.start) for s in waits)
        lines += [f"{instance.index + 1:>4} {reasons}"] if reasons else []
    return "\n".join([*lines, ""])


def _sign(window, instance):
    return "*" if instance.index in window.marked else " "


def _key():
    return "; ".join(f"{letter} {words}" for letter, _, words in STATES.values()) + "; * on the critical loop"
