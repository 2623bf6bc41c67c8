"""Stepper: a sequence of pictures to go through forwards and backwards, by button, key, slider, number or by itself."""

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from aesedu.widgets.base import Card, button, row


class Stepper(Card):
    """Shows ``draw(frame)`` (HTML) for one of ``frames``, and ``tell(frame)`` beneath it.

    ``tell`` returns the sentence, or a pair (sentence, detail), as HTML text. ``place`` is the number of the frame
    shown, from 0; setting it shows another. ``controls`` are further rows above ours. While the picture has the
    focus: Home, left, right, End, and Space to play. Slider and box count from ``origin``.
    """

    origin = 1

    def __init__(
        self,
        title: str,
        frames: Sequence[Any],
        draw: Callable[[Any], str],
        tell: Callable[[Any], str | tuple[str, str]],
        subtitle="",
        controls=(),
        height=None,
    ):
        self.frames, self.draw, self.tell, self._playing, self._drawn = frames, draw, tell, None, 0
        self._make_controls()
        ours = row(row(*self.buttons), row(*self._finders()))
        super().__init__(title, [*controls, ours], subtitle, keys=True, height=height)
        self.load(frames)

    def _make_controls(self):
        acts = {
            ("First", "Home"): lambda: self.go(0),
            ("Back", "ArrowLeft"): lambda: self.go(self.place - 1),
            ("Step", "ArrowRight"): lambda: self.go(self.place + 1),
            ("Last", "End"): lambda: self.go(len(self.frames) - 1),
            ("Play", "Space"): self.play,
        }
        self.buttons = [
            button(name, lambda act=act: self.on_main(act)(), primary=name == "Step", key=key)
            for (name, key), act in acts.items()
        ]
        ends = dict.fromkeys(("value", "min", "max"), self.origin)
        self.slider = ipywidgets.IntSlider(**ends, description="Position", continuous_update=False, readout=False)
        self.box = ipywidgets.BoundedIntText(**ends, description="Go to", layout={"width": "112px"})
        self.speed = ipywidgets.BoundedFloatText(
            2, min=0.5, max=10, step=0.5, description="Steps a second", layout={"width": "164px"}
        )
        for control in (self.slider, self.box):
            control.observe(lambda change: self.on_main(self.go)(change.new - self.origin), "value")

    def _finders(self):
        """What stands beside the buttons."""
        return self.slider, self.box, self.speed

    @property
    def place(self):
        return self._place

    @place.setter
    def place(self, number):
        self.go(number)

    def load(self, frames, place=0):
        """Takes other frames and shows one of them."""
        self.frames, self._place = frames, -1
        for control in (self.slider, self.box):
            control.max = len(frames) - 1 + self.origin
        self.go(place)

    def go(self, place):
        """Shows the frame of that number, or the nearest there is."""
        place = min(max(place, 0), len(self.frames) - 1)
        if place == self._place:
            return
        self._place = place
        self.slider.value = self.box.value = place + self.origin
        frame = self.frames[place]
        self._drawn += 1
        self.show(f'<div data-v="{self._drawn}">{self.draw(frame)}</div>')
        told = self.tell(frame)
        self.say(*([told] if isinstance(told, str) else told))

    def play(self):
        """Steps by itself until the last frame, or until called again."""
        if self._playing is not None:
            self._pause()
        elif self._loop is not None:
            if self.place == len(self.frames) - 1:
                self.go(0)
            self.buttons[-1].description = "Pause"
            self._wait()

    def _wait(self):
        self._playing = self._loop.call_later(1 / self.speed.value, self.guard, self._tick)

    def _tick(self):
        self.go(self.place + 1)
        if self.place < len(self.frames) - 1:
            self._wait()
        else:
            self._pause()

    def _pause(self):
        self._playing.cancel()
        self._playing = None
        self.buttons[-1].description = "Play"

    def static(self):
        told = (self.tell(frame) for frame in self.frames)
        steps = "".join(f"<li>{one if isinstance(one, str) else ' '.join(one)}</li>" for one in told)
        return f"{super().static()}<details><summary>All {len(self.frames)} steps</summary><ol>{steps}</ol></details>"
