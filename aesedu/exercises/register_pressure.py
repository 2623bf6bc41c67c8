"""Exercises of notebook 02, Register pressure. Two of them judge what the code generator makes of a function."""

from aesedu.exercises.definition import Exercise, Mistake
from aesedu.routine import Routine, run, table, u32


def measured(function, kinds, verdict):
    """A function on ints whose result is [words, verdict on the machine code]; what returns nothing stays as it is."""
    function = getattr(function, "function", function)  # it may carry @routine already
    function.__annotations__ = dict(kinds)
    known = []

    def called(*arguments):
        plain = function(*arguments)
        if plain is None or plain is ...:
            return plain
        if not known:
            recording = Routine(function).record()
            known.extend([recording, verdict(recording)])
        return [list(run(known[0], *arguments)), known[1]]

    return called


def _code(recording, budget):
    from aesedu.codegen import generate

    return generate(recording, "x86_64", budget)


def _spills(recording, budget):
    count = sum(i.kind == "spill" for i in _code(recording, budget).instructions)
    return f"{count or 'no'} spill{'s' * (count > 1)} with {budget} registers"


# --- counting -------------------------------------------------------------------------------------------------------


def _live_values(steps, results):
    """By the definition: made or given by then, and read later or a result."""
    made = [name for name, _ in steps]
    names = {*results, *made, *(o for _, operands in steps for o in operands)}
    counts = []
    for i in range(len(steps)):
        later = {o for _, operands in steps[i + 1 :] for o in operands} | set(results)
        counts.append(len([name for name in names if name in later and name not in made[i + 1 :]]))
    return counts


_EXAMPLE = [("p", ["a", "b"]), ("q", ["p", "te"]), ("r", ["q", "a"])]


def _draw_steps(random):
    drawn = []
    for count in range(1, 13):
        names, steps = ["a", "b", "te"], []
        for n in range(count):
            steps.append((f"v{n}", random.sample(names, random.choice([1, 2, 2]))))
            names.append(f"v{n}")
        drawn.append((steps, random.sample(names, 2)))
    return drawn


LIVE_VALUES = Exercise(
    name="live_values",
    notebook="02",
    stub='''
@exercise("live_values")
def live_values(steps, results):
    """How many values are live after each step: a list of counts (roughly 7 lines).

    steps: pairs (name, operands) in order, such as ("p", ["a", "b"]); results: the names
    needed at the end. A value that no step makes is a parameter: it counts while it is needed.
    """
    ...
''',
    solution='''
def live_values(steps, results):
    live, counts = set(results), []
    for name, operands in reversed(steps):
        counts.append(len(live))
        live.discard(name)
        live.update(operands)
    return counts[::-1]
''',
    hints=(
        "Whether a value is live depends on what comes later. So begin at the end, where only the results are.",
        "Going backwards over a step, its result is no longer live (it is not made yet) and its operands are.",
        "Keep a set; note its size before you take a step back.",
    ),
    known=lambda: [((_EXAMPLE, ["p", "r"]), [3, 3, 2]), ((_EXAMPLE, ["r"]), [3, 2, 1])],
    source="examples worked by hand",
    draw=_draw_steps,
    oracle=_live_values,
    mistakes=(
        Mistake("set(results)", "set()", "The results are needed at the end: the set of live values begins with them."),
        Mistake("        live.discard(name)\n", "",
                "Before the step that makes it, a value does not exist: take it out as you pass that step."),
        Mistake("        counts.append(len(live))\n        live.discard(name)\n        live.update(operands)\n",
                "        live.discard(name)\n        live.update(operands)\n        counts.append(len(live))\n",
                "These are the values live before each step; note the size before you take the step back."),
        Mistake("counts[::-1]", "counts", "The counts are in the order of your walk, from the last step to the first."),
        Mistake("len(live)", "len(live & {name for name, _ in steps})",
                "Parameters need a place as well: what no step makes counts while it is needed."),
    ),
    parts=("step",),
)  # fmt: skip


# --- one value less -------------------------------------------------------------------------------------------------

_RING = {"a": u32, "b": u32, "c": u32, "te": table}
_LIVE = 6  # values at once in the solution, and registers that it fits


def tighter_ring_measured(function):
    """In the child: words, live values, spills with as many registers."""
    return measured(function, _RING, _ring_verdict)


def _ring_verdict(recording):
    live = max(len(i.live) for i in _code(recording, 15).instructions)
    said = "at most 6 values live" if live <= _LIVE else f"{live} values live"
    return f"{said}, {_spills(recording, _LIVE)}"


def _ring(a, b, c, te):
    words = [a, b, c]
    return [
        [words[(i + 1) % 3] ^ te[words[i] % 256] for i in range(3)],
        "at most 6 values live, no spill with 6 registers",
    ]


def _te0():
    from aesedu.cipher import ttable

    return list(ttable.TE0)


TIGHTER_RING = Exercise(
    name="tighter_ring",
    notebook="02",
    stub='''
@exercise("tighter_ring")
def tighter_ring(a, b, c, te):
    """The same words as `ring`, with at most 6 values live (roughly 4 lines).

    It must also fit 6 registers without a spill. Words a, b, c are u32, te is a table.
    """
    ...
''',
    solution='''
def tighter_ring(a, b, c, te):
    q = te[b & 255]
    x = b ^ te[a & 255]
    z = a ^ te[c & 255]
    return x, c ^ q, z
''',
    hints=(
        "Three look-ups wait for their XOR at once. Which of them could be used up as soon as it is there?",
        "x = b ^ te[a & 255] ends the life of b, so everything else that reads b must come before it.",
        "One look-up has to wait, because the words form a ring. Begin with te[b & 255] and use it last.",
    ),
    known=lambda: [((0, 1, 2, _te0()), _ring(0, 1, 2, _te0()))],
    source="Te0 of the standard's S-box",
    draw=lambda random: [tuple(random.randrange(1 << 32) for _ in range(3)) + (_te0(),) for _ in range(6)],
    oracle=_ring,
    mistakes=(
        Mistake("    x = b ^ te[a & 255]\n    z = a ^ te[c & 255]\n    return x, c ^ q, z",
                "    p, r = te[a & 255], te[c & 255]\n    return b ^ p, c ^ q, a ^ r",
                "This is the order of `ring`: all three look-ups wait. Use one up before the next is made."),
        Mistake("    q = te[b & 255]\n    x = b ^ te[a & 255]\n", "    x = b ^ te[a & 255]\n    q = te[x & 255]\n",
                "The second look-up goes by the old b, not by the new word."),
        Mistake("x, c ^ q, z", "z, x, c ^ q", "The words are right, their order is not: b ^ te[a & 255] comes first."),
        Mistake("    q = te[b & 255]\n    x = b ^ te[a & 255]\n    z = a ^ te[c & 255]\n    return x, c ^ q, z",
                "    p = te[a & 255]\n    y = c ^ te[b & 255]\n    x = b ^ p\n    return x, y, a ^ te[c & 255]",
                "c lives on when y is made from it, so it is copied: let each XOR end the life of a word."),
    ),
    parts=("item", "word"),
    digits=8,
    around="aesedu.exercises.register_pressure:tighter_ring_measured",
)  # fmt: skip


# --- a round in eight registers -------------------------------------------------------------------------------------

_ROUND = {**dict.fromkeys(("s0", "s1", "s2", "s3"), u32), "keys": table, "te": table}
_NO_SPILL = "no spill with 8 registers"
# FIPS-197 appendix B: start of round 1, round key 1, start of round 2
_APPENDIX_B = "193de3bea0f4e22b9ac68d2ae9f84808", "a0fafe1788542cb123a339392a6c7605", "a49c7ff2689f352b6b5bea43026a5049"


def lean_round_measured(function):
    """In the child: words, and spills with 8 registers."""
    return measured(function, _ROUND, lambda recording: _spills(recording, 8))


def _words(text):
    state = bytes.fromhex(text)
    return [int.from_bytes(state[i : i + 4], "little") for i in range(0, 16, 4)]


def _te():
    from aesedu.cipher import ttable

    return [word for entries in ttable.TE for word in entries]


def _round(s0, s1, s2, s3, keys, _te):
    """The FIPS-197 way."""
    from aesedu.cipher.fips197 import mix_columns, shift_rows, sub_bytes

    state = b"".join(word.to_bytes(4, "little") for word in (s0, s1, s2, s3))
    new = _words(mix_columns(shift_rows(sub_bytes(state))).hex())
    return [[word ^ key for word, key in zip(new, keys, strict=True)], _NO_SPILL]


def _known_round():
    before, key, after = map(_words, _APPENDIX_B)
    return [((*before, key, _te()), [after, _NO_SPILL])]


def _draw_rounds(random):
    words = [[random.randrange(1 << 32) for _ in range(8)] for _ in range(4)]
    return [(*eight[:4], eight[4:], _te()) for eight in words]


LEAN_ROUND = Exercise(
    name="lean_round",
    notebook="02",
    stub='''
@exercise("lean_round")
def lean_round(s0, s1, s2, s3, keys, te):
    """The four words after an inner round, without a spill in 8 registers (roughly 18 lines).

    s0 ... s3: the columns (u32); keys: table of 4 words; te: table of 1024, Te0 to Te3 one
    behind the other. The cell above has imported rotl. Loading `keys` again is no spill.
    """
    ...
''',
    solution='''
from aesedu.routine import rotl


def lean_round(s0, s1, s2, s3, keys, te):
    new = {}

    def add(i, entry):
        new[i % 4] = new[i % 4] ^ entry if i % 4 in new else entry

    def look_up(half, c, row):
        add(c - row, te[256 * row :][half & 255])
        add(c - row - 1, te[256 * (row + 1) :][half >> 8 & 255])

    look_up(s0, 0, 0)
    even = rotl(s0 & 0xFFFF0000 | s2 & 0xFFFF, 16)
    look_up(s2 >> 16, 2, 2)
    look_up(s1, 1, 0)
    odd = rotl(s1 & 0xFFFF0000 | s3 & 0xFFFF, 16)
    look_up(s3 >> 16, 3, 2)
    for waiting, c in ((even, 0), (odd, 1)):
        look_up(waiting, c, 2)
        look_up(waiting >> 16, c + 2, 0)
    return [new[i] ^ keys[i] for i in range(4)]
''',
    hints=(
        "Row r of column c ends in column c - r of the next state, through table r. Take each word half by half.",
        "Splitting keeps a copy of each word. Merging keeps the halves of two words that still wait in one register: "
        "s0 & 0xFFFF0000 | s2 & 0xFFFF is one instruction on x86-64, and rotl(..., 16) brings the upper half down.",
        "First halves of s0 and s2, then of s1 and s3; only then the halves that waited. XOR the keys in last.",
    ),
    known=_known_round,
    source="FIPS-197 appendix B, round 1",
    draw=_draw_rounds,
    oracle=_round,
    mistakes=(
        Mistake("""    look_up(s1, 1, 0)
    odd = rotl(s1 & 0xFFFF0000 | s3 & 0xFFFF, 16)
    look_up(s3 >> 16, 3, 2)
    for waiting, c in ((even, 0), (odd, 1)):
        look_up(waiting, c, 2)
        look_up(waiting >> 16, c + 2, 0)
""", """    look_up(even, 0, 2)
    look_up(even >> 16, 2, 0)
    look_up(s1, 1, 0)
    odd = rotl(s1 & 0xFFFF0000 | s3 & 0xFFFF, 16)
    look_up(s3 >> 16, 3, 2)
    look_up(odd, 1, 2)
    look_up(odd >> 16, 3, 0)
""", "All four new columns are begun while s1 and s3 still wait. Merge those two before you finish with the others."),
        Mistake("""    look_up(s0, 0, 0)
    even = rotl(s0 & 0xFFFF0000 | s2 & 0xFFFF, 16)
    look_up(s2 >> 16, 2, 2)
    look_up(s1, 1, 0)
    odd = rotl(s1 & 0xFFFF0000 | s3 & 0xFFFF, 16)
    look_up(s3 >> 16, 3, 2)
    for waiting, c in ((even, 0), (odd, 1)):
        look_up(waiting, c, 2)
        look_up(waiting >> 16, c + 2, 0)
""", """    for a, c in ((0, 2), (1, 3)):
        look_up((s0, s1)[a], a, 0)
        look_up((s2, s3)[a] >> 16, c, 2)
    for a, c in ((0, 2), (1, 3)):
        look_up((s0, s1)[a] >> 16, a, 2)
        look_up((s2, s3)[a], c, 0)
""", "Two words are kept whole because both their halves are still to come. Merge the halves that wait."),
        Mistake("c - row - 1", "c - row + 1", "That is InvShiftRows: row r of column c goes to column c - r."),
        Mistake(" ^ keys[i]", "", "The round key is missing: AddRoundKey ends the round."),
        Mistake("rotl(s1 & 0xFFFF0000 | s3 & 0xFFFF, 16)", "s1 & 0xFFFF0000 | s3 & 0xFFFF",
                "The merged word was not turned, so that its halves change places: the upper one belongs to s1."),
    ),
    parts=("item", "word"),
    digits=8,
    around="aesedu.exercises.register_pressure:lean_round_measured",
)  # fmt: skip

EXERCISES = [LIVE_VALUES, TIGHTER_RING, LEAN_ROUND]
