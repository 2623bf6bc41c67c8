"""Every implementation of the suite's own against NIST's ECB files and Monte Carlo chains."""

from functools import partial

import pytest
from nist import KEY_BITS, KINDS, chain, monte_carlo, openssl_monte_carlo, records

from aesedu.cipher import fips197, key_schedule, ttable
from aesedu.engines import batch, compiled


def equivalent_inverse(key):
    return key_schedule.equivalent_inverse(key_schedule.expand_key(key))


def python(encrypt, encryption_keys, decrypt, decryption_keys, **options):
    """An implementation for one block, as a function that makes a function of data from a direction and a key."""

    def keyed(direction, key):
        crypt, make_keys = (encrypt, encryption_keys) if direction == "enc" else (decrypt, decryption_keys)
        keys = make_keys(key)
        return lambda data: b"".join(crypt(data[i : i + 16], keys, **options) for i in range(0, len(data), 16))

    return keyed


def engine(module):
    return lambda direction, key: partial(module.ecb, direction, key)


TTABLE = ttable.cipher, ttable.encryption_keys, ttable.eq_inv_cipher, ttable.decryption_keys
IMPLEMENTATIONS = {
    "fips197": python(fips197.cipher, key_schedule.expand_key, fips197.inv_cipher, key_schedule.expand_key),
    "equivalent": python(fips197.cipher, key_schedule.expand_key, fips197.eq_inv_cipher, equivalent_inverse),
    "ttable": python(*TTABLE),
    "ttable rotated": python(*TTABLE, column=ttable.column_rotated),
    "batch": engine(batch),
    "compiled": engine(compiled),
}
every_implementation = pytest.mark.parametrize("keyed", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)


@every_implementation
@pytest.mark.parametrize("kind", KINDS)
def test_known_answers_and_multi_block_messages(keyed, kind):
    for direction, key, given, expected in records(kind):
        assert keyed(direction, key)(given) == expected


@pytest.mark.parametrize("key_bits", KEY_BITS)
@pytest.mark.parametrize(
    ("name", "direction", "outer"),
    [
        *[("fips197", "enc", 1), ("fips197", "dec", 1), ("equivalent", "dec", 1), ("ttable rotated", "dec", 1)],
        *[("ttable", "enc", 2), ("ttable", "dec", 2), ("batch", "enc", 1), ("batch", "dec", 1)],
    ],
)
def test_monte_carlo_begins_as_openssls(name, direction, outer, key_bits):
    """The first of the rule's hundred steps; test_compiled.py does all of them."""
    keyed = IMPLEMENTATIONS[name]
    ours = monte_carlo(lambda key, block: chain(keyed(direction, key), block), key_bits, outer)
    assert list(ours) == openssl_monte_carlo(direction, key_bits, outer)
