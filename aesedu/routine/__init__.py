"""What a routine is: a table of operations (`ops`, `vectors`), a recorder, an evaluator."""

from aesedu.routine.evaluate import evaluate, run
from aesedu.routine.ops import bswap, load64, low32, memory, rotl, rotr, store64, table, u32, u64, v128, v512, widen
from aesedu.routine.record import Routine, routine
from aesedu.routine.recording import Recording, RoutineError, Value

__all__ = [
    "Recording", "Routine", "RoutineError", "Value", "bswap", "evaluate", "load64", "low32", "memory", "rotl", "rotr",
    "routine", "run", "store64", "table", "u32", "u64", "v128", "v512", "widen",
]  # fmt: skip
