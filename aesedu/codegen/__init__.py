"""Recording -> machine code: order, registers, text for x86-64 and AArch64."""

from aesedu.codegen.code import BudgetError, Code, generate
from aesedu.codegen.order import weave

__all__ = ["BudgetError", "Code", "generate", "weave"]
