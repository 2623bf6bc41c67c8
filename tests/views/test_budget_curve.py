"""The curve of cycles against registers and the ablation's grid: places, words, and the source's own figures."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aesedu.bench import Effect
from aesedu.data import path
from aesedu.views import ablation, budget_curve
from aesedu.views.chart import Row

BUDGETS = range(6, 16)
ROWS = {
    (t, b): Row(f"{t} {b}", t, v - b, v - b - 1, v - b + 2, 9)
    for t, v in (("merged", 170), ("split", 160))
    for b in BUDGETS
}


def parse(html):
    return ElementTree.fromstring(html)


def marks(svg):
    return [(float(m.get("x").rstrip("%")), float(m.get("y"))) for m in svg.iter("svg") if m.get("y")]


def test_fewer_cycles_are_lower_and_more_registers_further_right():
    svg = parse(budget_curve.chart(ROWS, BUDGETS, title="A & B"))
    found = marks(svg)
    assert len(found) == 20 and found[0][1] < found[9][1] and found[0][0] < found[9][0]
    assert all(merged[1] < split[1] for merged, split in zip(found[:10], found[10:], strict=True))
    assert svg.find("title").text == "A & B" and "split, 15 registers: 145" in svg.find("desc").text


def test_the_height_does_not_depend_on_what_is_known():
    empty = {key: Row(row.label, row.series) for key, row in ROWS.items()}
    charts = [parse(budget_curve.chart(rows, BUDGETS)) for rows in (ROWS, empty)]
    assert charts[0].get("height") == charts[1].get("height") and not marks(charts[1])
    assert charts[1].find("desc").text == "not measured yet"


@given(st.floats(20, 5000), st.floats(1, 3))
def test_everything_stays_inside(value, spread):
    rows = {("merged", 8): Row("x", "merged", value, value / spread, value * spread, 9)}
    svg = parse(budget_curve.chart(rows, BUDGETS))
    top, bottom = budget_curve._TOP, budget_curve._TOP + budget_curve._HEIGHT
    assert all(top <= float(line.get(y)) <= bottom for line in svg.iter("line") for y in ("y1", "y2"))
    low, high = budget_curve.bounds(rows.values())
    assert low < value < high and low % 10 == high % 10 == 0


def test_knee():
    assert budget_curve.knee({6: 110, 7: 104, 8: 100.9, 9: 100, 10: 100.5}) == 8
    assert budget_curve.knee({6: 100, 7: 100}) == 6
    assert budget_curve.knee({}) is None


def test_numbers():
    html = budget_curve.numbers(ROWS, BUDGETS, lambda row: 7)
    lines = [["".join(c.itertext()) for c in line] for line in parse(html).find("tbody")]
    assert lines[2] == ["8", "162", "161 to 164", "7", "152", "151 to 154", "7"]


def test_core_2_from_the_log_itself():
    """8192 bytes are 512 blocks; the lines of AES-128 in the first table of each log."""
    cycles = {}
    for label, name in (("merged, 4x32", "stock"), ("split, 2x64", "patched")):
        log = path(f"seeds/raw/tcrypt_core2_2008_{name}.txt").read_text(encoding="utf-8")
        line = next(line for line in log.splitlines() if line.startswith("test 4 (128 bit key, 8192 byte blocks)"))
        cycles[label] = int(line.split(" in ")[1].split()[0]) / 512
    assert ablation.core_2() == cycles == pytest.approx({"merged, 4x32": 232.8, "split, 2x64": 215.6}, abs=0.05)


def test_grid_says_what_is_known():
    rows = {label: Row(label, value=150.0) for label in (*ablation.LABELS, ablation.CONTROL)}
    rows["split, 2x64"] = Row("split, 2x64", value=140.0, origin="recorded", note="recorded on <x>")
    effects = {"split, 2x64": Effect(1.07, 1.06, 1.08), "merged, 2x64": Effect(1.001, 0.999, 1.004)}
    table = parse(ablation.grid(rows, effects))
    cells = [["".join(cell.itertext()) for cell in row] for row in table.find("tbody")]
    assert cells[0][0] == "merged" and "the others are held against it" in cells[0][1] and "cannot tell" in cells[0][2]
    assert "6.5 % faster" in cells[1][2] and "(recorded)" in cells[1][2] and "216 cycles" in cells[1][2]
    assert ablation.figure(rows, effects).count("<title>") == 1
