"""Records survive a round trip whole, and bad ones are refused with the field's name."""

import copy
import json

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import Machine, Routine

from aesedu import data
from aesedu.bench import Measurement, MeasurementError, environment, load, measure, save

RECORD = {
    "what": {"engine": "aes-x1", "mode": "ecb", "direction": "enc", "key_bits": 128, "bytes": 16, "colour": "blue"},
    "unit": "ns",
    "estimate": 10.5,
    "interval": [10, 11],
    "samples": [10, 10.5, 11],
    "placements": [1, 1, 2],
    "core_hz": [4e9, 4e9, 4e9],
    "cold": 30.0,
    "count": 1000,
    "dropped": 2,
    "notes": ["über"],
    "where": {"cpu": "Intel® Core™", "date": "2026-01-01", "features": ["aes"], "altitude": 12},
    "student": {"name": "Zoë"},
}


def test_round_trip_keeps_unknown_fields(tmp_path):
    file = tmp_path / "records.json"
    save(file, [Measurement.from_dict(RECORD)])
    (again,) = load(file)
    assert json.loads(file.read_bytes().decode("utf-8")) == [RECORD]
    assert again == Measurement.from_dict(RECORD) and again.extra == {"student": {"name": "Zoë"}}


def test_one_record_alone(tmp_path):
    file = tmp_path / "record.json"
    file.write_text(json.dumps(RECORD), encoding="utf-8")
    assert [each.to_dict() for each in load(file)] == [Measurement.from_dict(RECORD).to_dict()]


def test_what_is_measured_fits_the_schema(tmp_path):
    results = [
        measure(Routine("A", ns), **Machine(unsteady=unsteady).options()) for ns in (50, 3e9) for unsteady in (0, 1)
    ]
    save(tmp_path / "records.json", results)
    assert load(tmp_path / "records.json") == results


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(json.loads(data.path("measurement.schema.json").read_text("utf-8")))


def test_this_machine_fits_the_schema():
    where = environment.where()
    assert Measurement.from_dict({**RECORD, "where": where}).where == where
    assert where["core_hz"] > 1e8 and where["packages"]["numpy"]


BAD = [
    (("what",), None, "what"),
    (("what", "engine"), 7, "what.engine"),
    (("what", "bytes"), -16, "what.bytes"),
    (("what", "direction"), "up", "what.direction"),
    (("unit",), "cycles", "unit"),  # of which kind?
    (("estimate",), "10", "estimate"),
    (("estimate",), 0, "estimate"),
    (("interval",), [10], "interval"),
    (("interval",), [11, 12], "interval"),
    (("samples", 1), "fast", r"samples\[1\]"),
    (("placements",), [1], "placements"),
    (("core_hz",), [4e9], "core_hz"),
    (("count",), 0, "count"),
    (("where", "power"), "nuclear", "where.power"),
    (("where", "packages"), {"numpy": 2}, "where.packages.numpy"),
]


@pytest.mark.parametrize(("path", "value", "field"), BAD)
def test_bad_fields_are_named(path, value, field):
    record = copy.deepcopy(RECORD)
    target = record
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    with pytest.raises(MeasurementError, match=f"^field '{field}'"):
        Measurement.from_dict(record)


@pytest.mark.parametrize("field", ["what", "unit", "estimate", "interval", "samples", "where"])
def test_missing_fields_are_named(field):
    record = {name: value for name, value in RECORD.items() if name != field}
    with pytest.raises(MeasurementError, match=f"'{field}' is a required property"):
        Measurement.from_dict(record)


@settings(max_examples=40, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_anything_else_is_refused(record):
    with pytest.raises(MeasurementError):
        Measurement.from_dict(record)


NO_FIGURES = ["NaN", "1e999", "9" * 400, "9" * 5000]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        '[{"what":',
        "[1, 2]",
        "[" * 100_000,
        "\x00",
        *(json.dumps(RECORD).replace("10.5", n) for n in NO_FIGURES),
    ],
)
def test_bad_files_are_named(tmp_path, text):
    file = tmp_path / "bad.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(MeasurementError, match="bad.json"):
        load(file)


def test_a_byte_order_mark_does_not_matter(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(RECORD), encoding="utf-8-sig")
    assert load(tmp_path / "x.json") == [Measurement.from_dict(RECORD)]


def test_no_file_with_what_json_does_not_have(tmp_path):
    with pytest.raises(ValueError, match="Out of range"):
        save(tmp_path / "x.json", [Measurement.from_dict({**RECORD, "extra_figure": float("nan")})])
    assert not (tmp_path / "x.json").exists()
