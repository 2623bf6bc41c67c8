"""What mail does to the lines of a log: wraps them at spaces and quotes them, to any depth."""

from hypothesis import strategies as st


@st.composite
def mailed(draw, text):
    """Return ``text`` with every line broken at some of its spaces and behind quoting marks."""
    lines = []
    for line in text.splitlines():
        marks = draw(st.sampled_from(["", "> ", ">", "> > ", ">> ", "> > > >  "]))
        breaks = draw(st.sets(st.integers(0, max(0, line.count(" ") - 1)), max_size=4))
        words = line.split(" ")
        pieces = "".join(word + ("\n" if n in breaks else " ") for n, word in enumerate(words)).rstrip().split("\n")
        lines += [(marks + piece).rstrip() for piece in pieces]
    return "\n".join(lines)
