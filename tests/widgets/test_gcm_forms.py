"""Notebook 07's live card without a kernel, and source 003's figures as tables and charts: numbers as in the mails."""

import re

import pytest

from aesedu.bench import interleaving
from aesedu.views import gcm_forms as view
from aesedu.views.chart import Row
from aesedu.widgets import GcmForms, extra_time_chart, gains_beside_model, gains_table, thunderx2_chart
from aesedu.widgets.gcm_forms import _FORMS

MINUS = "\N{MINUS SIGN}"


def cells(html):
    rows = re.findall(r"<tr>(.*?)</tr>", html)[1:]
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def cycles(**factors):
    """Rounds of all seven, 100 cycles unless a factor says otherwise; each at places of its own."""
    names = [*_FORMS, view.CONTROL]
    return {name: {n: 100.0 * factors.get(name, 1) * (1 + n % 3 / 1000) for n in range(40)} for name in names}


@pytest.fixture
def card():
    made = GcmForms()
    yield made
    assert not made.errors


def test_before_a_run_there_is_no_gain_and_no_verdict(card):
    assert card.gain("woven", 4) is None and card.source.verdict([], {})[0] == "Cannot tell."


def test_gains_are_more_bytes_a_second(card):
    card.source.cycles = cycles(**{"woven ×4": 0.8, "woven ×8": 0.5})
    card.rows = {name: Row(name, value=100.0, low=99.0, high=101.0) for name in card.rows}
    assert card.gain("woven", 4) == 25.0 and card.gain("woven", 8) == 100.0 and card.gain("lagged", 4) == 0.0
    headline, detail = card._verdict(list(card.rows.values()))
    assert headline == "woven ×8 is the fastest of the six."
    assert detail.startswith("Bytes a second against sequential ×4: lagged ×4: cannot tell; woven ×4: +25.0 % (+2")
    assert "woven ×8: +100.0 %" in detail


def test_the_model_stands_beside_each_form(card):
    models = dict.fromkeys(_FORMS, 12.0)
    rows = {name: Row(name, value=10.0, low=9.0, high=11.0) for name in (*_FORMS, view.CONTROL)}
    found = cells(view.board(rows, {}, models, "a core"))
    assert found[0] == ["sequential ×4", "10.0", "9.00 to 11.0", "12.0", "+20 %"] and len(found) == 7
    assert found[-1][-2:] == ["", ""], "the control is no form of its own"
    assert "model" not in view.board(rows, {}, models, "")


def test_recorded_times_stand_beside_the_model_of_their_own_core(card):
    if not card.core or len(card.origin.options) < 2:
        pytest.skip("no recorded run, or no core of this instruction set")
    own = card.core.value = next(name for _, name in card.core.options if name != "zen4")
    card._own, live = own, card.origin.value
    card.origin.value = card.origin.options[1][1]
    assert card.core.value == "zen4" and "model of AMD Zen 4" in card.picture.value
    card.origin.value = live
    assert card.core.value == own


def test_another_core_changes_the_model(card):
    if not card.core:
        pytest.skip("no core of this instruction set is described")
    names = [name for _, name in card.core.options]
    card.core.value = names[0]
    first = card.model_gain("woven", 4)
    card.core.value = names[-1]
    assert first != card.model_gain("woven", 4) and card.core.label in card.picture.value


def test_tables_have_the_figures_of_the_patch():
    found = cells(gains_table().data)
    assert len(found) == 9 and found[2] == ["A57", "256", f"{MINUS}6 %", "+3.3 %", "+21 %"]
    beside = cells(gains_beside_model().data)
    assert [row[2] for row in beside] == [row[4] for row in found]


def test_charts_name_the_worst_case_and_the_break():
    chart = thunderx2_chart().data
    assert chart.count("scale(") == 48 and f"AES-256: {MINUS}21.09 %" in chart and "AES-256: +26.72 %" in chart
    extra = extra_time_chart().data
    assert "from 1,024 bytes on another path" in extra and "AES-256, 1420 bytes: 525" in extra
    assert extra.count("ae-thin") == 3 * (3 + 3)


def test_extra_time_is_to_scale_and_the_names_of_sizes_do_not_touch():
    extra = extra_time_chart().data
    dots = sorted({float(x) for x in re.findall(r'<svg x="([\d.]+)%" y=', extra)})
    sizes = [16, 64, 256, 512, 1024, 1420, 4096, 8192]
    assert [dots[-1] * size / 8192 for size in sizes] == pytest.approx(dots, abs=0.02)
    names = {int(n.replace(",", "")): float(x) for x, n in re.findall(r'x="([\d.]+)%" [^>]*>([\d,]+)</text>', extra)}
    assert {512, 1420, 4096, 8192} <= set(names) < set(sizes)
    places = sorted(names.values())
    assert all(right - left > 4.5 for left, right in zip(places, places[1:], strict=False)), "34 px of 744"
    assert all(names[size] == pytest.approx(dots[sizes.index(size)]) for size in names)


def test_the_model_has_the_sign_of_all_nine_gains_at_8_kib():
    frame = interleaving.gains_beside_model()
    assert len(frame) == 9 and (frame.stated > 0).all() and (frame.model > 5).all()


def test_the_recorded_run_has_the_figures_that_notebook_07_quotes(card):
    card.rows = {row.label: card._stand_in(row.label) for row in card.source.rows}
    assert card.lag == "cannot tell"
    gains = [card.gain(*each) for each in (("woven", 4), ("sequential", 8), ("woven", 8))]
    assert [round(gain) for gain in gains] == [47, 45, 71]
    assert "hollow" in card._picture([*card.rows.values()]) and "(recorded)" in card.picture.value + card._picture(
        [*card.rows.values()]
    )
