"""All exercises of all notebooks."""

from aesedu.exercises import (
    aes_instructions,
    ghash,
    interleaving,
    key_layout,
    modes,
    register_pressure,
    self_test,
    start,
    ttable_rounds,
)
from aesedu.exercises.definition import Exercise

# In the order of the notebooks
_MODULES = (
    start,
    ttable_rounds,
    register_pressure,
    key_layout,
    modes,
    aes_instructions,
    ghash,
    interleaving,
    self_test,
)


def catalogue() -> list[Exercise]:
    """Every exercise, in the order of the notebooks. Names are unique."""
    return [entry for module in _MODULES for entry in module.EXERCISES]
