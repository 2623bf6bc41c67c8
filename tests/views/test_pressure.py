"""Live ranges and listing: against the text of the code, and against examples worked by hand."""

import functools
import re
import xml.etree.ElementTree as ElementTree

import pytest

from aesedu.codegen import generate
from aesedu.routine import routine, table, u32
from aesedu.routines import ttable
from aesedu.views import listing, pressure

VARIANTS = [(t, k, isa, b) for t in ttable.TECHNIQUES for k in ttable.KEY_LOADS for isa in ("x86_64", "aarch64")
            for b in (6, 9)]  # fmt: skip


@functools.cache
def code_of(technique, key_loads, isa, budget):
    return generate(ttable.encrypt.record(rounds=2, technique=technique, key_loads=key_loads), isa, budget)


@routine
def sums(a: u32, b: u32, te: table):
    p = a ^ b
    q = te[p & 255]
    return p, q ^ a


@pytest.fixture(params=VARIANTS, ids=lambda v: "-".join(map(str, v)))
def code(request):
    return code_of(*request.param)


def test_every_live_value_is_in_one_place_at_least(code):
    found = pressure.spans(code)
    for n, instruction in enumerate(code.instructions):
        here = [s for s in found if s.first <= n <= s.last]
        assert {s.value for s in here} == set(instruction.live)
        places = [s.place for s in here]
        assert len(places) == len(set(places))
        assert sum(isinstance(place, str) for place in places) <= code.budget


def test_roles_agree_with_the_text(code):
    """Stores to and loads from the stack frame, read off the assembly text itself."""
    frame = r"\(%rsp\)" if code.isa == "x86_64" else r"\[sp, "
    for instruction, role in zip(code.instructions, pressure.roles(code), strict=True):
        text = instruction.text
        if instruction.kind == "loop":
            continue
        stores = re.search(frame + r"$", text) if code.isa == "x86_64" else text.startswith("str")
        touches = bool(re.search(frame, text))
        assert (role == "spill") == bool(touches and stores), text
        assert (role == "reload") == bool(touches and not stores), text


def test_key_loads_are_told_apart():
    """AES-128 has 44 words of round keys: 44 loads of 32 bits or 22 of 64."""
    for key_loads, count in (("4x32", 44), ("2x64", 22)):
        code = generate(ttable.encrypt.record(key_loads=key_loads), "x86_64", 15)
        roles = pressure.roles(code)
        assert roles.count("key") == count and roles.count("look-up") == 160
        assert roles.count("spill") == roles.count("reload") == 0


def test_a_chart_is_well_formed_and_says_what_it_shows(code):
    svg = ElementTree.fromstring(pressure.chart(code, range(10, 40), 20, "A & B"))
    assert svg.find("title").text == "A & B"
    assert re.match(rf"30 instructions, at most \d+ values live; {code.budget} registers, ", svg.find("desc").text)
    bars = [b for b in svg.iter("rect") if "ae-bar" in b.get("class")]
    assert len(bars) == len(pressure.spans(code, range(10, 40)))
    letters = [t.text for t in svg.iter("text") if t.get("class") == "ae-letter"]
    assert letters == [pressure.ROLES[r][0] for r in pressure.roles(code)[10:40] if r]


def test_pressure_by_hand():
    """a, b, te; p = a ^ b (b dies); the index (p, a live on); q = te[...] ^ a; p, q and te go on to the next pass."""
    code = generate(sums.record(), "x86_64", 15)
    assert [sorted(map(str, i.live)) for i in code.instructions if i.kind == "operation"] == [
        ["a", "p", "te"], ["a", "p", "te", "v1"], ["p", "te", "v3"],
    ]  # fmt: skip
    assert pressure.peak(code) == 4


def rows(html):
    body = ElementTree.fromstring(html).find("tbody")
    return [["".join(cell.itertext()) for cell in row] for row in body]


def test_a_listing_has_every_line(code):
    lines = rows(listing.listing(code))
    assert [line[3] for line in lines] == [i.text for i in code.instructions]
    assert [line[0] for line in lines] == [str(n + 1) for n in range(len(lines))]
    assert [line[7] for line in lines] == [str(len(i.live)) for i in code.instructions]


def test_a_listing_around_one_instruction():
    code = code_of("merged", "4x32", "x86_64", 8)
    window = range(50, 90)
    for chosen in window:
        lines = rows(listing.listing(code, window=window, chosen=chosen, shown=13))
        numbers = [int(line[0]) for line in lines]
        assert len(numbers) == 13 and chosen - 49 in numbers and numbers[0] >= 1 and numbers[-1] <= 40


def test_intel_syntax_where_there_is_one():
    assert rows(listing.listing(code_of("merged", "4x32", "x86_64", 9), "intel"))[-1][3].startswith("jnz")
    arm = code_of("merged", "4x32", "aarch64", 9)
    assert listing.listing(arm, "intel") == listing.listing(arm)


def test_the_life_of_a_value_by_hand():
    code = generate(sums.record(), "x86_64", 15)
    first = next(n for n, i in enumerate(code.instructions) if str(i.step) == "p" and i.kind == "operation")
    lines = rows(listing.listing(code, chosen=first))
    signs = {line[4].split(" = ")[0]: line[1] for line in lines if " = " in line[4]}
    assert signs == {"p": "\N{BLACK CIRCLE}", "v1": "\N{WHITE CIRCLE}", "v3": "\N{BOX DRAWINGS LIGHT VERTICAL}"}


def test_a_spilled_value_is_followed_into_memory():
    """Every reload of a value, also one that is part of another instruction, is one of its uses."""
    code = code_of("split", "4x32", "x86_64", 6)
    for chosen, instruction in enumerate(code.instructions):
        if instruction.kind == "spill":
            lines = rows(listing.listing(code, chosen=chosen))
            reloads = [n for n, i in enumerate(code.instructions) if i.kind == "reload" and i.step is instruction.step]
            assert reloads and {lines[n][1] for n in [chosen, *reloads]} == {"\N{WHITE CIRCLE}"}


def test_hostile_names_stay_text():
    source = "def f(a, b):\n    return a ^ b"
    scope = {"routine": routine, "u32": u32}
    exec(source, scope)
    scope["f"].__annotations__ = {"a": u32, "b": u32}
    scope["f"].__name__ = "<script>&"
    code = generate(routine(scope["f"]).record(), "x86_64", 6)
    ElementTree.fromstring(listing.listing(code))
    ElementTree.fromstring(pressure.chart(code, title="<b>&"))
