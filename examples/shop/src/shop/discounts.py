"""Which discount an order earns."""

from shop.money import Money

# From this many pieces of one article on, the whole line is cheaper.
VOLUME_STEPS = ((10, 5), (50, 10), (100, 15))


def volume_rate(quantity):
    """Return the discount in percent for a quantity of one article."""
    rate = 0
    for least, percent in VOLUME_STEPS:
        if quantity > least:
            rate = percent
    return rate


def discounted(price, quantity):
    """Return what a line of an order costs after its volume discount."""
    full = price.times(quantity)
    return Money(full.cents - full.percent(volume_rate(quantity)).cents)
