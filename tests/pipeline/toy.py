"""A machine small enough to be computed by hand, and how to change it."""

from dataclasses import replace

from aesedu.machines import Class, Machine
from aesedu.pipeline import loop, simulate

TOY = Machine(
    "toy",
    "Toy",
    "x86_64",
    dispatch=4,
    retire=4,
    rob=64,
    groups={("a", "b"): 32, ("l", "m", "s", "d"): 32},
    classes={
        "alu": Class(1, ("a", "b")),
        "move": Class(1, ("a", "b")),
        "byte": Class(1, ("a", "b")),
        "merge": Class(1, ("a", "b")),
        "mul": Class(3, ("a",)),
        "branch": Class(1, ("b",)),
        "load": Class(4, ("l", "m")),
        "vload": Class(5, ("l", "m")),
        "store": Class(0, ("s",), data=("d",)),
        "vstore": Class(0, ("s",), data=("d",)),
        "vlogic": Class(1, ("a", "b")),
        "aes": Class(3, ("a",)),
        "clmul": Class(4, ("b",), occupancy=2),
    },
    fuse_load_op=True,
    forward=5,
    blocked=10,
)


def toy(**changes):
    """TOY with other numbers; a change named after a class is that class."""
    classes = {name: c for name, c in changes.items() if isinstance(c, Class)}
    others = {name: value for name, value in changes.items() if name not in classes}
    return replace(TOY, classes=TOY.classes | classes, **others)


def cycles(text, machine=TOY, isa="x86_64", **how):
    """Cycles a loop of text."""
    return simulate(loop(text, isa), replace(machine, isa=isa), **how).cycles
