"""One recording as two listings: every instruction stands in it once, beside the line that asks for it."""

import re
from html import unescape

from aesedu.codegen import generate
from aesedu.routine import memory, routine, table, v128
from aesedu.routine.vectors import aesenc, aesenclast, load128, store128
from aesedu.views.listing import beside


@routine
def short(out: memory, block: memory, keys: table):
    state = load128(block, 0) ^ load128(keys, 0)
    for n in (1, 2, 3):
        state = aesenc(state, load128(keys, 4 * n))
    store128(out, 0, aesenclast(state, load128(keys, 16)))
    return out[4:], block[4:]


@routine
def plus(a: v128, b: v128):
    return a ^ b, b


def rows(codes):
    body = beside(codes, ("x86-64", "AArch64")).partition("<tbody>")[2]
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("<tr>")[1:]]
    found = [[""] * (3 - len(row)) + row for row in found]  # a line stands beside all of its rows
    return [[unescape(re.sub("<span[^>]*>|</span>", "", cell)).split("<br>") for cell in row] for row in found]


def test_nothing_is_lost_and_order_is_kept_within_a_line():
    for function in (short, plus):
        codes = [generate(function.record(), isa) for isa in ("x86_64", "aarch64")]
        for column, code in enumerate(codes, start=1):
            shown = [text for row in rows(codes) for text in row[column] if text]
            assert sorted(shown) == sorted(i.text for i in code.instructions)


def test_a_round_has_a_row_and_the_keys_are_one_apart():
    codes = [generate(short.record(), isa) for isa in ("x86_64", "aarch64")]
    rounds = [row for row in rows(codes) if row[1][0].startswith("aesenc ")]
    assert [row[1][0][:9] for row in rounds] == ["aesenc 16", "aesenc 32", "aesenc 48"]
    assert all([text.split()[0] for text in row[2]] == ["ldr", "aese", "aesmc"] for row in rounds)
    assert rounds[0][0] == ["state = aesenc(state, load128(keys, 4 * n))"] and rounds[1][0] == [""]


def test_moving_on_belongs_to_the_loop():
    codes = [generate(short.record(), isa) for isa in ("x86_64", "aarch64")]
    assert rows(codes)[-1][0] == ["the loop around it"] and "jnz 1b" in rows(codes)[-1][1]
    assert not any("return out" in row[0][0] for row in rows(codes))
