"""The cores of data/machines: widths, queues, and what each class of instruction costs.

A core is one TOML file; every number in it is a triple: the number, its status (documented by the maker or a compiler,
measured, or unverified), and the source, a key of the file's table `sources`. `base` names a file that this one changes
in some places. data/README.md says what each key means.
"""

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from aesedu import data

STATUSES = ("documented", "measured", "unverified")
ISAS = ("x86_64", "aarch64")


class MachineError(ValueError):
    """A machine's file cannot be used; the message names file and key."""


class Fact(NamedTuple):
    """A number of a machine with its `status` and `source` (in full)."""

    value: object
    status: str
    source: str


@dataclass(frozen=True)
class Class:
    """What instructions of a class cost: `latency` in cycles, `ports` any of which takes one, for `occupancy` cycles.

    `data` are the ports for a store's data, `extra` sets of ports that take a micro-operation more, each; `slots` is
    how many places in dispatch and reorder buffer an instruction takes without its load, None: one a micro-operation.
    `every`: cycles from its dispatch to the next of such an instruction, which comes from a store of microcode.
    """

    latency: int
    ports: tuple[str, ...]
    occupancy: int = 1
    data: tuple[str, ...] = ()
    extra: tuple[tuple[str, ...], ...] = ()
    slots: int | None = None
    every: int = 0


@dataclass(frozen=True)
class Machine:
    """A core. `dispatch` and `retire` are slots a cycle, `rob` slots in all, `groups` {ports: entries of their queue},
    `words` and `vectors` how many results of each bank can wait for retirement in physical registers (None: any).

    `indexed` cycles are added to a load with an index, and with `split_indexed` a slot to a word operation with such a
    load and to such a store; `forward` lie between a store's data and a load of the same
    bytes (`vforward` if it loads a vector; None: as many), `blocked` between a store's retirement and a load that takes
    more than its bytes. `wide` multiplies the occupancy of 512-bit instructions. `eliminate` are classes of moves that
    need no port. Where a part of a register was written and a wider one is read, `partial` cycles pass without dispatch
    and a micro-operation of class "merge" joins the two (None: not modelled). A load across a 64-byte line takes
    `crossing` cycles more, and its port as many (0: not modelled). Class "vbroadcast" is a load into every lane, where
    that is more than a "vload".
    """

    name: str
    title: str
    isa: str
    dispatch: int
    retire: int
    rob: int
    groups: dict[tuple[str, ...], int]
    classes: dict[str, Class]
    words: int | None = None
    vectors: int | None = None
    split_indexed: bool = False
    in_order: bool = False
    fuse_load_op: bool = False
    fuse_aes: bool = False
    eliminate: tuple[str, ...] = ()
    indexed: int = 0
    forward: int = 5
    vforward: int | None = None
    blocked: int = 10
    wide: int = 1
    partial: int | None = None
    crossing: int = 0
    facts: dict[str, Fact] = field(default_factory=lambda: MappingProxyType({}), compare=False, repr=False)

    def __hash__(self):
        """For caches: they ask for the core itself, as a file of the same name may have changed."""
        return hash((self.name, self.isa, self.dispatch, self.retire, self.rob))

    @property
    def ports(self):
        """All ports in order."""
        return tuple(port for ports in self.groups for port in ports)


def names():
    """The names of the cores there are, in alphabetical order."""
    return sorted(path.stem for path in data.path("machines").glob("*.toml"))


def load(name):
    """The Machine of a name (see `names`), or of a file: a path that ends in .toml; a Machine is itself.

    Raises MachineError.
    """
    if isinstance(name, Machine):
        return name
    return read(name) if str(name).endswith(".toml") else _named(str(name))


@cache
def _named(name):
    if name not in names():
        raise MachineError(f"there is no machine {name!r}; there are: {', '.join(names())}, and files *.toml")
    return read(data.path(f"machines/{name}.toml"))


def read(path):
    """The Machine of a TOML file; its `base` is looked for beside it, then among ours. Raises MachineError."""
    path = Path(path)
    return _Reader(path.stem, _merged(path, ())).machine()


def over(base, tables):
    """The Machine of a name with the tables of a file laid over it. Raises MachineError."""
    return _Reader(base, _over(_merged(data.path(f"machines/{load(base).name}.toml"), ()), tables)).machine()


def _merged(path, seen):
    """The tables of a file over those of its base."""
    if path in seen:
        raise MachineError(f"{path.name}: base: it is its own base")
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise MachineError(f"{path.name}: {getattr(error, 'strerror', None) or error}") from error
    base = tables.pop("base", None)
    if base is None:
        return tables
    beside = path.parent / f"{base}.toml"
    if not re.fullmatch(r"[\w-]+", str(base)) or not (beside.exists() or base in names()):
        raise MachineError(f"{path.name}: base: there is no machine {base!r}")
    below = _merged(beside if beside.exists() else data.path(f"machines/{base}.toml"), (*seen, path))
    if tables.get("isa", below.get("isa")) != below.get("isa"):
        raise MachineError(
            f"{path.name}: isa: it is {tables['isa']!r}, and that of its base {base} {below.get('isa')!r}"
        )
    return _over(below, tables)


def _over(below, above):
    """`above` laid over `below`; a table replaces nothing but the keys it has, and groups of ports as a whole."""
    both = dict(below)
    for key, value in above.items():
        deeper = isinstance(value, dict) and isinstance(both.get(key, {}), dict) and key != "groups"
        both[key] = _over(both.get(key, {}), value) if deeper else value
    return both


_CORE = {"dispatch": int, "retire": int, "rob": int, "in_order": bool, "fuse_load_op": bool, "fuse_aes": bool}
_CORE |= {"eliminate": str, "indexed": int, "forward": int, "vforward": int, "blocked": int, "wide": int}
_CORE |= {"partial": int, "crossing": int, "words": int, "vectors": int, "split_indexed": bool}
_NEEDED = ("dispatch", "retire", "rob")
_CLASS = {"latency": int, "ports": str, "occupancy": int, "data": str, "extra": str, "slots": int, "every": int}
KEYS = (*_CORE, *_CLASS, "like", "base", "groups", "sources")
CLASSES = ("alu", "byte", "merge", "move", "lea", "shift", "rotate", "mul", "branch")
CLASSES += ("load", "store", "vload", "vbroadcast", "vstore")
CLASSES += ("vlogic", "vadd", "vmove", "vshift", "vshuffle", "vbytes", "vlane", "insert", "extract", "aes", "clmul")
_TOP = {"title": str, "isa": str, "sources": dict, "core": dict, "groups": dict, "class": dict}
_MOST = 4096  # more places than any core has; the model's work grows with them
_POSITIVE = {"dispatch", "retire", "rob", "wide", "occupancy", "blocked", "words", "vectors"}


class _Reader:
    """Checks the tables of a file, one key at a time, and keeps the facts."""

    def __init__(self, name, tables):
        self.name, self.tables, self.facts = name, tables, {}
        self.sources = tables.get("sources", {})
        self._known("", tables, _TOP)
        for key, kind in _TOP.items():
            if not isinstance(tables.get(key, kind()), kind):
                self._fail(key, "it is a table" if kind is dict else "it is a text")
        for key, source in self.sources.items():
            if not isinstance(source, str) or not source.strip():
                self._fail(f"sources.{key}", f"{source!r} is no text that names a source")

    def machine(self):
        if self.tables.get("isa") not in ISAS:
            self._fail("isa", f"{self.tables.get('isa')!r} is none of {', '.join(ISAS)}")
        core = self._table("core", self.tables.get("core", {}), _CORE, _NEEDED)
        groups = self._groups()
        self._known("class", self.tables.get("class", {}), CLASSES)
        classes = {name: self._class(name, groups) for name in self.tables.get("class", {})}
        core["eliminate"] = tuple(core.get("eliminate", "").split())
        self._known("core.eliminate", core["eliminate"], ("move", "vmove"))
        title = self.tables.get("title", self.name)
        return Machine(
            self.name,
            title,
            self.tables["isa"],
            groups=groups,
            classes=classes,
            facts=MappingProxyType(self.facts),
            **core,
        )

    def _groups(self):
        """{ports: entries}; the keys are the ports themselves, "I0 I1"."""
        given = self.tables.get("groups", {})
        kinds = dict.fromkeys(given, int)
        sizes = self._table("groups", given, kinds, ())
        groups = {tuple(ports.split()): size for ports, size in sizes.items()}
        ports = [port for group in groups for port in group]
        if not ports or len(ports) != len(set(ports)) or min(groups.values()) < 1:
            self._fail("groups", "every port is in one group, and every group has at least one entry")
        return groups

    def _class(self, name, groups):
        given = self.tables["class"][name]
        like = given.get("like") if isinstance(given, dict) else None
        if like is not None:
            told = [
                name for name, each in self.tables["class"].items() if isinstance(each, dict) and "like" not in each
            ]
            if like not in told:
                self._fail(f"class.{name}.like", f"{like!r} is no class that is described here")
            given = self.tables["class"][like] | {key: value for key, value in given.items() if key != "like"}
        found = self._table(f"class.{name}", given, _CLASS, ("latency", "ports"))
        for key in {"ports", "data"} & found.keys():
            found[key] = self._ports(f"class.{name}.{key}", found[key], groups)
        if "extra" in found:
            sets = found["extra"].split(",")
            found["extra"] = tuple(self._ports(f"class.{name}.extra", ports, groups) for ports in sets)
        return Class(**found)

    def _ports(self, key, text, groups):
        known, ports = [port for group in groups for port in group], text.split()
        if not ports:
            self._fail(key, "there is no port")
        for n, port in enumerate(ports):
            if port not in known:
                self._fail(key, f"port {port} is in no group; there are: {', '.join(known)}")
            if port in ports[:n]:
                self._fail(key, f"port {port} is there twice")
        return tuple(ports)

    def _table(self, where, given, kinds, needed):
        """The plain values of a table of triples."""
        if not isinstance(given, dict):
            self._fail(where, "it is a table")
        self._known(where, given, kinds)
        for key in needed:
            if key not in given:
                self._fail(f"{where}.{key}", "it is missing")
        return {key: self._value(f"{where}.{key}", key, triple, kinds[key]) for key, triple in given.items()}

    def _value(self, where, key, triple, kind):
        if not isinstance(triple, list) or len(triple) != 3:
            self._fail(where, f"write [value, status, source], not {triple!r}")
        value, status, source = triple
        least = int(key in _POSITIVE)
        if type(value) is not kind or (kind is int and value < least):
            allowed = {int: f"number that makes sense here: {least} to {_MOST}", bool: "true or false", str: "text"}
            self._fail(where, f"{value!r} is no {allowed[kind]}")
        if kind is int and value > _MOST:
            self._fail(where, f"{value} is more than {_MOST}; no core has that many")
        if status not in STATUSES:
            self._fail(where, f"status {status!r} is none of {', '.join(STATUSES)}")
        if not isinstance(source, str) or source not in self.sources:
            self._fail(where, f"source {source!r} is not in the table sources")
        self.facts[where] = Fact(value, status, self.sources[source])
        return value

    def _known(self, where, given, known):
        for key in given:
            if key not in known:
                self._fail(f"{where}.{key}".lstrip("."), f"unknown; there are: {', '.join(sorted(known))}")

    def _fail(self, where, message):
        raise MachineError(f"{self.name}.toml: {where}: {message}")
