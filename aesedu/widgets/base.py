"""Card: what every widget of the suite is built on.

It cures, in one place, what front ends get wrong: callbacks that change threads, controls without names, keys that the
notebook takes away, and exports in which a widget is blank.
"""

import asyncio
import threading
import traceback
from functools import cache
from html import escape
from pathlib import Path

import IPython.display
import ipywidgets

from aesedu.views import style

_PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
_HERE = Path(__file__)


@cache
def _look():
    """Style sheet and cure as one model that all cards show: 10 KB a session, not a card."""
    css = f"{style.css()}<style>{style.packed(_HERE.with_name('card.css'))}</style>"
    code = escape(style.packed(_HERE.with_name("card.js")))
    return ipywidgets.HTML(f'{css}<img alt="" src="{_PIXEL}" onload="{code}" style="display:none">')


def row(*controls):
    """A row of controls that wraps where there is little room."""
    box = ipywidgets.Box(controls)
    box.add_class("ae-controls")
    return box


def hex_box(value, name, **layout):
    """A text box for hexadecimal digits, in their type face; it answers when it is left or Enter is pressed."""
    box = ipywidgets.Text(value, description=name, continuous_update=False, layout=layout)
    box.add_class("ae-hex")
    return box


def button(name, action, primary=False, key=""):
    """A button that calls ``action()``; ``key`` ("ArrowLeft", "Space", ...) presses it while the picture has focus."""
    made = ipywidgets.Button(description=name, button_style="primary" if primary else "")
    made.on_click(lambda _: action())
    if key:
        made.add_class(f"ae-key-{key}")
    return made


class Card(ipywidgets.VBox):
    """Title, rows of controls, a picture, and one sentence that says what is seen.

    ``show(html)`` and ``say(headline, detail)`` replace picture and sentence, from any thread. A subclass names the
    style sheet of its views in ``look``, wraps its callbacks in ``on_main`` and overrides ``static()``. ``errors``
    keeps what went wrong in callbacks, which Jupyter would lose. ``keys`` lets the picture take the focus and its keys
    press buttons; ``height`` fixes it, in px.
    """

    look = ""

    def __init__(self, title, controls=(), subtitle="", keys=False, height=None):
        self.title, self._subtitle, self.errors, self._twin = title, subtitle, [], None
        self._loop, self._thread = _running_loop(), threading.current_thread()
        self.picture, self.sentence = ipywidgets.HTML(), ipywidgets.HTML()
        frame = ipywidgets.Box([self.picture], layout={"height": f"{height}px"} if height else {})
        frame.add_class("ae-picture")
        if keys:
            frame.add_class("ae-keys")
        self.sentence.add_class("ae-live")
        look = [ipywidgets.HTML(self.look, layout={"display": "none"})] * bool(self.look)
        heading = ipywidgets.HTML(style.heading(title, subtitle))
        super().__init__([_look(), *look, heading, *controls, frame, self.sentence])
        self.add_class("ae-card")

    def show(self, html):
        """Replaces the picture."""
        self.picture.value = html

    def say(self, headline, detail="", colour="blue"):
        """The sentence beneath the picture, as HTML text."""
        self.sentence.value = style.status(headline, detail, colour)

    def static(self):
        """HTML without controls or scripts that shows the same: for exports and pages without a kernel."""
        return self.look + self.picture.value + self.sentence.value

    def watch(self, act, *controls):
        """Calls ``act()`` whenever one of ``controls`` takes another value."""
        for control in controls:
            control.observe(lambda _: self.on_main(act)(), "value")

    def read(self, reader, what):
        """What ``reader()`` makes of the controls; None where it raises ValueError, which becomes the sentence.

        Then the picture stays and is marked as that of the last ``what``.
        """
        try:
            made = reader()
        except ValueError as error:
            self.add_class("ae-stale")
            self.say(f"{error}", f"The picture still shows the last {what} that could be read.", "vermilion")
            return None
        self.remove_class("ae-stale")
        return made

    def on_main(self, function):
        """``function``, made to run on the loop of the cell that made this card, whatever thread calls.

        With ipykernel 7 a click is handled now on the main thread, now on another with a loop of its own.
        """

        def run(*arguments):
            if self._loop is None or threading.current_thread() is self._thread:
                self.guard(function, *arguments)
            else:
                self._loop.call_soon_threadsafe(self.guard, function, *arguments)

        return run

    def guard(self, function, *arguments):
        """Calls ``function``; an exception becomes the card's sentence, because Jupyter drops those of callbacks."""
        try:
            return function(*arguments)
        except Exception as error:
            return self.fail(error)

    def fail(self, error):
        """Says what went wrong and keeps the traceback in ``errors``."""
        self.errors.append("".join(traceback.format_exception(error)))
        self.say("This did not work.", escape(f"{type(error).__name__}: {error}"), "vermilion")

    def _ipython_display_(self):
        IPython.display.display(self._repr_mimebundle_(), raw=True)
        self._twin = IPython.display.display(IPython.display.HTML(self._twin_html()), display_id=True)

    def _twin_html(self):
        return style.twin(self.static(), self.title, self._subtitle)

    def renew_twin(self):
        """Brings the static twin up to date, so that a saved notebook shows what was last seen."""
        if self._twin is not None:
            self._twin.update(IPython.display.HTML(self._twin_html()))


def _running_loop():
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None  # no Jupyter: callbacks run where they are called


def always_reachable(widget):
    """Lets ``widget`` be clicked while a cell runs.

    ipykernel sends a widget's messages to the thread that last published it, which for one made in a cell is the main
    thread, busy while a cell runs. Without that mark it obeys the front end, which asks for a thread of its own.
    Call again after each change of ``widget`` from the main thread.
    """
    vars(widget.comm).pop("_reply_subshell_id", None)
