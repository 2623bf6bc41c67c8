"""The suite's routines: short Python functions that are recorded and become machine code."""
