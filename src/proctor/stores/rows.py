"""The rows of the database as nouns and back. Knows the order of the columns, not the statements."""

from typing import Any

from proctor.model.case import Summary
from proctor.model.run import CaseRow, RunRow, TestRow

RUN_COLUMNS = (
    "run_id", "project", "name", "framework", "category", "status", "verdict", "queued_at", "started_at",
    "ended_at", "duration", "total", "passed", "failed", "skipped", "errors", "unfinished", "error",
    "commit_id", "branch", "owner", "heartbeat_at", "cancel_asked", "detached",
)  # fmt: skip
TEST_COLUMNS = (
    "test_id", "name", "category", "project", "framework", "last_status", "last_run_id", "last_run_at",
    "total_runs", "pass_count", "fail_count", "skip_count", "total_duration",
)  # fmt: skip

Row = tuple[Any, ...]


def from_run(row: RunRow) -> Row:
    """Return the values of ``RUN_COLUMNS``."""
    counts = row.summary
    return (
        row.run_id, plain(row.project), plain(row.name), row.framework, plain(row.category), row.status,
        row.verdict or "", row.queued_at, row.started_at, row.ended_at, row.duration,
        counts.total, counts.passed, counts.failed, counts.skipped, counts.errors, counts.unfinished,
        plain(row.error), plain(row.commit), plain(row.branch), plain(row.owner), row.heartbeat_at,
        int(row.cancel_asked), int(row.detached),
    )  # fmt: skip


def to_run(row: Row) -> RunRow:
    """Return the run of a row of ``RUN_COLUMNS``."""
    values = dict(zip(RUN_COLUMNS, row, strict=True))
    counts = {name: values.pop(name) for name in Summary.__struct_fields__}
    values["verdict"] = values["verdict"] or None
    values["commit"] = values.pop("commit_id")
    values["cancel_asked"] = bool(values["cancel_asked"])
    values["detached"] = bool(values["detached"])
    return RunRow(**values, summary=Summary(**counts))


def to_test(row: Row) -> TestRow:
    """Return the test of a row of ``TEST_COLUMNS``; skipped runs say nothing about its duration."""
    values = dict(zip(TEST_COLUMNS, row, strict=True))
    timed = values["total_runs"] - values.pop("skip_count")
    seconds = values.pop("total_duration")
    values["average_duration_ms"] = round(1000 * seconds / timed) if timed else 0
    values["last_run_timestamp_ms"] = round(1000 * values.pop("last_run_at"))
    return TestRow(**values)


def from_case(run_id: str, row: CaseRow) -> Row:
    """Return the values of one execution."""
    return (run_id, row.test_id, row.status, row.duration, row.attempts)


def plain(text: str) -> str:
    """Return the text without what a database cannot hold: lone surrogates and NUL."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\ufffd")
