"""Fixed cost and slope: known truth on the simulated machine, and the published ThunderX2 figures."""

import pytest
from simulated import Machine, Routine

from aesedu import data
from aesedu.bench import fit, series

SIZES = [16, 64, 256, 1024, 8192]


def make(size):
    return Routine(f"size {size}", 100 + 0.5 * size, {"bytes": size})


def test_known_line():
    results = [
        series(make, SIZES, seed=seed, **Machine(seed=seed, placement=0, frequency=0).options()) for seed in range(20)
    ]
    for unit, fits in (("ns", [each.fit for each in results]), ("core cycles", [each.fit_cycles for each in results])):
        scale = 4 if unit == "core cycles" else 1
        good = [
            each.fixed_interval[0] * 0.995 <= 100 * scale <= each.fixed_interval[1] * 1.005
            and each.slope_interval[0] * 0.995 <= 0.5 * scale <= each.slope_interval[1] * 1.005
            for each in fits
        ]
        assert sum(good) >= 18, unit
        assert all(each.unit == unit and max(map(abs, each.misses.values())) < 0.02 for each in fits)
    assert [point.what["bytes"] for point in results[0].points] == SIZES and results[0].notes == ()


def test_sizes_that_do_not_fit_are_left_out():
    result = series(lambda size: Routine("A", 1e6 * size), [16, 1024, 8192], **Machine(spikes=0).options())
    assert len(result.points) == 2 and result.notes == ("no sizes above 1024 bytes: a call would take over 2 s",)


def thunderx2(code, key_bits, weights):
    table = data.tcrypt_thunderx2_2021()
    rows = table[(table.code == code) & (table.key_bits == key_bits)]
    return fit(rows["bytes"], 1e9 / rows["ops_per_s"], weights=weights)


def test_thunderx2():
    """Least squares over all sizes: a fixed cost of 434 -> 568 ns (AES-128), speed of the slope +11, +5, -10.5 %."""
    old, new = ({bits: thunderx2(code, bits, "equal") for bits in (128, 192, 256)} for code in ("old", "new"))
    assert [round(each[128].fixed) for each in (old, new)] == [434, 568]
    assert [round(100 * (old[bits].slope / new[bits].slope - 1), 1) for bits in old] == pytest.approx(
        [11, 5, -10.5], abs=0.5
    )
    assert max(new[128].misses, key=lambda size: abs(new[128].misses[size])) == 64


def test_path_switch_shows():
    assert "the line misses 1024 bytes by 10.5 %" in str(thunderx2("new", 128, "relative"))
    assert str(fit([16, 32], [10, 12])).startswith("8 ns a call and 0.125 ns a byte")


def test_refused():
    with pytest.raises(ValueError, match="need two sizes, not 1"):
        fit([16], [10])
    with pytest.raises(ValueError, match="'relative' or 'equal'"):
        fit([16, 32], [10, 12], weights="none")
