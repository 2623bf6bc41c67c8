"""The cache of compiled loops: damaged files, a full disk, callees that have changed, no compiler at all."""

import errno
import os
import subprocess
import sys

import pytest

numba = pytest.importorskip("numba")

from numba.core.caching import IndexDataCacheFile  # noqa: E402

from aesedu.engines import jit  # noqa: E402


def add(a, b):
    return a + b


@pytest.fixture
def hits(monkeypatch, tmp_path):
    """How many results a new process would take from the cache."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def ask():
        made = jit.compiled(add)
        assert made(1, 2) == 3
        return made.stats.cache_hits.total()

    assert [ask(), ask()] == [0, 1]
    return ask


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:-9], lambda data: b"\xe0" * 99])
def test_damaged_files_are_made_anew(kind, damage, hits, tmp_path):
    (file,) = tmp_path.rglob(f"*.{kind}")
    file.write_bytes(damage(file.read_bytes()))
    assert [hits(), hits()] == [0, 1]


def test_a_full_disk(hits, tmp_path, monkeypatch):
    for file in tmp_path.rglob("*.nb?"):
        file.unlink()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(IndexDataCacheFile, "_save_index", full)
        assert [hits(), hits()] == [0, 0]
    assert [hits(), hits()] == [0, 1]


def test_a_loop_is_compiled_anew_when_one_of_another_file_changes(hits, monkeypatch):
    monkeypatch.setattr(jit, "_stamps", lambda: ["later"])
    assert [hits(), hits()] == [0, 1]


def test_modes_where_numba_is_told_not_to_compile():
    modes = (
        "import aesedu; print(*(aesedu.encrypt('CTR', bytes(16), b'x', bytes(16), engine=name)[0].hex() for name in "
    )
    program = modes + "('ttable-woven', 'compiled')))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout == "1e 1e\n", done.stderr
