"""The core of this host: latency and throughput of each class of instruction, measured, and a machine file of them.

In core cycles (additions that wait for each other take one each), by the protocol of `rounds`. Other work on the
machine can only lengthen a sample, so the lower quartile counts, and how far least and median lie apart says whether it
is settled.
"""

import statistics
from dataclasses import dataclass
from pathlib import Path

from aesedu import machines, native
from aesedu.bench import environment
from aesedu.bench.core_file import Draft, agree
from aesedu.bench.core_probes import LATENCY, SETS, THROUGHPUT, probes
from aesedu.bench.rounds import AT_ONE_PLACEMENT, Rounds
from aesedu.native.assembler import ISA

SETTLED = 0.05  # of the value


def measure(*arguments, **options):
    """The HostCore that `timing` ends with."""
    *_, (_, _, core) = timing(*arguments, **options)
    return core


def timing(rounds=12, isa=ISA, features=None, where=None, seed=None, **stopwatch):
    """Time every Probe that this host can run, a few seconds; yields (done, total, None), at last with a HostCore.

    `stopwatch`: sampler and clock as in `protocol.Stopwatch`. Raises UnsupportedFeature where the processor is of
    another kind, and what `native.samples` raises.
    """
    if isa not in SETS:
        raise native.UnsupportedFeature(isa, f"there are micro-benchmarks for {' and '.join(SETS)} only")
    able = native.features() if features is None else features
    lacks = {name: need for name, need in SETS[isa].needs.items() if need not in able}
    todo = [probe for probe in probes(isa) if probe.name not in lacks]
    taken, total = Rounds(seed=seed, **stopwatch), len(todo) + rounds
    for done, probe in enumerate(todo):
        yield done, total, None
        taken.add(probe.label, probe.subject())
    for done in range(0, rounds, AT_ONE_PLACEMENT):
        yield len(todo) + done, total, None
        taken.take()
    cycles = taken.cycles()
    found = {(probe.name, probe.kind): _quartiles(cycles[probe.label].values(), probe.count) for probe in todo}
    yield total, total, HostCore(isa, environment.where() if where is None else where, found, lacks)


def _quartiles(cycles, count):
    """(least, lower quartile, median) of what one of `count` steps took; None where two samples were not steady."""
    steps = [value / count for value in cycles]
    return (min(steps), *statistics.quantiles(steps)[:2]) if len(steps) > 1 else None


def _spread(quartiles):
    least, quartile, median = quartiles
    return (median - least) / quartile


@dataclass(frozen=True)
class HostCore:
    """What was measured; `lacks` {class: the feature that this machine does not have}.

    `found` {(name, kind) of a Probe: (least, lower quartile, median) of the cycles a step, None if nothing was steady}.
    """

    isa: str
    where: dict
    found: dict
    lacks: dict

    def value(self, name, kind):
        """Cycles a step; None where it is not settled or was not measured."""
        quartiles = self.found.get((name, kind))
        return quartiles[1] if quartiles and _spread(quartiles) <= SETTLED else None

    @property
    def source(self):
        """What a machine file says of where its numbers come from."""
        told = [str(self.where[key]) for key in ("cpu", "date", "clock") if self.where.get(key)]
        virtual = ["virtual machine"] * bool(self.where.get("virtual_machine"))
        return f"micro-benchmarks, in cycles of a chain of additions, on {', '.join(told + virtual)}"

    def rows(self):
        """A dict for each class and key: name, latency (cycles), per_cycle, spread (%), instructions, note."""
        examples = {probe.name: "; ".join(probe.step) for probe in probes(self.isa)}
        return [self._row(*each) for each in examples.items()]

    def _row(self, name, instructions):
        mine = {kind: self.value(name, kind) for kind in (LATENCY, THROUGHPUT) if (name, kind) in self.found}
        rate, loose = mine.get(THROUGHPUT), " and ".join(kind for kind, value in mine.items() if value is None)
        note = f"this machine lacks {self.lacks[name]}" if name in self.lacks else loose and f"{loose} not settled"
        spreads = [100 * _spread(self.found[name, kind]) for kind in mine if self.found[name, kind]]
        spread, per_cycle = max(spreads, default=None), rate and 1 / rate
        numbers = {"name": name, "latency": mine.get(LATENCY), "per_cycle": per_cycle, "spread": spread}
        return numbers | {"instructions": instructions, "note": note}

    def table(self):
        """`rows` as a DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows()).set_index("name")

    def nearest(self):
        """The name of the core of this instruction set of whose latencies the most are as measured."""
        cores = [core for core in map(machines.load, machines.names()) if core.isa == self.isa]
        return max(cores, key=lambda core: statistics.mean(self.agreeing(core).values() or [0])).name

    def agreeing(self, core):
        """{class: whether its latency on a Machine is as measured}, where both have one."""
        values = {name: self.value(name, LATENCY) for name in core.classes if name not in core.eliminate}
        return {name: round(value) == core.classes[name].latency for name, value in values.items() if value}

    def rates(self, core):
        """(class, instructions that start in a cycle here, in the model of a Machine) where these are not as many."""
        for probe in probes(self.isa):
            value = self.value(probe.name, probe.kind) if probe.kind == THROUGHPUT else None
            if value and probe.name in core.classes and not agree(predicted := probe.predicted(core), value):
                yield probe.name, 1 / value, 1 / predicted

    def toml(self, base=None):
        """A machine file as text; `base` is one of `machines.names()`, else the `nearest`. Raises MachineError."""
        return Draft(self, base or self.nearest()).text()

    def write(self, path, base=None):
        """Write the file, UTF-8. Raises FileExistsError where there is one already, OSError and MachineError."""
        place, text = new_file(path), self.toml(base)
        try:
            with place.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise
        except OSError as error:
            why = f"{place} cannot be written: {error.strerror or error}. Give a place where you may write"
            raise type(error)(why) from error


def new_file(path):
    """The Path of a machine's file, as `machines.load` will take it. Raises MachineError and FileNotFoundError."""
    place = Path(path)
    if place.suffix != ".toml":
        raise machines.MachineError(f"{path}: the name of a machine's file ends in .toml")
    if place.stem.lower() in machines.names():
        raise machines.MachineError(f"{path}: {place.stem} is a core of ours. Give a name of your own, my_core.toml")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {place.parent}: make it first, or give a place that is there")
    return place
