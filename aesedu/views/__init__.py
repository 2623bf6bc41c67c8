"""Pictures and tables as pure functions: data in, HTML or SVG text out. No widgets, no numba, no matplotlib."""
