import pytest
from shop.money import Money


def test_a_sum_is_exact():
    assert Money(10) + Money(20) == Money(30)


@pytest.mark.parametrize("cents, shown", [(0, "0.00"), (5, "0.05"), (1999, "19.99")])
def test_it_is_shown_with_two_digits(cents, shown):
    assert str(Money(cents)) == shown


def test_a_share_is_rounded_half_up():
    assert Money(1050).percent(5) == Money(53)
