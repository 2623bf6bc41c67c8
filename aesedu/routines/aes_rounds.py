"""AES by the processor's AES instructions as routines, n vectors at a time: one block each, or four with 4 `lanes`.

One instruction is one round, and its result comes some cycles later, so a single block leaves the unit idle most of the
time. Blocks that do not wait for each other fill it: those of ECB, CTR and CBC decryption, or, where each block waits
for the one before, several streams. The rounds are written as x86-64 has them, with the round key last (Intel SDM
volume 2A); on AArch64 the code generator turns them into AESE and AESMC, which begin with it.
"""

from aesedu.cipher.key_schedule import equivalent_inverse, expand_key
from aesedu.routine import memory, routine, table, v128
from aesedu.routine.vectors import (
    add64,
    aesdec,
    aesdeclast,
    aesenc,
    aesenclast,
    broadcast,
    bswap128,
    load128,
    load512,
    load_broadcast,
    store128,
    store512,
)

LOAD, STORE = {1: load128, 4: load512}, {1: store128, 4: store512}
_LOAD_KEY = {1: load128, 4: load_broadcast}
_LANE_NUMBERS = sum(n << 128 * n for n in range(4))


@routine
def encrypt(out: memory, block: memory, keys: table, *, rounds=10, vectors=1, lanes=1):
    """Encrypt `vectors` x `lanes` blocks (FIPS-197 5.1) and return where the next ones are.

    `keys` are 4 * (rounds + 1) words.
    """
    states = encrypted(_loaded(block, vectors, lanes), round_keys(keys, lanes), rounds)
    return _stored(out, states, lanes), block[4 * vectors * lanes :]


@routine
def decrypt(out: memory, block: memory, keys: table, *, rounds=10, vectors=1, lanes=1):
    """Decrypt by the equivalent inverse cipher (FIPS-197 5.3.5); otherwise as `encrypt`."""
    states = decrypted(_loaded(block, vectors, lanes), round_keys(keys, lanes), rounds)
    return _stored(out, states, lanes), block[4 * vectors * lanes :]


@routine
def encrypt_kept(out: memory, block: memory, *keys: v128, vectors=1):
    """`encrypt` with the round keys as parameters: while there is room they stay in registers from block to block."""
    states = encrypted(_loaded(block, vectors, 1), keys.__getitem__, len(keys) - 1)
    return _stored(out, states, 1), block[4 * vectors :]


@routine
def decrypt_kept(out: memory, block: memory, *keys: v128, vectors=1):
    """`decrypt` with the round keys as parameters."""
    states = decrypted(_loaded(block, vectors, 1), keys.__getitem__, len(keys) - 1)
    return _stored(out, states, 1), block[4 * vectors :]


@routine
def ctr(counter: v128, out: memory, block: memory, keys: table, *, rounds=10, vectors=1, lanes=1):
    """Encrypt or decrypt `vectors` x `lanes` blocks in CTR mode (SP 800-38A 6.5), from counter block `counter` on.

    `counter` has its bytes in reverse, so that it counts as a number does: its low 64 bits, which must not overflow.
    """
    states = encrypted(counter_blocks(counter, vectors, lanes, add64), round_keys(keys, lanes), rounds)
    states = [state ^ text for state, text in zip(states, _loaded(block, vectors, lanes), strict=True)]
    return add64(counter, vectors * lanes), _stored(out, states, lanes), block[4 * vectors * lanes :]


@routine
def cbc_decrypt(out: memory, block: memory, keys: table, *, rounds=10, vectors=1, lanes=1):
    """Decrypt `vectors` x `lanes` blocks in CBC mode (SP 800-38A 6.2); `block` is where the one before the first is."""
    before, states = _loaded(block, vectors, lanes), _loaded(block[4:], vectors, lanes)
    states = decrypted(states, round_keys(keys, lanes), rounds)
    states = [state ^ chain for state, chain in zip(states, before, strict=True)]
    return _stored(out, states, lanes), block[4 * vectors * lanes :]


@routine
def cbc_encrypt(out: memory, block: memory, keys: table, *chains: v128, rounds=10, stride=0):
    """Encrypt one block of each stream in CBC mode (SP 800-38A 6.2); a stream begins `stride` words after the last one.

    `chains` are the blocks before: initialization vectors, or what was returned. The key meets the text before the
    chain does, so that a stream waits for one XOR and its rounds.
    """
    key = round_keys(keys)
    first = key(0)
    states = [load128(block, stride * i) ^ first ^ chain for i, chain in enumerate(chains)]
    states = _rounds(states, key, rounds, aesenc, aesenclast)
    for i, state in enumerate(states):
        store128(out, stride * i, state)
    return out[4:], block[4:], *states


def counter_blocks(counter, vectors, lanes, add):
    """The blocks from a reversed `counter` on, in vectors of `lanes`; `add` is add64, or add32 where 32 bits count."""
    if lanes == 4:
        counter = add(broadcast(counter), _LANE_NUMBERS)
    steps = [sum(lanes * i << 128 * n for n in range(lanes)) for i in range(vectors)]
    return [bswap128(add(counter, step) if step else counter) for step in steps]


def round_keys(keys, lanes=1):
    """The function from the number of a round to its key, which is loaded when it is asked for."""
    return lambda r: _LOAD_KEY[lanes](keys, 4 * r)


def encrypted(states, key, rounds):
    """The cipher on several states side by side, round by round; `key` as from `round_keys`."""
    return _rounds(_whitened(states, key), key, rounds, aesenc, aesenclast)


def decrypted(states, key, rounds):
    """The equivalent inverse cipher on several states side by side."""
    return _rounds(_whitened(states, key), key, rounds, aesdec, aesdeclast)


def key_bytes(direction, key):
    """The bytes behind `keys`, in order of use, for "enc" or "dec". Raises ValueError or TypeError for a wrong key."""
    keys = expand_key(key)
    return b"".join(keys if direction == "enc" else equivalent_inverse(keys))


def _whitened(states, key):
    first = key(0)
    return [state ^ first for state in states]


def _rounds(states, key, rounds, inner, last):
    for r in range(1, rounds + 1):
        round_key = key(r)
        states = [(inner if r < rounds else last)(state, round_key) for state in states]
    return states


def _loaded(block, vectors, lanes):
    return [LOAD[lanes](block, 4 * lanes * i) for i in range(vectors)]


def _stored(out, states, lanes):
    """Store states; return where the next ones go."""
    for i, state in enumerate(states):
        STORE[lanes](out, 4 * lanes * i, state)
    return out[4 * lanes * len(states) :]
