"""The arithmetic over tcrypt's tables: against NumPy, the published percentages, and by hand."""

import numpy
import pandas
import pytest

from aesedu import data
from aesedu.bench import tables


@pytest.fixture(scope="module")
def core2():
    return dict(list(data.tcrypt_core2_2008().groupby("kernel")))


def straight(fixed, slope, sizes=(16, 64, 256, 1024), **what):
    cell = {"mode": "ecb", "direction": "enc", "key_bits": 128} | what
    return pandas.DataFrame([{**cell, "bytes": size, "cycles": fixed + slope * size} for size in sizes])


def test_change_is_the_120_published_percentages(core2):
    changed = tables.change(core2["stock"], core2["patched"])
    printed = data.tcrypt_core2_2008_percent()
    assert (changed[tables.CELL] == printed[tables.CELL]).all(axis=None)
    assert (changed.percent - printed.percent).abs().max() <= 0.005 + 1e-9
    swapped = tables.change(core2["patched"], core2["stock"])
    assert (swapped.percent - printed.percent).abs().max() > 1


def test_change_keeps_the_cells_both_have(core2):
    half = core2["patched"][core2["patched"].direction == "dec"]
    assert len(tables.change(core2["stock"], half)) == 60


def test_one_cell_or_none(core2):
    assert tables.cycles(core2["stock"], "xts", "dec", 512, 8192) == 172112
    assert tables.cycles(core2["stock"], "gcm", "dec", 128, 16) is None
    assert tables.cycles(pandas.DataFrame(), "ecb", "enc", 128, 16) is None


def test_fits_are_numpys(core2):
    fitted = tables.fits(core2["stock"], "equal")
    weighted = tables.fits(core2["stock"])
    for (key, rows), plain, relative in zip(
        core2["stock"].groupby(tables.SERIES, sort=False), fitted.itertuples(), weighted.itertuples(), strict=True
    ):
        assert plain.series == f"{key[0]} {key[1]} {key[2]}"
        assert (plain.slope, plain.fixed) == pytest.approx(tuple(numpy.polyfit(rows.bytes, rows.cycles, 1)))
        expected = numpy.polyfit(rows.bytes, rows.cycles, 1, w=1 / rows.cycles)
        assert (relative.slope, relative.fixed) == pytest.approx(tuple(expected))
        assert relative.block == pytest.approx(16 * relative.slope)


def test_miss_is_the_worst_sizes():
    bent = straight(100, 2)
    assert tables.fits(bent).miss[0] == pytest.approx(0)
    bent.loc[0, "cycles"] *= 2
    assert abs(tables.fits(bent).miss[0]) > 10


def test_surplus_is_of_the_first_size_and_of_no_other():
    row = straight(100, 2)
    assert tables.surplus(row).percent[0] == pytest.approx(0)
    row.loc[0, "cycles"] = 2 * (100 + 2 * 16)
    (found,) = tables.surplus(row.iloc[::-1]).itertuples()
    assert (found.bytes, found.percent) == (16, pytest.approx(100)) and found.expected == pytest.approx(132)


@pytest.mark.parametrize(
    ("mode", "key_bits", "bits"), [("ecb", 192, 192), ("lrw", 256, 128), ("lrw", 384, 256), ("xts", 384, 192)]
)
def test_bits_of_the_aes_key(mode, key_bits, bits):
    assert tables.aes_bits(mode, key_bits) == bits


def test_extra_subtracts_key_sizes_of_aes_not_of_the_mode():
    lrw = pandas.concat([straight(9, 3, mode="lrw", key_bits=320), straight(2, 1, mode="lrw", key_bits=384)])
    assert tables.extra(lrw, 192, 256).loc["lrw", "enc"].tolist() == [7 + 2 * size for size in (16, 64, 256, 1024)]


# What notebook 04 says of the data. Figures in the notebook are computed; these keep its sentences true.


def test_the_two_extremes_are_the_first_row_of_each_direction(core2):
    changed = tables.change(core2["stock"], core2["patched"])
    assert list(changed.percent.sub(changed.percent.median()).abs().nlargest(2).index) == [0, 15]
    rest = changed.percent.drop([0, 15])
    assert rest.max() < 0 and -10.2 < rest.min() < -10.1, "the mail says more than 10.2"
    for kernel, series in (("stock", "ecb enc 128"), ("patched", "ecb dec 128")):
        off = tables.surplus(core2[kernel]).sort_values("percent").iloc[-1]
        assert off.series == series and off.percent > 15
    via = tables.surplus(data.tcrypt_via_c3_2008())
    assert via.series[via.percent.idxmax()] == "ecb enc 128"


def test_192_bits_on_padlock():
    extra = tables.extra(data.tcrypt_via_c3_2008(), 192, 256)
    assert (extra.loc[["ecb", "cbc", "lrw"]] > 770).all(axis=None)
    assert (extra.loc["xts"] <= 11).all(axis=None)
    spread = extra.loc[["ecb", "cbc", "lrw"]].agg(lambda column: column.max() / column.min())
    assert (spread < 1.35).all(), "nearly the same in all three"


def test_padlock_pays_for_each_block_in_lrw_and_xts():
    block = tables.fits(data.tcrypt_via_c3_2008()).groupby("mode").block
    assert block.max()["ecb"] < 32 and block.max()["cbc"] < 46
    assert block.min()["lrw"] > 400 and block.min()["xts"] > 320
