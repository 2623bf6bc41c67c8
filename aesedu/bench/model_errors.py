"""How far the cycle model is off: the suite's own routines on this host, measured, by our model, and by llvm-mca.

Out of sample: the numbers of a machine's file come from documents and micro-benchmarks, never from these routines.
llvm-mca (a part of LLVM) gets the same instructions; where it does not know a processor, the kin that it knows.
"""

import re
import subprocess
from dataclasses import replace

from aesedu import machines, native
from aesedu.bench.rounds import AT_ONE_PLACEMENT, Rounds, estimate, recorded_cycles
from aesedu.codegen import generate, weave
from aesedu.engines import execute
from aesedu.machines import MachineError
from aesedu.native.assembler import ISA
from aesedu.pipeline import cycles as cycles_of
from aesedu.pipeline import loop
from aesedu.routines import aes_rounds, gcm, ghash, ttable

PASSES = 100  # of a loop in a call: what it reads and writes stays in the first cache
_ROOM = 1 << 15  # bytes of each memory
_FEATURES = {"vex": {"avx", "aes", "pclmulqdq", "ssse3"}, "evex": {"vaes", "avx512vl"}, "little": {"aes", "pmull"}}
_X86 = {  # family: {models: (machine, processors of llvm-mca from the best on)}, as CPUID gives them
    6: {
        (15, 22, 23, 29): ("core2", ("core2",)),
        (78, 85, 94, 142, 158, 165, 166): ("skylake", ("skylake",)),
    },
    25: {(*range(16, 32), *range(96, 128), *range(160, 176)): ("zen4", ("znver4", "znver3"))},
    26: {tuple(range(256)): ("zen5", ("znver5", "znver4", "znver3"))},
}
_MCA = {cpu: cpus for models in _X86.values() for cpu, cpus in models.values()}
_MCA |= {"a53": ("cortex-a53",), "a57": ("cortex-a57",), "a72": ("cortex-a72",), "n1": ("neoverse-n1",)}
_MCA["thunderx2"] = ("thunderx2t99",)
_CPUID = ".globl routine\nroutine:\npushq %rbx\nmovl $1, %eax\ncpuid\npopq %rbx\nret\n"


class McaError(RuntimeError):
    """llvm-mca is not there, or it does not know the processor or an instruction."""


def codes(isa=ISA, features=None):
    """{name: Code} of the routines that a host with these features (default: this one) can run."""
    able = native.features() if features is None else features
    vector = "vex" if isa == "x86_64" else "little"
    return {
        name: generate(make(), isa, budget, encoding=encoding)
        for name, make, budget, encoding in [*_tables(isa), *_vectors(vector)]
        if encoding is None or _FEATURES[encoding] <= able
    }


def _tables(isa):
    kinds = [(technique, loads) for technique in ttable.TECHNIQUES for loads in ttable.KEY_LOADS]
    for technique, loads in kinds:
        yield f"T-table {technique} {loads}", _later(ttable.encrypt, technique=technique, key_loads=loads), None, None
    if isa == "x86_64":
        yield "T-table merged 4x32, 8 registers", _later(ttable.encrypt, technique="merged", key_loads="4x32"), 8, None
        yield "T-table split 2x64, 8 registers", _later(ttable.encrypt), 8, None
    yield "T-table woven", lambda: weave(ttable.encrypt.record(), ttable.encrypt.record()), None, None


def _vectors(encoding):
    aes = aes_rounds
    for n in (1, 4, 8):
        yield f"ECB x{n}", _later(aes.encrypt, vectors=n), None, encoding
    yield "CBC encryption, 1 chain", _later(aes.cbc_encrypt, chains=1), None, encoding
    yield "CBC encryption, 4 chains", _later(aes.cbc_encrypt, chains=4, stride=1024), None, encoding
    yield "CBC decryption x4", _later(aes.cbc_decrypt, vectors=4), None, encoding
    yield "CTR x4", _later(aes.ctr, vectors=4), None, encoding
    if encoding == "vex":
        yield "VAES ECB 2x4", _later(aes.encrypt, vectors=2, lanes=4), None, "evex"
    for how in ("schoolbook", "karatsuba"):
        for n in (1, 2, 4, 8):
            yield f"GHASH {how}, {n}", _later(ghash.ghash, blocks=n, multiplication=how), None, encoding
    for form in gcm.FORMS:
        for n in (4, 8):
            yield f"GCM {form}, {n}", _gcm(form, n), None, encoding


def _later(routine, **choices):
    return lambda: routine.record(**choices)


def _gcm(form, blocks):
    return lambda: weave(*gcm.parts("enc", form, blocks), grain=1 if form == "woven" else 1 << 20)


def host():
    """The name of this host's machine. Raises MachineError where there is no file for it."""
    from aesedu.bench import environment

    names = {"Cortex-A53": "a53", "Cortex-A57": "a57", "Cortex-A72": "a72", "Neoverse-N1": "n1"}
    if ISA == "x86_64":
        return of_signature(native.run(_CPUID).value & 0xFFFFFFFF)
    name = environment.cpu_name()
    if found := (names | {"ThunderX2": "thunderx2"}).get(name):
        return found
    raise MachineError(f"no file describes {name}; name the machine that is nearest: {', '.join(machines.names())}")


def of_signature(eax):
    """The name of the machine with this signature (EAX of CPUID leaf 1). Raises MachineError."""
    family, model = eax >> 8 & 15, eax >> 4 & 15
    model |= (eax >> 12 & 0xF0) if family in (6, 15) else 0
    family += (eax >> 20 & 255) if family == 15 else 0
    for models, (name, _) in _X86.get(family, {}).items():
        if model in models:
            return name
    raise MachineError(
        f"no file describes family {family}, model {model}; name the machine that is nearest: "
        f"{', '.join(n for n in machines.names() if machines.load(n).isa == 'x86_64')}"
    )


def rounds(routines, **how):
    """Rounds (see `bench.rounds`; `how`: its arguments) with every Code of {name: Code}, PASSES of the loop a call."""
    made = Rounds(**how)
    for name, code in routines.items():
        memory = [p.type.is_memory for p in code.original.parameters]
        subject = execute.subject(code, (0,) * memory.count(False), [bytes(_ROOM)] * memory.count(True), PASSES, name)
        made.add(name, replace(subject, what={"engine": name}))
    return made


def measured(measurements):
    """{name: core cycles of one iteration} of what was recorded with `rounds`."""
    return {name: estimate(cycles)[0] / PASSES for name, cycles in recorded_cycles(measurements).items() if cycles}


def mca(code, cpu, tool="llvm-mca", run=subprocess.run):
    """Cycles of one iteration by llvm-mca for a processor. Raises McaError."""
    text = "\n".join(["1:", *(i.text for i in code.instructions), "3:", ""])
    attributes = ["-mattr=+avx512f,+avx512vl,+vaes"] if code.encoding == "evex" else []
    totals = []
    for iterations in (50, 150):
        options = [f"-mtriple={code.isa}", f"-mcpu={cpu}", *attributes, f"-iterations={iterations}"]
        try:
            done = run([tool, *options], input=text, capture_output=True, text=True, encoding="utf-8", timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            raise McaError(f"{tool} cannot be run (in Debian it is in the package llvm): {error}") from error
        found = re.search(r"^Total Cycles:\s+(\d+)", done.stdout, re.MULTILINE)
        if not found or "not a recognized processor" in done.stderr:
            raise McaError(f"{tool} for {cpu}: {(done.stderr or 'no cycles').strip().splitlines()[0]}")
        totals.append(int(found[1]))
    return (totals[1] - totals[0]) / 100


def mca_cpu(machine, tool="llvm-mca", run=subprocess.run):
    """The processor that llvm-mca is asked for in place of a machine: the first that it knows. Raises McaError."""
    machine = machines.load(machine)
    problem = McaError(f"llvm-mca has nothing like {machine.name}")
    probe = generate(ttable.encrypt_round.record(), machine.isa)
    for cpu in _MCA.get(machine.name, ()):
        try:
            mca(probe, cpu, tool, run)
            return cpu
        except McaError as error:
            problem = error
    raise problem


def table(cycles, routines, machine, cpu=None, tool="llvm-mca", run=subprocess.run):
    """A DataFrame: routine, measured, model, model_error, mca, mca_error; cycles an iteration, errors in per cent.

    `cycles` as of `measured`; `cpu` is the processor of llvm-mca, None: without it. What it cannot read is NaN.
    """
    import pandas

    core, rows = machines.load(machine), []
    for name in [name for name in routines if name in cycles]:
        ours = cycles_of(loop(routines[name]), core)
        theirs = _or_nan(routines[name], cpu, tool, run)
        found = cycles[name]
        errors = [100 * (value / found - 1) for value in (ours, theirs)]
        rows.append((name, found, ours, errors[0], theirs, errors[1]))
    return pandas.DataFrame(rows, columns=["routine", "measured", "model", "model_error", "mca", "mca_error"])


def _or_nan(code, cpu, tool, run):
    try:
        return mca(code, cpu, tool, run) if cpu else float("nan")
    except McaError:
        return float("nan")


def summary(frame):
    """{of: (routines, mean of the errors' sizes, the worst)} for model and llvm-mca, and the model where both count."""
    both = frame[frame["mca"].notna()]
    columns = {"model": frame["model_error"], "llvm-mca": both["mca_error"], "model on those": both["model_error"]}
    sizes = {name: errors.abs() for name, errors in columns.items() if len(errors)}
    return {name: (len(size), size.mean(), size.max()) for name, size in sizes.items()}


def run_rounds(routines, turns=12, progress=lambda done: None):
    """The Measurements of `turns` rounds of every routine; `progress` is told how many are done. Raises NativeError."""
    from aesedu.bench import environment

    taken = rounds(routines)
    for done in range(0, turns, AT_ONE_PLACEMENT):
        progress(done)
        taken.take()
    return taken.measurements(environment.where())


def check(machine, measurements=None):
    """The Machine, if it has the instruction set of what was recorded (None: this host's). Raises MachineError."""
    core, isa, whose = machines.load(machine), ISA, "this host"
    if measurements:
        isa, whose = "x86_64" if "sse2" in measurements[0].where.get("features", ()) else "aarch64", "what was recorded"
    if core.isa != isa:
        raise MachineError(f"{whose} is {isa}, and {core.name} is not")
    return core


def text(measurements, machine, cpu=None):
    """Table and summary of what was recorded, for a machine and a processor of llvm-mca, as plain text.

    Raises MachineError for a machine of another instruction set than what was recorded, and ValueError where none of
    the routines was.
    """
    core = check(machine, measurements)
    frame = table(measured(measurements), codes(core.isa, set().union(*_FEATURES.values())), core, cpu)
    if not len(frame):
        raise ValueError("none of this command's routines was recorded; it saves them itself: --save FILE")
    head = (
        f"Core cycles an iteration on {measurements[0].where['cpu']}; model {core.name}, llvm-mca {cpu or 'not there'}."
    )
    sums = [
        f"{of}: {n} routines, mean error {mean:.1f} %, worst {worst:.1f} %"
        for of, (n, mean, worst) in summary(frame).items()
    ]
    return "\n".join([head, frame.to_string(index=False, float_format="{:.1f}".format, na_rep="-"), *sums])
