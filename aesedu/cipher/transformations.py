"""The field GF(2^8) and the transformations of the state, named as in FIPS-197 (4, 5.1 and 5.3).

A state is 16 bytes, column-major: row r, column c is ``state[r + 4 * c]``. Every function returns a new state.
"""


def xtime(b):
    """b times x in GF(2^8): a shift, and the polynomial x^8 + x^4 + x^3 + x + 1 subtracted if x^8 came up (4.2)."""
    return b << 1 ^ 0x11B if b & 0x80 else b << 1


def gmul(a, b):
    """a times b in GF(2^8): b, xtime(b), xtime(xtime(b)) ... added where a has a bit (4.2)."""
    product = 0
    while a:
        if a & 1:
            product ^= b
        a, b = a >> 1, xtime(b)
    return product


def inverse(b):
    """The b^-1 with b * b^-1 = 1 in GF(2^8), and 0 for 0: it is b^254 (4.4)."""
    power = b
    for _ in range(6):  # b^3, b^7, b^15 ... b^127
        power = gmul(gmul(power, power), b)
    return gmul(power, power)


def affine(b):
    """The affine map of the S-box: b added to four rotations of itself, and to 63 (5.1.1)."""
    rotated = (b << n | b >> 8 - n for n in range(5))
    total = 0x63
    for value in rotated:
        total ^= value & 0xFF
    return total


SBOX = bytes(affine(inverse(b)) for b in range(256))
INV_SBOX = bytes(SBOX.index(b) for b in range(256))


def sub_bytes(state):
    """Each byte through the S-box: SUBBYTES() (5.1.1)."""
    return bytes(SBOX[b] for b in state)


def inv_sub_bytes(state):
    """Each byte through the inverse S-box: INVSUBBYTES() (5.3.2)."""
    return bytes(INV_SBOX[b] for b in state)


def shift_rows(state):
    """Row r moves r columns to the left: SHIFTROWS() (5.1.2)."""
    return bytes(state[r + 4 * ((c + r) % 4)] for c in range(4) for r in range(4))


def inv_shift_rows(state):
    """Row r moves r columns to the right: INVSHIFTROWS() (5.3.1)."""
    return bytes(state[r + 4 * ((c - r) % 4)] for c in range(4) for r in range(4))


def mix_columns(state):
    """Each column times the matrix of the rows 2 3 1 1, 1 2 3 1, 1 1 2 3, 3 1 1 2: MIXCOLUMNS() (5.1.3)."""
    return _multiply_columns(2, 3, 1, 1, state)


def inv_mix_columns(state):
    """Each column times the inverse matrix, of first row e b d 9: INVMIXCOLUMNS() (5.3.3)."""
    return _multiply_columns(0xE, 0xB, 0xD, 0x9, state)


def _multiply_columns(p, q, s, t, state):
    mixed = []
    for c in range(0, len(state), 4):
        w, x, y, z = state[c : c + 4]
        for _ in range(4):  # the next row of the matrix is this one moved by one place
            mixed.append(gmul(p, w) ^ gmul(q, x) ^ gmul(s, y) ^ gmul(t, z))
            w, x, y, z = x, y, z, w
    return bytes(mixed)


def add_round_key(state, round_key):
    """State XOR round key: ADDROUNDKEY(), its own inverse (5.1.4)."""
    return bytes(s ^ k for s, k in zip(state, round_key, strict=True))
