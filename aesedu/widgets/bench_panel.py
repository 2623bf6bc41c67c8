"""BenchPanel: times things live, in a thread that waits for the worker, and shows each estimate as it comes."""

import contextlib
import json
import math
import re
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import ipywidgets

from aesedu import data
from aesedu.views.chart import Row, decades
from aesedu.views.table import timing_board
from aesedu.widgets.base import Card, always_reachable, button, row

REDRAW = 0.5  # seconds between two pictures: drawing disturbs timing
LEAST, MOST = 3, 200  # samples of each
LIVE = "this machine"
WAITS = "waits for its turn"
COLD = "called once, cold; no sample yet"


class Update(NamedTuple):
    """``done`` of ``total`` samples are taken; ``row`` is what is known now of one label, or None.

    While ``preparing`` - calls are cold, code is made - the time of a sample tells nothing of those that follow.
    """

    done: int
    total: int
    row: Row | None
    preparing: bool = False


class Source(Protocol):
    """What a BenchPanel times."""

    rows: Sequence[Row]  # one a label; ``note`` says why it cannot run here, "" where it can
    sizes: Sequence[int]  # bytes a call

    def run(self, labels: Sequence[str], size: int, rounds: int) -> Iterator[Update]:
        """Measures; blocks between updates. Ends with an exception of any kind soon after ``cancel``."""

    def cancel(self) -> None:
        """Stops ``run`` at once by ending the worker. Called from any thread."""

    def verdict(self, rows: Sequence[Row]) -> tuple[str, str]:
        """What the rows say: a sentence, and a second one with the figures behind it."""

    def record(self) -> Any:
        """What the last run measured, ready for JSON."""


@dataclass(frozen=True)
class Recording:
    """Rows that were measured elsewhere; ``name`` says on what machine and when."""

    name: str
    rows: Sequence[Row]


class Playback:
    """A Source that shows a recording one row at a time."""

    def __init__(self, recording, live):
        self.rows, self.sizes, self.verdict, self.record = recording.rows, live.sizes, live.verdict, live.record
        self._name, self._stop = recording.name, threading.Event()

    def run(self, labels, size, rounds):
        """Yields an ``Update`` with each recorded row of ``labels``, within three seconds."""
        rows = [recorded(r, self._name) for r in self.rows if r.label in labels]
        for done, shown in enumerate(rows, start=1):
            if self._stop.wait(min(0.25, 3 / len(rows))):
                return
            yield Update(done, len(rows), shown)

    def cancel(self):
        """Ends ``run``."""
        self._stop.set()


def recorded_runs(pattern, read):
    """What ``read(file)`` makes of each file of this pattern under data/runs; one that cannot be read is left out."""
    with contextlib.suppress(FileNotFoundError):
        for file in sorted(data.path("runs").glob(pattern)):
            try:
                yield read(file)
            except Exception as error:  # anybody may have written it
                warnings.warn(f"left out: {file.name}: {type(error).__name__}: {error}", stacklevel=2)


def recorded(row, name):
    """The row as one recorded on ``name``, a machine and a day."""
    return replace(row, origin="recorded", note=f"recorded on {name}")


def _progress(update, left, counted):
    """A bar and words; ``left`` in seconds, ``counted`` says what ``update`` counts."""
    share = 100 * update.done / max(1, update.total)
    wait = f", about {math.ceil(left)} s left" if left else ""
    bar = f'role="progressbar" aria-label="Progress" aria-valuemin="0" aria-valuemax="100" aria-valuenow="{share:.0f}"'
    words = f"{update.done} of {update.total} {counted}{wait}" if update.total else f"no {counted} yet"
    words = "preparing" if update.preparing else words
    return f'<div class="ae-progress"><div {bar}><i style="width:{share:.1f}%"></i></div><span>{words}</span></div>'


class BenchPanel(Card):
    """Run, Cancel, Save JSON; what to time, how much at a time, how often; dots, numbers and a verdict.

    ``recordings`` are offered in a menu, alone where nothing can be timed (``live`` False), and stand in for what
    cannot run here. ``bounds`` (ns a byte) is the axis from the start; it grows by whole decades when a result lies
    outside.
    """

    counted = "samples"
    waiting = "The first call of each is cold and does not count; a dot moves while samples come."
    _measuring = None  # the one panel that measures now: two at a time would time each other

    def __init__(
        self, source, title, subtitle="", recordings: Sequence[Recording] = (), rounds=12, bounds=(0.1, 1e5), live=True
    ):
        if type(rounds) is not int or not LEAST <= rounds <= MOST:
            raise ValueError(f"rounds is a whole number from {LEAST} to {MOST}, not {rounds!r}")
        self.source, self.bounds, self._recordings = source, bounds, {r.name: r for r in recordings}
        self.rows: Mapping[str, Row] = {r.label: r for r in source.rows}
        self._active, self._stopped, self._thread_of_run = None, threading.Event(), None
        self._make_controls(rounds, [LIVE] * live)
        self.progress = ipywidgets.HTML(_progress(Update(0, 0, None), 0, self.counted))
        buttons = row(self.run_button, self.cancel_button, self.save_button)
        menus = row(*self._menus(), *([self.origin] if recordings else []))
        ticks = [row(*self.choices)] if self.choices else []
        super().__init__(title, [row(buttons, menus), *ticks, self.progress], subtitle)
        self._draw()
        self.say("Press Run to time these here.", "Nothing has been measured yet.")

    def _make_controls(self, rounds, live):
        self.run_button = button("Run", lambda: self.on_main(self.start)(), primary=True)
        self.cancel_button = button("Cancel", lambda: self.guard(self.cancel))
        self.save_button = button("Save JSON", lambda: self.on_main(self.save)())
        self.size = ipywidgets.Dropdown(options=[(_size(n), n) for n in self.source.sizes], description="Bytes a call")
        self.rounds = ipywidgets.BoundedIntText(rounds, LEAST, MOST, description="Repeats", layout={"width": "120px"})
        places = [*((name, name) for name in live), *((f"{name} (recorded)", name) for name in self._recordings)]
        self.origin = ipywidgets.Dropdown(options=places, description="Times from")
        self.origin.observe(lambda change: self.on_main(self._turn_to)(change.old, change.new), "value")
        self.choices = self._choices()
        self._allow(running=False)

    def _menus(self):
        """What is asked besides what to time."""
        return self.size, self.rounds

    def _choices(self):
        return [self._choice(row) for row in self.source.rows]

    def _choice(self, row):
        runs = not row.note or self._stand_in(row.label) is not None
        return ipywidgets.Checkbox(runs, description=row.label, indent=False, disabled=not runs)

    def _allow(self, running):
        self.run_button.disabled, self.cancel_button.disabled = running, not running
        self.origin.disabled = running
        always_reachable(self.cancel_button)

    def _stand_in(self, label):
        """The first recording's row for a label, or None."""
        found = ((r, n) for n, recording in self._recordings.items() for r in recording.rows if r.label == label)
        return next((recorded(r, name) for r, name in found), None)

    def _ticked(self):
        return [choice.description for choice in self.choices if choice.value]

    def start(self):
        """Run: measures in the background what is ticked. Returns at once."""
        labels = self._ticked()
        if self._thread_of_run is not None:
            return
        if not labels:
            self.say("Nothing is ticked.", "Tick at least one line, then press Run.", "vermilion")
            return
        rows = {r.label: self._before(r, labels) for r in self.source.rows}
        runnable = [label for label in labels if rows[label].note == WAITS]
        if not runnable and not any(r.value for r in rows.values()):
            self.say(f"None of these can be timed here: {escape(rows[labels[0]].note)}.", colour="vermilion")
            return
        if BenchPanel._measuring not in (None, self):
            BenchPanel._measuring.cancel()
        BenchPanel._measuring = self
        self._stopped = threading.Event()
        self._active = self._source_chosen()
        self.rows = rows
        self._allow(running=True)
        self._last = Update(0, 0, None, preparing=True)
        self._draw(self._last)
        what = ", ".join(runnable) if len(runnable) < 9 else f"{len(runnable)} lines"
        self.say(f"Timing {what}.", self.waiting)
        self._thread_of_run = threading.Thread(target=self._work, args=(runnable,), daemon=True)
        self._thread_of_run.start()

    def _source_chosen(self):
        live = self.origin.value == LIVE
        return self.source if live else Playback(self._recordings[self.origin.value], self.source)

    def _from(self):
        return "Measured on this machine." if self.origin.value == LIVE else f"Recorded on {escape(self.origin.value)}."

    def _turn_to(self, before, now):
        """Times from: shows a recording at once, and brings back what was seen of this machine."""
        if before == LIVE:
            self._live = self.rows, self.sentence.value
        if now == LIVE:
            self.rows, self.sentence.value = self._live
        else:
            known = {r.label: recorded(r, now) for r in self._recordings[now].rows}
            self.rows = {r.label: known.get(r.label, replace(r, note="not recorded")) for r in self.source.rows}
            headline, detail = self._verdict(list(self.rows.values()))
            self.say(headline, f"{detail} {self._from()}", "green")
        self._draw()
        self.renew_twin()

    def _before(self, row, labels):
        if row.label not in labels:
            return replace(row, note=row.note or "not ticked")
        if row.note and self.origin.value == LIVE:
            return self._stand_in(row.label) or row
        return replace(row, note=WAITS)

    def _work(self, labels):
        """On a thread of its own: takes updates, draws at most twice a second, between measurements."""
        begun = drawn = since = time.monotonic()
        failure, before = None, 0  # samples until the one ``since`` which time is a measure
        try:
            updates = iter(self._active.run(labels, self.size.value, self.rounds.value))
            while not self._stopped.is_set() and (update := next(updates, None)):
                self._last = update
                if update.row is not None:
                    self.rows[update.row.label] = update.row
                now = time.monotonic()
                if update.preparing:
                    since, before = now, update.done
                if now - drawn >= REDRAW:
                    drawn = now
                    self._draw(update, (now - since) / max(1, update.done - before) * (update.total - update.done))
        except Exception as error:
            failure = error
        self.on_main(self._finish)(failure, time.monotonic() - begun)

    def cancel(self):
        """Stops the run; safe from any thread, also while a cell is busy."""
        active = self._active
        if active is None:
            return
        self._stopped.set()
        active.cancel()
        self.say("Cancelled.", "The worker was ended; Run starts afresh.", "orange")

    def _finish(self, failure, seconds):
        self._thread_of_run, self._active = None, None
        self.guard(self._conclude, failure, seconds)
        self._allow(running=False)  # last: who waits for Run finds the verdict there
        self.renew_twin()

    def _conclude(self, failure, seconds):
        self._settle()
        if self._stopped.is_set():
            some = any(r.value for r in self.rows.values())
            kept = "What was measured so far stays." if some else "No line had a sample that counts yet."
            self.say("Cancelled.", f"{kept} Run starts afresh.", "orange")
        elif failure is not None:
            self.fail(failure)
        else:
            headline, detail = self._verdict(list(self.rows.values()))
            self.say(headline, f"{detail} {self._from()} It took {seconds:.1f} s.", "green")

    def _verdict(self, rows):
        if not any(r.value for r in rows):
            return "No line has a value.", "Tick others, or take the times from elsewhere."
        return self.source.verdict(rows)

    def _settle(self):
        self.rows = {k: replace(r, note="not measured") if r.note == WAITS else r for k, r in self.rows.items()}
        self._draw(self._last)

    def _draw(self, update=None, left=0):
        rows = list(self.rows.values())
        self.show(self._picture(rows))
        if update is not None:
            self.progress.value = _progress(update, left, self.counted)

    def _picture(self, rows):
        """HTML: chart and numbers."""
        low, high = decades(rows)
        if any(r.value for r in rows):
            self.bounds = min(low, self.bounds[0]), max(high, self.bounds[1])
        return timing_board(rows, self.title, self.bounds)

    def save(self):
        """Save JSON: writes a new file in the notebook's folder; no file is ever overwritten."""
        if not any(r.value and r.origin == "measured" for r in self.rows.values()):
            self.say("There is nothing to save yet.", "Press Run first.", "vermilion")
            return
        text = json.dumps(self.source.record(), indent=1)  # this may fail: before the file is there
        name = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-") + time.strftime("-%Y%m%d-%H%M%S")
        path = next(p for n in range(100) if not (p := Path(f"{name}{f'-{n}' * bool(n)}.json")).exists())
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
        self.say(f"Saved as {escape(path.name)}.", "It lies beside this notebook.", "green")

    def static(self):
        rows = list(self.rows.values())
        if not any(r.value for r in rows):
            rows = [self._stand_in(r.label) or r for r in rows]
        return self._picture(rows) + self.sentence.value


def _size(count):
    return f"{count // 1024} KiB" if count >= 1024 else f"{count} bytes"
