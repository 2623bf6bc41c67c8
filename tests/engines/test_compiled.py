"""The numba engine: against OpenSSL, all of NIST's Monte Carlo rule, its cache on disk, and its import on demand."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nist import KEY_BITS, monte_carlo, openssl, openssl_monte_carlo

import aesedu
from aesedu.engines import compiled, placement

KEYS = st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size))


@settings(deadline=None)
@given(KEYS, st.integers(0, 40), st.randoms(use_true_random=False))
def test_agrees_with_openssl(key, blocks, random):
    data = random.randbytes(16 * blocks)
    encrypted = openssl("enc", key)(data)
    assert compiled.ecb("enc", key, data) == encrypted
    assert compiled.ecb("dec", key, encrypted) == data


@pytest.mark.parametrize("key_bits", KEY_BITS)
@pytest.mark.parametrize("direction", ["enc", "dec"])
def test_monte_carlo_in_place(direction, key_bits):
    """All hundred steps, a thousand calls each, as one loop of machine code that works on one block in place."""

    def last_two(key, block):
        arrays, step = compiled.schedule(direction, key)
        words = np.frombuffer(block, "<u4").copy()
        compiled.routine()(*arrays, words, words, step, 999)
        before = words.tobytes()
        compiled.routine()(*arrays, words, words, step, 1)
        return before, words.tobytes()

    assert list(monte_carlo(last_two, key_bits, outer=100)) == openssl_monte_carlo(direction, key_bits, outer=100)


@pytest.mark.parametrize("direction", ["enc", "dec"])
def test_source_runs_as_python_too(direction):
    arrays, step = compiled.schedule(direction, bytes(range(16)))
    source, target = np.arange(8, dtype=np.uint32), np.zeros(8, np.uint32)
    compiled.rounds(*arrays, source, target, step, 1)
    assert target.tobytes() == openssl(direction, bytes(range(16)))(source.tobytes())


@pytest.mark.parametrize("direction", ["enc", "dec"])
def test_the_timed_form_does_the_work(monkeypatch, direction):
    buffers = []
    monkeypatch.setattr(compiled, "placed", lambda *arguments: buffers.extend(placement.placed(*arguments)) or buffers)
    compiled.prepare(direction, bytes(24), 4096, placement=5)(2)
    *_, source, target = buffers
    assert target.tobytes() == openssl(direction, bytes(24))(source.tobytes())


def test_openssl_catches_a_fault():
    (t, box, w), step = compiled.schedule("enc", bytes(16))
    (other_t, other_box, other_w), other_step = compiled.schedule("dec", bytes(16))
    swapped = t.reshape(4, 256)[[0, 2, 1, 3]].ravel()
    faults = [(other_t, box, w, step), (t, other_box, w, step), (t, box, other_w, step), (t, box, w, other_step)]
    faults += [(swapped, box, w, step), (t, t[:256], w, step), (t, box, w[4:], step)]
    source = np.arange(64, dtype=np.uint32)
    for number, (*arrays, columns) in enumerate([(t, box, w, step), *faults]):
        target = np.zeros_like(source)
        compiled.routine()(*arrays, source, target, columns, 1)
        assert (target.tobytes() == openssl("enc", bytes(16))(source.tobytes())) == (number == 0)


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="the data has 17 bytes; whole blocks are allowed, a multiple of 16"):
        compiled.ecb("enc", bytes(16), bytes(17))
    with pytest.raises(ValueError, match="the key has 8 bytes"):
        compiled.ecb("dec", bytearray(8), bytes(16))
    with pytest.raises(TypeError, match=r"the data is of type str; .*bytes\.fromhex"):
        compiled.ecb("enc", bytes(16), "00" * 16)


COMPILES_THREE_TIMES = """
import os, sys
from pathlib import Path
from aesedu.engines import compiled

assert "numba" not in sys.modules
install, blocked, user, chosen = map(Path, sys.argv[1:])
assert Path(compiled.__file__).is_relative_to(install)

def cache():
    compiled.routine.cache_clear()
    assert compiled.ecb("enc", bytes(16), bytes(16)).hex() == "66e94bd4ef8a2c3b884cfa59ca342b2e"
    return compiled.routine().stats.cache_path

assert cache() is None
os.environ["HOME"] = os.environ["LOCALAPPDATA"] = str(user)
if sys.platform != "win32":
    assert list(Path(cache()).glob("*.nbc")) and Path(cache()).is_relative_to(user)
os.environ["NUMBA_CACHE_DIR"] = str(chosen)
sys.modules["numba"].config.reload_config()
assert list(Path(cache()).glob("*.nbc")) and Path(cache()).is_relative_to(chosen)
"""


def test_works_where_the_installation_is_read_only(tmp_path):
    """With no place to write to; with the user's cache folder; with NUMBA_CACHE_DIR."""
    install, blocked, user, chosen = (tmp_path / name for name in ("install", "blocked", "user", "chosen"))
    shutil.copytree(Path(aesedu.__file__).parent, install / "aesedu", ignore=shutil.ignore_patterns("__pycache__"))
    (install / "aesedu" / "engines" / "__pycache__").touch()  # a file where numba wants a folder: stops root, too
    blocked.touch()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))}
    environment |= {"PYTHONPATH": str(install), "HOME": str(blocked), "LOCALAPPDATA": str(blocked)}
    command = [sys.executable, "-c", COMPILES_THREE_TIMES, *map(str, (install, blocked, user, chosen))]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
