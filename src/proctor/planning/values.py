"""Durations, sizes and assignments as people write them, and back. Knows no file and no flag."""

import math
import re

from proctor.model.errors import BadRequest

_DURATION_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)\s*", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.ASCII | re.IGNORECASE)
_SIZE_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_LONGEST = 64

DURATION_HINT = 'write seconds (300) or a time with units: "500ms", "300s", "5m", "1h30m"'
SIZE_HINT = 'write bytes (1073741824) or a size with a unit: "512MB", "1GB", "1.5GiB"'


def parse_duration(value: str | int | float) -> float:
    """Return a duration above zero in seconds."""
    seconds = _seconds(value)
    if seconds is None or not math.isfinite(seconds) or seconds <= 0:
        raise BadRequest(f"{_shown(value)} is not a duration above zero", hint=DURATION_HINT)
    return seconds


def parse_size(value: str | int | float) -> int:
    """Return a size above zero in bytes. Units are powers of 1024, as everywhere where memory is meant."""
    size = _bytes(value)
    if size is None or size < 1:
        raise BadRequest(f"{_shown(value)} is not a size above zero", hint=SIZE_HINT)
    return size


def parse_assignment(text: str) -> tuple[str, str]:
    """Split ``NAME=VALUE`` as an environment variable is written."""
    name, equals, value = text.partition("=")
    if not equals or not is_variable_name(name) or "\0" in value:
        raise BadRequest(
            f"{_shown(text)} does not set an environment variable",
            hint="write NAME=VALUE; a name has letters, digits and _ only and does not begin with a digit",
        )
    return name, value


def is_variable_name(name: str) -> bool:
    """Tell whether ``name`` can be the name of an environment variable."""
    return _NAME.fullmatch(name) is not None


def format_duration(seconds: float) -> str:
    """Write a duration so that ``parse_duration`` reads it: `500ms`, `2.5s`, `5m`, `1h30m`."""
    if seconds < 1:
        return f"{seconds * 1000:g}ms"
    if seconds < 60 or seconds != int(seconds):
        return f"{seconds:g}s"
    hours, rest = divmod(int(seconds), 3600)
    minutes, left = divmod(rest, 60)
    parts = ((hours, "h"), (minutes, "m"), (left, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number)


def format_size(size: int) -> str:
    """Write a size so that ``parse_size`` reads it: `512MB`, `2GB`; whole numbers only."""
    for unit in ("TB", "GB", "MB", "kB"):
        factor = 1024 ** _SIZE_POWERS[unit[0].lower()]
        if size >= factor and size % factor == 0:
            return f"{size // factor}{unit}"
    return f"{size}B"


def _seconds(value: str | int | float) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _as_float(value)
    text = value.strip()
    if len(text) > _LONGEST:
        return None
    if _NUMBER.fullmatch(text):
        return float(text)
    total, position = 0.0, 0
    while position < len(text):
        part = _DURATION_PART.match(text, position)
        if part is None:
            return None
        total += float(part[1]) * _DURATION_UNITS[part[2]]
        position = part.end()
    return total


def _bytes(value: str | int | float) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        number = _as_float(value)
        return int(value) if math.isfinite(number) and number < 2**63 else None
    text = value.strip()
    found = _SIZE.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    size = float(found[1]) * 1024 ** _SIZE_POWERS[found[2].lower()]
    return int(size) if size < 2**63 else None


def _as_float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
