"""Each probe finds the fault it is there for, planted in a page that is otherwise sound."""

import probes
import pytest
from page import Watch

SOUND = """<!doctype html><html lang="en"><title>Sound</title><body style="background:#fff;color:#222">
<main><div class="ae-card" style="width:400px;padding:10px"><button>Run</button> <input aria-label="Repeats">
<div class="ae-picture"><svg role="img" width="300" height="40"><title>Two words</title>
<rect width="300" height="40" fill="#111"></rect><text x="9" y="25" fill="#fff">two words</text></svg></div>
<p class="ae-status">All is well.</p></div></main>"""


@pytest.fixture
def page(site):
    browser, _ = site
    page = browser.new_page(viewport={"width": 800, "height": 600})
    yield page
    page.close()


def card_of(page, before="", after=""):
    assert not before or before in SOUND
    page.set_content(SOUND.replace(before, after))
    return page.locator(".ae-card")


def test_a_sound_page_passes(page):
    card = card_of(page)
    assert probes.axe(page) == probes.low_contrast(card) == probes.overflowing(card) == []
    assert probes.nameless_pictures(card) == probes.tab_walk(page, card) == []
    assert probes.names(card) == ["Run", "Repeats"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('class="ae-status"', 'class="ae-status" style="color:#888"', "All is well.: 3.54"),
        ('class="ae-status"', 'class="ae-status" style="opacity:.5"', "All is well."),
        ('fill="#fff"', 'fill="#666"', "two words"),
        ('fill="#111"', 'fill="none"', "two words: 1.00"),
    ],
)
def test_low_contrast_is_found(page, before, after, said):
    (found,) = probes.low_contrast(card_of(page, before, after))
    assert found.startswith(said)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("All is well.", f"<span style='white-space:nowrap'>{'wide ' * 99}</span>"),
        ('x="9"', 'x="500"'),
        ("<button>", "<button style='width:20px;overflow:hidden'>"),
    ],
)
def test_what_is_cut_off_is_found(page, before, after):
    assert probes.overflowing(card_of(page, before, after))


def test_what_has_no_name_is_found(page):
    assert probes.nameless_pictures(card_of(page, "<title>Two words</title>", ""))
    assert "" in probes.names(card_of(page, "<button>Run", "<button>"))
    assert any(found.startswith("button-name") for found in probes.axe(page))


def test_what_tab_does_not_reach_is_found(page):
    (found,) = probes.tab_walk(page, card_of(page, "<input ", "<input tabindex=-1 "))
    assert "Repeats" in found


def test_requests_outside_and_errors_are_seen(page):
    watch = Watch(page)
    page.set_content("<img src='http://192.0.2.1/x.png'><script>notThere()</script>")
    page.wait_for_timeout(300)
    assert watch.outside == ["http://192.0.2.1/x.png"] and any("notThere" in line for line in watch.console)


def test_redraws_are_counted():
    assert probes.per_second([0, 1, 1.5, 2, 2.5, 9]) == 2 and probes.per_second([0, 1, 1.1, 1.2, 1.3, 9]) > 9
    assert probes.per_second([0, 1]) == 0


@pytest.mark.xdist_group("alone")
def test_the_tests_of_a_group_stay_with_one_worker(request):
    """pytest-xdist marks groups in ids; a pytest that it does not know loses them, and pages open over and over."""
    if getattr(request.config, "workerinput", None) and request.config.option.loadgroup:
        assert request.node.nodeid.endswith("@alone")
