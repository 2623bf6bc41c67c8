"""A benchmark table: engines x modes x key sizes x sizes x directions, one row each, maybe against one engine."""

import itertools
from dataclasses import dataclass, replace

from aesedu.bench import protocol
from aesedu.bench.comparison import Comparison, compare
from aesedu.bench.measurement import Measurement


@dataclass(frozen=True)
class Row:
    """One line of the table: the measurement, and the comparison it comes from where there is a peer."""

    measurement: Measurement
    comparison: Comparison | None = None

    def as_dict(self):
        """The row with plain values.

        engine, mode, direction, key_bits, bytes (of one call; less than asked where a call would have taken over
        2 s), ns (of one call), ns_interval; ratio (the peer's time over this one's: above 1 is faster, None without a
        peer), interval (95 %: of the ratio, or without a peer of ns), core_cycles (of one call, or None), notes.
        """
        one, effect = self.measurement, self.comparison and self.comparison.effect
        return {
            **one.what,
            "ns": one.estimate,
            "ns_interval": list(one.interval),
            "ratio": effect.ratio if effect else None,
            "interval": [effect.low, effect.high] if effect else list(one.interval),
            "verdict": self.comparison.verdict if self.comparison else "",
            "core_cycles": one.in_core_cycles().estimate if one.core_hz else None,
            "notes": list(one.notes),
        }


def cases(engines, modes, key_bits, sizes, directions):
    """The combinations in the order of a tcrypt log: an engine's modes, directions, keys, then sizes."""
    return list(itertools.product(engines, modes, directions, key_bits, sizes))


def run(cases, against=None, progress=None, where=None):
    """Yield a Row for each of ``cases``; ``against`` is an engine with which each is timed in turn.

    Without it a case may have a sixth part, the ``calls`` of ``Engine.subject``. ``progress(fraction)`` tells how far
    the row under way is. Raises what ``measure`` and ``compare`` raise.
    """
    for case in cases:
        yield _alone(case, progress, where) if against is None else _paired(*case, against, progress, where)


def _make(engine, mode, direction, key_bits, calls="bulk"):
    return lambda size: engine.subject(mode, direction, key_bits, size, calls)


def _alone(case, progress, where):
    engine, mode, direction, key_bits, size, *calls = case
    make = _make(engine, mode, direction, key_bits, *calls)
    return Row(protocol.measure_at(make, size, quick=True, progress=progress, where=where))


def _paired(engine, mode, direction, key_bits, size, against, progress, where):
    subject, note = protocol.largest_that_fits(_make(engine, mode, direction, key_bits), size)
    fits = subject.what["bytes"]
    peer, shorter = protocol.largest_that_fits(_make(against, mode, direction, key_bits), fits)
    if shorter:
        subject = engine.subject(mode, direction, key_bits, peer.what["bytes"])
    comparison = compare(peer, subject, quick=True, progress=progress, where=where)
    notes = (*comparison.b.notes, *filter(None, (note, shorter)))
    return Row(replace(comparison.b, notes=notes), comparison)
