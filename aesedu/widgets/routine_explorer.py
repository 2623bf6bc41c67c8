"""RoutineExplorer: a T-table routine at a register budget, instruction by instruction. The pictures are in views."""

import ipywidgets

from aesedu.cipher.key_schedule import ROUNDS
from aesedu.routines import ttable
from aesedu.views import routine_explorer as view
from aesedu.views.listing import SYNTAXES
from aesedu.views.routine_explorer import BUDGETS, ISAS, Seen
from aesedu.widgets.base import button, row
from aesedu.widgets.stepper import Stepper

_CHOICES = ("technique", "key_loads", "key_bits", "isa", "syntax", "budget", "round")


class RoutineExplorer(Stepper):
    """Choose technique, key loads, key size, registers, instruction set and syntax; step through one round.

    Keywords are the fields of ``views.routine_explorer.Seen`` to begin with. ``seen`` is what is shown now.
    """

    def __init__(self, **choices):
        self.seen = Seen(**choices)
        self._make_choices()
        self.next_button = button("Next spill or reload", lambda: self.on_main(self.next_transfer)(), key="n")
        menus = row(self.technique, self.key_loads, self.key_bits, self.isa, self.syntax)
        budget = row(self.budget, self.budget_box, self.round, self.next_button)
        subtitle = "AES encryption by tables, one round"
        super().__init__(
            "Routine explorer", range(len(self.seen.window)), self._draw, self._tell, subtitle, [menus, budget]
        )
        self.go(self.seen.instruction)

    def _make_choices(self):
        seen = self.seen
        self.technique = _menu("Technique", ttable.TECHNIQUES, seen.technique)
        self.key_loads = _menu("Key loads", ttable.KEY_LOADS, seen.key_loads)
        self.key_bits = _menu("Key bits", list(ROUNDS), seen.key_bits)
        self.isa = _menu("Instruction set", [(title, name) for name, title in ISAS.items()], seen.isa)
        self.syntax = _menu("Syntax", [(title, name) for name, title in SYNTAXES.items()], seen.syntax)
        ends = {"value": seen.budget, "min": BUDGETS[0], "max": BUDGETS[-1]}
        self.budget = ipywidgets.IntSlider(**ends, description="Registers", continuous_update=False, readout=False)
        self.budget_box = ipywidgets.BoundedIntText(**ends, description="Budget", layout={"width": "116px"})
        self.round = ipywidgets.BoundedIntText(seen.round, 1, 14, description="Round", layout={"width": "112px"})
        for name in _CHOICES:
            self._watch(getattr(self, name), name)
        self._watch(self.budget_box, "budget")

    def _watch(self, control, name):
        control.observe(lambda change: self.on_main(self.choose)(name, change.new), "value")

    def choose(self, name, value):
        """Shows something else: a field of ``Seen`` takes a value."""
        seen = self.seen._replace(**{name: value})
        if seen == self.seen:
            return
        last = ROUNDS[seen.key_bits]
        self.seen = seen._replace(round=min(seen.round, last))
        for name in _CHOICES:
            getattr(self, name).value = getattr(self.seen, name)
        self.budget_box.value, self.round.max = self.seen.budget, last
        self.load(range(len(self.seen.window)), min(self.seen.instruction, len(self.seen.window) - 1))

    def next_transfer(self):
        """Goes on to the next spill or reload of the round; from the last one to the first."""
        places = view.transfers(self.seen)
        later = [place for place in places if place > self.place]
        if places:
            self.go((later or places)[0])
        else:
            self.say("This round neither spills nor reloads.", "Move Registers to the left.")

    def _draw(self, place):
        self.seen = self.seen._replace(instruction=place)
        return view.board(self.seen)

    def _tell(self, place):
        return view.sentence(self.seen)

    def static(self):
        return view.static(self.seen) + self.sentence.value


def _menu(name, options, value):
    return ipywidgets.Dropdown(options=options, value=value, description=name)
