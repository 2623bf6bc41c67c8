"""What the routine explorer shows: rounds cut in the right places, counts that agree with the code."""

import re
from itertools import product

import pytest

from aesedu.cipher.key_schedule import ROUNDS
from aesedu.codegen import BudgetError, generate
from aesedu.routines import ttable
from aesedu.views import pressure
from aesedu.views import routine_explorer as view
from aesedu.views.routine_explorer import Seen

MACHINES = list(product(ttable.TECHNIQUES, ttable.KEY_LOADS, view.ISAS))


@pytest.mark.parametrize(("technique", "key_loads", "isa"), MACHINES)
def test_each_round_has_its_sixteen_look_ups(technique, key_loads, isa):
    key_bits = {"4x32": 128, "2x64": 256}[key_loads]
    code = Seen(technique, key_loads, key_bits, 9, isa).code
    rounds, roles = view.rounds(code), pressure.roles(code)
    assert len(rounds) == ROUNDS[key_bits]
    assert [n for r in rounds for n in r] == list(range(len(code.instructions)))
    assert all([roles[n] for n in r].count("look-up") == 16 for r in rounds)


@pytest.mark.parametrize(("technique", "key_loads", "isa"), MACHINES)
def test_smallest_budgets_hold_for_the_whole_cipher(technique, key_loads, isa):
    least, free = view.smallest(technique, key_loads, isa)
    recording = ttable.encrypt.record(rounds=10, technique=technique, key_loads=key_loads)
    generate(recording, isa, least)
    with pytest.raises(BudgetError):
        generate(recording, isa, least - 1)
    spills = {b: sum(i.kind == "spill" for i in generate(recording, isa, b).instructions) for b in (free - 1, free)}
    assert spills[free] == 0 < spills[free - 1]


def test_board_and_sentence_agree_with_the_code():
    seen = Seen("split", "2x64", budget=7, instruction=3)
    html, (headline, detail) = view.board(seen), view.sentence(seen)
    kinds = [i.kind for i in seen.code.instructions]
    assert f"<b>{kinds.count('spill')}</b>" in html and f"<b>{len(kinds)}</b>" in html
    assert headline.startswith(f"Instruction 4 of {len(seen.window)}: <code>{seen.code.instructions[seen.chosen].text}")
    said = re.search(r"(\d+) values are live after it, (\d+) in registers and (\d+) in memory", detail)
    live, inside, outside = map(int, said.groups())
    assert live == inside + outside and inside <= 7


def test_an_instruction_beyond_the_round_is_its_last():
    seen = Seen(instruction=10_000)
    assert seen.chosen == seen.window[-1]


def test_static_has_the_whole_round():
    seen = Seen(round=10)
    html = view.static(seen)
    assert html.count('scope="col">instruction') == 2 and "<button" not in html and "<script" not in html
