"""The timeline: letters against a hand-drawn one, reasons in picture and text, one axis for all variants."""

import re
from html import unescape

import pytest

from aesedu.machines import Class, Machine
from aesedu.pipeline import loop, simulate
from aesedu.pipeline.limits import critical_loop
from aesedu.pipeline.story import KINDS
from aesedu.views import timeline

TOY = Machine(
    "toy",
    "Toy <core>",
    "x86_64",
    dispatch=2,
    retire=2,
    rob=8,
    groups={("a", "b"): 8},
    classes={"alu": Class(1, ("a", "b")), "mul": Class(3, ("a",)), "load": Class(4, ("b",))},
)
CHAIN = "imulq %rax, %rax\naddq %rax, %rbx\nimulq $3, %rsi, %rcx\nnegq %rcx"
FREE = "imulq $3, %rsi, %rax\nnegq %rdx"


def variant(title, text, machine=TOY):
    operations = loop(text)
    return timeline.Variant(title, simulate(operations, machine), critical_loop(operations, machine))


@pytest.fixture(scope="module")
def variants():
    return [variant("A & B", CHAIN), variant("free", FREE)]


def test_letters_are_those_drawn_by_hand(variants):
    lines = timeline.text(variants[:1]).splitlines()
    assert lines[1].split() == ["cycle", "0", "5"]
    column = lines[1].index("0")
    drawn = ["DEeeR", "DwwwER", "qDEeeR", " DwwwER"]  # two a cycle are dispatched and retired
    assert [line[column:].rstrip() for line in lines[2:6]] == drawn


def test_text_says_why_and_marks_the_critical_loop(variants):
    text = timeline.text(variants)
    assert "   2 cycles 1 to 3 waits for rax from 1 (imulq %rax, %rax)" in text
    assert "*  2 negq %rdx" in text and "   1 imulq $3, %rsi, %rax" in text
    assert "   1 imulq %rax, %rax" in text, "its 3 cycles are not what the 3.5 of the loop come from"
    assert "A & B: 4 instructions, " in text and "cycles a loop on Toy <core>" in text
    assert re.search(r"ports busy: a \d+%, b \d+%", text)
    assert all(words in text for _, _, words in timeline.STATES.values())


def test_every_reason_is_in_the_picture_too(variants):
    titles = [unescape(t) for t in re.findall("<title>(.*?)</title>", timeline.timeline(variants[:1]))]
    for line in timeline.text(variants[:1]).split("ports busy")[1].splitlines()[1:]:
        if line.startswith("   ") and line.strip():
            assert set(line.strip().split(" ", 1)[1].split("; ")) <= set(titles)
    assert "cycles 1 to 3 waits for rax from 1 (imulq %rax, %rax)" in titles


def test_the_letters_of_a_row_stand_in_its_cells(variants):
    html = timeline.timeline(variants[:1])
    row = html.split('<g class="ae-row"')[2]
    cells = {}
    for x, letters in re.findall(r"<text (?:class=ae-\w+ )?x=(\d+)[^>]*>([^<]+)<", row):
        cells |= {int(x) // 10 + n: letter for n, letter in enumerate(letters)}
    assert [cells[n] for n in range(6)] == list("DwwwER")
    drawn = [(int(x), int(w)) for x, w in re.findall(r"<rect class=ae-\w+ x=(\d+) width=(\d+)", row)]
    assert drawn == [(0, 10), (10, 30), (40, 10), (50, 10)]


def test_one_axis_for_all_variants_with_every_end_in_each(variants):
    html = timeline.timeline(variants)
    assert len(set(re.findall(r'class="ae-svg ae-cells" width="(\d+)"', html))) == 1
    panels = html.split("<figure>")[1:]
    ends = [set(re.findall(r'class="ae-end ae-(\w+)" x1="(\d+)"', panel)) for panel in panels]
    assert ends[0] == ends[1] and len(ends[0]) == 2


def test_names_are_escaped_and_pictures_named(variants):
    html = timeline.figure(variants)
    assert "A &amp; B" in html and "Toy &lt;core&gt;" in html and "A & B" not in html and "<core>" not in html
    assert html.count('role="img" aria-label="Timeline of') == 2
    assert html.count("<svg") == 12 and html.count("aria-hidden=true") == 10


def test_states_and_legend(variants):
    assert set(timeline.STATES) == set(KINDS)
    letters = [letter for letter, _, _ in timeline.STATES.values()]
    assert len(set(letters)) == len(letters)
    legend = timeline.legend(variants)
    assert all(words in legend for _, _, words in timeline.STATES.values())
    assert "end of A &amp; B" in legend and "on the critical loop" in legend
    alone = [variant("no chain", "imulq $3, %rsi, %rax")]
    assert alone[0].critical is None and "on the critical loop" not in timeline.legend(alone)


def test_what_is_said(variants):
    headline, detail = timeline.says(variants)
    assert re.fullmatch(r"free against A & B: \d+\.\d against \d+\.\d cycles a loop, [+−]\d+\.\d %\.", headline)
    assert detail.startswith("Model of Toy <core>, not a measurement.")
    assert "A & B: something other than operands decides; operands alone take 3 cycles a loop." in detail
    assert "free: its critical loop decides, 1 cycle a loop through row 2." in detail
    assert timeline.says(variants[:1])[0].endswith("cycles a loop.")


def test_a_window_of_rows_and_a_later_iteration(variants):
    text = timeline.text(variants[:1], iteration=3, rows=range(1, 3))
    assert "addq" in text and "negq" not in text.split("ports busy")[0]
    first = next(line for line in text.splitlines() if "addq %rax, %rbx" in line)
    assert first.split("%rbx")[1].strip().endswith("R")
    assert "1 iteration before" in timeline.text(variants[:1], iteration=3)


def test_the_first_cycle_number_is_not_cut_off():
    html = timeline.timeline([variant("one", "imulq $3, %rax\n" * 20)], rows=range(14, 20))
    first = re.search(r'<text class="ae-muted" x="(\d+)" y="16" text-anchor="(\w+)">(\d\d)</text>', html)
    assert first.groups()[:2] == ("1", "start") and int(first[3]) >= 10


def test_ports_show_their_share_and_their_cycles():
    html = timeline.timeline([variant("one", "imulq $3, %rsi, %rax")])
    assert ">100%<" in html and ">0%<" not in html  # port b is not used at all
    assert re.findall(r'<path class="ae-used" d="([^"]+)"', html) == ["M11 29h10"]
    others = re.findall(r'<path class="ae-used ae-other" d="([^"]+)"', html)
    assert others == ["M21 29h40"]  # cycles 2 to 5: the loop goes on


def test_a_large_routine_fits_a_message():
    text = "\n".join(f"addq ${n}, %r{8 + n % 8}" for n in range(60))
    both = [variant(name, text) for name in "AB"]
    assert len(timeline.figure(both).encode()) < 250_000


@pytest.mark.parametrize("where", [{"iteration": 10**6}, {"iteration": -1}, {"rows": range(900, 999)}])
def test_what_is_not_there_cannot_be_shown(variants, where):
    with pytest.raises(ValueError, match="there is nothing in pass .* passes of"):
        timeline.timeline(variants, **where)
