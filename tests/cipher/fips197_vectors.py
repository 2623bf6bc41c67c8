"""The examples of FIPS-197 as data, and the checks that hold our functions against every value in them."""

import csv
from itertools import groupby

from aesedu import data
from aesedu.cipher import fips197, key_schedule

KNOWN = {row["id"]: row for row in csv.DictReader(data.path("known_answers.csv").open(encoding="utf-8"))}


def examples(file, *columns):
    """The rows of an example in data/vectors/, as (its values in ``columns``, its rows)."""
    with data.path(f"vectors/{file}").open(encoding="utf-8", newline="") as lines:
        for values, rows in groupby(list(csv.DictReader(lines)), key=lambda row: [row[c] for c in columns]):
            yield values, list(rows)


def check_key_expansions():
    """Appendix A: each row of the three tables, and the round keys made of them."""
    count = 0
    for (key,), rows in examples("fips197_key_expansion.csv", "key"):
        key = bytes.fromhex(key)
        ours = [_printed(row) for row in key_schedule.trace(key)]
        assert ours == [[value for name, value in row.items() if name not in ("example", "key")] for row in rows]
        assert b"".join(key_schedule.expand_key(key)).hex() == key.hex() + "".join(row["w"] for row in rows)
        count += len(rows)
    assert count == 40 + 46 + 52


def _printed(row):
    return [str(row.i), *("" if value is None else value.hex() for value in row[1:])]


def check_ciphers():
    """Appendices B and C: each intermediate value, and the functions' results."""
    count = 0
    for (key, direction), rows in examples("fips197_cipher.csv", "key", "direction"):
        key, block, result = (bytes.fromhex(text) for text in (key, rows[0]["value"], rows[-1]["value"]))
        ours = [(str(step.round), step.name, step.value.hex()) for step in fips197.trace(key, block, direction)]
        assert ours == [(row["round"], row["step"], row["value"]) for row in rows]
        assert run(key, block, direction) == result
        count += len(rows)
    assert count == 52 + 3 * (52 + 62 + 72)


def run(key, block, direction):
    """One block through the functions that have no trace."""
    round_keys = key_schedule.expand_key(key)
    if direction == "equivalent inverse":
        return fips197.eq_inv_cipher(block, key_schedule.equivalent_inverse(round_keys))
    return (fips197.cipher if direction == "encrypt" else fips197.inv_cipher)(block, round_keys)
