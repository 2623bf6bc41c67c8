"""Timing that can be trusted: one routine, two against each other, over sizes; records; other people's log formats.

``measure(subject)``, ``compare(a, b)`` and ``series(make, sizes)`` time; ``save`` and ``load`` keep Measurements as
JSON; ``tcrypt`` and ``bench_slope`` read and write logs. The rules they follow are the suite's measuring protocol.
"""

from aesedu import lazy

_HOME = {
    "measure": "protocol",
    "measure_at": "protocol",
    "ImplausibleError": "protocol",
    "compare": "comparison",
    "Comparison": "comparison",
    "Effect": "comparison",
    "series": "size_series",
    "Series": "size_series",
    "Fit": "size_series",
    "fit": "size_series",
    "Measurement": "measurement",
    "MeasurementError": "measurement",
    "save": "measurement",
    "load": "measurement",
    "LogError": "loglines",
    **dict.fromkeys(("Tcrypt", "BenchSlope", "run_tcrypt", "run_bench_slope"), "live"),
}
__getattr__, __dir__ = lazy.names(__name__, _HOME, {"tcrypt", "bench_slope", "environment"})
