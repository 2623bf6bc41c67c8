"""The key expansion's pictures against FIPS-197 appendix A, the keys of decryption against pyaes."""

import csv
import re
from itertools import groupby
from xml.etree import ElementTree

import pytest

from aesedu import data
from aesedu.cipher.key_schedule import trace
from aesedu.views import key_expansion as view

GAP = 167  # px from station to station


def appendix():
    """{key: rows of its table}, as FIPS-197 prints them."""
    with data.path("vectors/fips197_key_expansion.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {bytes.fromhex(key): list(lines) for key, lines in groupby(rows, lambda row: row["key"])}


TABLES = appendix()


def groups(picture):
    """Bytes of each named group of a picture, as hexadecimal text."""
    root = ElementTree.fromstring(re.search("<svg.*?</svg>", picture)[0])
    return {
        group.get("data-name"): "".join(t.text for t in group.iter("text")).replace(" ", "")
        for group in root.iter("g")
        if group.get("data-name")
    }


def check_word(key, row, printed):
    shown = groups(view.board(key, row))
    i, nk = int(printed["i"]), len(key) // 4
    for n, column in enumerate(("temp", "after_rot_word", "after_sub_word", "after_xor_rcon", "w")):
        assert shown[f"at{GAP * n}"] == printed[column]
    below = {shown[name] for name in shown if name.startswith("at") and int(float(name[2:])) % GAP}
    assert below == {printed["w_i_minus_nk"]} | ({printed["rcon"]} if printed["rcon"] else set())
    assert shown[f"w{i}"] == printed["w"] and shown[f"w{i - nk}"] == printed["w_i_minus_nk"]
    assert f"w{i + 1}" not in shown, "a word still to come is shown"


@pytest.mark.parametrize("key", TABLES, ids=lambda key: f"{8 * len(key)} bits")
def test_every_word_of_appendix_a(key):
    rows = list(trace(key))
    assert len(rows) == len(TABLES[key]) > 39
    for row, printed in zip(rows, TABLES[key], strict=True):
        check_word(key, row, printed)


def test_planted_fault_is_caught():
    key = next(key for key in TABLES if len(key) == 32)
    row = list(trace(key))[4]
    with pytest.raises(AssertionError):
        check_word(key, row._replace(after_sub_word=None), TABLES[key][4])


def test_sentences_tell_the_three_cases():
    key = next(key for key in TABLES if len(key) == 32)
    rows = list(trace(key))
    first, second, fifth = (" ".join(view.sentence(key, rows[n])) for n in (0, 1, 4))
    assert "w[8] = w[0] XOR SubWord(RotWord(w[7])) XOR Rcon[1] = 9ba35411" in first
    assert "w[9] = w[1] XOR w[8] = 8e6925af" in second and "one XOR" in second
    assert "w[12] = w[4] XOR SubWord(w[11]) = a8b09c1a" in fifth and "without RotWord and Rcon" in fifth


def test_the_algorithm_marks_what_applies():
    key = next(key for key in TABLES if len(key) == 24)
    marked = [re.findall('class="m o" [^>]*>([^<]*)<', view.board(key, row).split("</svg>")[1]) for row in trace(key)]
    assert [("RotWord, SubWord," in lines) for lines in marked[:7]] == [True, *[False] * 5, True]
    assert not any("SubWord" in lines for lines in marked)


@pytest.mark.parametrize("size", [16, 24, 32])
def test_decryption_keys_against_pyaes(size):
    aes = pytest.importorskip("pyaes").AES(bytes(range(size)))
    theirs = [[" ".join(f"{word & 0xFFFFFFFF:08x}" for word in words) for words in keys] for keys in (aes._Ke, aes._Kd)]
    html = view.decryption_keys(bytes(range(size)))
    table = ElementTree.fromstring(re.search("<table.*</table>", html)[0])
    rows = [[cell.text for cell in row] for row in table.find("tbody")]
    last = len(rows) - 1
    assert [row[1] for row in rows] == theirs[0] and [row[3] for row in rows] == theirs[1][::-1]
    assert [row[2] for row in rows if "as it is" in row[2]] == [f"{last}, as it is", "0, as it is"]
    assert f"Round keys 1 to {last - 1} pass through InvMixColumns" in html


def test_pictures_are_named_and_small():
    for key in TABLES:
        for html in (view.board(key, list(trace(key))[-1]), view.decryption_keys(key)):
            assert len(html) < 60_000
            for svg in re.findall("<svg[^>]*>", html):
                assert 'role="img"' in svg and "aria-label=" in svg
