"""A small web shop's arithmetic: prices, discounts, stock and orders."""
