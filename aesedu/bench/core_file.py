"""The machine file of a measured core: facts laid over a base one by one, so that the model says whether it agrees.

What no micro-benchmark can tell - buffers, queues, which port is which - stays the base's, with its own status. A
latency is rounded to whole cycles. How many instructions a cycle start does not say on which ports: where the base's
model agrees within 15 % its ports stay; else the first n of them are named, or the first for k cycles, if with these
the model does agree; else a remark tells of it.
"""

import json
from collections import defaultdict

from aesedu import machines
from aesedu.bench.core_probes import LATENCY, THROUGHPUT, probes

AGREES = 0.15
# Told by what a chain takes more or less than the model says; what else is in these chains is known by then.
_DIFFERENCES = ("indexed", "forward", "vforward", "blocked")


class Draft:
    """The file of a HostCore over a `base`. Raises MachineError for a base that is none, or of another kind.

    `facts` {table: {key: (value, comment)}}; `remarks` are what could not be said.
    """

    def __init__(self, core, base):
        self.core, self.base = core, base
        self.facts, self.remarks = defaultdict(dict), []
        if base not in machines.names():
            raise machines.MachineError(
                f"base: there is no machine {base!r}; it is one of {', '.join(machines.names())}"
            )
        if machines.load(base).isa != core.isa:
            raise machines.MachineError(f"{base} is no core for {core.isa}, as this host is")
        self.probes = {(probe.name, probe.kind): probe for probe in probes(core.isa)}
        self._widths()
        self._moves()
        classes = self.machine.classes
        for name in classes:
            self._latency(name)
        for name in classes:
            self._ports(name)
        for key in _DIFFERENCES:
            self._difference(key)

    @property
    def machine(self):
        """The base with what is known so far."""
        tables = {
            table: {key: [value, "measured", "here"] for key, (value, _) in facts.items()}
            for table, facts in self.facts.items()
        }
        core = tables.pop("core", {})
        return machines.over(self.base, {"sources": {"here": self.core.source}, "core": core, "class": tables})

    def _widths(self):
        """As many are dispatched as any loop took; it may be more, so a lower number is not taken for the truth."""
        values = [self.core.value(*key) for key in self.probes if key[1] == THROUGHPUT]
        most, base = max((1 / value for value in values if value), default=0), self.machine
        if round(most) < base.dispatch:
            self.remarks.append(f"dispatch: no loop took more than {most:.2f} instructions a cycle")
            return
        self.facts["core"]["dispatch"] = round(most), f"{most:.2f}, the most that any loop took in a cycle"
        if round(most) > base.retire:
            self.facts["core"]["retire"] = round(most), "no less than are dispatched"

    def _moves(self):
        """Moves that a chain does not wait for need no port; AESE and AESMC in the time of one are one."""
        chains = {name: self.core.value(name, LATENCY) for name in ("move", "vmove")}
        if None not in chains.values():
            gone = " ".join(name for name, value in chains.items() if value < 0.5)
            self.facts["core"]["eliminate"] = gone, ", ".join(f"{n} {v:.2f} cycles" for n, v in chains.items())
        pair, alone = self.core.value("fuse_aes", LATENCY), self.core.value("aes", LATENCY)
        if pair and alone:
            self.facts["core"]["fuse_aes"] = pair < 1.5 * alone, f"{pair:.2f} cycles, AESE alone {alone:.2f}"

    def _latency(self, name):
        value = self.core.value(name, LATENCY)
        if value and name not in self.machine.eliminate:
            self.facts[name]["latency"] = max(1, round(value)), f"{value:.2f}"

    def _difference(self, key):
        value = self.core.value(key, LATENCY)
        if not value:
            return
        says, predicted = f"the chain takes {value:.2f} cycles", self.probes[key, LATENCY].predicted
        for _ in range(2):  # again, because the first number may be one that other cycles of the chain hide
            machine = self.machine
            now = getattr(machine, key)
            now = machine.forward if now is None else now
            off = round(value - predicted(machine))
            self.facts["core"][key] = max(int(key == "blocked"), now + off), says
        if abs(value - (own := predicted(self.machine))) > 1:
            self.remarks.append(f"{key}: {says}, in the model {own:.2f}; no number gives that")

    def _ports(self, name):
        value, machine = self.core.value(name, THROUGHPUT), self.machine
        if not value or name in machine.eliminate:
            return
        probe, before, now = self.probes[name, THROUGHPUT], dict(self.facts[name]), machine.classes[name]
        predicted = probe.predicted(machine)
        if agree(predicted, value):
            return
        says = f"{1 / value:.2f} a cycle; with the ports of {self.base} {1 / predicted:.2f}"
        ways = [(now.ports[:n], 1) for n in range(len(now.ports), 0, -1)] + [(now.ports[:1], k) for k in range(2, 9)]
        for some, k in sorted(ways, key=lambda way: abs(way[1] / len(way[0]) - value)):
            self.facts[name] = before | {"ports": (" ".join(some), says)}
            self.facts[name] |= {"occupancy": (k, "")} if k != now.occupancy else {}
            if agree(probe.predicted(self.machine), value):
                return
        self.facts[name] = before
        self.remarks.append(f"{name}: {says}; no number of them gives that")

    def text(self):
        """The file, TOML."""
        notes = [f"{row['name']}: {row['note']}" for row in self.core.rows() if row["note"]]
        lines = [f"# {remark}" for remark in (*self.remarks, *notes)]
        lines += [f"base = {_quoted(self.base)}", f"title = {_quoted(self.core.where['cpu'] + ', measured')}"]
        lines += ["", "[sources]", f"here = {_quoted(self.core.source)}"]
        for name, facts in self.facts.items():
            heading = name if name == "core" else f"class.{name}"
            lines += ["", f"[{heading}]", *(_line(key, *fact) for key, fact in facts.items())] if facts else []
        return "\n".join(lines) + "\n"


def agree(predicted, value):
    """Whether a model's cycles are within AGREES of those measured."""
    return abs(predicted / value - 1) <= AGREES


def _line(key, value, comment):
    shown = _quoted(value) if isinstance(value, str) else str(value).lower()
    return f'{key} = [{shown}, "measured", "here"]' + (f" # {comment}" if comment else "")


def _quoted(text):
    """A TOML string, which is spelt as one of JSON."""
    return json.dumps("".join(filter(str.isprintable, text)), ensure_ascii=False)
