"""One server and one browser a session; each notebook is opened and run once in each application."""

import os
import shutil
from pathlib import Path

import pytest
from components import write_components
from offline import no_network
from page import BROWSER_ARGUMENTS, PATHS, NotebookPage
from registry import COMPONENTS, NOTEBOOKS, ROOT
from server import Server

CANDIDATES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# One page stays with one worker of `pytest -n 2 --dist loadgroup`
CASES = [
    pytest.param((app, name), id=f"{app}-{name[:-6]}", marks=pytest.mark.xdist_group(f"{app}-{name}"))
    for name in NOTEBOOKS
    for app in PATHS
]

# What does not depend on the application: in Notebook 7 the shared components stand for all, the other pages are slow.
SHARED = {
    "test_accessible",
    "test_nothing_is_cut_off",
    "test_an_exported_page_shows_the_twins",
    "test_tab_walks_through_every_control",
    "test_every_button_three_times",
    "test_a_reload_with_a_live_kernel_works",
    "test_run_cancel_run",
}


def browser_path():
    found = (os.environ.get("AESEDU_BROWSER"), *map(shutil.which, CANDIDATES))
    return next((path for path in found if path), None)


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            page = item.callspec.id if hasattr(item, "callspec") else ""
            if page.startswith("notebook-0") and item.originalname in SHARED:
                item.add_marker(pytest.mark.slow)


def pytest_terminal_summary(terminalreporter):
    """Says how fast pictures followed; how fast is the machine's affair, so no test of the normal form judges it."""
    for report in terminalreporter.getreports("passed"):
        for what, figure in report.user_properties:
            terminalreporter.write_line(f"{report.nodeid.partition('[')[2].partition(']')[0]}: {what}: {figure}")


@pytest.fixture(scope="session")
def chromium():
    path = browser_path()
    if path is None:
        reason = "no Chromium here (apt-get install chromium, or set AESEDU_BROWSER to one)"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    return path


@pytest.fixture(scope="session")
def shots():
    """Takes a screenshot of a card or a page where AESEDU_SHOTS names a folder for them; never in the repository."""
    wanted = os.environ.get("AESEDU_SHOTS")
    if not wanted:
        return lambda target, name, **options: None
    folder = Path(wanted).resolve()
    assert ROOT not in folder.parents
    folder.mkdir(parents=True, exist_ok=True)
    return lambda target, name, **options: target.screenshot(path=folder / name, **options)


@pytest.fixture(scope="session")
def notebooks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebooks")
    write_components(folder, COMPONENTS)
    for name in NOTEBOOKS:
        if name != COMPONENTS:
            shutil.copy(ROOT / "notebooks" / name, folder)
    return folder


@pytest.fixture(scope="session")
def site(chromium, notebooks, tmp_path_factory):
    """(browser, address of the server), both without a network."""
    from playwright.sync_api import sync_playwright

    with no_network() as cut, sync_playwright() as playwright:
        print(f"network {'taken away' if cut else 'watched by the route handler only'}")
        server = Server(notebooks, tmp_path_factory.mktemp("home"))
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=BROWSER_ARGUMENTS)
            yield browser, server.url
            browser.close()
        finally:
            server.close()


@pytest.fixture(scope="module", params=CASES)
def opened(request, site):
    """A notebook open in one application, all cells run."""
    browser, url = site
    app, name = request.param
    page = NotebookPage(browser, url, app, name)
    page.run_all()
    page.watch.frames.clear()
    yield page
    page.close()


@pytest.fixture
def widgets(opened):
    """Its registered widgets, each with its card on the page."""
    return [(widget, opened.card(widget.title)) for widget in NOTEBOOKS[opened.name]]
