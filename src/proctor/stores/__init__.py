"""The index over the journals: queue, lists and totals in a database."""
