"""Exercises of notebook 05, AES instructions."""

from aesedu.exercises.definition import Exercise, Mistake

_BLOCK = bytes.fromhex("00112233445566778899aabbccddeeff")
_CIPHERTEXTS = {  # FIPS-197 appendix C, by the bytes of the key 00 01 02 ...
    16: "69c4e0d86a7b0430d8cdb78070b4c55a",
    24: "dda97ca4864cdfe06eaf70a0ec0d7191",
    32: "8ea2b7ca516745bfeafc49904b496089",
}


def _round_keys(key):
    from aesedu.cipher.key_schedule import expand_key

    return expand_key(key)


def _cipher(block, round_keys):
    """By the standard's own steps, in their order."""
    from aesedu.cipher import fips197

    return fips197.cipher(block, round_keys)


# Two orders of the whole cipher: the solution's, and that of AESENC with other instructions.
_ORDER = """    state = block
    for key in first:
        state = aesmc(aese(state, key))
    state = aese(state, before_last)
    return fips197.add_round_key(state, last)
"""
_WORD_FOR_WORD = """    state = fips197.add_round_key(block, round_keys[0])
    for key in round_keys[1:-1]:
        state = aesmc(aese(state, key))
    return aese(state, last)
"""

ENCRYPT_AESE = Exercise(
    name="encrypt_aese",
    notebook="05",
    stub='''
@exercise("encrypt_aese")
def encrypt_aese(block, round_keys):
    """A block encrypted as AArch64 does it (roughly 6 lines).

    round_keys: 11, 13 or 15 of 16 bytes. The cells above have imported aese(state, key),
    aesmc(state) and fips197, for add_round_key(state, key).
    """
    ...
''',
    solution='''
from aesedu.cipher import fips197
from aesedu.cipher.instructions import aese, aesmc


def encrypt_aese(block, round_keys):
    *first, before_last, last = round_keys
    state = block
    for key in first:
        state = aesmc(aese(state, key))
    state = aese(state, before_last)
    return fips197.add_round_key(state, last)
''',
    hints=(
        "AESE adds its key before anything else. So the first AESE takes round key 0, and no XOR comes before it.",
        "All round keys but the last two go into AESE with AESMC behind it.",
        "The last round has no MixColumns: AESE with the last key but one, then XOR with the last.",
    ),
    known=lambda: [
        ((_BLOCK, _round_keys(bytes(range(size)))), bytes.fromhex(text)) for size, text in _CIPHERTEXTS.items()
    ],
    source="FIPS-197 appendix C",
    draw=lambda random: [
        (random.randbytes(16), _round_keys(random.randbytes(size))) for size in (16, 24, 32) for _ in range(3)
    ],
    oracle=_cipher,
    mistakes=(
        Mistake("    state = aese(state, before_last)", "    state = aesmc(aese(state, before_last))",
                "This mixes the columns in the last round, too: there AESE comes without AESMC."),
        Mistake("fips197.add_round_key(state, last)", "state",
                "One round key is left over. AESE adds a key first, so the last one takes an XOR of its own."),
        Mistake("state = block", "state = fips197.add_round_key(block, round_keys[0])",
                "Round key 0 is added twice and cancels itself: AESE adds it already."),
        Mistake("aesmc(aese(state, key))", "aese(aesmc(state), key)",
                "MixColumns comes behind the S-box of its round: AESMC takes what AESE gives."),
        Mistake("in first:", "in first[1:]:",
                "Round key 0 is missing. In AESENC's order it goes into an XOR, here into the first AESE."),
        Mistake(_ORDER, _WORD_FOR_WORD,
                "AESENC's loop word for word. AESE adds its key first: no XOR before the first, one behind the last."),
        Mistake("in first:", "in first[:9]:",
                "AESMC nine times is right for 11 keys alone: with 13 keys it takes 11, with 15 keys 13."),
        Mistake("*first, before_last, last = round_keys", "*first, before_last, last = round_keys[:11]",
                "This takes 11 round keys. AES-192 has 13 of them and AES-256 has 15: count with len(round_keys)."),
    ),
    parts=("byte",),
)  # fmt: skip


def _stepped_ratio(rounds, latency, interval, chain, rest):
    """Both modes played through cycle by cycle on 64 blocks, start after start."""
    blocks = 64
    cbc = sum(sum(latency for _ in range(rounds)) + chain for _ in range(blocks))
    ctr = sum(interval for _ in range(rounds * blocks)) + sum(rest for _ in range(blocks))
    return cbc / ctr


CBC_OVER_CTR = Exercise(
    name="cbc_over_ctr",
    notebook="05",
    stub='''
@exercise("cbc_over_ctr")
def cbc_over_ctr(rounds, latency, interval, chain, rest):
    """How many times as long a block takes in CBC encryption as in CTR (roughly 3 lines).

    rounds: 10, 12 or 14, by the key size.
    latency: cycles until a round's result is there.
    interval: cycles from the start of a round to that of the next.
    chain: further cycles of a block in CBC encryption; they lengthen its chain.
    rest: further cycles of a block in CTR.
    """
    ...
''',
    solution='''
def cbc_over_ctr(rounds, latency, interval, chain, rest):
    cbc = rounds * latency + chain
    ctr = rounds * interval + rest
    return cbc / ctr
''',
    hints=(
        "In CBC encryption each round waits for the one before, and each block for the one before.",
        "In CTR many blocks are under way. While one waits, others start: only the interval between starts counts.",
        "Both are cycles a block. A53 with 10 rounds: (10 * 2 + 6) / (10 * 1 + 9).",
    ),
    known=lambda: [((10, 2, 1, 6, 9), 26 / 19), ((12, 2, 1, 6, 9), 30 / 21), ((14, 2, 1, 6, 9), 34 / 23),
                   ((10, 4, 0.5, 0, 0), 8.0)],
    source="the Cortex-A53 of source 002, and by hand",
    draw=lambda random: [
        (random.choice([10, 12, 14]), random.randrange(2, 9), random.choice([0.25, 0.5, 1, 2]), random.randrange(8),
         random.randrange(10)) for _ in range(16)
    ],
    oracle=_stepped_ratio,
    mistakes=(
        Mistake("rounds * latency", "latency",
                "That is one round. All rounds of a block wait for each other: rounds times latency."),
        Mistake("rounds * interval", "rounds * latency",
                "In CTR other blocks start while a round is under way: its latency is hidden, the interval counts."),
        Mistake("rounds * interval", "rounds / interval",
                "The interval is in cycles: 0.5 means two starts a cycle, and half the cycles."),
        Mistake("cbc / ctr", "ctr / cbc", "The other way round: CBC takes longer, so the ratio is above 1."),
        Mistake(" + chain", "", "The XOR with the block before is on the chain, too: add its cycles."),
        Mistake(" + rest", "", "A block in CTR costs more than its rounds: add `rest`."),
        Mistake("cbc / ctr", "latency / interval",
                "That is the limit, for rounds alone. Both modes have further cycles a block: chain and rest."),
    ),
)  # fmt: skip


def _cycles(latency, interval, blocks):
    """Cycles between two rounds of all blocks, played through start by start, over the number of blocks."""
    free, ready, begun = 0, [0] * blocks, []
    for _ in range(64):
        for block in range(blocks):
            start = max(free, ready[block])
            free, ready[block] = start + interval, start + latency
            if block == 0:
                begun.append(start)
    return (begun[-1] - begun[-17]) / 16 / blocks


def _interleave(latency, interval, registers):
    """The first number of blocks that no other beats."""
    cycles = {blocks: _cycles(latency, interval, blocks) for blocks in range(1, registers)}
    best = min(cycles, key=lambda blocks: (cycles[blocks], blocks))
    return [best, float(cycles[best])]


INTERLEAVE = Exercise(
    name="interleave",
    notebook="05",
    stub='''
@exercise("interleave")
def interleave(latency, interval, registers):
    """The fewest blocks that keep the unit busy, and the cycles of a round (roughly 4 lines).

    Return [blocks, cycles a block and round]. latency: cycles until a round's result is
    there; interval: cycles from one start to the next. Each block takes one of the
    registers and the round key another, so there may be too few of them.
    """
    ...
''',
    solution='''
import math


def interleave(latency, interval, registers):
    needed = math.ceil(latency / interval)
    blocks = min(needed, registers - 1)
    cycles = max(latency, blocks * interval)
    return [blocks, cycles / blocks]
''',
    hints=(
        "Between a round and the next of the same block, `latency` cycles pass. How many starts fit into them?",
        "latency / interval, rounded up: with one block fewer the unit has nothing to start for a while.",
        "A round of all blocks takes latency cycles at least, and blocks * interval if that is more.",
    ),
    known=lambda: [((4, 0.5, 16), [8, 0.5]), ((4, 1, 16), [4, 1.0]), ((2, 1, 32), [2, 1.0])],
    source="Zen 5, Skylake and the Cortex-A53, worked by hand",
    draw=lambda random: [
        (random.randrange(2, 13), random.choice([0.25, 0.5, 1, 1.5, 2]), random.choice([8, 16, 32])) for _ in range(20)
    ],
    oracle=_interleave,
    mistakes=(
        Mistake("math.ceil", "math.floor",
                "Rounded down, there is one block too few wherever the interval does not divide the latency."),
        Mistake("latency / interval", "latency * interval",
                "The shorter the interval, the more blocks it takes: divide the latency by it."),
        Mistake("registers - 1", "registers", "The round key needs a register, too."),
        Mistake("min(needed, registers - 1)", "needed",
                "There are not that many registers. Take as many blocks as fit beside the round key."),
        Mistake("max(latency, blocks * interval)", "blocks * interval",
                "With too few blocks the unit waits for a result: a round of all of them takes the latency."),
    ),
    parts=("item",),
)  # fmt: skip

EXERCISES = [ENCRYPT_AESE, INTERLEAVE, CBC_OVER_CTR]
