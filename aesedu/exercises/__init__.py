"""Exercises that check themselves as their cell runs: ``@exercise("name")``, ``hint``, ``solution``, ``progress``.

``catalogue()`` lists them all. Names load on first use: the process that runs a learner's function needs none of them.
"""

import importlib

__all__ = ["catalogue", "exercise", "hint", "progress", "solution"]


def __getattr__(name):
    if name in __all__:
        return getattr(importlib.import_module("aesedu.exercises.session"), name)
    raise AttributeError(f"module 'aesedu.exercises' has no attribute {name!r}")
