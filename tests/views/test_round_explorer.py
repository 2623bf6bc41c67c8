"""The round explorer's pictures: every number against FIPS-197's appendices, and what a picture owes its readers."""

import csv
import re
from itertools import groupby
from xml.etree import ElementTree

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings
from hypothesis import strategies as st

from aesedu import data
from aesedu.cipher import ttable
from aesedu.views import round_explorer as view
from aesedu.views.round_frame import DIRECTIONS, Place, frame, from_hex, place_of, result, rounds_of, step_of, steps

KEYS = st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
BLOCKS = st.binary(min_size=16, max_size=16)
C1 = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")
STEPS = {"SubBytes": "s_box", "ShiftRows": "s_row", "MixColumns": "m_col", "round_key": "k_sch", "AddRoundKey": "after"}


def appendix():
    """(key, block, direction, values of each round by FIPS-197's names) of the examples B and C.1 to C.3."""
    with data.path("vectors/fips197_cipher.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["direction"] != "decrypt"]
    schedule = []
    for (key, way), lines in groupby(rows, lambda row: (row["key"], row["direction"])):
        rounds = [{} for _ in range(rounds_of(bytes.fromhex(key)) + 1)]
        for row in lines:
            rounds[int(row["round"])][row["step"][way != "encrypt" :]] = bytes.fromhex(row["value"])
        rounds[0]["start"] = rounds[0]["input"]
        for values, following in zip(rounds, [*rounds[1:], {"start": rounds[-1]["output"]}], strict=True):
            values["after"] = following["start"]
        schedule = [values["k_sch"] for values in rounds] if way == "encrypt" else schedule[::-1]
        for values, words in zip(rounds, schedule, strict=True):
            values["w"] = words  # of the key schedule, from which the equivalent inverse's keys are made
        yield bytes.fromhex(key), rounds[0]["input"], DIRECTIONS[way != "encrypt"], rounds


EXAMPLES = list(appendix())


def drawn(seen):
    """The bytes of a board by the name of their group and their number in it."""
    root = ElementTree.fromstring(view.board(seen))
    return {
        group.get("data-name"): {int(t.get("data-i")): int(t.text, 16) for t in group.iter("text") if t.get("data-i")}
        for group in root.iter("g")
        if group.get("data-name")
    }


def times(factor, b):
    """The product in GF(2^8): carry-less, then reduced from the top; written apart from the package's."""
    product = 0
    for bit in range(4):
        product ^= (b << bit) * (factor >> bit & 1)
    for bit in range(10, 7, -1):
        product ^= (0x11B << bit - 8) * (product >> bit & 1)
    return product


def matrix_column(direction, row, last):
    first = (2, 1, 1, 3) if direction == "encrypt" else (0xE, 9, 0xD, 0xB)
    return [int(r == row) if last else first[(r - row) % 4] for r in range(4)]


def check_round(key, block, direction, number, values):
    """Every number of every step of one round against the appendix."""
    last_word = 4 if number else 1
    for column in range(4):
        for word in range(last_word + 1):
            check_step(frame(key, block, direction, Place(number, column, word)), values)
    shown = drawn(frame(key, block, direction, Place(number, 3, last_word)))
    assert all(len(shown[name]) == 16 for name, step in STEPS.items() if step in values)


def check_step(seen, values):
    shown = drawn(seen)
    assert bytes(shown["before"].values()) == values["start"]
    for name, step in {**STEPS, "after": "after"}.items():
        assert all(values[step][i] == b for i, b in shown.get(name, {}).items()), (seen.place, name)
    assert ("MixColumns" in shown) == ("m_col" in values) and ("SubBytes" in shown) == ("s_box" in values)
    check_words(seen, values, shown)
    if seen.term.lookup:
        check_panels(seen, values, shown)
    elif seen.place.word:
        check_key_panels(seen, values, shown)


def check_words(seen, values, shown):
    """Table words from the appendix's S-box values, the key word, and the XOR of what is shown."""
    (number, column, word), step = seen.place, 1 if seen.direction == "encrypt" else -1
    words = [bytes(shown[f"word{n}"].values()) for n in range(word + 1)]
    assert all(not shown[f"word{n}"] for n in range(word + 1, len(seen.terms)))
    for n, one in enumerate(words if number else []):
        if n < 4:
            s = values["s_box"][n + 4 * ((column + n * step) % 4)]
            assert list(one) == [times(f, s) for f in matrix_column(seen.direction, n, seen.last)], (seen.place, n)
    if word == len(seen.terms) - 1:
        assert words[-1] == values["k_sch"][4 * column :][:4]
        assert bytes(shown["total"].values()) == values["after"][4 * column :][:4]
    total = [0, 0, 0, 0]
    for one in words:
        total = [a ^ b for a, b in zip(total, one, strict=True)]
    assert total == list(shown["total"].values())


def check_panels(seen, values, shown):
    row, source = seen.term.lookup[:2]
    assert bytes(shown["register"].values()) == values["start"][4 * source :][:4][::-1]
    assert shown["product"] == shown["rotated"] == shown[f"word{row}"]
    s = values["s_box"][row + 4 * source]
    assert list(shown["first"].values()) == [times(f, s) for f in matrix_column(seen.direction, 0, seen.last)]


def check_key_panels(seen, values, shown):
    """The key word, the word of the key schedule it is from, and the last XOR."""
    assert bytes(shown["schedule"].values()) == values["w"][4 * seen.place.column :][:4]
    assert shown["taken"] == shown["key"] == shown["added"] == shown[f"word{len(seen.terms) - 1}"]
    assert shown["sum"] == shown["total"]
    assert [a ^ b for a, b in zip(shown["so_far"].values(), shown["added"].values(), strict=True)] == [
        *shown["sum"].values()
    ]


@pytest.mark.parametrize(("key", "block", "direction", "rounds"), EXAMPLES)
def test_every_number_is_the_appendix_s(key, block, direction, rounds):
    for number, values in enumerate(rounds):
        check_round(key, block, direction, number, values)


def test_the_examples_are_there():
    assert len(EXAMPLES) == 7 and {len(rounds) for *_, rounds in EXAMPLES} == {11, 13, 15}


@pytest.mark.parametrize("name", ["TE", "TD", "TE_LAST", "TD_LAST"])
def test_a_wrong_table_word_is_caught(name, monkeypatch):
    key, block, direction, rounds = next(e for e in EXAMPLES if e[2] == ("decrypt" if "D" in name else "encrypt"))
    number = len(rounds) - 1 if "LAST" in name else 3
    index = rounds[number]["start"][4 * 2 + 1]
    tables = [list(table) for table in getattr(ttable, name)]
    tables[1][index] ^= 1 << 13
    check_round(key, block, direction, number, rounds[number])
    monkeypatch.setattr(ttable, name, tables)
    with pytest.raises(AssertionError):
        check_round(key, block, direction, number, rounds[number])


@pytest.mark.parametrize("word", [3, 4])
def test_a_wrong_number_anywhere_is_caught(word, monkeypatch):
    """Each byte of a picture in turn, off by one bit."""
    key, block, direction, rounds = EXAMPLES[0]
    seen = frame(key, block, direction, Place(2, 3, word))
    board, check = view.board(seen), lambda: check_step(seen, rounds[2])
    check()
    marks = list(re.finditer(r'data-i="\d+">(..)<', board))
    assert len(marks) > 100
    for mark in marks:
        wrong = f"{int(mark[1], 16) ^ 0x10:02x}"
        monkeypatch.setattr(view, "board", lambda _, m=mark, w=wrong: board[: m.start(1)] + w + board[m.end(1) :])
        with pytest.raises(AssertionError):
            check()


@settings(deadline=None, max_examples=40)
@given(KEYS, BLOCKS)
def test_results_are_openssl_s(key, block):
    encrypted = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)
    assert result(key, block, "encrypt") == encrypted and result(key, encrypted, "decrypt") == block
    seen = frame(key, block, "encrypt", place_of(steps(rounds_of(key)) - 1))
    assert bytes(drawn(seen)["after"].values()) == encrypted == seen.added


@settings(deadline=None, max_examples=20)
@given(KEYS, BLOCKS, st.sampled_from(DIRECTIONS), st.data())
def test_every_picture_is_named_and_says_what_it_shows(key, block, direction, data):
    seen = frame(key, block, direction, place_of(data.draw(st.integers(0, steps(rounds_of(key)) - 1))))
    root = ElementTree.fromstring(view.board(seen))
    pictures = list(root.iter("svg"))
    assert len(pictures) == 4 and all(p.get("role") == "img" and p.get("aria-label") for p in pictures)
    description = pictures[0].find("desc").text
    assert re.sub("<.*?>", "", view.sentence(seen)[0]) in description
    assert seen.before.hex(" ", 4) in description and seen.term.word.hex(" ") in description
    assert len(view.board(seen)) < 60_000


def test_nothing_to_come_is_told():
    """What is not XORed in yet stands neither in the picture nor in its description."""
    _, _, _, rounds = EXAMPLES[0]
    seen = frame(*EXAMPLES[0][:3], Place(1, 0, 0))
    assert not drawn(seen)["after"] and not drawn(seen)["AddRoundKey"]
    assert rounds[1]["m_col"][:4].hex(" ") not in view.in_words(seen)


def test_the_whole_round_is_told_when_asked_for():
    key, block, direction, rounds = EXAMPLES[0]
    shown = drawn(frame(key, block, direction, Place(4, 1, 2), whole=True))
    assert bytes(shown["after"].values()) == rounds[4]["after"]
    assert bytes(shown["total"].values()) == rounds[4]["after"][4:8]


def test_sentence():
    one, two = view.sentence(frame(*C1, "encrypt", Place(1, 1, 2)))
    said = re.sub("<.*?>", "", one)
    assert said == "Column 1, word 3 of 5: row 2, column 3 holds e0; Te2[e0] is e1 38 d9 e1."
    assert "53 f1 b0 9a" in two


def test_equivalent_inverse_keys_say_what_they_are_made_of():
    middle = view.board(frame(*C1, "decrypt", Place(9, 0, 4)))
    assert "dk[36] is made of w[4]" in middle and "8c" in middle  # known answer eqinv-rk1: 8c 56 df f0
    assert bytes(drawn(frame(*C1, "decrypt", Place(9, 0, 4)))["key"].values()).hex() == "8c56dff0"
    assert "dk[40] is w[0]" in view.board(frame(*C1, "decrypt", Place(10, 0, 4)))


@pytest.mark.parametrize("rounds", [10, 12, 14])
def test_places_and_steps_match(rounds):
    places = [place_of(n) for n in range(steps(rounds))]
    assert [step_of(place) for place in places] == list(range(steps(rounds))) and sorted(set(places)) == places
    assert places[0] == (0, 0, 0) and places[-1] == (rounds, 3, 4) and len(places) == 8 + 20 * rounds


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_chosen_byte_is_the_one_looked_up(direction):
    seen = frame(*C1, direction, Place(3, 0, 0))
    for row in range(4):
        for column in range(4):
            there = frame(*C1, direction, seen.look_up(row, column))
            assert there.term.lookup[:2] == (row, column)
            assert there.moved(1, 0) == seen.look_up((row + 1) % 4, column)
            assert there.moved(0, -1) == seen.look_up(row, (column - 1) % 4)
    assert frame(*C1, direction, Place(0, 2, 1)).moved(0, 1) == Place(0, 3, 0)


@pytest.mark.parametrize(
    ("digits", "says"),
    [
        ("00zz", "The key has 'z' in it"),
        ("", "The key has 0 hexadecimal digits; it needs 32, 48 or 64."),
        ("0" * 31, "31 hexadecimal digits"),
        ("é" * 32, "'é'"),
        ("0" * 128, "128 hexadecimal digits"),
    ],
)
def test_wrong_digits_are_named(digits, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        from_hex("The key", digits, (16, 24, 32))


def test_digits_may_be_grouped():
    assert from_hex("The key", "0x2B7E 1516\t28:ae", [7 - 1]) == bytes.fromhex("2b7e151628ae")


def test_a_wrong_direction_is_refused():
    with pytest.raises(ValueError, match="sideways"):
        frame(*C1, "sideways", Place(1, 0, 0))


def test_static_twin_is_a_picture_and_a_table():
    html = view.static(*C1, "encrypt", Place(1, 1, 2))
    assert html.count("<svg") == 4 and "<script" not in html and "<button" not in html
    for words in ("Te2[e0]  e1 38 d9 e1", "rk[5]  d2 af 72 fa", "85 5a ce 68"):
        assert words in html.split("<table")[1]
    assert "s3  cc dd ee ff" in view.static(*C1, "encrypt", Place(0, 0, 0)).split("<table")[1]


def test_buttons_lie_where_the_bytes_are():
    gap = view.PITCH_X - view.CELL_W
    assert gap == view.PITCH_Y - view.CELL_H
    grid = f"repeat(4, {view.CELL_H}px) / repeat(4, {view.CELL_W}px); gap: {gap}px"
    assert f"left: {view.STATE_X}px; top: {view.STATE_Y}px; display: grid; grid: {grid}" in view.css()


def test_text_is_large_enough():
    sizes = [float(size) for size in re.findall(r"font(?:-size)?:\s*([\d.]+)px", view.css())]
    assert len(sizes) >= 4 and min(sizes) >= 12.5
