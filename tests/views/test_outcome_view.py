"""An outcome says the same as HTML and as plain text; nothing of the learner's becomes markup."""

import re
from html import unescape

import pytest

from aesedu.exercises.outcome import Note, Outcome

STATUSES = ("passed", "failed", "crashed", "timed out", "not attempted")


def words(html):
    body = re.sub(r"<style>.*?</style>", "", html, flags=re.S)
    return set(re.findall(r"\w+", unescape(re.sub(r"<[^>]+>", " ", body))))


@pytest.mark.parametrize("status", STATUSES)
def test_html_and_text_say_the_same(status):
    outcome = Outcome("te0", status, "It happened <here>.", "Do & see.", "<script>1</script>", "Cell In[1], line 2")
    assert words(outcome.html()) == set(re.findall(r"\w+", outcome.text()))
    assert "<script>" not in outcome.html() and "<here>" not in outcome.html()
    assert outcome.text().encode("cp1252")


def test_each_status_has_its_own_sign():
    signs = {re.search(r'aria-hidden="true">(.)<', Outcome("te0", status, "").html())[1] for status in STATUSES}
    assert len(signs) == len(STATUSES)


def test_note():
    note = Note("Title", "Words < & >.", "a < b")
    assert note.text() == "Title\n  Words < & >.\n    a < b"
    assert "Words &lt; &amp; &gt;." in note.html() and "a &lt; b</pre>" in note.html()
