"""A measured time as a record: what was measured, where, every sample; saved to JSON and checked when loaded."""

import json
import math
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from pathlib import Path

from aesedu.bench.bootstrap import median_interval
from aesedu.data import path as data_path


class MeasurementError(ValueError):
    """A record that is not one; the message names the field."""


@dataclass(frozen=True)
class Measurement:
    """The time of one operation; every figure is in ``unit`` for one call.

    ``what``: engine, mode, direction, key_bits, bytes. ``where``: see ``environment.where``. ``interval``: bootstrap
    95 %. ``placements`` and ``core_hz`` run parallel to ``samples``. ``cold`` is the very first call, ``count`` the
    calls in each sample, ``dropped`` the samples that were not steady (see ``protocol.Timer.read``). ``extra``: fields
    that this version does not know. The same fields in JSON: data/measurement.schema.json.
    """

    what: dict
    unit: str
    estimate: float
    interval: tuple
    samples: tuple
    where: dict
    placements: tuple = ()
    core_hz: tuple = ()
    cold: float | None = None
    count: int = 1
    dropped: int = 0
    notes: tuple = ()
    extra: dict = field(default_factory=dict)

    def __str__(self):
        names = [str(self.what[name]) for name in ("engine", "mode", "direction") if name in self.what]
        low, high = self.interval
        figures = f"{self.estimate:,.5g} {self.unit} a call ({low:,.5g} to {high:,.5g}), {len(self.samples)} samples"
        return ": ".join(filter(None, [" ".join(names), figures]))

    def in_core_cycles(self):
        """Return the same measurement in core cycles: each sample by the frequency its own brackets gave.

        Raises ValueError where the core's frequency is not known.
        """
        if self.unit == "core cycles":
            return self
        if not self.core_hz:
            raise ValueError(f"no core cycles: {self.what['engine']} was timed in {self.unit} without calibration")
        samples = tuple(ns * hz / 1e9 for ns, hz in zip(self.samples, self.core_hz, strict=True))
        estimate, *interval = median_interval(by_placement(samples, self.placements))
        cold = None if self.cold is None else self.cold * self.core_hz[0] / 1e9
        changes = {"estimate": estimate, "interval": tuple(interval), "samples": samples, "cold": cold}
        return replace(self, unit="core cycles", **changes)

    def to_dict(self):
        """Return the record as JSON has it."""
        record = asdict(self)
        return {**record.pop("extra"), **record}

    @classmethod
    def from_dict(cls, record):
        """Return the Measurement of a JSON record. Raises MeasurementError, which names the first bad field."""
        _check(record)
        known = {name: _tuple(record[name]) for name in _NAMES if name in record}
        return cls(**known, extra={name: value for name, value in record.items() if name not in _NAMES})


_NAMES = [each.name for each in fields(Measurement) if each.name != "extra"]


def by_placement(samples, placements):
    """Return the samples as a list of lists, one for each placement; all in one where placements are not known."""
    clusters = {}
    for sample, placement in zip(samples, placements or [0] * len(samples), strict=True):
        clusters.setdefault(placement, []).append(sample)
    return list(clusters.values())


def save(path, measurements):
    """Write measurements to a JSON file (UTF-8), a list of records."""
    text = json.dumps([each.to_dict() for each in measurements], indent=1, ensure_ascii=False, allow_nan=False)
    Path(path).write_text(text + "\n", encoding="utf-8")


def load(path):
    """Return the measurements of a JSON file: a list of records, or one alone.

    Raises MeasurementError for what is not JSON or not a Measurement, with the file, the record and the field.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")  # with or without the mark that Windows' editors put first
        records = json.loads(text, parse_constant=_refuse, parse_float=_finite, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise MeasurementError(f"{path}: not JSON: {error}") from None
    measurements = []
    for number, record in enumerate(records if isinstance(records, list) else [records]):
        try:
            measurements.append(Measurement.from_dict(record))
        except MeasurementError as error:
            raise MeasurementError(f"{path}: record {number}: {error}") from None
    return measurements


def _refuse(constant):
    raise ValueError(f"{constant} is no JSON number")


def _finite(figure):
    """A figure that arithmetic can go on with: 1e999 would be infinite."""
    return float(figure) if math.isfinite(float(figure)) else _refuse(f"{figure:.20}")


def _whole(figure):
    _finite(figure)
    return int(figure)


def _tuple(value):
    return tuple(value) if isinstance(value, list) else value


@cache
def _validator():
    import jsonschema  # here, because most uses of the bench load no file

    schema = json.loads(data_path("measurement.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def _check(record):
    errors = sorted(_validator().iter_errors(record), key=lambda error: [str(part) for part in error.absolute_path])
    for error in errors:
        name = error.json_path.removeprefix("$").removeprefix(".")
        raise MeasurementError(f"field {name!r}: {error.message}" if name else error.message)
    low, high = record["interval"]
    if not low <= record["estimate"] <= high:
        raise MeasurementError(f"field 'interval': {low} to {high} does not hold the estimate {record['estimate']}")
    for name in ("placements", "core_hz"):
        if record.get(name) and len(record[name]) != len(record["samples"]):
            raise MeasurementError(f"field {name!r}: {len(record[name])} entries for {len(record['samples'])} samples")
