"""What all tests share: Ctrl-C heard, hypothesis without a time limit, a thread without somebody else's event loop."""

import signal
from asyncio import events

import pytest
from hypothesis import settings

# A shell's background job ignores Ctrl-C, and so would all that tests start, those of Ctrl-C too.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine fails nothing.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")


def pytest_collection_modifyitems(items):
    """Two workers of pytest-xdist must collect the same names."""
    vague = [item.nodeid for item in items if " at 0x" in item.nodeid]
    assert not vague, f"names that differ from run to run: {vague}"


@pytest.fixture(autouse=True)
def no_loop_of_a_browser(request):
    """Playwright's loop stays marked as running between browser tests; to a card it would be the loop of its cell."""
    loop = events._get_running_loop()
    if loop is None or request.node.get_closest_marker("browser"):
        yield
        return
    events._set_running_loop(None)
    yield
    events._set_running_loop(loop)
