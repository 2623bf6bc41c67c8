"""The cycle model beside llvm-mca: which routines, which machine, what is read and made of it; nothing is timed."""

import math
import re
import shutil
from types import SimpleNamespace

import pytest
from simulated import WHERE, Machine, Routine

from aesedu import cli, data, machines
from aesedu.bench import measurement, model_errors
from aesedu.bench.model_errors import McaError
from aesedu.codegen import generate
from aesedu.routines import aes_rounds

RECORDED = str(data.path("runs/model_errors_epyc_zen4.json"))
ABLE = {"avx", "aes", "pclmulqdq", "ssse3", "vaes", "avx512vl", "pmull"}
FEW = {
    "ECB x1": generate(aes_rounds.encrypt.record(), encoding="vex"),
    "VAES ECB 2x4": generate(aes_rounds.encrypt.record(vectors=2, lanes=4), encoding="evex"),
}


def tool(cycles=20, unknown=(), fails=()):
    """A llvm-mca whose every loop takes that many cycles after the first ones."""

    def run(arguments, input, **_):
        cpu = next(a.partition("=")[2] for a in arguments if a.startswith("-mcpu"))
        n = int(arguments[-1].partition("=")[2])
        if cpu in unknown:
            return SimpleNamespace(stdout="Total Cycles:  1\n", stderr=f"'{cpu}' is not a recognized processor\n")
        if any(word in input for word in fails):
            return SimpleNamespace(stdout="", stderr="error: instruction requires: AVX-512\n")
        return SimpleNamespace(stdout=f"Iterations: {n}\nTotal Cycles:      {7 + n * cycles}\n", stderr="")

    return run


@pytest.mark.parametrize(("isa", "features", "least"), [("x86_64", ABLE, 28), ("aarch64", ABLE, 15), ("x86_64", (), 7)])
def test_there_are_enough_routines_and_only_those_that_the_host_can_run(isa, features, least):
    found = model_errors.codes(isa, set(features))
    assert len(found) >= least
    assert {code.isa for code in found.values()} == {isa}
    assert ("VAES ECB 2x4" in found) == (isa == "x86_64" and "vaes" in features)


@pytest.mark.parametrize(  # signatures as InstLatx64 lists them
    ("eax", "name"),
    [
        (0x000006F4, "core2"),
        (0x00010676, "core2"),
        (0x000506E3, "skylake"),
        (0x00A10F11, "zen4"),
        (0x00A60F12, "zen4"),
        (0x00B40F40, "zen5"),
        (0x00B00F21, "zen5"),
    ],
)
def test_the_machine_of_a_signature(eax, name):
    assert model_errors.of_signature(eax) == name
    assert name in machines.names()


def test_a_processor_without_a_file_is_named():
    with pytest.raises(machines.MachineError, match="no file describes family 23, model 113; .* skylake, zen4"):
        model_errors.of_signature(0x00870F10)
    with pytest.raises(machines.MachineError, match="family 25, model 33"):  # Zen 3
        model_errors.of_signature(0x00A20F12)


def test_what_is_measured_are_core_cycles_of_an_iteration():
    machine, truth = Machine(placement=0), {"ECB x1": 10, "VAES ECB 2x4": 40}

    def sampler(requests):  # 4 GHz: a quarter of a nanosecond is a cycle
        calls = [(Routine(s.label, truth[s.label] * model_errors.PASSES / 4), *how) for s, *how in requests]
        return machine.samples(calls)

    taken = model_errors.rounds(FEW, sampler=sampler, clock=machine.clock, seed=0)
    taken.take()
    taken.take()
    assert model_errors.measured(taken.measurements(WHERE)) == pytest.approx(truth, rel=0.01)


def test_the_command_refuses_what_cannot_be_used(capsys, tmp_path):
    recorded = ["--recorded", RECORDED]
    (tmp_path / "none.json").write_text("[]")
    for options, message in [
        (["--machine", "nix"], "no machine 'nix'"),
        (["--machine", str(tmp_path / "gone.toml")], "gone.toml: No such file"),
        (["--machine", "n1" if model_errors.ISA == "x86_64" else "zen4"], f"this host is {model_errors.ISA}, and"),
        (["--machine", "n1", *recorded], "what was recorded is x86_64, and n1 is not"),
        (["--recorded", str(tmp_path)], str(tmp_path)),
        (["--recorded", str(tmp_path / "none.json")], "none of this command's routines"),
        (["--recorded", str(data.path("runs/gcm_forms_epyc_zen4.json"))], "none of this command's routines"),
        ([*recorded, "--save", str(tmp_path / "s.json")], "nothing to save"),
        (["--rounds", "0"], "--rounds takes a number above 0, not 0"),
    ]:
        assert cli.main(["model", "--machine", "zen4", *options]) == 2
        out, err = capsys.readouterr()
        assert message in err and "Traceback" not in err and not out


def test_the_command_models_the_file_it_is_given(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(cli, "_mca_cpu", lambda machine: None)
    narrow = tmp_path / "zen4.toml"  # the name of one of ours, and of another width
    narrow.write_text('base = "zen5"\n[core]\ndispatch = [1, "documented", "osaca"]\n', encoding="utf-8")
    errors = {}
    for core in ("zen4", str(narrow)):
        assert cli.main(["model", "--machine", core, "--recorded", RECORDED]) == 0
        errors[core] = float(re.search(r"mean error ([\d.]+)", capsys.readouterr().out)[1])
    assert errors["zen4"] < 8 and errors[str(narrow)] > 50


def test_the_cycles_of_llvm_mca_are_a_slope():
    assert model_errors.mca(FEW["ECB x1"], "znver3", run=tool(23)) == 23


def test_what_llvm_mca_is_given():
    seen = []
    model_errors.mca(FEW["VAES ECB 2x4"], "znver4", "mca", run=lambda *a, **k: seen.append((a, k)) or tool()(*a, **k))
    (arguments,), options = seen[0]
    assert arguments[0] == "mca" and "-mcpu=znver4" in arguments and "vaes" in " ".join(arguments)
    lines = options["input"].splitlines()
    assert lines[1:-1] == [i.text for i in FEW["VAES ECB 2x4"].instructions] and (lines[0], lines[-1]) == ("1:", "3:")


def test_the_first_processor_that_it_knows_is_taken():
    assert model_errors.mca_cpu("zen4", run=tool()) == "znver4"
    assert model_errors.mca_cpu("zen4", run=tool(unknown={"znver4"})) == "znver3"
    seen = []
    model_errors.mca_cpu("n1", run=lambda arguments, **how: seen.extend(arguments) or tool()(arguments, **how))
    assert "-mtriple=aarch64" in seen, "a core is probed with its own instructions, whatever the host"
    with pytest.raises(McaError, match="not a recognized"):
        model_errors.mca_cpu("zen4", run=tool(unknown={"znver4", "znver3"}))


def test_a_tool_that_is_not_there_is_named():
    with pytest.raises(McaError, match="no-such-tool cannot be run .*package llvm"):
        model_errors.mca_cpu("zen4", "no-such-tool")


def test_table_and_summary():
    measured = {"ECB x1": 10.0, "VAES ECB 2x4": 40.0}
    frame = model_errors.table(measured, FEW, "zen4", "znver3", run=tool(12, fails=("zmm",)))
    first, second = frame.itertuples()
    assert (first.measured, first.mca, first.mca_error) == (10, 12, pytest.approx(20))
    assert first.model_error == pytest.approx(100 * (first.model / 10 - 1))
    assert math.isnan(second.mca) and math.isnan(second.mca_error)
    found = model_errors.summary(frame)
    assert found["llvm-mca"] == (1, pytest.approx(20), pytest.approx(20))
    assert found["model on those"][0] == 1
    assert found["model"][0] == 2
    assert found["model"][2] == pytest.approx(max(abs(first.model_error), abs(second.model_error)))
    without = model_errors.table({"ECB x1": 10.0}, FEW, "zen4")
    assert list(without["routine"]) == ["ECB x1"] and set(model_errors.summary(without)) == {"model"}


@pytest.mark.parametrize("core", ["zen4", "zen5"])
def test_the_model_is_within_its_bounds_on_what_was_recorded(core):
    """The machine's file was not fitted to these; a change of the model that makes it worse than this is no mend."""
    cycles = model_errors.measured(measurement.load(data.path(f"runs/model_errors_epyc_{core}.json")))
    frame = model_errors.table(cycles, model_errors.codes("x86_64", ABLE), core)
    routines, mean, worst = model_errors.summary(frame)["model"]
    assert routines == 29 and mean <= 8 and worst <= 16


def test_a_core_of_another_instruction_set_is_refused():
    with pytest.raises(machines.MachineError, match="what was recorded is x86_64, and n1 is not"):
        model_errors.text(measurement.load(data.path("runs/model_errors_epyc_zen4.json")), "n1")


@pytest.mark.skipif(not shutil.which("llvm-mca"), reason="llvm-mca is not installed")
def test_with_the_tool_itself():
    cpu = model_errors.mca_cpu("zen4")
    chain = SimpleNamespace(isa="x86_64", encoding="vex", instructions=[SimpleNamespace(text="imulq %rax, %rax")])
    assert model_errors.mca(chain, cpu) == 3
    broken = SimpleNamespace(isa="x86_64", encoding="vex", instructions=[SimpleNamespace(text="nonsense")])
    with pytest.raises(McaError, match="nonsense|invalid instruction"):
        model_errors.mca(broken, cpu)
