"""tcrypt and bench-slope with a machine of known truth: 40 ns a call and 2 ns a byte at 4 GHz."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from aesedu import bench, native
from aesedu.bench import live
from aesedu.bench.measurement import Measurement

WHERE = {"cpu": "simulated", "date": "2000-01-01", "core_hz": 4e9}


def measurement(case, hz=(4e9, 4e9)):
    engine, mode, direction, key_bits, size, _ = case
    what = {"engine": engine.name, "mode": mode, "direction": direction, "key_bits": key_bits, "bytes": size}
    ns = 40 + 2.0 * size
    return Measurement(what, "ns", ns, (ns, ns), (ns, ns), WHERE, placements=(1, 2), core_hz=hz)


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    monkeypatch.setattr(live.environment, "where", lambda: WHERE)
    monkeypatch.setattr(
        live.rows, "run", lambda cases, where: (SimpleNamespace(measurement=measurement(case)) for case in cases)
    )


def test_the_four_modes_of_2008_have_the_120_cells_of_the_sources():
    table = bench.Tcrypt("ttable", ("ecb", "cbc", "lrw", "xts"))
    source = bench.Tcrypt.run(table).rows()
    from aesedu import data

    cells = [tuple(row[name] for name in ("mode", "direction", "key_bits", "bytes")) for row in source]
    via = data.tcrypt_via_c3_2008()[["mode", "direction", "key_bits", "bytes"]]
    assert cells == list(via.itertuples(index=False, name=None))


def test_all_modes_and_their_text():
    table = bench.Tcrypt("ttable").run()
    assert len(table.cells) == len(table.rows()) == 300
    frame = bench.tcrypt.read(table.text())
    assert set(frame["driver"]) == {"ttable"} and "cfb" in set(frame["mode"])
    assert frame["cycles"].tolist() == [4 * (40 + 2 * size) for size in frame["bytes"]]
    assert "ttable (readable Python), simulated, 2000-01-01; quick protocol" in table.text()


def test_an_unsteady_cell_takes_the_frequency_of_the_others():
    table = bench.Tcrypt("ttable", ("ecb",), keys=(128,)).run()
    table.measurements[1] = measurement(table.cells[1], hz=())
    assert [row["cycles"] for row in table.rows()][:2] == [4 * 72, 4 * 168]
    table.measurements = [measurement(cell, hz=()) for cell in table.cells]
    assert table.rows()[0]["cycles"] == 4 * 72


def test_an_unsettled_cell_is_measured_once_more(monkeypatch):
    widths = iter([2, 1, 1, 0, 1, 9])

    def run(cases, where):
        for case in cases:
            one = measurement(case)
            yield SimpleNamespace(
                measurement=replace(one, interval=(one.estimate * 1.0, one.estimate * (1 + next(widths))))
            )

    monkeypatch.setattr(live.rows, "run", run)
    table = bench.Tcrypt("ttable", ("ecb",), keys=(128,), sizes=(16, 64), directions=("enc",)).run()
    assert [round(live._width(one)) for one in table.measurements] == [1, 0]
    assert next(widths) == 1
    monkeypatch.setattr(live, "PACE", -1)
    widths = iter([2, 1])
    late = bench.Tcrypt("ttable", ("ecb",), keys=(128,), sizes=(16,), directions=("enc",)).run()
    assert round(live._width(late.measurements[0])) == 2


def test_bench_slope_finds_slope_and_fixed_cost():
    table = bench.BenchSlope("ttable").run()
    rows = table.rows()
    assert len(rows) == 3 * (2 * 9 + 3)
    assert {row["mode"] for row in rows if row["op"] == "auth"} == {"CCM", "GCM", "OCB"}
    assert {row["key_bits"] for row in rows if row["mode"] == "XTS"} == {128, 192, 256}
    for row in rows:
        assert row["ns_per_byte"] == pytest.approx(2) and row["cycles_per_byte"] == pytest.approx(8)
        assert row["fixed_ns"] == pytest.approx(40)
    assert len(bench.bench_slope.read(table.text())) == len(rows)


@pytest.mark.parametrize("end", [KeyboardInterrupt, native.Cancelled])
@pytest.mark.parametrize(("kind", "rows"), [("Tcrypt", 7), ("BenchSlope", 2)])
def test_an_interrupted_run_keeps_what_is_done_and_goes_on(kind, rows, end):
    def interrupt(done, total, row):
        if done == 7:
            raise end

    table = getattr(bench, kind)("ttable", ("ecb",))
    assert len(table.run(interrupt).rows()) == rows
    assert table.text()
    table.run()
    assert len(table.measurements) == len(table.cells)
    assert [m.what["bytes"] for m in table.measurements] == [cell[4] for cell in table.cells]


def test_progress_gives_each_row():
    seen = []
    rows = bench.run_tcrypt("ttable", ("ecb",), lambda *update: seen.append(update), keys=(128,), sizes=(16, 64))
    assert seen == [(n + 1, 4, row) for n, row in enumerate(rows)]


def test_wrong_arguments_are_refused_before_the_first_cell():
    with pytest.raises(ValueError, match="no mode 'xyz'"):
        bench.Tcrypt("ttable", ("ecb", "xyz"))
    with pytest.raises(ValueError, match="128, 192 or 256 bits, not 100"):
        bench.Tcrypt("ttable", ("ecb",), keys=(100,))
    with pytest.raises(ValueError, match="no engine 'nonsense'"):
        bench.BenchSlope("nonsense")
