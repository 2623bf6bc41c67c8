"""Interleaving without a kernel: what its controls do to the picture, the text and the sentence."""

import re

import pytest

from aesedu import machines
from aesedu.views import interleaving as view
from aesedu.views.chart import number
from aesedu.widgets import Interleaving, interleaving


@pytest.fixture
def card(monkeypatch):
    monkeypatch.setattr(view, "SIMULATED", 0)  # as few passes as there may be
    made = Interleaving()
    yield made
    assert not made.errors


def said(card):
    return re.sub("<.*?>", "", card.sentence.value)


def test_nothing_is_given_away_at_first(card):
    assert card.seen.weave == 0 and "B: lagged" in card.board.value and "B (lagged) takes" in said(card)


def test_one_change_draws_one_picture(card):
    for name, value in (
        ("weave", 5), ("weave_box", 7), ("machine", "zen4"), ("steady", True), ("first", 9), ("budget", 15),
        ("budget_box", 12), ("lag", False), ("lag", True), ("subject", "round"), ("machine", "core2"), ("blocks", 8),
    ):  # fmt: skip
        before = card._drawn
        getattr(card, name).value = value
        assert card._drawn == before + 1, name
    assert card.seen[:5] == ("round", "core2", 8, True, 7)


def test_slider_and_box_follow_each_other_and_the_registers_follow_the_core(card):
    card.weave.value = 3
    assert card.weave_box.value == 3 and card.budget.value == card.budget.max == 16
    card.machine.value = "n1"
    assert card.budget.value == card.budget_box.value == card.budget.max == 32
    card.budget.value = 20
    card.machine.value = "zen5"
    assert card.budget.value == 16


def test_without_a_lag_there_is_nothing_to_weave(card):
    card.weave.value = 4
    card.lag.value = False
    assert card.weave.disabled and card.weave_box.disabled and "nothing to weave" in said(card)
    card.subject.value = "round"
    assert not card.weave.disabled and card.lag.disabled and card.blocks.disabled


def test_what_cannot_be_leaves_the_last_picture(card):
    before = card.board.value
    card.machine.value = "core2"
    assert card.board.value == before and "no AES instructions" in said(card)
    card.go(3)
    assert "Cycle 3" in card.picture.value
    card.machine.value = "a72"
    assert card.board.value != before and "Cortex-A72" in said(card)


def test_cycles_count_from_0_and_move_the_cursor_only(card):
    assert (card.slider.value, card.slider.min, card.box.min) == (0, 0, 0)
    before = card.board.value
    card.slider.value = 30
    assert "Cycle 30" in card.picture.value and "translate:300px" in card.picture.value and card.board.value == before
    card.go(10**6)
    assert card.place == card.slider.max == max(window.end for window in card.windows)
    card.weave.value = 7
    assert card.place <= card.slider.max == max(window.end for window in card.windows)


def test_text_twin_is_there_when_asked_for(card):
    assert not card.text.value
    card.as_text.value = True
    assert "ports busy: " in card.text.value and "waits for" in card.text.value
    before = card.text.value
    card.weave.value = 2
    assert card.text.value != before
    card.as_text.value = False
    assert not card.text.value


def test_static_twin_has_picture_limits_and_text(card):
    html = card._twin_html()
    assert html.count('role="img"') == 2 and "if only this limited" in html and "ports busy: " in html
    assert not re.search("<(script|button|input|select)", html)


def test_it_begins_as_told():
    made = Interleaving(machine="thunderx2", weave=7, blocks=8)
    assert made.weave.value == 7 and made.blocks.value == 8 and "Marvell ThunderX2" in made.board.value


# --- timed here -------------------------------------------------------------------------------------------------------


def cells(live):
    table = re.search("<tbody>(.*?)</tbody>", live.picture.value)[1]
    return [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", line) for line in table.split("</tr>")[:-1]]


def test_the_model_stands_beside_what_will_be_timed(card):
    live = card.live()
    assert card.live() is live
    assert [row[:2] for row in cells(live)] == [
        [window.variant.title, number(window.trace.cycles / 64)] for window in card.windows
    ]
    card.weave.value = 7
    assert cells(live)[1][0] == "B: woven, 1 step a turn" and list(live.rows) == [row[0] for row in cells(live)]
    assert live.source.verdict([])[0] == "Cannot tell." and not live.errors


def test_cycles_are_counted_by_the_byte_or_by_the_round(card):
    live = card.live()
    assert live.source.per_block({"A: sequential": {0: 8192 * 0.5}}, 8192) == {"A: sequential": {0: 0.5}}
    card.subject.value = "round"
    name = "A: one after the other"
    assert live.source.per_block({name: {3: 256 * 2 * 11.5}}, 8192) == {name: {3: 11.5}}


@pytest.mark.parametrize("subject", ["gcm", "round"])
def test_a_run_gives_both_their_cycles(card, subject):
    card.subject.value = subject
    card.weave.value = 7
    live = card.live()
    if live.source.reason:
        assert live.source.reason in live.picture.value
        return
    live.rounds.value = 8
    live.start()
    live._thread_of_run.join(60)
    assert all(row.value for row in live.rows.values()) and "Measured on this machine." in live.sentence.value
    assert not live.errors and len(live.source.record()) == 2
    card.machine.value = "zen4"  # the model changes, not what was measured
    assert all(row.value for row in live.rows.values()) and "model of AMD Zen 4" in live.picture.value
    card.weave.value = 3
    assert not any(row.value for row in live.rows.values())


def test_the_models_error_is_told_of_the_hosts_own_core_only(card, monkeypatch):
    monkeypatch.setattr(interleaving, "host", lambda: "skylake")
    assert "model against measured" in card.live()._picture(list(card.live().rows.values()))
    monkeypatch.setattr(interleaving, "host", lambda: None)
    assert "cannot be told" in card.live()._picture(list(card.live().rows.values()))
    assert set(view.HOSTS.values()) == set(machines.names())
