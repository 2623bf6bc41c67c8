#!/usr/bin/env python3
"""The one way in: sets everything up in .venv, then does what was asked.

    python3 start.py lab      open JupyterLab on notebook 00 (your copies are in work/)
    python3 start.py test     run the tests
    python3 start.py lint     check style and layers
    python3 start.py bench    run the benchmark table
    python3 start.py doctor   say what this machine can run

Further arguments are passed on. Only the standard library is used, and the syntax is old on purpose, so that
an outdated Python 3 still reads this far and says what is missing.
"""

import contextlib
import hashlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import sysconfig
import time

ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "Scripts", "python.exe") if os.name == "nt" else os.path.join(VENV, "bin", "python")
STAMP = os.path.join(VENV, "aesedu-setup.txt")
LOG = os.path.join(VENV, "aesedu-setup.log")
SIGN = 10  # seconds without a word, at most
LOCKS = ["run", "test", "bench"]  # each holds all of the one before
NEEDS = {"lab": "run", "test": "test", "lint": "test", "bench": "bench", "doctor": "run"}
WHEELS = {("Linux", "x86_64"), ("Linux", "aarch64"), ("Darwin", "arm64"), ("Windows", "AMD64")}


class SetupError(Exception):
    """Set-up cannot go on; the text says in one line what to do."""


def check_platform():
    if sys.version_info < (3, 11):
        raise SetupError(
            "aesedu needs Python 3.11 or newer; this is {} ({}). Install a newer one and start this script with it, "
            "for example: python3.12 start.py lab".format(platform.python_version(), sys.executable)
        )
    here = (platform.system(), platform.machine())
    if here not in WHEELS or sysconfig.get_platform() == "win32":
        raise SetupError(
            "There are no ready-made packages for {} on {}. Supported: Linux x86-64 and AArch64, macOS on Apple "
            "silicon, Windows x86-64 with a 64-bit Python.".format(*here)
        )


def lock_file(level):
    return os.path.join(ROOT, "requirements", level + ".txt")


def here():
    """A hash of what .venv is bound to: this Python and this folder."""
    return hashlib.sha256(sys.version.encode("utf-8") + os.fsencode(ROOT)).hexdigest()


def locks():
    """A hash of what decides its contents: the locks and the project file."""
    digest = hashlib.sha256()
    for path in [lock_file(level) for level in LOCKS] + [os.path.join(ROOT, "pyproject.toml")]:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def site_packages():
    return sysconfig.get_path("purelib", "venv", {"base": VENV})


def modules():
    """Names of what is installed, without the versions, which a user may change."""
    return {name for name in os.listdir(site_packages()) if "-" not in name and name != "__pycache__"}


def installed():
    """Level and locks of an earlier, finished set-up; "" and "" where there is none, or it is damaged or was moved."""
    try:
        with open(STAMP, encoding="utf-8") as file:
            level, place, content, *names = file.read().split()
        whole = os.path.exists(PYTHON) and modules().issuperset(names)
    except (OSError, ValueError):
        return "", ""
    return (level, content) if whole and place == here() and level in LOCKS else ("", "")


def run_logged(command, log):
    """Runs a command with its output in the log; says every SIGN seconds what it is at."""
    environment = {
        k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "PYTHONPATH", "PIP_USER", "PIP_TARGET")
    }
    plain = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": subprocess.STDOUT, "env": environment}
    with subprocess.Popen(command, **plain) as process:
        while True:
            try:
                return process.wait(SIGN)
            except subprocess.TimeoutExpired:
                sys.stderr.write("    at work: " + (last_lines(LOG, 1).strip() or "...")[:90] + "\n")
            except BaseException:
                process.kill()
                raise


@contextlib.contextmanager
def one_at_a_time():
    """Two set-ups of one .venv would undo each other; the second waits. The system frees the lock with its process."""
    with open(VENV + ".lock", "a", encoding="ascii") as file:
        told = False
        while not locked(file):
            if not told:
                sys.stderr.write("Another start.py is setting up here; waiting for it ...\n")
            told = True
            time.sleep(1)
        yield


def locked(file):
    """Takes the lock if nobody has it."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def make_venv():
    """A fresh .venv. Debian ships `venv` without `ensurepip`, which is found out before anything is written."""
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        raise SetupError(
            "This Python lacks ensurepip. On Debian and Ubuntu: sudo apt install python3-venv, then run this again."
        ) from None
    if os.path.exists(VENV):
        shutil.rmtree(VENV)
    os.makedirs(VENV)
    with open(LOG, "w", encoding="utf-8") as log:
        if run_logged([sys.executable, "-m", "venv", VENV], log):
            raise SetupError("The environment .venv could not be made; the reason is at the end of " + LOG)


def pip(arguments, log):
    return run_logged(
        [PYTHON, "-I", "-m", "pip", "--disable-pip-version-check", "install", "--no-input", *arguments], log
    )


def last_lines(path, count=6):
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join(file.readlines()[-count:])


def install(level):
    """The locked packages (ready-made only), then the suite itself as an editable package, without a download."""
    binaries = ["--only-binary", ":all:"] + (["--no-binary", "pyaes"] if level == "bench" else [])
    with open(LOG, "a", encoding="utf-8") as log:
        failed = pip(["--require-hashes", *binaries, "-r", lock_file(level)], log)
        failed = failed or pip(["--no-deps", "--no-build-isolation", "-e", ROOT], log)
    if failed:
        sys.stderr.write(last_lines(LOG))
        raise SetupError(
            "The packages could not be installed; is there a network? Run the same again to go on. All of it: " + LOG
        )
    # In place of the line that pip wrote in UTF-8: Python 3.11 and 3.12 read it in the locale's code page.
    with open(os.path.join(site_packages(), "_aesedu.pth"), "w", encoding="ascii") as file:
        file.write("import sys; sys.path.append({})\n".format(ascii(ROOT)))


def up_to_date(level):
    """Whether .venv has all of `level`, from the locks as they are now."""
    reached, content = installed()
    return enough(reached, level) and content == locks()


def enough(reached, level):
    return bool(reached) and LOCKS.index(reached) >= LOCKS.index(level)


def set_up(level):
    """Brings .venv to `level`; does nothing when it is already there."""
    if up_to_date(level):
        return
    try:
        with one_at_a_time():
            if not up_to_date(level):
                bring(level)
    except OSError as error:
        raise SetupError(
            "{} cannot be written ({}). Close JupyterLab if it runs from there; or copy the whole folder to a place of "
            "your own and start it there.".format(VENV, error.strerror)
        ) from None


def bring(level):
    """Makes or completes .venv. Without a network, what is there already serves on."""
    sys.stderr.write("Setting up in .venv: once, a minute or two ...\n")
    reached, _ = installed()
    serves = enough(reached, level)
    level = reached if serves else level
    try:
        if not reached:
            make_venv()
        install(level)
        with open(STAMP, "w", encoding="utf-8") as file:
            file.write("\n".join([level, here(), locks(), *sorted(modules())]))
    except SetupError as error:
        if not serves:
            raise
        sys.stderr.write("{}\nGoing on with the packages that are there.\n".format(error))
        return
    sys.stderr.write("Set up.\n")


def commands(task, arguments):
    module = [PYTHON, "-m"]
    if task == "test":
        return [[*module, "pytest", "-n", "2", "--dist", "loadgroup", *arguments]]
    if task == "lint":
        linter = os.path.join(os.path.dirname(PYTHON), "lint-imports")
        return [[*module, "ruff", "check", "."], [*module, "ruff", "format", "--check", "."], [linter]]
    return [[*module, "aesedu", task, *arguments]]


def run(command, folder):
    """Runs `command` in its own process; Ctrl-C goes to it, and we wait for it to end by itself."""
    process = subprocess.Popen(command, cwd=folder)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue
        except SystemExit:
            process.terminate()
            process.wait()
            raise


def main(words):
    task = words[0] if words else ""
    if task not in NEEDS:
        sys.stderr.write(__doc__)
        return 0 if task in ("-h", "--help") else 2
    try:
        check_platform()
        set_up(NEEDS[task])
    except SetupError as error:
        sys.stderr.write(str(error) + "\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. Run the same again to go on.\n")
        return 130
    # tests and lint look at the checkout; a file named to bench or lab is meant from where the user stands
    folder = ROOT if task in ("test", "lint") else None
    codes = [run(command, folder) for command in commands(task, words[1:])]
    return max(codes, key=abs)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # whoever ends us ends what we have started
    sys.exit(main(sys.argv[1:]))
