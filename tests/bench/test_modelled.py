"""What notebooks 02, 03 and 05 say of the cycle model beside their measurements."""

import math
from dataclasses import replace

import pytest

from aesedu import layout, machines, workbench
from aesedu.bench.modelled import cycles
from aesedu.routines import aes_rounds, ttable

LABELS = [f"{t}, {loads}" for t in ttable.TECHNIQUES for loads in ttable.KEY_LOADS]
FOUR = {label: ttable.encrypt.record(technique=t, key_loads=k) for label in LABELS for t, k in [label.split(", ")]}
CORE2 = machines.load("core2")


def percent(before, after):
    """By how much less the second is."""
    return 100 * (1 - after / before)


def saved(found, core):
    """Per cent that splitting, the wider loads, and both save."""
    merged, loads, splitting, both = (found[label, core] for label in LABELS)
    return tuple(percent(merged, each) for each in (splitting, loads, both))


@pytest.fixture(scope="module")
def with_14():
    cores = {name: name for name in ("core2", "skylake", "zen4", "zen5", "a53")}
    return cycles(FOUR, cores, budget=14)


def test_which_change_earned_the_gain_on_which_core(with_14):
    """Notebook 02: "So "which change earned the gain" has one answer a core"."""
    splitting, loads, both = saved(with_14, "core2")
    assert splitting < loads and 9 < both < 11
    for core in ("skylake", "zen4", "zen5"):
        splitting, loads, _ = saved(with_14, core)
        assert 6.5 < splitting < 10.5 and -2 < loads < 1
    assert [round(each) for each in saved(with_14, "a53")[:2]] == [2, 6]


def test_beside_the_recorded_zen_4(with_14):
    """Cycles a block of data/runs/register_ablation_epyc_zen4.json."""
    recorded = dict(zip(LABELS, (163.0, 157.4, 151.8, 146.5), strict=True))
    assert all(-2 < percent(recorded[label], with_14[label, "zen4"]) < 8.5 for label in LABELS)


def test_with_eight_registers():
    cores = {"core2": "core2", "zen4": "zen4", "zen5": "zen5", "7": replace(machines.load("zen5"), forward=7)}
    found = cycles({label: FOUR[label] for label in LABELS[::2]}, cores, budget=8)
    merged, split = ({core: found[f"{name}, 4x32", core] for core in cores} for name in ("merged", "split"))
    assert merged["core2"] < split["core2"] and split["zen4"] < merged["zen4"]
    assert merged["7"] < 0.87 * split["7"] and 17 < percent(split["7"], split["zen5"]) < 23
    assert split["zen5"] == pytest.approx(127, rel=0.04)  # DESIGN: 126.6 and 127.5 measured on a Zen 5


def test_the_answer_on_core_2_hangs_on_the_merges():
    plain = replace(CORE2, partial=None, crossing=0)
    effects = {"neither": plain, "merges": replace(plain, partial=2), "4": replace(plain, partial=4)}
    effects["crossings"] = replace(plain, crossing=12)
    at_4 = cycles(FOUR, effects, places=dict.fromkeys(FOUR, {"keys": 4}), budget=14)
    neither, merges, four = (saved(at_4, name) for name in ("neither", "merges", "4"))
    assert neither[0] < 1.5 and neither[1] > 6 and round(neither[2]) == 8
    assert 2.5 < merges[0] < merges[1] and round(merges[2]) == 10
    assert four[0] > 5 and abs(four[1]) < 1.5 and round(four[2]) == 13
    assert at_4["split, 2x64", "crossings"] - at_4["split, 2x64", "neither"] == pytest.approx(24, abs=0.5)
    assert at_4["split, 2x64", "crossings"] > at_4["split, 4x32", "crossings"] + 5
    wide = "split, 2x64"
    at_8 = cycles({wide: FOUR[wide]}, effects, places={wide: {"keys": 8}}, budget=14)
    assert at_8[wide, "crossings"] == at_8[wide, "neither"] == at_4[wide, "neither"]


def test_orders_for_a_core():
    """Notebook 02: a factor of two in program order, nothing or a loss elsewhere; the lack of a bound costs."""
    patched = FOUR["split, 2x64"]
    orders = {
        "written": lambda core: patched,
        "ordered": lambda core: workbench.schedule(patched, core),
        "unbounded": lambda core: workbench.schedule(patched, core, math.inf),
    }
    cores = ("skylake", "zen4")
    found = cycles(orders, {name: name for name in ("a53", *cores)})
    assert found["written", "a53"] > 2.1 * found["ordered", "a53"]
    assert found["ordered", "a53"] < 16 * 21.5  # source 002: 21.5 cycles a byte before the change
    for core in cores:  # the large ones
        written, ordered, unbounded = (found[name, core] for name in orders)
        assert ordered > 0.97 * written and unbounded > 1.04 * max(written, ordered)


def test_what_pad1_is_worth():
    """Notebook 03."""
    names = {name: {"keys": layout.offset(name, "encrypt")} for name in ("no padding", "_pad1")}
    variants = dict.fromkeys(names, FOUR["split, 2x64"])
    cores = {"core2": CORE2, "twice": replace(machines.load("zen4"), crossing=1)}
    found = cycles(variants, cores, places=names, budget=14)
    assert 10 < 100 * (found["no padding", "core2"] / found["_pad1", "core2"] - 1) < 14
    assert found["no padding", "core2"] - found["_pad1", "core2"] == pytest.approx(24, abs=0.5)
    assert 1 < percent(found["_pad1", "twice"], found["no padding", "twice"]) < 2, "the wrong sign"
    scatter = [cycles({0: FOUR["split, 2x64"]}, {0: "zen4"}, budget=budget)[0, 0] for budget in (14, 15)]
    assert [round(each) for each in scatter] == [146, 142]


def test_blocks_side_by_side():
    """Notebook 05: from how many on more gain little, by latency over interval; in program order all must be there."""
    counts = {n: n for n in (1, 2, 3, 4, 8)}
    cores = {name: name for name in ("skylake", "zen4", "zen5", "a53", "a57", "a72", "n1")}
    streams = {n: aes_rounds.cbc_encrypt.record(chains=n, stride=512) for n in counts}
    chained = cycles(streams, cores, parts=counts)
    for core, enough in {"skylake": 4, "zen4": 8, "n1": 2, "a72": 4}.items():
        assert chained[enough, core] < 1.1 * chained[8, core] and chained[enough // 2, core] > 1.3 * chained[8, core]
    free = cycles({n: aes_rounds.encrypt.record(vectors=n) for n in counts}, cores, parts=counts)
    assert 1.7 < free[1, "a53"] / free[4, "a53"] < 1.9 and free[2, "a53"] < 0.7 * free[1, "a53"]
    less = {core: [round(percent(free[1, core], free[n, core])) for n in (3, 8)] for core in cores}
    assert all(max(less[core]) <= 0 for core in ("skylake", "n1")) and less["a57"][0] == less["a72"][0] == 23
    assert 16 <= less["zen5"][1] <= less["zen4"][1] <= 18
    for core in map(machines.load, ("a57", "a72")):
        longer = replace(core, groups={ports: 2 * size for ports, size in core.groups.items()})
        wide = cycles({n: aes_rounds.encrypt.record(vectors=n) for n in (2, 8)}, {0: core, 1: longer}, parts=counts)
        assert wide[8, 0] > 11 and wide[2, 1] == pytest.approx(wide[8, 1], abs=0.05) == pytest.approx(10, abs=0.05)
    assert chained[1, "a53"] == pytest.approx(32, abs=0.5)


def test_cores_of_one_name_need_headings():
    zen4, other = machines.load("zen4"), replace(machines.load("zen4"), rob=8)
    with pytest.raises(ValueError, match="two cores are called 'AMD Zen 4': give them headings"):
        cycles(FOUR, [zen4, other])
    assert len(cycles({0: FOUR["merged, 4x32"]}, {"ours": zen4, "small": other})) == 2
    assert len(cycles({0: FOUR["merged, 4x32"]}, ["zen4", zen4])) == 1
