"""The tables of ``bench.live`` while they fill: tcrypt's cycles of one call, bench-slope's cycles a byte."""

from aesedu.cipher import modes as cipher_modes
from aesedu.views.chart import number
from aesedu.views.table import table

_WAYS = {"enc": "encryption", "dec": "decryption", "auth": "authentication"}


def tcrypt(rows, modes, sizes, aes_bits):
    """HTML: mode and direction down, bytes of a call across, core cycles; of the AES keys of ``aes_bits``.

    ``rows`` are those of ``bench.Tcrypt``, whose keys in LRW and XTS are longer, ``modes`` as logs call them; cells to
    come are dots.
    """
    chosen = [row for row in rows if cipher_modes.aes_bits(row["mode"], row["key_bits"]) == aes_bits]
    found = {(row["mode"], row["direction"], row["bytes"]): row["cycles"] for row in chosen}
    lines = []
    for mode, way in _lines(modes, ("enc", "dec")):
        cycles = [found.get((mode, way, size)) for size in sizes]
        last = number(cycles[-1] / sizes[-1]) if cycles[-1] else "·"
        lines.append([f"{mode} {_WAYS[way]}", *(f"{each:,.0f}" if each else "·" for each in cycles), last])
    columns = [f"core cycles, AES-{aes_bits}", *(f"{size:,} bytes" for size in sizes), "a byte"]
    return table(columns, lines, f"Core cycles of one call, AES-{aes_bits}")


def bench_slope(rows, modes):
    """HTML: mode and operation down, AES's keys across, core cycles a byte; of the rows of ``bench.BenchSlope``.

    libgcrypt has no LRW.
    """
    found = {(row["mode"].lower(), row["op"], row["key_bits"]): row["cycles_per_byte"] for row in rows}
    keys = (128, 192, 256)
    lines = []
    for mode, op in _lines([mode for mode in modes if mode != "lrw"], ("enc", "dec", "auth")):
        figures = [found.get((mode, op, key)) for key in keys]
        if op != "auth" or mode in ("ccm", "gcm", "ocb"):
            lines.append([f"{mode} {_WAYS[op]}", *(number(each) if each else "·" for each in figures)])
    return table(["core cycles a byte", *(f"AES-{key}" for key in keys)], lines, "Core cycles a byte")


def _lines(modes, ways):
    return [(mode, way) for mode in modes for way in ways]


def sentence(rows):
    """The range of either table, in cycles a byte of its longest message. Its figures come without intervals."""
    longest = max((row.get("bytes", 0) for row in rows), default=0)
    costs = {
        f"{row['mode'].lower()} {_WAYS[row.get('direction') or row['op']]} with {row['key_bits']} key bits": cost
        for row in rows
        if row.get("bytes", 0) == longest and (cost := row.get("cycles_per_byte") or row["cycles"] / longest)
    }
    if not costs:
        return "Nothing is measured yet.", ""
    best, worst = min(costs, key=costs.get), max(costs, key=costs.get)
    what = f"{longest:,} bytes a call" if longest else "Slope over sizes"
    return f"{number(costs[best])} to {number(costs[worst])} core cycles a byte.", (
        f"{what}: from {best} to {worst}. Which of two close figures is smaller may be noise."
    )
