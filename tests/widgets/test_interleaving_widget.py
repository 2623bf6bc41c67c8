"""Interleaving without a kernel: what its controls do to the picture, the text and the sentence."""

import re
import threading
from dataclasses import replace

import pytest

from aesedu import machines
from aesedu.codegen import BudgetError
from aesedu.machines import MachineError
from aesedu.native.assembler import ISA
from aesedu.views import interleaving as view
from aesedu.views.chart import Row, number
from aesedu.widgets import Interleaving, interleaving
from aesedu.widgets.bench_panel import Update
from aesedu.widgets.interleaving import OrderSource


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


def test_the_cycle_that_is_shown_is_one_in_which_the_rows_do_something(card):
    card.first.value = 90
    assert card.place > 20 and "Nothing shown here is under way" not in card.picture.value.split("</p>")[1]
    later = card.place + 3
    card.go(later)
    card.weave.value = 1
    assert card.place >= min(later, card._begin)
    assert "Nothing shown here is under way" not in Interleaving(first=90).picture.value.split("</p>")[1]


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


@pytest.mark.parametrize(
    ("choices", "error", "says"),
    [
        ({"blocks": 5}, ValueError, "blocks is one of 4, 8, not 5"),
        ({"weaves": 5}, TypeError, "no choice 'weaves'"),
        ({"machine": "core2"}, MachineError, "no AES instructions.* Choose the T-table round, or another core"),
    ],
)
def test_what_cannot_be_chosen_is_told_with_what_can(choices, error, says):
    with pytest.raises(error, match=says):
        Interleaving(**choices)


@pytest.mark.parametrize("choices", [{}, {"machine": "core2", "subject": "round", "budget": 6, "weave": 7}])
def test_what_a_notebook_keeps_of_it_is_bounded(choices):
    """With all passes, so that waits are as long as they get."""
    card = Interleaving(**choices)
    html = card._twin_html()
    assert len(html.encode()) < 250_000 and re.search(r"Rows 1 to \d+ of \d+\.", html)


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


def pretend(live, cycles=(100, 90)):
    """As if a run had measured these."""
    for row, value in zip(list(live.rows.values()), cycles, strict=True):
        live.rows[row.label] = replace(row, value=float(value), low=1.0, high=999.0, note="")
    live._draw()


def figures(live):
    """The model's and this machine's cells, of each order."""
    return [row[1:3] for row in cells(live)]


@pytest.mark.parametrize(("name", "value"), [("blocks", 8), ("budget", 9), ("subject", "round"), ("weave", 2)])
def test_other_orders_have_no_figures_of_the_ones_before(card, name, value):
    live = card.live()
    pretend(live)
    assert [here for _, here in figures(live)] == ["100", "90.0"]
    getattr(card, name).value = value
    assert all(model and not here for model, here in figures(live)), "in a saved notebook, too"
    assert ">100<" not in live._twin_html() and "Press Run" in live.sentence.value


@pytest.mark.parametrize(("name", "value"), [("budget", 6), ("machine", "core2")])
def test_what_cannot_be_shown_has_no_figures_of_the_picture_that_is_left(card, monkeypatch, name, value):
    live = card.live()
    pretend(live)

    def refuse(seen):
        raise MachineError("refused") if name == "machine" else BudgetError("refused", 7)

    with monkeypatch.context() as patch:
        patch.setattr(view.Seen, "windows", property(refuse))
        getattr(card, name).value = value
        assert not any(model for model, _ in figures(live))
        assert any(here for _, here in figures(live)) == (name == "machine"), "what was measured was of these orders"
    card.choose("machine", "n1")
    assert all(model for model, _ in figures(live))


def test_a_choice_during_a_run_ends_it_and_its_figures_are_not_shown(card, monkeypatch):
    live, go = card.live(), threading.Event()
    monkeypatch.setattr(live.source, "reason", live.source.reason)
    live.rows = {label: replace(row, note="") for label, row in live.rows.items()}
    live.source.rows = list(live.rows.values())
    monkeypatch.setattr(OrderSource, "_reason", lambda self: self.reason)

    def run(labels, size, rounds):
        for n, label in enumerate(labels):
            yield Update(n, 9, Row(label, value=77.0, low=76.0, high=78.0))
        go.wait(10)
        yield Update(9, 9, Row(labels[0], value=78.0, low=76.0, high=78.0))

    monkeypatch.setattr(live.source, "run", run)
    live.start()
    thread = live._thread_of_run
    card.blocks.value = 8
    assert not any(here for _, here in figures(live))
    go.set()
    thread.join(10)
    assert not any(here for _, here in figures(live)) and "Press Run" in live.sentence.value
    assert not any(row.value for row in live.rows.values()) and not live.errors


def test_masked_instructions_are_refused_and_not_run(card, monkeypatch):
    live = card.live()
    monkeypatch.setenv("AESEDU_MASK_FEATURES", "aes,pclmulqdq,pmull")
    live.run_button.click()
    assert live._thread_of_run is None and "None of these can be timed here: this" in live.sentence.value
    assert "lacks aes" in live.picture.value
    if ISA == "x86_64":
        monkeypatch.setenv("AESEDU_MASK_FEATURES", "avx")
        live.run_button.click()
        assert "this processor lacks avx" in live.sentence.value


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
