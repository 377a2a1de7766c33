import pytest
from shop.discounts import discounted, volume_rate
from shop.money import Money


@pytest.mark.parametrize("quantity, rate", [(1, 0), (9, 0), (10, 5), (49, 5), (50, 10), (100, 15)])
def test_the_rate_rises_with_the_quantity(quantity, rate):
    assert volume_rate(quantity) == rate


def test_a_single_piece_costs_its_price():
    assert discounted(Money(999), 1) == Money(999)
