"""Variants of a routine on several cores of the cycle model: the column beside what is measured."""

from functools import lru_cache

from aesedu import machines, pipeline
from aesedu.codegen import Code, generate
from aesedu.pipeline.loop import pointer
from aesedu.routine import Recording, Routine

CORES = ("core2", "skylake", "zen5", "a53")  # in the notebooks where nothing else is said
_STEPS = 2000  # of all passes together: long loops are steady after fewer


def cores_by_heading(cores):
    """{heading: Machine} of names of cores, Machines, or {heading: either}; one alone will do. Raises MachineError."""
    if isinstance(cores, str | machines.Machine):
        cores = [cores]
    if isinstance(cores, dict):
        return {heading: machines.load(core) for heading, core in cores.items()}
    found = [machines.load(core) for core in cores]
    by_title = {core.title: core for core in found}
    if other := next((core for core in found if by_title[core.title] != core), None):
        raise ValueError(f"two cores are called {other.title!r}: give them headings, {{heading: core}}")
    return by_title


def cycles(variants, cores=CORES, parts=None, places=None, budget=None, vectors=None):
    """{(variant, heading): core cycles of one part of a pass}; see ``workbench.model_table``."""
    parts, places, cores, found = parts or {}, places or {}, cores_by_heading(cores), {}
    for given in (parts, places):
        if (unknown := [*given.keys() - variants.keys()]) and variants.keys() - given.keys():
            raise ValueError(f"there is no variant {unknown[0]!r}; there are: {', '.join(map(str, variants))}")
    if bad := [n for n in parts.values() if not n > 0]:
        raise ValueError(f"a pass has 1 part or more, not {bad[0]!r}")
    for name, variant in variants.items():
        for heading, core in cores.items():
            made = variant(core) if callable(variant) and not isinstance(variant, Routine) else variant
            found[name, heading] = _pass(made, core, places.get(name, {}), budget, vectors) / parts.get(name, 1)
    return found


def _pass(routine, core, places, budget, vectors):
    code, operations = _loop(routine, core.isa, budget, vectors)
    at = {pointer(code, parameter): offset for parameter, offset in places.items()}
    return pipeline.cycles(operations, core, max(14, _STEPS // len(operations)), places=at)


@lru_cache(64)
def _loop(made, isa, budget, vectors):
    """A routine, a Recording or a Code as (Code, Operations)."""
    if not isinstance(made, Code):
        if not isinstance(made, Recording | Routine):
            raise TypeError(f"{made!r:.60} is no routine, Recording or Code, or a function from a Machine to one")
        recording = made if isinstance(made, Recording) else made.record()
        made = generate(recording, isa, budget, vectors)
    return made, pipeline.loop(made)
