"""Orders: lines of articles, their total, and what is in stock."""

from shop.discounts import discounted
from shop.money import Money


class OutOfStock(Exception):
    pass


class Stock:
    def __init__(self, pieces):
        self._pieces = dict(pieces)

    def take(self, article, quantity):
        """Take pieces out, or take nothing at all."""
        if self._pieces.get(article, 0) < quantity:
            raise OutOfStock(f"{article}: {quantity} wanted, {self._pieces.get(article, 0)} there")
        self._pieces[article] -= quantity

    def __getitem__(self, article):
        return self._pieces.get(article, 0)


class Order:
    def __init__(self, prices):
        self._prices = prices
        self._lines = []

    def add(self, article, quantity):
        if quantity < 1:
            raise ValueError("an order line needs at least one piece")
        self._lines.append((article, quantity))

    def total(self):
        total = Money(0)
        for article, quantity in self._lines:
            total += discounted(self._prices[article], quantity)
        return total

    def ship(self, stock):
        for article, quantity in self._lines:
            stock.take(article, quantity)
