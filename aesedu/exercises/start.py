"""Exercises of notebook 00, Start here: three short ones, to meet the way exercises work."""

from aesedu.exercises.definition import Exercise, Mistake

# plaintext, round key 0 and the state at the start of round 1
_APPENDIX_B = "3243f6a8885a308d313198a2e0370734", "2b7e151628aed2a6abf7158809cf4f3c", "193de3bea0f4e22b9ac68d2ae9f84808"

ADD_ROUND_KEY = Exercise(
    name="add_round_key",
    notebook="00",
    stub='''
@exercise("add_round_key")
def add_round_key(state, round_key):
    """XOR two strings of 16 bytes, byte by byte, into a third (roughly 1 line)."""
    ...
''',
    solution='''
def add_round_key(state, round_key):
    return bytes(s ^ k for s, k in zip(state, round_key))
''',
    hints=(
        "Iterating over bytes gives integers, and ^ is XOR of integers.",
        "zip(state, round_key) walks through both; bytes(...) turns the integers back into bytes.",
    ),
    known=lambda: [(tuple(map(bytes.fromhex, _APPENDIX_B[:2])), bytes.fromhex(_APPENDIX_B[2]))],
    source="FIPS-197 appendix B",
    draw=lambda random: [(random.randbytes(16), random.randbytes(16)) for _ in range(20)],
    oracle=lambda a, b: (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(16, "big"),
    mistakes=(
        Mistake("s ^ k", "s | k", "That is OR: a bit that is 1 in both must become 0. XOR is written ^ in Python."),
        Mistake("s ^ k", "s + k & 0xFF", "That is addition, in which carries move to the next bit. XOR (^) has none."),
        Mistake("s ^ k for s, k in zip(state, round_key)", "s ^ round_key[0] for s in state",
                "Every byte met the first byte of the key. Byte i of the state meets byte i of the key."),
        Mistake("zip(state, round_key)", "zip(state, reversed(round_key))",
                "One of the two runs backwards. Python's big-endian and little-endian integers differ in just this."),
    ),
    parts=("byte",),
)  # fmt: skip

NS_PER_BYTE = Exercise(
    name="ns_per_byte",
    notebook="00",
    stub='''
@exercise("ns_per_byte")
def ns_per_byte(operations, seconds, size):
    """Nanoseconds a byte, from a number of operations on `size` bytes each in so many seconds (roughly 1 line)."""
    ...
''',
    solution='''
def ns_per_byte(operations, seconds, size):
    return seconds * 1e9 / (operations * size)
''',
    hints=(
        "How many bytes went through in all?",
        "A second has 10^9 nanoseconds. Divide the nanoseconds by the bytes.",
    ),
    known=lambda: [((2023626, 1, 16), 1e9 / 32378016)],
    source="a printed log (source 003, first line)",
    draw=lambda random: [(random.randrange(1, 10**7), random.randrange(1, 10), 1 << n) for n in range(4, 14)],
    oracle=lambda operations, seconds, size: 1000 / (operations * size / seconds / 1e6),
    mistakes=(
        Mistake("(operations * size)", "operations", "That is the time of one operation, which handles `size` bytes."),
        Mistake("1e9", "1e6", "That is in microseconds: a second has 10^9 nanoseconds."),
        Mistake("seconds * 1e9 / (operations * size)", "operations * size / (seconds * 1e9)",
                "That is bytes a nanosecond, which is speed. Time a byte is its inverse."),
        Mistake("(operations * size)", "operations * size",
                "Python divides first, then multiplies: put operations * size in brackets."),
    ),
)  # fmt: skip


def _verdict(ratio, low, high):
    """The verdict in whole thousandths, from the conditions of an answer and not from those of a doubt."""
    ratio, low, high = (round(1000 * value) for value in (ratio, low, high))
    if low > 1000 and ratio >= 1010:
        return "faster"
    return "slower" if high < 1000 and ratio <= 990 else "cannot tell"


def _draw_verdicts(random):
    ratios = random.sample([*range(930, 990), *range(991, 1010), *range(1011, 1070)], 20)
    halves = [random.randrange(1, 60) for _ in ratios]
    return [(r / 1000, (r - half) / 1000, (r + half) / 1000) for r, half in zip(ratios, halves, strict=True)]


VERDICT = Exercise(
    name="verdict",
    notebook="00",
    stub='''
@exercise("verdict")
def verdict(ratio, low, high):
    """Is B "faster" or "slower" than A, or "cannot tell"? (roughly 3 lines)

    ratio: time of A over time of B, so that B is faster above 1; low, high: its 95 %
    interval. We cannot tell where the interval holds 1 or the effect is under 1 %.
    """
    ...
''',
    solution='''
def verdict(ratio, low, high):
    if low <= 1 <= high or abs(ratio - 1) < 0.01:
        return "cannot tell"
    return "faster" if ratio > 1 else "slower"
''',
    hints=(
        "Deal with both reasons to doubt first; what is left is clear.",
        "low <= 1 <= high says that the interval holds 1; abs(ratio - 1) is the effect.",
    ),
    known=lambda: [
        ((1.032, 1.029, 1.036), "faster"), ((0.83, 0.77, 0.91), "slower"), ((1.05, 0.98, 1.14), "cannot tell"),
        ((1.03, 1.004, 1.056), "faster"),
        ((0.97, 0.944, 0.997), "slower"), ((1.005, 1.003, 1.007), "cannot tell"), ((1.04, 1.0, 1.09), "cannot tell"),
    ],
    source="examples worked by hand",
    draw=_draw_verdicts,
    oracle=_verdict,
    mistakes=(
        Mistake("low <= 1 <= high or ", "", "Look at the interval too: where it holds 1, B may be faster or slower."),
        Mistake(" or abs(ratio - 1) < 0.01", "", "An effect under 1 % is not credible, however narrow its interval."),
        Mistake("ratio > 1", "ratio < 1", "The ratio is time of A over time of B: above 1, B takes less time."),
        Mistake("low <= 1", "low < 1", "An interval that begins exactly at 1 holds 1."),
    ),
)  # fmt: skip

EXERCISES = [ADD_ROUND_KEY, NS_PER_BYTE, VERDICT]
