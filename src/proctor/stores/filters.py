"""What a query means as a condition: the filter words and the bounds of a page. Knows no database."""

from typing import get_args

from proctor.model.errors import BadRequest
from proctor.model.run import RunStatus, Verdict
from proctor.ports import RunQuery, TestQuery
from proctor.stores.paging import DEFAULT_LIMIT, MOST
from proctor.stores.rows import plain

STATUSES = get_args(RunStatus)
VERDICTS = get_args(Verdict)

Condition = tuple[str, list[str]]


def runs_condition(query: RunQuery) -> Condition:
    """Return the condition on runs and its parameters."""
    column, word = _status(query.status)
    return _all([("category", query.category), ("project", query.project), (column, word)], "1 = 1")


def tests_condition(query: TestQuery) -> Condition:
    """Return the condition on tests and its parameters; a test without an ended run is not listed."""
    return _all([("category", query.category), ("project", query.project)], "total_runs > 0")


def page_limit(limit: int) -> int:
    """Return how many rows a page holds."""
    if limit < 0:
        raise BadRequest(f"limit is {limit}, but cannot be negative", hint=f"ask for 1 to {MOST}")
    return min(limit or DEFAULT_LIMIT, MOST)


def _status(word: str) -> tuple[str, str]:
    """A status is also understood in small letters; what is no status may be a verdict."""
    if word.upper() in STATUSES:
        return "status", word.upper()
    if not word or word.lower() in VERDICTS:
        return "verdict", word.lower()
    allowed = ", ".join([*STATUSES, *(v for v in VERDICTS if v.upper() not in STATUSES)])
    raise BadRequest(f"{word[:80]!r} is neither a status nor a verdict", hint=f"use one of: {allowed}")


def _all(wanted: list[tuple[str, str]], first: str) -> Condition:
    given = [(column, value) for column, value in wanted if value]
    return " AND ".join([first, *(f"{column} = ?" for column, _ in given)]), [
        plain(value) for _, value in given
    ]
