"""Variants of a routine on several cores of the cycle model: the column beside what is measured."""

from aesedu import machines, pipeline
from aesedu.codegen import Code, generate
from aesedu.pipeline.loop import pointer
from aesedu.routine import Recording, Routine

CORES = ("core2", "skylake", "zen5", "a53")  # in the notebooks where nothing else is said
_STEPS = 2000  # of all passes together: long loops are steady after fewer


def cores_by_heading(cores):
    """{heading: Machine} of names of cores, Machines, or {heading: either}. Raises MachineError."""
    if isinstance(cores, dict):
        return {heading: _core(core) for heading, core in cores.items()}
    return {core.title: core for core in map(_core, cores)}


def _core(core):
    return core if isinstance(core, machines.Machine) else machines.load(core)


def cycles(variants, cores=CORES, parts=None, places=None, budget=None, vectors=None):
    """{(variant, heading): core cycles of one part of a pass}; see ``workbench.model_table``."""
    parts, places, found = parts or {}, places or {}, {}
    for name, variant in variants.items():
        for heading, core in cores_by_heading(cores).items():
            code = _code(variant, core, budget, vectors)
            found[name, heading] = _pass(code, core, places.get(name, {})) / parts.get(name, 1)
    return found


def _code(variant, core, budget, vectors):
    made = variant(core) if callable(variant) and not isinstance(variant, Routine) else variant
    if isinstance(made, Code):
        return made
    return generate(made if isinstance(made, Recording) else made.record(), core.isa, budget, vectors)


def _pass(code, core, places):
    operations = pipeline.loop(code)
    at = {pointer(code, parameter): offset for parameter, offset in places.items()}
    return pipeline.simulate(operations, core, max(12, _STEPS // len(operations)), places=at).cycles
