"""Which store a load takes its bytes from, by symbolic addresses.

A register that moves by constants keeps its origin, so [x0, #64] after two steps of 32 is the place that [x0, #128] was
before. Different origins are taken to be different memory, as predictors of memory dependences do.
"""

from dataclasses import dataclass
from itertools import count

LINE = 64  # bytes of a line of the cache


@dataclass(eq=False)
class Stored:
    """A store on its way: its Place in symbols, the Flight that brings its data, and where these point to."""

    root: object
    first: int
    size: int
    flight: object
    points: tuple | None


class Memory:
    """What is known of addresses while instructions pass in program order."""

    def __init__(self, places=()):
        """`places` {register: bytes beyond a line of the cache} of those whose lines matter."""
        self._places = dict(places)
        self._points, self._bytes, self._fresh = {}, {}, count()

    def where(self, register):
        """(origin, bytes beyond it) of what a register holds."""
        return self._points.get(register) or (register, 0)

    def store(self, place, flight, register):
        """Note a store of a register (or None)."""
        root, first = self._at(place)
        stored = Stored(root, first, place.size, flight, self.where(register) if register else None)
        for n in range(first, first + place.size):
            self._bytes[root, n] = stored

    def source(self, place):
        """(Stored, whether all bytes are its own) of the youngest store that a load takes bytes from; or None."""
        root, first = self._at(place)
        found = [self._bytes.get((root, n)) for n in range(first, first + place.size)]
        stores = [s for s in found if s]
        if not stores:
            return None
        youngest = max(stores, key=lambda s: s.flight.number)
        return youngest, all(s is youngest for s in found)

    def crosses(self, place):
        """Whether a load is known to take bytes of two lines."""
        root, first = self._at(place)
        return root in self._places and (self._places[root] + first) % LINE + place.size > LINE

    def moved(self, operation):
        """Note where registers point after an Operation."""
        loaded = {r: self._loaded(place) for r, place in zip(operation.writes, operation.loads, strict=False)}
        now = {}
        for into, source, n in operation.moved:
            if source:
                root, offset = self.where(source)
                now[into] = (root, offset + n)
            else:
                now[into] = (None if operation.kind else loaded.get(into)) or (next(self._fresh), 0)
        self._points.update(now)

    def _loaded(self, place):
        """What a loaded pointer points to: what was stored, or the same as the last time from this place."""
        found = self.source(place)
        if found:
            stored, whole = found
            return stored.points if whole and (stored.first, stored.size) == (self._at(place)[1], place.size) else None
        return (("behind", *self._at(place)), 0)

    def _at(self, place):
        root, offset = self.where(place.base) if place.base else ("", 0)
        if not place.index:
            return root, offset + place.offset
        index, n = self.where(place.index)
        return (root, index, place.scale), offset + place.scale * n + place.offset
