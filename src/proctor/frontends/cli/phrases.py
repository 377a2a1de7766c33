"""Small turns of phrase that several answers share: counts, times, places."""

import time

from proctor.frontends.cli.clean import clean_line
from proctor.model.case import Summary


def counts(summary: Summary) -> str:
    """Return `41 tests: 38 passed, 2 failed, 1 error`; what there is none of is not mentioned."""
    parts = (
        (summary.passed, "passed"),
        (summary.failed, "failed"),
        (summary.errors, "in error"),
        (summary.skipped, "skipped"),
        (summary.unfinished, "unfinished"),
    )
    told = ", ".join(f"{number} {word}" for number, word in parts if number)
    return f"{number_of(summary.total, 'test')}: {told}" if told else number_of(summary.total, "test")


def number_of(number: int, noun: str) -> str:
    """Return `1 test` or `2 tests`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def lasted(seconds: float) -> str:
    """Return a time that passed, as exactly as a reader needs it: `40ms`, `3.2s`, `2m05s`, `1h02m`."""
    if seconds < 1:
        return f"{seconds * 1000:.0f}ms"
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m" if hours else f"{minutes}m{rest:02}s"


def when(seconds: float) -> str:
    """Return a moment in UTC to the minute, or nothing if it has not come."""
    return time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(seconds)) if seconds else ""


def place(file: str, line: int) -> str:
    """Return `file:line` as editors understand it, as much of it as is known."""
    if not file:
        return ""
    return clean_line(f"{file}:{line}" if line else file)
