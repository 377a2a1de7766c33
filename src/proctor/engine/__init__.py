"""Decides when: starts, watches, limits and ends a run. Knows no framework."""
