"""Where data files are found, in a checkout and in an installed wheel."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aesedu import data


def test_path_in_a_checkout():
    assert data.path("known_answers.csv") == Path(data.__file__).resolve().parents[1] / "data" / "known_answers.csv"


def test_missing_file_is_named():
    with pytest.raises(FileNotFoundError, match=r"no data file 'seeds/none\.csv' in .*data"):
        data.path("seeds/none.csv")


def test_a_wheel_finds_its_own_data_and_not_a_neighbours(tmp_path):
    package = tmp_path / "aesedu"
    for folder in (package / "_data", tmp_path / "data"):  # site-packages/data would be another project's
        folder.mkdir(parents=True)
        (folder / "known_answers.csv").touch()
    (tmp_path / "data" / "other.csv").touch()
    shutil.copy(data.__file__, package / "data.py")
    path = runpy.run_path(str(package / "data.py"))["path"]
    assert path("known_answers.csv") == (package / "_data" / "known_answers.csv").resolve()
    with pytest.raises(FileNotFoundError, match=r"'other\.csv' in .*_data"):
        path("other.csv")


def test_a_spoilt_frame_spoils_no_other():
    frame = data.speedup_cortex_a53()
    frame.loc[:, "factor"] = 0.0
    assert data.speedup_cortex_a53().factor.min() > 13


def test_pandas_loads_with_the_first_table_only():
    code = "import sys, aesedu.data; aesedu.data.path('seeds'); sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
