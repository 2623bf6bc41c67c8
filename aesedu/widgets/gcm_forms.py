"""Notebook 07: the forms of GCM timed live beside the cycle model, and the figures of source 003."""

from dataclasses import replace
from typing import NamedTuple

import ipywidgets
from IPython.display import HTML

from aesedu import machines
from aesedu.bench import interleaving
from aesedu.bench.comparison import MIN_PAIRS
from aesedu.bench.rounds import effects
from aesedu.engines import engine, gcm_routines
from aesedu.native.assembler import ISA
from aesedu.routines.gcm import FORMS
from aesedu.views import extra_time, log_tables
from aesedu.views import gcm_forms as view
from aesedu.widgets.bench_panel import LIVE
from aesedu.widgets.interleaving import host
from aesedu.widgets.variants import VariantPanel, VariantSource

CHUNKS = (4, 8)  # blocks


class Form(NamedTuple):
    """A message of AES-128-GCM by one form and size of chunk; ``name`` is its label."""

    name: str
    form: str
    blocks: int

    def subject(self, size):
        made = engine(f"gcm-{self.form}-{self.blocks}").subject("gcm", "enc", 128, size)
        return replace(made, what=made.what | {"engine": self.name})


def label(form, blocks):
    return f"{form} \N{MULTIPLICATION SIGN}{blocks}"


_FORMS = {made.name: made for made in (Form(label(form, n), form, n) for n in CHUNKS for form in FORMS)}
_RECORDED_ON = "zen4"  # the core of the runs in data/runs
_CONTROL = Form(view.CONTROL, *_FORMS[view.FIRST][1:])


class FormSource(VariantSource):
    """The six variants, and the first once more as a control."""

    sizes = (65536, 8192, 1024)

    def __init__(self):
        super().__init__([*_FORMS.values(), _CONTROL], controls=(_CONTROL.name,), reason=gcm_routines.reason())

    def verdict(self, rows, cycles=None):
        """What each form gains over the first; ``cycles`` are by default those of the run."""
        cycles = cycles or self.cycles
        if len(cycles.get(view.CONTROL, ())) < MIN_PAIRS or any(name not in cycles for name in _FORMS):
            return "Cannot tell.", f"It takes {MIN_PAIRS} steady rounds of all of them."
        found = effects(cycles, view.FIRST)
        best = max(_FORMS, key=lambda name: found[name].ratio if name in found else 1)
        said = "; ".join(f"{name}: {view.gain(found[name])}" for name in found)
        return f"{best} is the fastest of the six.", f"Bytes a second against {view.FIRST}: {said}."


class GcmForms(VariantPanel):
    """``gain(form, blocks)`` is how much faster than sequential with chunks of four, in per cent; None before a run.

    ``model_gain`` is the same of the core that is chosen in the menu.
    """

    def __init__(self, rounds=40):
        super().__init__("gcm_forms", FormSource(), "Three forms of GCM", "AES-128-GCM encryption", rounds)

    def _menus(self):
        cores = [core for core in map(machines.load, machines.names()) if core.isa == ISA and "aes" in core.classes]
        if not cores:
            self.core = self._own = None
            return super()._menus()
        options = {core.name: (core.title, core.name) for core in cores}
        self.core = ipywidgets.Dropdown(options=options.values(), description="Model")
        self._own = self.core.value = host() if host() in options else cores[0].name
        self.watch(self._draw, self.core)
        return *super()._menus(), self.core

    def _turn_to(self, before, now):
        """The model's core goes along with the times, where it is of this instruction set."""
        core = self._own if now == LIVE else _RECORDED_ON
        if self.core and core in [name for _, name in self.core.options]:
            self.core.value = core
        super()._turn_to(before, now)

    def _model(self, name):
        """Cycles of a block in the chosen core's model, None where there is none."""
        _, form, blocks = _FORMS[name]
        return interleaving.model(self.core.value, form, blocks) if self.core else None

    @property
    def _effects(self):
        cycles = self._cycles if any(row.value for row in self.rows.values()) else {}
        return effects(cycles, view.FIRST) if cycles.get(view.FIRST) else {}

    def _verdict(self, rows):
        return self.source.verdict(rows, self._cycles)

    def _picture(self, rows):
        models = {name: self._model(name) for name in _FORMS}
        return view.board({row.label: row for row in rows}, self._effects, models, self.core.label if self.core else "")

    @property
    def lag(self):
        """Lagged against sequential, chunks of four: "faster", "slower" or "cannot tell"; None before a run."""
        effect = self._effects.get(label("lagged", 4))
        return effect and ("cannot tell" if not effect.differs else "faster" if effect.ratio > 1 else "slower")

    def gain(self, form, blocks):
        effect = self._effects.get(label(form, blocks))
        return effect and round(100 * (effect.ratio - 1), 1)

    def model_gain(self, form, blocks):
        own, first = self._model(label(form, blocks)), self._model(view.FIRST)
        return own and round(100 * (first / own - 1), 1)


# --- source 003 -------------------------------------------------------------------------------------------------------


def gains_table():
    """The 27 gains that the patch states, as a table to be shown by a cell."""
    return _shown(view.gains(interleaving.gains()), "What the patch states, in per cent, by message size")


def gains_beside_model():
    """The nine gains at 8 KiB beside the model's, to be shown by a cell."""
    return _shown(view.beside_model(interleaving.gains_beside_model()), "Woven against sequential, chunks of four")


def thunderx2_chart():
    """What the 24 cases of the ThunderX2 logs change, both ways to say it, as a picture to be shown by a cell."""
    kinds = {"throughput": "throughput: below the line is slower", "time": "time a call: above the line is slower"}
    cells = interleaving.changes()
    cells["series"] = "AES-" + cells.key_bits.astype(str)
    frame = cells.melt(["series", "bytes"], list(kinds), "direction", "percent")
    note = "In each column AES-128, 192 and 256 from left to right."
    return _shown(log_tables.change_figure(frame, 2, kinds, note), "ThunderX2: new code against old")


def extra_time_chart():
    """What a call takes longer on the ThunderX2, and two pieces that describe it, as a picture for a cell."""
    return _shown(extra_time.figure(interleaving.broken_line(interleaving.changes())), "ThunderX2: extra time a call")


def _shown(body, title):
    return HTML(log_tables.shown(body, title))
