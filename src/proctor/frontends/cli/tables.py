"""The text of lists: runs, tests, the doctor's findings. Columns for programs, drawn tables on a terminal."""

import sys
import time
from collections.abc import Iterable, Sequence

from proctor.frontends.cli import console
from proctor.frontends.cli.clean import clean_block, clean_line
from proctor.frontends.cli.phrases import counts, lasted, number_of, when
from proctor.model.doctor import Check, DoctorReport
from proctor.model.run import Page, RunRow, TestRow

_RUN_TITLES = ("RUN", "NAME", "CATEGORY", "STATUS", "VERDICT", "PASSED", "BAD", "TOTAL", "WHEN", "TIME")
_TEST_TITLES = ("TEST", "NAME", "CATEGORY", "RUNS", "PASS", "FAIL", "AVG_MS", "LAST", "WHEN")


def run_line(row: RunRow) -> str:
    """Return where a run is, in one line."""
    verdict = f" ({row.verdict})" if row.verdict and row.verdict != row.status.lower() else ""
    so_far = "" if row.ended_at else " so far" if row.started_at else ", not started"
    parts = [f"{row.status}{verdict}", row.run_id, clean_line(row.name, 80), counts(row.summary) + so_far]
    if row.started_at:
        parts.append(lasted(row.duration if row.ended_at else max(0.0, time.time() - row.started_at)))
    if row.cancel_asked and not row.ended_at:
        parts.append("cancellation asked")
    if row.error:
        parts.append(clean_line(row.error))
    return "  ".join(part for part in parts if part)


def runs(page: Page) -> str:
    """Return a page of runs, newest first."""
    if not page.runs:
        return "no runs\n"
    return _table(_RUN_TITLES, [_run(row) for row in page.runs])


def tests(page: Page) -> str:
    """Return a page of tests with their totals."""
    if not page.tests:
        return "no tests\n"
    return _table(_TEST_TITLES, [_test(row) for row in page.tests])


def doctor(report: DoctorReport) -> str:
    """Return what this machine offers, with what to do about it."""
    lines = [line for check in report.checks for line in _check(check)]
    gaps = sum(check.ok is False for check in report.checks)
    lines.append(f"{number_of(gaps, 'gap')} found" if gaps else "all is well")
    return "\n".join(lines) + "\n"


def _run(row: RunRow) -> tuple[str, ...]:
    summary = row.summary
    bad = summary.failed + summary.errors + summary.unfinished
    return (
        row.run_id,
        clean_line(row.name, 60),
        clean_line(row.category, 30),
        row.status,
        row.verdict or "-",
        str(summary.passed),
        str(bad),
        str(summary.total),
        when(row.started_at or row.queued_at),
        lasted(row.duration) if row.duration else "-",
    )


def _test(row: TestRow) -> tuple[str, ...]:
    return (
        row.test_id,
        clean_line(row.name, 80),
        clean_line(row.category, 30),
        str(row.total_runs),
        str(row.pass_count),
        str(row.fail_count),
        str(row.average_duration_ms),
        row.last_status or "-",
        when(row.last_run_timestamp_ms / 1000),
    )


def _check(check: Check) -> Iterable[str]:
    word = {True: "ok", False: "GAP", None: "info"}[check.ok]
    yield f"{word:<5}{clean_line(check.area, 20):<12}{clean_line(check.name, 40)}: {clean_line(check.found)}"
    if check.advice:
        yield from (f"     {line}" for line in clean_block(check.advice, 6))


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if console.is_terminal(sys.stdout):
        return _drawn(titles, rows)
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (titles, *rows)
    )
    return "\n".join(lines) + "\n"


def _drawn(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for title in titles:
        table.add_column(title, no_wrap=title in ("RUN", "TEST"), overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    drawing = Console(file=sys.stdout, highlight=False)
    with drawing.capture() as drawn:
        drawing.print(table)
    return drawn.get()
