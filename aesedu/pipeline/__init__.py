"""Code x machine -> cycles, where they go, and the reason for every wait."""

from aesedu.pipeline.loop import loop
from aesedu.pipeline.operation import UnknownInstructionError
from aesedu.pipeline.simulate import cycles, simulate

__all__ = ["UnknownInstructionError", "cycles", "loop", "simulate"]
