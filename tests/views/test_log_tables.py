"""Tables of tcrypt's as HTML: every number in its place, bars relative to their cell, the two extremes named."""

import re

import pandas
import pytest

from aesedu.bench import tables, tcrypt
from aesedu.views import log_tables as view
from aesedu.widgets import TcryptTables, change_chart, show_table
from aesedu.widgets.log_tables import sources


@pytest.fixture(scope="module")
def every():
    return sources()


@pytest.fixture(scope="module")
def changed(every):
    return tables.change(*list(every.values())[:2])


def test_cells_hold_every_row_of_the_mode(every):
    html = view.cells(every, "xts", "dec")
    for frame in every.values():
        for row in frame[(frame["mode"] == "xts") & (frame.direction == "dec")].itertuples():
            assert f">{row.cycles:,}<" in html
    assert html.count("<i ") == 45


def test_bars_are_relative_to_the_longest_of_the_cell(every):
    row = re.findall("<tr.*?</tr>", view.cells(every, "ecb", "enc"))[1:4]
    first = [float(re.search(r"width:([\d.]+)%", each)[1]) for each in row]
    assert first == [100.0, round(100 * 511 / 768, 1), round(100 * 763 / 768, 1)]


def test_cycles_a_byte_and_a_cell_that_is_missing(every):
    some = {"one": every["Core 2, stock"], "two": every["VIA C3, PadLock"].iloc[1:]}
    html = view.cells(some, "ecb", "enc", per_byte=True)
    assert ">48.0<" in html and "–" in html


def test_log_reads_as_tcrypts(every):
    text = re.sub("<.*?>", "", view.log({"stock": every["Core 2, stock"]}, "lrw", "enc"))
    lines = [re.sub(" +", " ", line) for line in text.splitlines()]
    read = tcrypt.read("\n".join([lines[0].removesuffix(" stock"), *lines[1:]]))
    frame = every["Core 2, stock"]
    assert list(read.cycles) == list(frame[(frame["mode"] == "lrw") & (frame.direction == "enc")].cycles)


def test_chart_has_all_changes_and_names_the_two_extremes(changed):
    svg = view.changes(changed)
    assert svg.count("ae-mark") == 120 and svg.count("ae-hollow") == 2
    assert "ecb enc 128: \N{MINUS SIGN}33.46 %" in svg and "ecb dec 128: +2.62 %" in svg
    assert "average -6.64, from -33.46 to 2.62" in svg


def test_sentence_holds_each_source_against_the_first(every):
    headline, detail = view.sentence(every, "ecb", "enc")
    assert headline == "ecb enc, 128 key bits, 8,192 bytes: Core 2, stock takes 119,202 cycles."
    assert "Against the cycles of Core 2, stock: Core 2, patched 0.926 times;" in detail
    assert detail.endswith("VIA C3, PadLock 0.0552 times.")
    assert "No source has gcm" in view.sentence(every, "gcm", "enc")[0]


def test_numbers_have_three_digits(every):
    html = view.numbers(tables.fits(every["VIA C3, PadLock"]), "fits")
    assert ">0.687<" in html and ">\N{MINUS SIGN}6.08<" in html and html.count("<tr>") == 25


def test_card_shows_a_live_table_beside_the_sources(every):
    card = TcryptTables({"this machine": every["Core 2, stock"].assign(cycles=1.0)})
    before = card.picture.value
    assert "this machine" in before
    card.mode.value, card.form.value = "cbc", "as tcrypt prints it"
    assert "testing speed of cbc(aes) encryption" in card.picture.value and card.picture.value != before
    assert "this machine" in card.picture.value and "this machine" in card.static() and not card.errors


def test_card_leaves_out_what_is_not_measured_yet():
    assert "this machine" not in TcryptTables({"this machine": pandas.DataFrame()}).picture.value


def test_chart_and_tables_stand_alone_in_a_cell(every):
    chart, table = change_chart().data, show_table(tables.fits(every["Core 2, stock"]), "Fits").data
    assert "What the patch of 2008 changed" in chart and "<style>" in chart
    assert table.count("<tr>") == 25 and 'class="ae-view"' in table
