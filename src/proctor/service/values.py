"""Durations, sizes and assignments as people write them, for frontends that take them as text."""

from proctor.planning.values import parse_assignment, parse_duration, parse_size

__all__ = ["parse_assignment", "parse_duration", "parse_size"]
