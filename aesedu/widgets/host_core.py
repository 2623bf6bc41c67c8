"""Measure this core: latency and throughput of each class of instruction, and a file of them for the cycle model."""

from aesedu import machines, native
from aesedu.bench import environment, host_core
from aesedu.bench.core_probes import SETS
from aesedu.exercises.outcome import Note
from aesedu.native.assembler import ISA
from aesedu.views.chart import Row
from aesedu.views.table import table
from aesedu.widgets.bench_panel import BenchPanel, Update

_HERE = ISA if ISA in SETS else "x86_64"  # elsewhere Run says that there is nothing to run
_COLUMNS = ("class", "latency", "starts a cycle", "spread %", "instructions", "note")


class CoreSource:
    """Times all micro-benchmarks for a ``BenchPanel``; ``core`` is the ``HostCore`` of the last run, None before."""

    sizes = (0,)

    def __init__(self):
        self.core = None
        self.rows = [Row(row["name"], note=row["note"]) for row in self.empty.rows()]

    @property
    def empty(self):
        """A HostCore on which nothing is measured yet."""
        needs = SETS[_HERE].needs.items()
        lacks = {name: feature for name, feature in needs if feature not in native.features()}
        return host_core.HostCore(_HERE, {}, {}, lacks)

    def run(self, labels, size, rounds):
        """Yields an ``Update`` after each benchmark's first samples and some rounds, at last one for each row."""
        for done, total, self.core in host_core.timing(rounds):
            yield Update(done, total, None, preparing=done < total - rounds)
        for row in self.core.rows():
            value = row["latency"] or (row["per_cycle"] and 1 / row["per_cycle"])
            yield Update(total, total, Row(row["name"], value=value, samples=rounds, note=row["note"]))

    def cancel(self):
        native.cancel()

    def verdict(self, rows):
        nearest = machines.load(self.core.nearest())
        agreeing = self.core.agreeing(nearest)
        others = ", ".join(name for name, agrees in agreeing.items() if not agrees)
        same = f"{sum(agreeing.values())} of {len(agreeing)} latencies are those of {nearest.title}"
        rates = (f"{name} ({own:.2f} and not {model:.2f})" for name, own, model in self.core.rates(nearest))
        differ = f"Latencies that differ here: {others or 'none'}. How many start in a cycle differs: "
        return f"{same}, the nearest of our cores.", f"{differ}{', '.join(rates) or 'nowhere'}."

    def record(self):
        return {"where": self.core.where, "rows": self.core.rows()}


class CorePanel(BenchPanel):
    """The table of this core; ``write`` makes a file of it. ``machine`` is that file, or a core of ours before."""

    counted, waiting = "steps", "Some forty loops, a few milliseconds each."

    def __init__(self, rounds=12):
        self._file = None
        super().__init__(CoreSource(), "Measure this core", environment.cpu_name(), rounds=rounds)

    def _choices(self):
        return []

    def _menus(self):
        return (self.rounds,)

    def _ticked(self):
        return list(self.rows)

    def _picture(self, rows):
        core = self.source.core or self.source.empty
        lines = [[_cell(value) for value in row.values()] for row in core.rows()]
        caption = "Cycles until a result is there, and instructions that start in a cycle"
        return f'<div class="ae-scroll">{table(_COLUMNS, lines, caption, ("class", "instructions", "note"))}</div>'

    @property
    def machine(self):
        """What ``timeline`` takes as its machine."""
        return self._file or next(name for name in ("zen4", "n1") if machines.load(name).isa == _HERE)

    def write(self, path="my_core.toml", base=None):
        """Write the machine file, over the nearest core or ``base``. A file that is there already stays as it is.

        Raises MachineError for a base or a name that cannot be and for a file that is there and is none of a machine,
        OSError where the folder cannot be written.
        """
        core, place = self.source.core, host_core.new_file(path)
        if place.exists():
            machines.read(place)
            self._file = str(path)
            return Note(f"{path} is there already and stays as it is.", "Give another name to write a new one.")
        if core is None:
            return Note("There is nothing to write yet.", "Press Run first, then run this cell again.")
        core.write(path, base)
        self._file = str(path)
        return Note(f"{path} is written.", f"It has {base or core.nearest()} as its base.")


def _cell(value):
    return f"{value:.2f}" if isinstance(value, float) else value or ""
