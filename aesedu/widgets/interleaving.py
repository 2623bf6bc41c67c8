"""Notebook 07: two orders of the same work, cycle by cycle on the model of a core, and timed on this machine."""

from dataclasses import replace
from html import escape
from typing import NamedTuple

import ipywidgets

from aesedu import machines, native
from aesedu.bench.comparison import MIN_PAIRS
from aesedu.bench.rounds import effects
from aesedu.codegen import BudgetError
from aesedu.engines import execute, gcm_routines, routine_engines
from aesedu.machines import MachineError
from aesedu.native.assembler import ISA
from aesedu.views import interleaving as view
from aesedu.views import timeline
from aesedu.views.chart import Row
from aesedu.views.interleaving import BLOCKS, MOST_WOVEN, SUBJECTS
from aesedu.widgets.base import row
from aesedu.widgets.bench_panel import BenchPanel
from aesedu.widgets.stepper import Stepper
from aesedu.widgets.variants import VariantSource

_CHOICES = ("subject", "machine", "blocks", "lag", "weave", "budget", "steady", "first")


class Interleaving(Stepper):
    """A sequential and B as the controls have it, on one axis of cycles; step through the cycles.

    Keywords are the fields of ``views.interleaving.Seen`` to begin with; ``seen`` is what is shown now. Raises
    TypeError and ValueError for others, MachineError for a core that cannot run it.
    """

    origin, look = 0, timeline.css()

    def __init__(self, **choices):
        self.seen, self._live, self.refused = view.chosen(**choices), None, False
        if not self.seen.budget:
            self.seen = self.seen._replace(budget=self.seen.registers)
        self._make_choices()
        self.board, self.text = ipywidgets.HTML(), ipywidgets.HTML()
        try:
            self.windows = self.seen.windows
        except MachineError as error:
            raise MachineError(" ".join(view.refusal(self.seen, error))) from None
        self.board.value = view.board(self.windows)
        menus = row(self.subject, self.machine, self.blocks, self.steady, self.lag)
        numbers = row(row(self.weave, self.weave_box), row(self.budget, self.budget_box), self.first, self.as_text)
        controls = [menus, numbers, self.board, self.text]
        super().__init__("Interleaving", self._cycles(), self._draw, self._tell, view.SUBTITLE, controls)
        self.go(self._begin)

    def _make_choices(self):
        seen = self.seen
        titles = {name: machines.load(name).title for name in dict.fromkeys((*machines.names(), seen.machine))}
        self.subject = _menu("Subject", [(title, name) for name, title in SUBJECTS.items()], seen.subject)
        self.machine = _menu("Core", [(title, name) for name, title in titles.items()], seen.machine)
        self.blocks = _menu("Blocks a chunk", BLOCKS, seen.blocks)
        self.steady = _menu("Pass", [("first, into an empty core", False), ("later, steady", True)], seen.steady)
        self.lag = ipywidgets.Checkbox(seen.lag, description="Lag", indent=False)
        self.as_text = ipywidgets.Checkbox(False, description="As text", indent=False)
        self.weave, self.weave_box = _pair("Weave", "Weave n", seen.weave, 0, MOST_WOVEN)
        self.budget, self.budget_box = _pair("Registers", "Registers", seen.budget, view.FEWEST, seen.registers)
        self.first = ipywidgets.BoundedIntText(
            seen.first, 1, view.MOST_ROWS, description="First row", layout={"width": "130px"}
        )
        for name in _CHOICES:
            self._watch(getattr(self, name), name)
        self._watch(self.weave_box, "weave")
        self._watch(self.budget_box, "budget")
        self.as_text.observe(lambda _: self.on_main(self._write)(), "value")

    def _watch(self, control, name):
        control.observe(lambda change: self.on_main(self.choose)(name, change.new), "value")

    def choose(self, name, value):
        """Shows something else: a field of ``Seen`` takes a value."""
        before, self.seen = self.seen, self.seen._replace(**{name: value})
        if self.seen == before:
            return
        most = self.seen.registers
        whole = name != "budget" and before.budget == before.registers or name == "subject"
        budget = most if whole else min(self.seen.budget, most)
        self.seen = self.seen._replace(budget=budget)
        self.budget.max = self.budget_box.max = most
        for each in _CHOICES:
            getattr(self, each).value = getattr(self.seen, each)
        self.weave_box.value, self.budget_box.value = self.seen.weave, self.seen.budget
        self.blocks.disabled = self.lag.disabled = self.seen.subject != "gcm"
        self.weave.disabled = self.weave_box.disabled = not self.seen.weavable
        self._change()

    def _change(self):
        """Draws anew, or says why that cannot be and lets the last picture stand."""
        try:
            self.windows, self.refused = self.seen.windows, False
        except (BudgetError, MachineError) as error:
            self._drawn, self.refused = self._drawn + 1, True
            if self._live:
                self._live.renew()
            last = "The picture above is the last one that could be made."
            self.show(f'<p class="ae-muted" data-v="{self._drawn}">{last}</p>')
            return self.say(*map(escape, view.refusal(self.seen, error)), "vermilion")
        self.board.value = view.board(self.windows)
        self._write()
        if self._live:
            self._live.renew()
        return self.load(self._cycles(), max(self._begin, min(self.place, self._cycles()[-1])))

    def _write(self):
        self.text.value = _text(self.windows) if self.as_text.value else ""

    @property
    def _begin(self):
        """The cycle in which the rows that are shown begin."""
        return min(window.first for window in self.windows)

    def _cycles(self):
        return range(max(window.end for window in self.windows) + 1)

    def _draw(self, cycle):
        return view.moment(self.windows, cycle)

    def _tell(self, cycle):
        return view.sentence(self.seen, [window.variant for window in self.windows])

    def live(self):
        """The card that times A and B, as the controls have them, on this machine."""
        self._live = self._live or TimedOrders(self)
        return self._live

    def static(self):
        shown = timeline.fit(self.windows)
        text = f"<details><summary>As text</summary>{_text(shown)}</details>"
        limits = timeline.limits_table([window.variant for window in shown])
        return self.look + view.board(shown) + limits + text + self.sentence.value


# --- timed here -------------------------------------------------------------------------------------------------------


class Timed(NamedTuple):
    """An order as something that can be timed: its loop alone, which is what the model has.

    ``parts`` as in ``Seen.unit``.
    """

    name: str
    order: view.Order
    parts: int

    def passes(self, size):
        return max(1, size // self.order.bytes)

    def subject(self, size):
        code, passes = self.order.code(ISA), self.passes(size)
        made = execute.subject(code, *self.order.words_and_memories(code, passes), passes, self.name)
        what = {"engine": self.name, "mode": self.order.subject, "direction": "enc", "key_bits": 128, "bytes": size}
        return replace(made, what=what)


class OrderSource(VariantSource):
    """A and B of a card, in cycles by its unit; taken anew whenever a run begins."""

    sizes = (8192, 65536, 1024)

    def __init__(self, card):
        self.card = card
        super().__init__(self._timed())
        self.take()

    def _timed(self):
        seen = self.card.seen
        return [Timed(title, order, seen.unit[0]) for title, order in seen.orders.items()]

    @property
    def current(self):
        """Whether these are the orders that the card shows."""
        return [*self.variants.values()] == self._timed() and self.reason == self._reason()

    def _reason(self):
        if self.card.seen.subject != "gcm":
            return routine_engines.reason()
        lacks = "this processor lacks avx" if ISA == "x86_64" and "avx" not in native.features() else ""
        return gcm_routines.reason() or lacks

    def take(self):
        """What the card shows now."""
        self.reason = self._reason()
        self.variants, self.cycles = {each.name: each for each in self._timed()}, {}
        self.rows = [Row(label, note=self.reason) for label in self.variants]

    def per_block(self, cycles, size):
        parts = {name: each.parts * each.passes(size) for name, each in self.variants.items()}
        return {name: {n: c / parts[name] for n, c in own.items()} for name, own in cycles.items()}

    def verdict(self, rows, cycles=None):
        first, last = self.variants
        found = effects(self.cycles, first).get(last) if self.cycles.get(first) else None
        if found is None or len(self.cycles[last]) < MIN_PAIRS:
            return "Cannot tell.", f"It takes {MIN_PAIRS} steady rounds of both."
        says = f"{last} is {found}." if found.differs else "Cannot tell which is faster."
        return says, f"Against {first}, their loops alone, in the same rounds."


class TimedOrders(BenchPanel):
    """A and B of an Interleaving, timed here, beside what the model of its core says."""

    def __init__(self, card, rounds=160):
        self.card = card
        super().__init__(OrderSource(card), "Model and this machine", "A and B as they are chosen above", rounds=rounds)

    def _choices(self):
        return []

    def _ticked(self):
        return list(self.source.variants)

    def renew(self):
        """Another core, of which the model is another; or other orders: what was measured was of others."""
        if not self.source.current:
            self.cancel()
            if self._thread_of_run is None:
                self.source.take()
                self.rows = {row.label: row for row in self.source.rows}
                self.say("Press Run to time these here.", "Nothing has been measured yet.")
        self._draw()
        self.renew_twin()

    def _conclude(self, failure, seconds):
        super()._conclude(failure, seconds)
        if not self.source.current:  # other orders were chosen meanwhile
            self.renew()

    def start(self):
        self.renew()
        super().start()

    def _picture(self, rows):
        if not self.source.current:
            rows = [Row(title, note="not measured") for title in self.card.seen.orders]
        windows = [] if self.card.refused else self.card.windows  # the last picture is of another choice
        models = {window.variant.title: window.trace.cycles for window in windows}
        return view.beside(self.card.seen, rows, models, host())


def host():
    """The name of the machine (see ``machines.names``) that this host is, None where it is none of them."""
    from llvmlite import binding

    return view.HOSTS.get(binding.get_host_cpu_name())


def _text(windows):
    text = escape(timeline.told(windows))
    return f'<pre class="ae-mono ae-lines" tabindex="0" aria-label="Timelines as text">{text}</pre>'


def _menu(name, options, value):
    return ipywidgets.Dropdown(options=options, value=value, description=name)


def _pair(name, box_name, value, low, high):
    """A slider, and the box beside it."""
    ends = {"value": value, "min": low, "max": high}
    slider = ipywidgets.IntSlider(**ends, description=name, continuous_update=False, readout=False)
    return slider, ipywidgets.BoundedIntText(**ends, description=box_name, layout={"width": "130px"})
