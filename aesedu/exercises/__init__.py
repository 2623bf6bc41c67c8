"""Exercises that check themselves as their cell runs: ``@exercise("name")``, ``hint``, ``solution``, ``progress``."""

from aesedu.exercises.listing import catalogue
from aesedu.exercises.session import exercise, hint, progress, solution

__all__ = ["catalogue", "exercise", "hint", "progress", "solution"]
