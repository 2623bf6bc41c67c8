"""A routine of your own on the bench: check it, see dataflow, listing, pressure and timeline, clock it. One call each.

Every function takes a ``@routine`` with its settings as keywords, or a Recording (two of them woven, for example).
"""

from dataclasses import replace
from html import escape

from aesedu import bench, machines, native, pipeline
from aesedu.bench import modelled
from aesedu.codegen import Code, generate, order
from aesedu.codegen.code import TARGETS
from aesedu.engines import execute, inspection
from aesedu.exercises.outcome import Shown
from aesedu.native.assembler import ISA
from aesedu.native.features import lacking
from aesedu.pipeline import schedule as list_scheduling
from aesedu.pipeline.limits import critical_loop, limits
from aesedu.routine import Recording, Routine, RoutineError, memory, run
from aesedu.routine.evaluate import bind
from aesedu.views import compiler as compiler_view
from aesedu.views import dataflow as dataflow_view
from aesedu.views import listing as listing_view
from aesedu.views import pressure as pressure_view
from aesedu.views import timeline as timeline_view
from aesedu.views.chart import number
from aesedu.views.style import SERIES, page, status
from aesedu.views.table import table

_HERE = ISA if ISA in TARGETS else "x86_64"
_PASSES = 1000  # of a loop that is timed, so that the call around it does not count
_SIMULATED = 20_000  # instructions of a timeline in all passes, of which there are 8 to 50


class Seen(Shown):
    """HTML for a notebook, the same as text for a terminal."""

    def __init__(self, html, text, title=""):
        self._html, self._text = page(html, title), text

    def html(self):
        return self._html

    def text(self):
        return self._text


def recording(routine, **settings):
    """The Recording of a routine with its settings; a Recording stays as it is. Raises RoutineError and TypeError."""
    if not isinstance(routine, Recording | Routine):
        raise TypeError(f"{routine!r:.60} is no routine: write @routine above a function with types at its parameters")
    return routine if isinstance(routine, Recording) else routine.record(**settings)


def weave(*routines, grain=1, **settings):
    """One Recording that does the work of several, ``grain`` steps of each in turn; see ``codegen.weave``."""
    return order.weave(*(recording(each, **settings) for each in routines), grain=grain)


def schedule(routine, machine, budget=None, vectors=None, **settings):
    """The Recording with its steps in an order for a core, no more than ``budget`` words and ``vectors`` alive.

    ``machine`` is a name or a Machine; None: as many as there are registers, math.inf: no bound. It takes the place of
    the routine everywhere on the bench. Raises MachineError and RoutineError.
    """
    for name, bound in {"budget": budget, "vectors": vectors}.items():
        if bound is not None and not (isinstance(bound, int | float) and bound >= 1):
            raise ValueError(f"{name} is a number from 1 on, math.inf or None, not {bound!r}")
    return list_scheduling.schedule(recording(routine, **settings), machines.load(machine), budget, vectors)


def dataflow(routine, **settings):
    """Every value beneath those it is made from. Raises ValueError for a routine too large to be drawn."""
    made = recording(routine, **settings)
    return Seen(dataflow_view.figure(made), str(made), f"Dataflow of {escape(made.name)}")


def listing(routine, isa=_HERE, budget=None, syntax="att", **settings):
    """The machine code line by line; ``isa`` is "x86_64" or "aarch64", ``syntax`` "att" or "intel".

    Raises BudgetError, which names the least budget that works, and ValueError.
    """
    if syntax not in ("att", "intel"):
        raise ValueError(f'syntax is "att" or "intel", not {syntax!r}')
    code = generate(recording(routine, **settings), isa, budget)
    return Seen(listing_view.figure(code, syntax), code.text(syntax=syntax), _title(code))


def both_listings(routine, **settings):
    """One recording as machine code for x86-64 and for AArch64, side by side. Raises BudgetError and ValueError."""
    made = recording(routine, **settings)
    codes = [generate(made, isa) for isa in TARGETS]
    titles = ("x86-64", "AArch64")
    text = "\n".join(f"{title}\n{code.text()}" for title, code in zip(titles, codes, strict=True))
    return Seen(listing_view.beside(codes, titles), text, f"{escape(made.name)}: one recording, two instruction sets")


def pressure(routine, isa=_HERE, budget=None, **settings):
    """Live ranges, the curve of live values and the budget. Errors as ``listing``."""
    code = generate(recording(routine, **settings), isa, budget)
    return Seen(pressure_view.figure(code), pressure_view.summary(code), _title(code))


def _title(code):
    return f"{escape(code.recording.name)}, {code.isa}, {code.budget} registers"


def timeline(*routines, machine="skylake", iteration=0, rows=None, **settings):
    """Each routine on the cycle model of a core (``machines.names()``, or a file that ends in .toml), all on one axis.

    Besides routines it takes a Code, and the text of one loop (AT&T or A64). ``iteration`` is the pass that is shown,
    ``rows`` a range of its instructions; of a long routine as many are shown as a notebook can keep, with a note.
    ``cycles`` of the result are those of a pass of each. Raises MachineError, UnknownInstructionError, TypeError and
    what ``listing`` raises.
    """
    if not 1 <= len(routines) <= len(SERIES):
        raise ValueError(f"a timeline has 1 to {len(SERIES)} routines, not {len(routines)}")
    core = machines.load(machine)
    variants = [_variant(routine, core, settings) for routine in routines]
    shown = (variants, iteration, rows)
    seen = Seen(timeline_view.figure(*shown), timeline_view.text(*shown), f"Pipeline of {escape(core.title)}")
    seen.cycles = [round(variant.trace.cycles, 1) for variant in variants]
    return seen


def _variant(routine, core, settings):
    source = routine
    if not isinstance(routine, Code | str):
        source = generate(recording(routine, **settings), core.isa)
    operations = pipeline.loop(source, core.isa)
    name = "loop" if isinstance(source, str) else source.original.name
    run_ = operations, core, max(8, min(50, _SIMULATED // len(operations)))
    return timeline_view.Variant(name, pipeline.simulate(*run_), critical_loop(*run_), limits(*run_))


def model_table(variants, cores=modelled.CORES, measured=None, unit="block", measured_as="measured", **settings):
    """Cycles by the cycle model: a row for each variant, a column for each core, and what was measured beside them.

    variants: {name: a routine, a Recording, a Code, or a function from a Machine to one of these}. cores: names
    (``machines.names()``) or Machines, or {heading: either}. measured: {name: cycles}, under the heading
    ``measured_as``. ``settings``: parts, {name: how many equal parts (of which the cycles are those of one) a pass
    has}; places, {name: {parameter: bytes beyond a line of the cache where that memory begins}}; budget and vectors as
    in ``generate``.

    ``cycles`` of the result is {(name, heading): cycles}. Raises MachineError where a core lacks an instruction, and
    BudgetError.
    """
    if not isinstance(measured, dict | None):
        raise TypeError(f"measured is {{name: cycles}}, not {measured!r}")
    headings = modelled.cores_by_heading(cores)
    found = modelled.cycles(variants, headings, **settings)
    columns = [f"model, cycles a {unit}", *headings, *[measured_as] * (measured is not None)]
    rows = [[str(name), *(number(found[name, heading]) for heading in headings)] for name in variants]
    for name, row in zip(variants, rows if measured is not None else (), strict=False):
        row.append(number(measured[name]) if measured.get(name) else "not measured")
    text = "\n".join(", ".join(f"{c}: {v}" for c, v in zip(columns, row, strict=True)) for row in rows)
    seen = Seen(table(columns, rows, f"Cycles a {unit} by the cycle model"), text)
    seen.cycles = found
    return seen


def check(routine, known, **settings):
    """Run a routine in Python and as machine code on cases with known answers; names the first that is wrong.

    ``known``: pairs (arguments, answer). Arguments are as in a call of the routine, ints and lists of 32-bit words. An
    answer is an int, a tuple of ints, or {"parameter": words} for memory that the routine writes. ``passed`` of the
    result tells whether all are right. Errors as ``listing``, and TypeError for known answers of another form.
    """
    known = list(map(_pair, known)) if isinstance(known, list | tuple) else []
    if not known:
        raise TypeError("known answers are a list of pairs (arguments, answer), [((1, 2), 3)], with one at least")
    code = generate(recording(routine, **settings), _HERE)
    runners = {"in Python": _in_python} | ({} if _lacks(code) else {"as machine code": _natively})
    for number_, (arguments, answer) in enumerate(known, start=1):
        for how, runner in runners.items():
            try:
                found = runner(code, arguments, answer)
            except native.NativeError as error:
                found = f"did not end well: {error}"
            if found != _plain(answer):
                call = f"{code.recording.name}, case {number_} of {len(known)}, {how}"
                return Checked(False, f"{call}: {_spell(found)}; the known answer is {_spell(_plain(answer))}.")
    answers = "the known answer is" if len(known) == 1 else f"all {len(known)} known answers are"
    return Checked(True, f"{code.recording.name}: {answers} right, {' and '.join(runners)}.")


def _pair(pair):
    """A pair as it should be: (a tuple of arguments, an answer)."""
    if isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], list | tuple):
        words = pair[1].values() if isinstance(pair[1], dict) else [pair[1]]
        if all(hasattr(each, "__index__") or _are_ints(each) for each in words):
            return pair
    raise TypeError(f"known answers are pairs (arguments, answer), ((1, 2), 3), and not {pair!r:.60}")


def _are_ints(words):
    return hasattr(words, "__iter__") and all(hasattr(word, "__index__") for word in words)


class Checked(Seen):
    """The outcome of ``check``; ``passed`` is True or False."""

    def __init__(self, passed, sentence):
        self.passed = passed
        sign, colour = ("\N{CHECK MARK} ", "green") if passed else ("\N{MULTIPLICATION SIGN} ", "vermilion")
        super().__init__(status(sign + escape(sentence), colour=colour), sentence)

    def __bool__(self):
        return self.passed


def _lacks(code):
    """What this machine does not have and the code needs, "" where it can run."""
    if ISA != _HERE:
        return f"code for {ISA}"
    missing = lacking(code.text(), native.features())
    return "AES instructions" if "aes" in missing else ", ".join(missing)


def _in_python(code, arguments, answer):
    given = [list(a) if isinstance(a, list | tuple) else a for a in arguments]
    results = run(code.recording, *given)
    if isinstance(answer, dict):
        memories = dict(zip(map(str, code.recording.parameters), given, strict=True))
        return {name: list(memories[name]) for name in _written(code, answer)}
    return tuple(r for r in results if isinstance(r, int))


def _natively(code, arguments, answer):
    words, memories = _sorted(code, arguments)
    results, left = execute.execute(code, words, memories)
    if isinstance(answer, dict):
        names = [str(p) for p in code.recording.parameters if p.type.is_memory]
        return {name: left[names.index(name)] for name in _written(code, answer)}
    return tuple(results)


def _written(code, answer):
    """The names of an answer, each of memory that the routine writes."""
    names = [str(p) for p in code.recording.parameters if p.type is memory]
    for name in answer:
        if name not in names:
            raise ValueError(f"{code.recording.name} has no memory {name!r} to write; there are: {', '.join(names)}")
    return answer


def _sorted(code, arguments):
    """Words and memories apart, as the machine code takes them. Raises ValueError where they do not fit."""
    try:
        bind(code.recording, arguments)
    except RoutineError as error:
        raise ValueError(str(error)) from None
    pairs = list(zip(code.recording.parameters, arguments, strict=True))
    return [a for p, a in pairs if not p.type.is_memory], [a for p, a in pairs if p.type.is_memory]


def _plain(answer):
    if isinstance(answer, dict):
        return {name: list(words) for name, words in answer.items()}
    return (answer,) if isinstance(answer, int) else tuple(answer)


def _spell(found):
    if isinstance(found, dict):
        return ", ".join(f"{name} = {_spell(tuple(words))}" for name, words in found.items())
    return found if isinstance(found, str) else f"({', '.join(f'{word:#x}' for word in found)})"


def clock(routine, *arguments, passes=None, budget=None, **settings):
    """Time a routine here: core cycles for one pass, with their interval; ``arguments`` are those of a call.

    ``passes``: how often the loop runs in one call; by default 1000, or 1 where the routine moves on in memory. On a
    machine that cannot run the code ``cycles`` is None and the result says why. Raises what ``bench.measure`` raises.
    """
    code = generate(recording(routine, **settings), _HERE, budget)
    if lacks := _lacks(code):
        return NotClocked(f"{code.recording.name}: not timed, this machine has no {lacks}.")
    if passes is None:
        passes = 1 if any(p.type.is_memory for p in code.recording.becomes) else _PASSES
    return Clocked(code, bench.measure(_timed(code, arguments, passes, code.recording.name), quick=True), passes)


def subject(name, routine, *arguments, passes=1, budget=None, **settings):
    """What ``head_to_head`` and ``bench`` time under a name: calls of a routine's loop with so many ``passes``.

    ``arguments`` are those of a call. Raises UnsupportedFeature where this machine cannot run it, else as ``listing``.
    """
    code = generate(recording(routine, **settings), _HERE, budget)
    if lacks := _lacks(code):
        raise native.UnsupportedFeature(lacks)
    return _timed(code, arguments, passes, name)


def _timed(code, arguments, passes, name):
    if not hasattr(passes, "__index__") or passes < 1:
        raise ValueError(f"passes is a whole number from 1 on, not {passes!r}")
    words, memories = _sorted(code, arguments)
    return replace(execute.subject(code, words, memories, passes, name), what={"engine": name})


class NotClocked(Seen):
    """A time that this machine cannot take, and why."""

    measurement = cycles = None

    def __init__(self, sentence):
        super().__init__(status(escape(sentence), colour="orange"), sentence)

    def per(self, parts):
        return None


class Clocked(Seen):
    """``measurement`` is of one call; ``cycles`` are the core cycles of one pass, None where they are not known."""

    def __init__(self, code, measurement, passes):
        self.measurement = measurement.in_core_cycles() if measurement.core_hz else measurement
        self.cycles = self.measurement.estimate / passes if measurement.core_hz else None
        middle, low, high = (number(v / passes) for v in (self.measurement.estimate, *self.measurement.interval))
        sentence = f"{code.recording.name}: {middle} {self.measurement.unit} a pass ({low} to {high})."
        samples = f"{len(self.measurement.samples)} samples, measured here"
        detail = f"{code.budget} registers; passes a call: {passes}; {samples}."
        super().__init__(status(escape(sentence), detail), f"{sentence} {detail}")

    def per(self, parts):
        """The cycles of one of so many equal parts of a pass, to two decimals; None where cycles are not known."""
        return self.cycles and round(self.cycles / parts, 2)


def beside_llvm():
    """What LLVM makes of the same cipher, for this processor, beside our two techniques.

    ``loop`` of the result is an ``inspection.Loop``. Compiling takes a few seconds. Raises NativeError, and ValueError
    where the loop cannot be recognised.
    """
    loop, around = inspection.compiled_loops()
    seen = Seen(compiler_view.figure(loop, around), compiler_view.text(loop), "The same cipher, compiled by LLVM")
    seen.loop = loop
    return seen
