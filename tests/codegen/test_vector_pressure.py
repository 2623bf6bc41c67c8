"""n-way AES with its 11 round keys in registers: a key gives way first, and a state only when all keys are out."""

import pytest

from aesedu.codegen import BudgetError
from aesedu.codegen.vector_pressure import accesses

MACHINES = {("x86_64", "sse"): 16, ("x86_64", "vex"): 16, ("x86_64", "evex"): 32, ("aarch64", "little"): 32}


@pytest.mark.parametrize("isa, encoding", MACHINES)
def test_keys_give_way_before_states(isa, encoding):
    for ways in (*range(1, 17), 20, 21, 22, 24, 30, 33):
        row = accesses(ways, isa, encoding)
        assert row.registers == MACHINES[isa, encoding]
        assert (row.keys_loaded > 0) == (ways + 11 > row.registers), row
        assert (row.states_stored > 0) == (row.states_loaded > 0) == (ways >= row.registers), row


def test_a_budget_is_kept_and_has_a_lower_bound():
    assert [accesses(8, "aarch64", registers=n).states_stored > 0 for n in (6, 8, 12)] == [True, True, False]
    with pytest.raises(BudgetError, match="at least 2 vector registers on aarch64; the budget is 1") as caught:
        accesses(2, "aarch64", registers=1)
    assert (caught.value.smallest, caught.value.bank) == (2, "vector")


def test_192_and_256_bit_keys():
    assert [accesses(4, "x86_64", rounds=rounds).keys_loaded > 0 for rounds in (10, 12, 14)] == [False, True, True]
    assert [accesses(3, "x86_64", rounds=rounds).keys_loaded > 0 for rounds in (10, 12, 14)] == [False, False, True]
