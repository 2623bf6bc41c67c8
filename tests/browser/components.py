"""Writes the notebook that shows every shared component once."""

import shutil
from pathlib import Path

from nbformat import v4, write

FAKE_SOURCE = Path(__file__).parents[1] / "widgets" / "fake_source.py"
CELLS = [
    """
from fake_source import FakeSource
from aesedu.views.chart import Row, figure
from aesedu.widgets import BenchPanel, RoundExplorer, Stepper, predict, quiz
from aesedu.widgets.bench_panel import Recording
""",
    """
elsewhere = Recording("a Cortex-A53, 2016", [Row("no-such-instruction", "AES instructions", 1.65, 1.6, 1.7, 9)])
panel = BenchPanel(FakeSource(0.05), "Ladder of fakes", "8 KiB a call", [elsewhere])
panel
""",
    """
rows = [Row(f"2 to the {n}", "even odd".split()[n % 2], 2.0**n, 1.7**n, 2.2**n) for n in range(8)]
def draw(n):
    return figure([r if k < n else Row(r.label, r.series) for k, r in enumerate(rows)], bounds=(1, 1000))
stepper = Stepper("Powers of two", range(1, 9), draw, lambda n: (f"{n} of 8 are shown.", "Each is twice the last."))
stepper
""",
    "RoundExplorer()",
    'predict("ratio", "How many times faster?", unit="times")',
    'predict("winner", "Which is faster?", choices=["four tables", "one table", "cannot tell"])',
    'predict("ratio").compare(measured=412, model=300)',
    'quiz(("Two and two?", ["Three", "Four"], 1, "Count."), ("Equal?", ["Yes", "No"], 0, "Look."))',
]


def write_components(folder, name):
    """The notebook and the fake source it imports."""
    shutil.copy(FAKE_SOURCE, folder)
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}}
    notebook = v4.new_notebook(cells=[v4.new_code_cell(cell.strip()) for cell in CELLS], metadata=kernel)
    write(notebook, folder / name)
