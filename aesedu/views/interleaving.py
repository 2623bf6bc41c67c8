"""What the interleaving timeline shows: the same work in two orders on the model of a core, and what is said of it."""

from functools import lru_cache
from html import escape
from typing import NamedTuple

from aesedu import machines, pipeline
from aesedu.cipher import ttable as tables
from aesedu.codegen import BudgetError, generate, weave
from aesedu.codegen.code import ENCODINGS
from aesedu.pipeline.limits import critical_loop, limits
from aesedu.routines import gcm, ghash, ttable
from aesedu.routines.aes_rounds import key_bytes
from aesedu.views import timeline
from aesedu.views.chart import number
from aesedu.views.plot import percent
from aesedu.views.table import table

SUBJECTS = {"gcm": "GCM encryption, AES-128", "round": "A T-table round, two blocks"}
BLOCKS = (4, 8)
FEWEST = 6  # registers that are offered
HOSTS = {  # LLVM's names of the cores that are in data/machines
    "core2": "core2", "skylake": "skylake", "znver4": "zen4", "znver5": "zen5", "cortex-a53": "a53",
    "cortex-a57": "a57", "cortex-a72": "a72", "neoverse-n1": "n1", "thunderx2t99": "thunderx2",
}  # fmt: skip
MOST_ROWS = 999  # of an order
MOST_WOVEN = 7  # the weave in which the parts take turns step by step
_MOST = 128, 60  # rows shown at once: of a first pass in chunks of four; of others, in which instructions wait longer
_FEWEST = 20  # rows that are left beneath the first one that is shown
SUBTITLE = "weave n: the parts take 2\u207f turns each; 0: one after the other, 7: step by step"
SIMULATED = 3200  # instructions: as many passes of the loop as these are


class Order(NamedTuple):
    """One order of the work: ``form`` of `gcm.FORMS` and the ``grain`` of `weave`; ``budget`` registers, 0 for all."""

    subject: str
    blocks: int
    form: str
    grain: int
    budget: int = 0

    def parts(self):
        """The recordings that are woven."""
        if self.subject == "gcm":
            return gcm.parts("enc", self.form, self.blocks)
        return [ttable.encrypt_round.record()] * 2

    @property
    def bytes(self):
        """What a pass takes in."""
        return 16 * self.blocks if self.subject == "gcm" else 32

    def code(self, isa):
        """The Code for an instruction set. Raises BudgetError."""
        return _code(self, isa)

    def words_and_memories(self, code, passes):
        """What a call takes, in the order of the Code's parameters: zeros to encrypt, a key, the tables."""
        key, text = bytes(range(16)), bytes(16 * self.blocks * (passes + 1))
        known = {"out": text, "block": text, "keys": key_bytes("enc", key)}
        known |= {"powers": ghash.powers(key)} if self.subject == "gcm" else {"te": ttable.tables(tables.ENCRYPT)}
        names = [(p.name, p.type.is_memory) for p in code.original.parameters]
        return [0 for _, memory in names if not memory], [known[name] for name, memory in names if memory]


@lru_cache(32)
def _code(order, isa):
    encoding = "vex" if isa == "x86_64" and order.subject == "gcm" else None
    bank = "vectors" if order.subject == "gcm" else "budget"
    return generate(weave(*order.parts(), grain=order.grain), isa, encoding=encoding, **{bank: order.budget or None})


@lru_cache(6)  # a few MB each
def _variant(title, order, core):
    operations = pipeline.loop(order.code(core.isa), core.isa)
    passes = max(8, SIMULATED // len(operations))
    trace, fewer = pipeline.simulate(operations, core, passes), (operations, core, max(6, passes // 5))
    return timeline.Variant(title, trace, critical_loop(*fewer), limits(*fewer))


@lru_cache(256)
def _longest(subject, blocks):
    """Steps of the longest part."""
    return max(len(part.steps) for part in Order(subject, blocks, "lagged", 1).parts())


class Seen(NamedTuple):
    """What is shown. ``weave`` n cuts the parts into 2^n turns (0: one part after the other), MOST_WOVEN into steps.

    ``lag``: the chunk before is hashed, and not the one that is being encrypted. ``steady``: a later pass of the loop,
    and not the first. ``first``: the first row. ``budget`` registers, 0 for all.
    """

    subject: str = "gcm"
    machine: str = "skylake"
    blocks: int = 4
    lag: bool = True
    weave: int = 0
    budget: int = 0
    steady: bool = False
    first: int = 1

    @property
    def core(self):
        return machines.load(self.machine)

    @property
    def registers(self):
        """How many registers there are for the budget: vector registers for GCM."""
        target = next(iter(ENCODINGS[self.core.isa].values()))
        return len(target.registers["vector" if self.subject == "gcm" else "word"])

    @property
    def weavable(self):
        """Whether the parts can be woven: not if one needs what the other has yet to write."""
        return self.lag or self.subject != "gcm"

    @property
    def grain(self):
        """Steps a turn."""
        longest = _longest(self.subject, self.blocks)
        turns = 2**self.weave if self.weavable else 1
        return 1 if self.weave == MOST_WOVEN and self.weavable else -(-longest // turns)

    @property
    def orders(self):
        """{title: Order} of A and B."""
        whole = _longest(self.subject, self.blocks)
        a, b = ("sequential", "lagged") if self.subject == "gcm" else ("one after the other",) * 2
        form = "lagged" if self.lag else "sequential"
        woven = f"woven, {self.grain} step{'s' * (self.grain > 1)} a turn" if self.grain < whole else b
        titles = {f"A: {a}": ("sequential", whole), f"B: {woven if self.weavable else a}": (form, self.grain)}
        return {title: Order(self.subject, self.blocks, *how, self.budget) for title, how in titles.items()}

    @property
    def variants(self):
        """A and B on the machine. Raises BudgetError and MachineError."""
        core = self.core
        return [_variant(title, order, core) for title, order in self.orders.items()]

    @property
    def windows(self):
        return timeline.windows(self.variants, *self._place)

    @property
    def _place(self):
        variants = self.variants
        last = min(len(v.trace.operations) for v in variants)
        rows = _MOST[self.steady or self.blocks > BLOCKS[0]]
        first = min(self.first, max(1, last - _FEWEST + 1)) - 1
        steady = min(v.trace.iterations for v in variants) - 1
        return steady if self.steady else 0, range(first, first + rows)

    @property
    def unit(self):
        """(parts of a pass, what cycles are counted by)."""
        return (16 * self.blocks, "cycles a byte") if self.subject == "gcm" else (2, "cycles a round of one block")


def chosen(**choices):
    """A Seen of these fields. Raises TypeError for another field, and ValueError, which tells what is allowed."""
    if unknown := [name for name in choices if name not in Seen._fields]:
        raise TypeError(f"there is no choice {unknown[0]!r}; there are: {', '.join(Seen._fields)}")
    seen, either = Seen(**choices), (False, True)
    allowed = {
        "subject": tuple(SUBJECTS), "blocks": BLOCKS, "weave": range(MOST_WOVEN + 1), "lag": either, "steady": either,
        "first": range(1, MOST_ROWS + 1),
    }  # fmt: skip
    for name, values in allowed.items():
        _check(name, getattr(seen, name), values)
    _check("budget", seen.budget, (0, *range(FEWEST, seen.registers + 1)))
    return seen


def _check(name, value, values):
    if type(value) is not type(values[0]) or value not in values:  # True is no 1
        told = f"{values[0]} to {values[-1]}" if isinstance(values, range) else ", ".join(map(repr, values))
        raise ValueError(f"{name} is one of {told}, not {value!r}")


def board(windows):
    """HTML: both timelines, and which rows they have."""
    rows = timeline.part(windows)
    return timeline.board(windows) + (f'<p class="ae-muted">{rows}</p>' if rows else "")


def moment(windows, cycle):
    """HTML: what happens in a cycle, and what each limit alone would allow."""
    limits_ = timeline.limits_table([window.variant for window in windows])
    return f'<div class="ae-beside">{timeline.moment(windows, cycle)}{limits_}</div>'


def sentence(seen, variants):
    """(headline, detail): how B does against A, in the model, and what limits it."""
    a, b = (variant.trace.cycles / seen.unit[0] for variant in variants)
    less = 100 * abs(b / a - 1)
    change = f"{less:.0f} % {'fewer' if b < a else 'more'} cycles than A"
    change = "as many cycles as A" if less < 1 else change
    name = variants[1].title.replace("B: ", "B (") + ")"
    headline = f"{name} takes {change} on {seen.core.title}: {b:.2f} against {a:.2f} {seen.unit[1]}."
    return escape(headline), escape(f"Model, not a measurement. {_why(seen, variants[1])}")


def beside(seen, rows, models, host):
    """HTML: a chart Row for each order, timed here, beside its cycles a pass in ``models`` (by label).

    The model's error is told where its core is the ``host``.
    """
    parts, unit = seen.unit
    mine = seen.machine == host
    columns = ("order", f"model of {seen.core.title}, {unit}", f"{unit} here", "95 % interval")
    columns += ("model against measured",) if mine else ()
    lines = [_beside(row, models.get(row.label, 0) / parts, mine) for row in rows]
    note = "" if mine else " This machine is another core, or one without a model: the model's error cannot be told."
    numbers = table(columns, lines, "Model and measurement", ("order",))
    return f'{numbers}<p class="ae-caption ae-notes">Core cycles; the loop alone.{note}</p>'


def _beside(row, model, mine):
    error = (percent(100 * (model / row.value - 1)) if row.value and model else "",) if mine else ()
    here = (number(row.value), f"{number(row.low)} to {number(row.high)}") if row.value else ("", row.note)
    return row.label, number(model) if model else "", *here, *error


def refusal(seen, error):
    """(what cannot be shown, what to do) for a BudgetError or MachineError."""
    if isinstance(error, BudgetError):
        return f"{error}.", f"Give it {error.smallest} registers or more."
    title = seen.core.title
    if seen.subject == "gcm" and "aes" not in seen.core.classes:
        return (
            f"{title} has no AES instructions, so it cannot run this GCM.",
            "Choose the T-table round, or another core.",
        )
    return f"The model of {title} cannot run this.", f"{error}. Choose another subject, or another core."


def _why(seen, variant):
    if not seen.weavable:
        return "The hash of a chunk waits for the chunk: without a lag there is nothing to weave."
    return f"For B {timeline.decides(variant)}."
