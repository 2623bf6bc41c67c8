"""GCM (SP 800-38D 7.1, 7.2) as routines: counters encrypted, and the ciphertext hashed, a chunk of n vectors at a time.

Three routines make all forms. `ctr` encrypts a chunk, `hash_out` hashes what has been written, `hash_block` what is
read. *Sequential* encryption hashes a chunk once it is encrypted, and waits for it. *Lagged* encryption hashes the
chunk before, which is there already: `out` is where that one stands, and the new one goes behind it. *Woven* is lagged
with the steps of both in turn. Decryption hashes what it reads and never waits.

A vector is one block, or four where `lanes` is 4.
"""

from aesedu.routine import memory, routine, table, v128
from aesedu.routine.vectors import add32, broadcast
from aesedu.routines.aes_rounds import LOAD, STORE, counter_blocks, encrypted, round_keys
from aesedu.routines.ghash import absorb

FORMS = ("sequential", "lagged", "woven")
_FIRST_LANE = (1 << 128) - 1


@routine
def ctr(counter: v128, out: memory, block: memory, keys: table, *, vectors=4, lanes=1, rounds=10, advance=True):
    """Encrypt a chunk by the counter blocks from `counter` on, which is reversed: its low 32 bits count (6.2, 6.5).

    `keys` are 4 * (rounds + 1) words. Returns the next counter block and where the next chunk is; `out` moves on only
    if it is to `advance`. A text is loaded when it is wanted, so that registers are left for the hash.
    """
    blocks = vectors * lanes
    states = encrypted(counter_blocks(counter, vectors, lanes, add32), round_keys(keys, lanes), rounds)
    for at, state in zip(range(0, 4 * blocks, 4 * lanes), states, strict=True):
        STORE[lanes](out, at, state ^ LOAD[lanes](block, at))
    moved = (out[4 * blocks :],) if advance else ()
    return add32(counter, blocks), *moved, block[4 * blocks :]


@routine
def hash_out(y: v128, out: memory, powers: table, *, vectors=4, lanes=1, multiplication="karatsuba"):
    """Continue GHASH from `y` over the chunk at `out`, and move `out` on; `powers` as in `ghash.ghash`."""
    return _hashed(y, out, powers, vectors, lanes, multiplication), out[4 * vectors * lanes :]


@routine
def hash_block(y: v128, block: memory, powers: table, *, vectors=4, lanes=1, multiplication="karatsuba"):
    """Continue GHASH from `y` over the chunk at `block`, and leave `block` to whoever else reads it."""
    return _hashed(y, block, powers, vectors, lanes, multiplication)


def _hashed(y, data, powers, vectors, lanes, multiplication):
    if lanes == 4:
        y = broadcast(y) & _FIRST_LANE
    load = LOAD[lanes]
    return absorb(y, lambda i: load(data, 4 * lanes * i), vectors, powers, multiplication, lanes)


def parts(direction, form, vectors=4, lanes=1, rounds=10, multiplication="karatsuba"):
    """The recordings that make a chunk, in order; they are woven with each other, or follow one another."""
    sizes = {"vectors": vectors, "lanes": lanes}
    hashing = (hash_out if direction == "enc" else hash_block).record(multiplication=multiplication, **sizes)
    encrypting = ctr.record(rounds=rounds, advance=direction == "dec", **sizes)
    return [encrypting, hashing] if direction == "enc" and form == "sequential" else [hashing, encrypting]
