"""What the learner calls, in a real Jupyter kernel and without one."""

import nbformat
import pytest
from nbclient import NotebookClient

from aesedu.exercises import catalogue, exercise, hint, progress, session, solution

CELLS = [
    "from aesedu.exercises import exercise, hint, progress, solution\nimport math",
    'progress()',
    '@exercise("xtime")\ndef xtime(b):\n    """Words."""\n    ...',
    "MASK = 0xFF\ndef halve(b):\n    return math.floor(b / 0)",
    '@exercise("xtime")\ndef xtime(b):\n    # a comment\n    print("<b>", b)\n    return halve(b) & MASK',
    "def halve(b):\n    return b * 2 ^ 0x11B * (b >> 7)",
    '@exercise("xtime")\ndef xtime(b):\n    return halve(b) & MASK',
    "assert xtime(0x57) == 0xAE\nprogress()",
    'hint("te0")',
    'solution("te0")',
    'solution("te0")',
    '@exercise("te0")\ndef te0(sbox):\n    return [get_ipython() for s in sbox]',
    "def add_round_key(state, round_key): return b''",
    '@exercise("add_round_key")\ndef add_round_key(state, round_key):\n    first = bytes([state[0] ^ round_key[0]])\n'
    "    return first + add_round_key(state[1:], round_key[1:]) if state[1:] else first",
    "import functools, pathlib, sys\nsys.path.insert(0, pathlib.Path('lib'))\n@functools.cache\ndef double(b):\n"
    "    return b * 2 ^ 0x11B * (b >> 7) if b else double(b + 1) ^ 2",
    '@exercise("xtime")\n@functools.cache\ndef xtime(b):\n    return double(b)',
    '@exercise("xtime")\ndef xtime(b):\n    print("\\ud800")\n    raise ValueError("\\udfff")',
    '@exercise("xtime")\nclass xtime:\n    pass',
]  # fmt: skip


@pytest.fixture(scope="module")
def outputs():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


def text(outputs, i):
    (output,) = outputs[i]
    return output["data"]["text/plain"]


def test_stub_is_not_attempted(outputs):
    assert text(outputs, 1) == "No exercise has been run yet."
    assert text(outputs, 2).startswith("xtime: not attempted")


def test_crash_names_the_cells_and_their_lines(outputs):
    said = text(outputs, 4)
    assert said.startswith("xtime: crashed\n  xtime(0x57) raised ZeroDivisionError: division by zero\n")
    assert "Cell In[5], line 5, in xtime\n        return halve(b) & MASK" in said
    assert "Cell In[4], line 3, in halve\n        return math.floor(b / 0)" in said
    assert "<b> 87" in said and "aesedu" not in said


def test_html_says_the_same(outputs):
    html = outputs[4][0]["data"]["text/html"]
    assert "&lt;b&gt; 87" in html and "<b>" not in html and "Cell In[5], line 5, in xtime" in html


def test_pass_leaves_the_function(outputs):
    assert text(outputs, 6).startswith("xtime: passed\n  All 260 cases are right, 4 of them from FIPS-197 4.2.1.")
    assert text(outputs, 7) == ("Notebook 01: 1 of 4 exercises done; still open: te0, column, inverse_round_keys.")


def test_hint_and_solution(outputs):
    assert text(outputs, 8).startswith("Hint 1 of 2.")
    assert "def te0" not in text(outputs, 9)
    assert "def te0(sbox):" in text(outputs, 10) and "def te0(sbox):" in outputs[10][0]["data"]["text/html"]


def test_a_name_of_the_kernel_only(outputs):
    assert text(outputs, 11).startswith("te0: crashed")


def test_a_function_that_calls_itself_calls_this_one_and_not_an_older(outputs):
    assert text(outputs, 13).startswith("add_round_key: passed")


def test_cached_functions_and_a_path_object_on_the_path(outputs):
    assert text(outputs, 15).startswith("xtime: passed")


def test_what_no_front_end_can_be_sent_is_replaced(outputs):
    assert "ValueError: ?" in text(outputs, 16) and "    ?" in text(outputs, 16)


def test_a_class_crashes_as_an_answer_and_not_before(outputs):
    assert text(outputs, 17).startswith("xtime: crashed")


@pytest.fixture
def fresh(monkeypatch):
    for name in ("_statuses", "_hints", "_requests"):
        monkeypatch.setattr(session, name, type(getattr(session, name))())


def test_hints_come_one_by_one_and_the_last_stays(fresh):
    hints = next(entry.hints for entry in catalogue() if entry.name == "column")
    assert [hint("column").body for _ in range(len(hints) + 1)] == [*hints, hints[-1]]


def test_a_hint_without_a_name_says_what_is_open(fresh, capsys):
    assert "xtime" in hint().body and "interleave" in hint().body
    exercise("xtime")(lambda b: b << 1 ^ (0x11B if b & 0x80 else 0))
    assert hint().body == "Still open: te0, column, inverse_round_keys."


def test_without_jupyter_the_outcome_is_printed(fresh, capsys):
    def xtime(b): ...

    assert exercise("xtime")(xtime) is xtime
    assert capsys.readouterr().out.startswith("xtime: not attempted")
    assert str(progress()).startswith("Notebook 01: 0 of 4")


@pytest.mark.parametrize("call", [exercise, hint, solution])
def test_unknown_name(call):
    with pytest.raises(ValueError, match="Did you mean xtime"):
        call("xtim")
    with pytest.raises(TypeError, match="@exercise"):
        call(len)


def test_unknown_notebook(fresh):
    with pytest.raises(ValueError, match="no exercises"):
        progress("99")
