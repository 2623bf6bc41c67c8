"""The command line: ``python -m aesedu doctor | bench | tcrypt | bench-slope | model | lab``."""

import argparse
import fnmatch
import json
import os
import sys
from pathlib import Path

from aesedu.native.errors import NativeError

SIZES = "16,256,1024,8192"


class UsageError(ValueError):
    """An argument that cannot be used; the text says what is allowed."""


def main(arguments=None):
    """Run one command and return its exit status.

    0 done, 1 a problem was found, 2 wrong arguments or files, 130 Ctrl-C, 141 nobody reads the output any more.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal of another code page shows "?" rather than a traceback
            stream.reconfigure(errors="replace")
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        print("\nStopped by Ctrl-C.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `| head` has read enough; what is left must not be tried again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (UsageError, OSError) as error:
        print(f"aesedu: {error}", file=sys.stderr)
        return 2
    except (NativeError, MemoryError, ImportError) as error:
        print(f"aesedu: {type(error).__name__}: {error}", file=sys.stderr)
        return 1


def _run(arguments):
    try:
        options, rest = _parser().parse_known_args(arguments)
        if rest and options.command is not _lab:
            _parser().error(f"unknown arguments: {' '.join(rest)}")
        return options.command(options, rest)
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()  # now, while what it raises is still told


def _parser():
    parser = argparse.ArgumentParser(
        prog="aesedu", description="A Jupyter suite that teaches how AES software is made fast."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_doctor(commands.add_parser("doctor", help="what this machine can run"))
    _add_bench(commands.add_parser("bench", help="time the engines"))
    _add_log(commands.add_parser("tcrypt", help="one engine in all modes, printed as Linux' tcrypt does"), "Tcrypt")
    _add_log(commands.add_parser("bench-slope", help="the same, printed as libgcrypt's bench-slope does"), "BenchSlope")
    _add_model(commands.add_parser("model", help="the cycle model's and llvm-mca's errors on this host's routines"))
    _add_lab(commands.add_parser("lab", help="open JupyterLab on notebook 00; further arguments go to JupyterLab"))
    return parser


def _add_doctor(parser):
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(command=_doctor)


def _doctor(options, rest):
    from aesedu import doctor

    report = doctor.report()
    print(json.dumps(report.as_dict(), indent=1) if options.json else report)
    return 1 if report.problems else 0


def _add_model(parser):
    parser.add_argument("--machine", help="the core to model: a name or a file *.toml (default: this host's)")
    parser.add_argument("--rounds", type=int, default=12, help="samples of each routine (default: 12)")
    parser.add_argument("--recorded", metavar="FILE", help="take what was saved instead of measuring")
    parser.add_argument("--save", metavar="FILE", help="also save every sample as JSON")
    parser.set_defaults(command=_model)


def _model(options, rest):
    from aesedu.bench import measurement, model_errors

    if options.rounds < 1:
        raise UsageError(f"--rounds takes a number above 0, not {options.rounds}")
    if options.recorded and options.save:
        raise UsageError("--recorded measures nothing, so --save has nothing to save: leave one of them out")
    _check_save(options.save)
    try:
        taken = measurement.load(options.recorded) if options.recorded else None
        machine = model_errors.check(options.machine or model_errors.host(), taken)
        cpu = _mca_cpu(machine)
        if taken is None:
            with _bar(options.rounds) as bar:
                taken = model_errors.run_rounds(model_errors.codes(), options.rounds, lambda done: _move(bar, done))
            _save(options.save, taken)
        print(model_errors.text(taken, machine, cpu))
    except ValueError as error:  # a machine or a file that cannot be used
        raise UsageError(error) from None
    return 0


def _mca_cpu(machine):
    from aesedu.bench import model_errors

    try:
        return model_errors.mca_cpu(machine)
    except model_errors.McaError as error:
        print(f"Without llvm-mca: {error}", file=sys.stderr)
        return None


def _add_lab(parser):
    parser.add_argument("--folder", help="where your copies of the notebooks are (default: work/)")
    parser.add_argument("--edit", action="store_true", help="open the originals instead of your copies")
    parser.set_defaults(command=_lab)


def _lab(options, rest):
    from aesedu import lab

    try:
        return lab.open_lab(rest, options.folder, options.edit)
    except lab.LabError as error:
        raise UsageError(error) from None


def _add_bench(parser):
    parser.add_argument(
        "--engines", default="*", help="names or globs, separated by commas (default: all that can run)"
    )
    parser.add_argument("--modes", default="ecb", help="modes, separated by commas (default: ecb)")
    parser.add_argument("--directions", default="enc,dec", help="enc, dec or both (default)")
    parser.add_argument("--keys", default="128", help="key bits, of 128, 192 and 256")
    parser.add_argument("--sizes", default=SIZES, help=f"bytes a call (default: {SIZES})")
    parser.add_argument(
        "--against", help="an engine with which each is timed in turn; adds the ratio, above 1 = faster"
    )
    parser.add_argument("--format", choices=list(FORMATS), default="table")
    parser.add_argument("--save", metavar="FILE", help="also save every sample as JSON")
    parser.set_defaults(command=_bench)


def _bench(options, rest):
    cases, against = _cases(options)
    _check_output(options)
    rows = list(_timed(cases, against))
    print(FORMATS[options.format](rows), end="")
    _save(options.save, [row.measurement for row in rows])
    return 0


def _save(path, measurements):
    if path is not None:
        from aesedu.bench import measurement

        measurement.save(path, measurements)
        print(f"Saved: {Path(path)}", file=sys.stderr)


def _add_log(parser, table):
    parser.add_argument("--engine", required=True, help="one engine's name")
    parser.add_argument("--modes", help="modes, separated by commas (default: all of the table)")
    parser.add_argument("--keys", default="128,192,256", help="AES key bits (default: all three)")
    parser.add_argument("--sizes", help="bytes a call (default: those of the table)")
    parser.add_argument("--calls", choices=["bulk", "block"], default="bulk", help="block: one call a block")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument("--save", metavar="FILE", help="also save every sample as JSON")
    parser.set_defaults(command=_log, table=table)


def _log(options, rest):
    from aesedu import bench

    what = {"keys": _numbers("--keys", options.keys), "calls": options.calls}
    what |= {"sizes": _numbers("--sizes", options.sizes)} if options.sizes else {}
    engine, modes = _one_engine("--engine", options.engine), None if options.modes is None else _words(options.modes)
    try:
        table = getattr(bench, options.table)(engine.name, modes, **what)
    except ValueError as error:
        raise UsageError(error) from None
    _check_save(options.save)
    with _bar(len(table.cells)) as bar:
        table.run(lambda done, total, row: _move(bar, done))
    if table.measurements:
        answer = {"measured": table.how(), "rows": table.rows()}
        print(json.dumps(answer, indent=1) + "\n" if options.format == "json" else table.text(), end="")
        _save(options.save, table.measurements)
    if (done := len(table.measurements)) < len(table.cells):
        print(f"Stopped after {done} of {len(table.cells)} cells.", file=sys.stderr)
        return 130
    return 0


def _cases(options):
    """What the options ask for, as ``bench.rows.cases``, and the peer. Raises UsageError."""
    from aesedu.bench import rows

    engines = _chosen_engines(options.engines, explicit=options.engines != "*")
    against = None if options.against is None else _one_engine("--against", options.against)
    numbers = [_numbers("--keys", options.keys), _numbers("--sizes", options.sizes)]
    cases = rows.cases(engines, _words(options.modes), *numbers, _words(options.directions))
    for engine, mode, direction, key_bits, size in cases:  # every case is checked before the first is timed
        _checked(engine, mode, direction, key_bits, size)
        if against:
            _checked(against, mode, direction, key_bits, size)
    return cases, against


def _check_output(options):
    """Whatever would spoil the result is found before the first measurement. Raises UsageError."""
    _check_save(options.save)
    if options.format == "bench-slope" and len(set(_numbers("--sizes", options.sizes))) < 2:
        raise UsageError("a slope needs at least two sizes: --sizes 256,1024,4096")


def _check_save(path):
    if path is not None:
        new = not Path(path).exists()
        Path(path).open("ab").close()
        if new:
            Path(path).unlink()


def _checked(engine, *what):
    try:
        engine.subject(*what)
    except ValueError as error:
        raise UsageError(error) from None


def _chosen_engines(patterns, explicit):
    """Engines by names or globs. One that cannot run is left out with a line; named by itself it is an error."""
    from aesedu.engines import engines

    known = {engine.name: engine for engine in engines()}
    chosen = []
    for pattern in _words(patterns):
        names = fnmatch.filter(known, pattern)
        if not names:
            raise UsageError(f"no engine is called {pattern!r}; there are: {', '.join(known)}")
        for engine in (known[name] for name in names):
            if not engine.available and explicit and engine.name == pattern:
                raise UsageError(f"{engine.name} cannot run here: {engine.reason}")
            if not engine.available:
                print(f"left out: {engine.name} ({engine.reason})", file=sys.stderr)
            elif engine not in chosen:
                chosen.append(engine)
    if not chosen:
        raise UsageError(f"none of {patterns!r} can run here")
    return chosen


def _one_engine(option, name):
    engines = _chosen_engines(name, explicit=True)
    if len(engines) > 1:
        raise UsageError(f"{option} takes one engine, and {name!r} is {', '.join(e.name for e in engines)}")
    return engines[0]


def _words(text):
    """What stands between commas, each once."""
    return list(dict.fromkeys(word.strip() for word in text.split(",")))


def _numbers(option, text):
    try:
        return [int(word) for word in _words(text)]
    except ValueError:
        raise UsageError(f"{option} takes whole numbers separated by commas, not {text!r}") from None


def _timed(cases, against):
    """Times every case under a progress bar on stderr."""
    from aesedu.bench import environment, rows

    where, done = environment.where(), 0
    with _bar(len(cases)) as bar:
        for row in rows.run(cases, against, lambda fraction: _move(bar, done + fraction), where):
            _move(bar, done := done + 1)
            yield row


def _bar(total):
    """A progress bar on stderr with the time left."""
    from tqdm import tqdm

    shape = "{l_bar}{bar}| {n:.0f}/{total} {elapsed}<{remaining}"
    silent = sys.stderr is None  # as in pythonw
    return tqdm(total=total, file=sys.stderr, disable=silent, bar_format=shape, leave=False, mininterval=0.5)


def _move(bar, position):
    bar.update(position - bar.n)


def _frame(rows):
    import pandas

    return pandas.DataFrame([row.as_dict() for row in rows])


def _as_table(rows):
    frame = _frame(rows)
    frame["MB/s"] = frame["bytes"] / frame["ns"] * 1000
    columns = ["engine", "mode", "direction", "key_bits", "bytes", "ns", "MB/s"]
    if frame["ratio"].notna().any():
        frame["interval"] = [f"{low:.3f} to {high:.3f}" for low, high in frame["interval"]]
        columns += ["ratio", "interval"]
    shown = frame[columns].to_string(
        index=False, float_format=lambda value: f"{value:,.4g}" if value < 1e4 else f"{value:,.0f}"
    )
    return "".join(f"{line}\n" for line in [shown, *_distinct_notes(frame)])


def _distinct_notes(frame):
    return [
        f"{engine}: {note}" for engine, notes in zip(frame["engine"], frame["notes"], strict=True) for note in notes
    ]


def _as_json(rows):
    return json.dumps({"rows": [row.as_dict() for row in rows]}, indent=1) + "\n"


def _as_tcrypt(rows):
    from aesedu.bench import tcrypt

    frame = _with_cycles(rows).rename(columns={"core_cycles": "cycles", "engine": "driver"})
    return tcrypt.write(frame, "core")


def _with_cycles(rows):
    frame = _frame(rows)
    unknown = frame[frame["core_cycles"].isna()]
    if len(unknown):
        raise UsageError(
            f"core cycles of {', '.join(sorted(set(unknown['engine'])))} are not known: see --format table"
        )
    return frame


def _as_bench_slope(rows):
    """One set of tables an engine, under its name; time a byte is the slope over the sizes, as libgcrypt has it."""
    from aesedu.bench import bench_slope

    frame = _with_cycles(rows)
    slopes = frame.groupby(["engine", "key_bits", "mode", "direction"], sort=False)
    table = slopes[["bytes", "ns", "core_cycles"]].apply(_slope_row).reset_index()
    table = table.rename(columns={"direction": "op"}).assign(mode=table["mode"].str.upper())
    parts = [f"{name}:\n{bench_slope.write(part, 'core')}" for name, part in table.groupby("engine", sort=False)]
    return "\n".join(parts)


def _slope_row(points):
    import pandas

    from aesedu.bench import fit

    slope = {unit: fit(points["bytes"], points[unit]).slope for unit in ("ns", "core_cycles")}
    return pandas.Series({"ns_per_byte": slope["ns"], "cycles_per_byte": slope["core_cycles"]})


FORMATS = {"table": _as_table, "tcrypt": _as_tcrypt, "bench-slope": _as_bench_slope, "json": _as_json}
