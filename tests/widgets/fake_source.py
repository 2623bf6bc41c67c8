"""A source for BenchPanel that measures nothing, with a child process to be killed. Also used in browser tests."""

import subprocess
import sys
import time

from aesedu.views.chart import Row, number
from aesedu.widgets.bench_panel import Update

SPEEDS = {"bytewise": 52_300, "batch": 9.1, "compiled": 5.07, "openssl": 0.19, "no-such-instruction": None}
KINDS = dict(zip(SPEEDS, ("plain Python", "NumPy", "compiled", "OpenSSL", "AES instructions"), strict=True))
CHILD = "import sys; sys.stdin.read()"


class FakeSource:
    sizes = (8192, 64, 1024)

    def __init__(self, pause=0.02, fault=None):
        self.pause, self.fault, self.child, self.starts = pause, fault, None, 0
        self.rows = [Row(k, KINDS[k], note="" if v else "this host has no such instruction") for k, v in SPEEDS.items()]

    def _child(self):
        if self.child is None or self.child.poll() is not None:
            self.child, self.starts = (
                subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE),
                self.starts + 1,
            )
        return self.child

    def run(self, labels, size, rounds):
        child, total = self._child(), rounds * len(labels)
        for done in range(1, total + 1):
            time.sleep(self.pause)
            if child.poll() is not None:
                raise RuntimeError("the worker ended")
            if self.fault and done > 3:
                raise self.fault
            label, samples = labels[(done - 1) % len(labels)], 1 + (done - 1) // len(labels)
            value = SPEEDS[label] * (1 + 0.3 / samples)
            spread = 1 + 0.5 / samples
            yield Update(done, total, Row(label, KINDS[label], value, value / spread, value * spread, samples))

    def cancel(self):
        if self.child is not None:
            self.child.kill()

    def verdict(self, rows):
        timed = [row for row in rows if row.value]
        best, worst = (f(timed, key=lambda row: row.value) for f in (min, max))
        return f"{best.label} is {number(worst.value / best.value)} times faster than {worst.label}.", "A fake figure."

    def record(self):
        return [{"fake": True}]
