"""Money as whole cents, so that sums are exact."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Money:
    cents: int

    def __add__(self, other):
        return Money(self.cents + other.cents)

    def times(self, count):
        return Money(self.cents * count)

    def percent(self, rate):
        """Return this share of the amount, rounded half up to the cent."""
        return Money((self.cents * rate + 50) // 100)

    def __str__(self):
        return f"{self.cents // 100}.{self.cents % 100:02d}"
