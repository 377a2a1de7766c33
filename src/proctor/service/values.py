"""How people write times, sizes and variables, for the frontends that read them."""

from proctor.planning.values import format_duration, format_size, parse_assignment, parse_duration, parse_size

__all__ = ["format_duration", "format_size", "parse_assignment", "parse_duration", "parse_size"]
