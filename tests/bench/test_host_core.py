"""A core of known truth, measured on a simulated machine, and the file that says so."""

from dataclasses import replace

import pytest
from simulated import WHERE, Machine, Routine

from aesedu import machines, native, workbench
from aesedu.bench import host_core
from aesedu.bench.core_probes import LATENCY, THROUGHPUT, probes

# Cycles a step on a core like Skylake, but with three ports for words, one for vector additions, AES every 2 cycles.
TRUTH = {("alu", THROUGHPUT): 1 / 3, ("load", LATENCY): 5, ("load", THROUGHPUT): 1 / 2, ("mul", LATENCY): 3}
TRUTH |= {("vadd", THROUGHPUT): 1, ("aes", LATENCY): 6, ("aes", THROUGHPUT): 2, ("clmul", LATENCY): 7}
TRUTH |= {("move", LATENCY): 0.25, ("vmove", LATENCY): 1.0, ("mixed", THROUGHPUT): 1 / 4, ("indexed", LATENCY): 6}
TRUTH |= {("forward", LATENCY): 8, ("vforward", LATENCY): 9, ("blocked", LATENCY): 30}
ABLE = {"ssse3", "sse4.1", "aes", "pclmulqdq", "avx512f"}


def measured(truth=TRUTH, features=ABLE, isa="x86_64", **machine):
    """A HostCore of this truth; latencies and cycles a start that are not in it are 1."""
    simulated = Machine(**{"placement": 0, "seed": 1} | machine)
    cycles = {p.label: p.count * truth.get((p.name, p.kind), 1) for p in probes(isa)}

    def sampler(requests):
        ns = [Routine(s.label, cycles[s.label] / 4) for s, _, _ in requests]  # at 4 GHz
        return simulated.samples([(routine, *request[1:]) for routine, request in zip(ns, requests, strict=True)])

    return host_core.measure(isa=isa, features=features, where=WHERE, seed=1, sampler=sampler, clock=simulated.clock)


def exact(truth=TRUTH, lacks=None, isa="x86_64"):
    """The same without a measurement."""
    cycles = {(p.name, p.kind): (float(truth.get((p.name, p.kind), 1)),) * 3 for p in probes(isa)}
    return host_core.HostCore(
        isa, WHERE, {key: c for key, c in cycles.items() if key[0] not in (lacks or {})}, lacks or {}
    )


@pytest.fixture(scope="module")
def core():
    return measured()


@pytest.fixture
def read(tmp_path):
    def read(core, base):
        core.write(tmp_path / "mine.toml", base)
        return machines.read(tmp_path / "mine.toml")

    return read


def test_table_has_the_truth(core):
    table = core.table()
    for (name, kind), cycles in TRUTH.items():
        seen = table.latency[name] if kind == LATENCY else 1 / table.per_cycle[name]
        assert seen == pytest.approx(cycles, rel=0.02)
    assert (table.spread < 5).all() and not table.note.any()
    assert table.instructions["forward"].count(";") == 1 and ";" not in table.instructions["alu"]


def test_file_has_the_truth_and_the_base_the_rest(core, read):
    mine, base = read(core, "skylake"), machines.load("skylake")
    assert (mine.classes["load"].latency, mine.classes["aes"].latency, mine.classes["clmul"].latency) == (5, 6, 7)
    assert mine.classes["alu"].ports == base.classes["alu"].ports[:3] == ("0", "1", "5")
    assert (mine.classes["aes"].ports, mine.classes["aes"].occupancy) == (("0",), 2)
    assert mine.classes["vadd"].ports == ("0",) and mine.classes["load"].ports == base.classes["load"].ports
    assert (mine.dispatch, mine.eliminate, mine.indexed) == (4, ("move",), 1)
    assert mine.facts["class.aes.latency"].status == "measured" and "simulated" in mine.facts["core.indexed"].source
    assert mine.facts["core.rob"] == base.facts["core.rob"] and mine.groups == base.groups


def test_model_of_the_file_gives_back_what_was_measured(core, read):
    mine = read(core, "skylake")
    for probe in probes("x86_64"):
        if probe.kind == LATENCY and probe.name != "vlane":
            assert probe.predicted(mine) == pytest.approx(TRUTH.get((probe.name, LATENCY), 1), abs=0.6), probe.label
    for name in ("alu", "load", "vadd", "aes"):
        probe = next(p for p in probes("x86_64") if (p.name, p.kind) == (name, THROUGHPUT))
        assert probe.predicted(mine) == pytest.approx(TRUTH[name, THROUGHPUT], rel=0.15)


def test_raw_values_and_what_cannot_be_said_are_remarks(core):
    text = core.toml("skylake")
    assert "# 6.0" in text or "# 5.9" in text
    more = exact(TRUTH | {("alu", THROUGHPUT): 1 / 6, ("move", THROUGHPUT): 1 / 6}).toml("skylake")
    assert "# alu: 6.0" in more and "no number of them gives that" in more and "dispatch = [6," in more
    slow = exact(dict.fromkeys(TRUTH, 1)).toml("zen4")
    assert "# dispatch: no loop took more than 1.0" in slow and "dispatch =" not in slow
    rare = exact(TRUTH | {("clmul", THROUGHPUT): 8, ("vbytes", THROUGHPUT): 40}).toml("skylake")
    assert 'occupancy = [8, "measured", "here"]' in rare and "# vbytes: 0.03 a cycle" in rare
    assert "dispatch: no loop" in exact(TRUTH | {("mixed", THROUGHPUT): 1 / 5.3}).toml("zen4")


@pytest.mark.parametrize(("base", "forward"), [("zen5", 0.5), ("zen4", 8), ("skylake", 1)])
def test_chains_through_memory_take_in_the_model_what_they_took_or_a_remark_says_so(read, base, forward):
    chains = {"forward": forward, "vforward": 9, "blocked": 15.6}  # the first: of a core that renames memory
    core = exact(TRUTH | {(name, LATENCY): value for name, value in chains.items()})
    mine, text = read(core, base), core.toml(base)
    for probe in (probe for probe in probes("x86_64") if probe.name in chains):
        told = f"# {probe.name}: the chain takes {chains[probe.name]:.2f} cycles, in the model" in text
        assert told != (abs(probe.predicted(mine) - chains[probe.name]) <= 1), probe.name
    assert "no number gives that" not in exact().toml("skylake")


def test_rates_are_those_that_differ_by_more_than_a_file_allows():
    found = {name: (own, model) for name, own, model in exact().rates(machines.load("skylake"))}
    assert found["alu"] == (pytest.approx(3), pytest.approx(4, abs=0.1)) and not {"load", "indexed"} & set(found)


def test_without_aes_it_is_left_out_with_the_reason(read):
    core = exact(lacks={"aes": "aes", "clmul": "pclmulqdq"})
    table = core.table()
    assert table.note["aes"] == "this machine lacks aes" and table.latency.isna()["aes"]
    mine = read(core, "skylake")
    assert mine.classes["aes"] == machines.load("skylake").classes["aes"]
    assert "# clmul: this machine lacks pclmulqdq" in core.toml("skylake")


def test_what_is_not_settled_is_not_written(read):
    core = measured(noise=0.3)
    assert "not settled" in core.table().note["alu"]
    assert replace(read(core, "skylake"), name="", title="") == replace(machines.load("skylake"), name="", title="")
    assert measured(unsteady=1).value("alu", LATENCY) is None


def test_pairs_of_arm_instructions_that_take_the_time_of_one_are_one(read, tmp_path):
    alone = {("aes", LATENCY): 3, ("fuse_aes", LATENCY): 3.1}
    core = exact(alone, isa="aarch64")
    assert "fuse_aes = [true" in core.toml("a72")
    assert "fuse_aes = [false" in exact(alone | {("fuse_aes", LATENCY): 6}, isa="aarch64").toml("a72")
    assert not read(core, "thunderx2").in_order and machines.load(core.nearest()).isa == "aarch64"
    with pytest.raises(machines.MachineError, match="skylake is no core for aarch64"):
        core.toml("skylake")


@pytest.mark.parametrize("name", ["skylake", "zen5", "core2", "n1", "a53"])
def test_nearest_is_the_core_whose_latencies_were_measured(name):
    truth = {(kind, LATENCY): c.latency for kind, c in machines.load(name).classes.items()}
    lacks = {} if "aes" in machines.load(name).classes else {"aes": "aes", "clmul": "pclmulqdq"}
    core = exact(truth, lacks, machines.load(name).isa)
    assert core.nearest() == name


def test_nothing_is_overwritten(core, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError):
        core.write(path)
    assert path.read_text(encoding="utf-8") == "mine"


def test_names_of_processors_are_quoted(core, read):
    odd = replace(core, where=WHERE | {"cpu": 'A "fast"\x00\n\\ core \N{REGISTERED SIGN}'})
    assert read(odd, "skylake").title == 'A "fast"\\ core \N{REGISTERED SIGN}, measured'


def test_what_this_machine_lacks_is_not_timed():
    first, total, _ = next(host_core.timing(isa="x86_64", features=set()))
    assert (first, next(host_core.timing(isa="x86_64", features=ABLE))[1] - total) == (0, 9)
    with pytest.raises(native.UnsupportedFeature, match="x86_64 and aarch64"):
        host_core.measure(isa="riscv64")


def test_a_timeline_takes_the_file(core, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    core.write("mine.toml", "skylake")
    assert "simulated, measured" in workbench.timeline("addq $1, %rax", machine="mine.toml").html()
    with pytest.raises(machines.MachineError, match=r"gone\.toml: No such file"):
        workbench.timeline("addq $1, %rax", machine="gone.toml")
    (tmp_path / "broken.toml").write_text("isa = 7", encoding="utf-8")
    with pytest.raises(machines.MachineError, match=r"broken\.toml: isa"):
        workbench.timeline("addq $1, %rax", machine="broken.toml")
