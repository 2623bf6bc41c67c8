"""What every widget of every notebook must stand, in JupyterLab and in Notebook 7, without a network.

The tests of one page run in the order written here; the last ones end its kernel.
"""

import re
import statistics
import time

import probes
import pytest

THEMES = ("light", "dark")
WIDTHS = (848, 1112, 1752)  # px of an output: a window of 1280 with a sidebar, without one, 1920
LARGEST_MESSAGE = 250_000  # bytes


def control(card, name):
    """The control of that name, of whatever kind."""
    exact = {"name": name, "exact": True}
    button, slider = card.get_by_role("button", **exact), card.get_by_role("slider", **exact)
    return button.or_(slider).or_(card.get_by_label(name, exact=True)).first


def version(card):
    return card.locator("[data-v]").first.get_attribute("data-v")


def wait_for_change(opened, card, before, limit=5_000):
    """Milliseconds until the picture is another one."""
    start = time.perf_counter()
    while version(card) == before:
        assert (time.perf_counter() - start) * 1000 < limit, f"the picture stayed as it was for {limit} ms"
    return (time.perf_counter() - start) * 1000


def test_every_widget_is_shown(opened, widgets):
    assert not opened.error_outputs()
    for _, card in widgets:
        card.wait_for()
    shown = opened.page.locator(".ae-card").count()
    assert shown == len(widgets), "a card is missing in tests/browser/registry.py"


def test_every_control_has_its_registered_name(widgets):
    for widget, card in widgets:
        assert set(probes.names(card)) == widget.names


def test_twins_are_hidden_while_widgets_live(opened):
    assert opened.page.locator(".ae-twin").count() and not opened.page.locator(".ae-twin:visible").count()


@pytest.mark.parametrize("theme", THEMES)
def test_accessible(opened, widgets, theme):
    opened.theme(theme)
    assert probes.axe(opened.page) == []
    for widget, card in widgets:
        assert probes.low_contrast(card) == [], widget.title
        assert probes.nameless_pictures(card) == [], widget.title
    opened.theme("light")


def test_keys_reach_controls_and_not_the_notebook(opened, widgets):
    """Each control can be reached and leaves the notebook alone: 'b' in command mode would insert a cell."""
    cells = opened.cells()
    for widget, card in widgets:
        for name in sorted(widget.names):
            one = control(card, name)
            if one.is_enabled():
                one.focus()
                opened.page.keyboard.press("b")
                assert probes.has_focus(one), f"{widget.title}: {name} does not take the focus"
    assert opened.cells() == cells


def test_tab_walks_through_every_control(opened, widgets):
    for widget, card in widgets:
        assert probes.tab_walk(opened.page, card) == [], widget.title


def test_every_button_three_times(opened, widgets):
    for widget, card in widgets:
        for name in widget.buttons * 3:
            card.get_by_role("button", name=re.compile(f"^({name}|Pause)$")).first.click()
            opened.idle()
    assert not opened.error_outputs()
    assert not any("did not work" in card.inner_text() for _, card in widgets)


def test_arrow_keys_move_sliders(opened, widgets, record_property):
    for widget, card in widgets:
        for name in widget.sliders:
            _focus(opened, card, name)
            times = [_key(opened, card, key) for key in ("ArrowRight", "ArrowLeft") * 8]
            record_property(f"{widget.title}, {name}: ms to picture, median", round(statistics.median(times)))


def _focus(opened, card, name):
    card.get_by_role("slider", name=name, exact=True).focus()
    opened.page.keyboard.press("Home")
    opened.page.wait_for_timeout(300)


def _key(opened, card, key):
    before = version(card)
    opened.page.keyboard.press(key)
    return wait_for_change(opened, card, before)


def test_keys_on_a_picture(opened, widgets):
    for widget, card in (pair for pair in widgets if pair[0].keys):
        card.locator(".ae-keys").focus()
        opened.page.keyboard.press("Home")
        opened.page.wait_for_timeout(300)
        for key in widget.keys:
            _key(opened, card, key)


def test_number_boxes_take_numbers(opened, widgets):
    for widget, card in widgets:
        if "First" in widget.buttons:  # from there every box can go up by one
            card.get_by_role("button", name="First", exact=True).click()
        for name in widget.boxes:
            opened.idle()  # until then a box may still show the number before
            box, before = card.get_by_label(name, exact=True).and_(card.locator("input")), version_or_none(card)
            box.fill(str(1 + int(float(box.input_value()))))
            box.press("Enter")
            if name not in widget.quiet:
                wait_for_change(opened, card, before)


def version_or_none(card):
    return version(card) if card.locator("[data-v]").count() else None


def test_cancel_while_a_cell_is_busy(opened, widgets, record_property):
    for widget, card in (pair for pair in widgets if pair[0].runs):
        usual = _repeats(widget, card, 200)
        _run(card)
        opened.start("import time; time.sleep(4)")
        opened.page.wait_for_timeout(100)
        record_property("Cancel while a cell is busy: s", round(_cancel(opened, card), 2))
        opened.idle()
        _repeats(widget, card, usual)


def test_run_cancel_run(opened, widgets, record_property):
    for widget, card in (pair for pair in widgets if pair[0].runs):
        usual = _repeats(widget, card, 200)
        for _ in range(3):
            _run(card)
            opened.page.wait_for_timeout(100)
            record_property("Cancel: s", round(_cancel(opened, card), 2))
        _repeats(widget, card, usual)
        redraws = probes.watch(card)
        _run(card)
        _enabled(card, "Run").wait_for(timeout=120_000)
        assert "Measured on this machine" in card.inner_text() and probes.per_second(redraws()) <= 2.1
        card.get_by_role("button", name="Save JSON", exact=True).click()
        card.get_by_text("Saved as").wait_for()


def _enabled(card, name):
    return card.get_by_role("button", name=name, exact=True, disabled=False)


def _run(card):
    _enabled(card, "Run").click()
    _enabled(card, "Cancel").wait_for()


def _repeats(widget, card, times):
    """Sets how many, if the card has any; the most there may be last longest, to be cancelled. Returns what was set."""
    if "Repeats" not in widget.boxes:
        return None
    box = card.get_by_label("Repeats", exact=True).and_(card.locator("input"))
    before = box.input_value()
    box.fill(str(times))
    box.press("Enter")
    return before


def _cancel(opened, card):
    """Seconds until the card answers and no worker computes."""
    workers, start = probes.workers(opened), time.perf_counter()
    _enabled(card, "Cancel").click()
    card.get_by_text("Cancelled.").wait_for()
    probes.wait_until_idle(workers)
    return time.perf_counter() - start


def test_messages_are_small(opened):
    assert max(opened.watch.frames) <= LARGEST_MESSAGE


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])  # sizes are the same in both
def test_nothing_is_cut_off(opened, widgets, shots, theme):
    opened.theme(theme)
    for width in WIDTHS:
        opened.output_width(width)
        for number, (widget, card) in enumerate(widgets):
            assert probes.overflowing(card) == [], f"{widget.title} at {width} px"
            shots(card, f"{opened.name[:-6]}-{number}-{opened.app}-{width}-{theme}.png")
    opened.output_width(1112)
    opened.theme("light")


@pytest.mark.slow
def test_two_hundred_changes_leave_nothing_behind(opened, widgets, record_property):
    for widget, card in (pair for pair in widgets if pair[0].sliders):
        _focus(opened, card, widget.sliders[0])
        for key in ("ArrowRight", "ArrowLeft") * 5:
            _key(opened, card, key)
        nodes, memory = probes.nodes(opened.page), probes.memory(opened)
        moves = [_key(opened, card, key) for key in ("ArrowRight", "ArrowLeft") * 100]
        record_property(f"{widget.title}: ms to picture, 95th percentile", round(statistics.quantiles(moves, n=20)[-1]))
        assert abs(probes.nodes(opened.page) / nodes - 1) <= 0.01
        assert probes.memory(opened) - memory <= 10e6
        assert int(opened.execute(probes.OPEN_FIGURES)) <= 1


def test_a_reload_with_a_live_kernel_works(opened, widgets):
    opened.save()
    opened.load()
    for widget, card in widgets:
        card.wait_for()
        for name in widget.buttons[:1]:
            card.get_by_role("button", name=name, exact=True).click()
    opened.idle()
    assert not any("did not work" in card.inner_text() for _, card in widgets)


def test_an_exported_page_shows_the_twins(opened, widgets, notebooks, shots):
    opened.save()
    page = probes.export(opened, notebooks / opened.name)
    try:
        titles = page.locator(".ae-twin:visible .ae-title > span").all_inner_texts()
        assert titles == [widget.title for widget, _ in widgets] and not page.locator(".ae-card:visible").count()
        assert page.locator("script[src^='http'], link[href^='http']").count() == 0
        shots(page, f"{opened.name[:-6]}-export-{opened.app}.png", full_page=True)
    finally:
        page.close()


def test_a_restart_says_so_and_leaves_no_worker(opened, widgets):
    kernel, workers = probes.kernel(opened), probes.workers(opened)
    opened.restart()
    probes.wait_until_gone([kernel, *workers])
    for widget, card in widgets:
        assert "re-run this cell" in probes.banner(card), widget.title


def test_nothing_was_logged_or_asked_for_outside(opened):
    assert opened.watch.outside == [] and opened.watch.console == []


def test_a_saved_notebook_shows_the_twins(opened, widgets, shots):
    """Opened anew after the restart: no kernel knows these widgets, which the front end logs."""
    opened.save()
    opened.load()
    assert probes.shown_twins(opened.page, len(widgets)) == [widget.title for widget, _ in widgets]
    assert opened.watch.outside == []
    shots(opened.page, f"{opened.name[:-6]}-saved-{opened.app}.png")
