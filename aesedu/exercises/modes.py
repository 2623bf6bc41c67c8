"""Exercises of notebook 04, Modes and tcrypt."""

import csv

from aesedu.exercises.definition import Exercise, Mistake


def _xts_double(block):
    """Bit by bit: the coefficient of x^i is bit i % 8 of byte i // 8."""
    bits = [block[i // 8] >> i % 8 & 1 for i in range(128)]
    shifted = [bits[-1], *bits[:-1]]
    for i in (1, 2, 7):
        shifted[i] ^= bits[-1]
    return bytes(sum(shifted[8 * n + i] << i for i in range(8)) for n in range(16))


XTS_DOUBLE = Exercise(
    name="xts_double",
    notebook="04",
    stub='''
@exercise("xts_double")
def xts_double(block):
    """The next tweak of XTS: a block of 16 bytes times x (roughly 4 lines).

    The first byte is the lowest. Where a bit falls off the top, 0x87 is XORed in.
    """
    ...
''',
    solution='''
def xts_double(block):
    value = int.from_bytes(block, "little") << 1
    if value >> 128:
        value ^= 1 << 128 | 0x87
    return value.to_bytes(16, "little")
''',
    hints=(
        'int.from_bytes(block, "little") makes one number of the block, its first byte the lowest.',
        "Times x is a shift to the left by one bit. The number may then have 129 bits.",
        "The bit that is too many is worth x^7 + x^2 + x + 1: take it away and XOR 0x87 in.",
    ),
    known=lambda: [
        ((b"\x01" + bytes(15),), b"\x02" + bytes(15)), ((b"\x80" + bytes(15),), b"\0\x01" + bytes(14)),
        ((bytes(15) + b"\x80",), b"\x87" + bytes(15)),
    ],
    source="the rule of IEEE 1619 5.2, worked by hand",
    draw=lambda random: [(random.randbytes(16),) for _ in range(20)],
    oracle=_xts_double,
    mistakes=(
        Mistake('"little"', '"big"', "This is OCB's order. XTS takes the first byte as the lowest."),
        Mistake("1 << 128 | 0x87", "1 << 128", "The bit that falls off must come back: it is worth 0x87."),
        Mistake("0x87", "0xE1", "0xE1 is GHASH's form of the polynomial, with its bits mirrored; here it is 0x87."),
        Mistake("0x87", "87", "0x87 is hexadecimal, 135 in decimal: 87 without 0x is another number."),
        Mistake("<< 1", ">> 1", "That divides by x. Times x moves every bit up by one."),
        Mistake('int.from_bytes(block, "little") << 1', 'int.from_bytes(bytes(2 * b & 255 for b in block), "little")',
                "A bit that leaves a byte goes on into the next one; only at the very top does one fall off."),
    ),
    parts=("byte",),
)  # fmt: skip


def _next_counter(block, width):
    """Byte by byte, with the carry that is left."""
    counter, carry = list(block), 1
    for n in range(15, 15 - width // 8, -1):
        carry, counter[n] = divmod(counter[n] + carry, 256)
    return bytes(counter)


def _draw_counters(random):
    widths = [random.choice([32, 64, 128]) for _ in range(18)]
    ends = [random.choice([0, 1, 3, 4, 8, 15]) for _ in widths]  # bytes that are about to wrap around
    return [(random.randbytes(16 - end) + b"\xff" * end, width) for width, end in zip(widths, ends, strict=True)]


NEXT_COUNTER = Exercise(
    name="next_counter",
    notebook="04",
    stub='''
@exercise("next_counter")
def next_counter(block, width):
    """The counter block after `block` (16 bytes), of which the last `width` bits count (roughly 3 lines).

    They are one big-endian number and wrap around to zero; the other bits never change.
    CTR counts with 128 bits, GCM with 32.
    """
    ...
''',
    solution='''
def next_counter(block, width):
    value, counting = int.from_bytes(block, "big"), (1 << width) - 1
    value = value & ~counting | (value + 1) & counting
    return value.to_bytes(16, "big")
''',
    hints=(
        'int.from_bytes(block, "big") and value.to_bytes(16, "big") go between a block and a number.',
        "(1 << width) - 1 is a mask of the bits that count.",
        "value & ~mask is what stays; (value + 1) & mask is the new count, and a carry out of it is lost.",
    ),
    known=lambda: [
        ((bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"), 128), bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdff00")),
        ((bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdff00"), 128), bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdff01")),
    ],
    source="SP 800-38A F.5.1",
    draw=lambda random: [*_draw_counters(random), (b"\xff" * 16, 32), (b"\xff" * 16, 64), (b"\xff" * 16, 128)],
    oracle=_next_counter,
    mistakes=(
        Mistake("value & ~counting | (value + 1) & counting", "(value + 1) % 2**128",
                "The carry went into bits that do not count. In GCM the nonce would change after 2^32 blocks."),
        Mistake('"big"', '"little"', "The last byte is the lowest: the counter is a big-endian number."),
        Mistake("value & ~counting | ", "", "The bits that do not count were lost; they stay as they are."),
        Mistake("(1 << width)", "(1 << width // 8)", "width is a number of bits, not of bytes."),
    ),
    parts=("byte",),
)  # fmt: skip


def _outlier(values):
    """By the ends of the sorted values: the furthest from the median is one of the two."""
    ordered = sorted(values)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    low, high = ordered[0], ordered[-1]
    return values.index(high if high - middle > middle - low else low)


def _percentages():
    from aesedu import data

    with data.path("seeds/tcrypt_core2_2008_percent.csv").open(encoding="utf-8", newline="") as file:
        return [float(row["percent"]) for row in csv.DictReader(file)]


def _draw_values(random):
    """Two heaps of unequal size, so that mean and median differ, and one value further off."""
    lists = []
    for _ in range(20):
        near = [round(random.gauss(-20, 2), 2) for _ in range(random.randrange(5, 9))]
        far = [round(random.gauss(random.choice([-30, -10]), 2), 2) for _ in range(random.randrange(2, 4))]
        lists.append(random.sample(near + far, len(near + far)))
    return [(values,) for values in lists]


OUTLIER = Exercise(
    name="outlier",
    notebook="04",
    stub='''
@exercise("outlier")
def outlier(values):
    """The index of the value that lies furthest from the median of all (roughly 3 lines).

    The mean will not do: an outlier pulls the mean towards itself.
    """
    ...
''',
    solution='''
from statistics import median


def outlier(values):
    middle = median(values)
    away = [abs(value - middle) for value in values]
    return away.index(max(away))
''',
    hints=(
        "statistics.median gives the middle one of the sorted values.",
        "Below the median counts as much as above it: take abs of the distance.",
        "away.index(max(away)) is where the largest distance stands.",
    ),
    known=lambda: [((_percentages(),), 0), ((_percentages()[1:],), 14)],
    source="source 000, whose list names its lowest and its highest percentage",
    draw=_draw_values,
    oracle=_outlier,
    mistakes=(
        Mistake("median(values)", "sum(values) / len(values)",
                "The mean is pulled towards what lies far off. The median is not."),
        Mistake("abs(value - middle)", "value - middle", "A value may also lie far below the median: take abs."),
        Mistake("value - middle", "value", "That is the distance from zero, not from the median."),
        Mistake("for value in values", "for value in sorted(values)",
                "That is its place among the sorted values. Where does it stand in the list as given?"),
    ),
)  # fmt: skip


def _fixed_and_slope(sizes, times):
    """By the two normal equations, exactly."""
    from fractions import Fraction

    s, t = [Fraction(size) for size in sizes], [Fraction(time) for time in times]
    n, ss, st = len(s), sum(x * x for x in s), sum(x * y for x, y in zip(s, t, strict=True))
    determinant = n * ss - sum(s) ** 2
    return [float((ss * sum(t) - sum(s) * st) / determinant), float((n * st - sum(s) * sum(t)) / determinant)]


def _draw_series(random):
    """Calls of three to five sizes, with noise of a ninth of the fixed cost."""
    series = []
    for _ in range(12):
        sizes, fixed = [16, 64, 256, 1024, 8192][: random.randrange(3, 6)], random.randrange(200, 900)
        slope = random.randrange(5, 30)
        series.append((sizes, [fixed + slope * size + random.randrange(-fixed // 9, fixed // 9) for size in sizes]))
    return series


FIXED_AND_SLOPE = Exercise(
    name="fixed_and_slope",
    notebook="04",
    stub='''
@exercise("fixed_and_slope")
def fixed_and_slope(sizes, times):
    """Least squares: [fixed, slope] of the line time = fixed + slope * size (roughly 5 lines).

    slope is the sum of (size - mean size)(time - mean time) over the sum of
    (size - mean size) squared; the line goes through both means.
    """
    ...
''',
    solution='''
def fixed_and_slope(sizes, times):
    size, time = sum(sizes) / len(sizes), sum(times) / len(times)
    over = sum((s - size) * (t - time) for s, t in zip(sizes, times))
    under = sum((s - size) ** 2 for s in sizes)
    slope = over / under
    return [time - slope * size, slope]
''',
    hints=(
        "First the two means; then two sums over the differences from them.",
        "zip(sizes, times) goes through both lists together.",
        "The line goes through (mean size, mean time), so fixed is mean time - slope * mean size.",
    ),
    known=lambda: [
        (([16, 64, 256], [132, 228, 612]), [100.0, 2.0]), (([0, 1, 2, 3], [1, 3, 2, 4]), [1.3, 0.8]),
    ],
    source="examples worked by hand",
    draw=_draw_series,
    oracle=_fixed_and_slope,
    mistakes=(
        Mistake("slope = over / under", "slope = (times[-1] - times[0]) / (sizes[-1] - sizes[0])",
                "A line through the first and the last point leaves out all others."),
        Mistake("(s - size) * (t - time)", "s * t", "Take the differences from the means, not the values themselves."),
        Mistake("[time - slope * size, slope]", "[slope, time - slope * size]", "The fixed cost comes first."),
        Mistake("time - slope * size", "float(times[0])",
                "The smallest call costs more than nothing: its own bytes are in its time, and its error, too."),
        Mistake("** 2", "** 2 / len(sizes)", "A sum over a mean: either divide both sums by their number or none."),
    ),
    parts=("entry",),
)  # fmt: skip

EXERCISES = [XTS_DOUBLE, NEXT_COUNTER, OUTLIER, FIXED_AND_SLOPE]
