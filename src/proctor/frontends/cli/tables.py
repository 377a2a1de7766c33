"""The text of lists: runs, tests, the doctor's findings. Columns for programs, drawn tables on a terminal."""

import sys
import time
from collections.abc import Iterable, Sequence

from proctor.frontends.cli import console
from proctor.frontends.cli.clean import clean_block, clean_line
from proctor.frontends.cli.phrases import counts, lasted, number_of, when
from proctor.model.doctor import Check, DoctorReport
from proctor.model.run import Page, RunRow, TestRow

_RUN_TITLES = ("RUN", "STATUS", "VERDICT", "PASSED", "WHEN", "TIME", "CATEGORY", "NAME")
_TEST_TITLES = ("TEST", "RUNS", "PASS", "FAIL", "AVG_MS", "LAST", "WHEN", "CATEGORY", "NAME")


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
    return (
        row.run_id,
        row.status,
        row.verdict or "-",
        f"{row.summary.passed}/{row.summary.total}",
        when(row.started_at or row.queued_at),
        lasted(row.duration) if row.duration else "-",
        clean_line(row.category, 30),
        clean_line(row.name, 80),
    )


def _test(row: TestRow) -> tuple[str, ...]:
    return (
        row.test_id,
        str(row.total_runs),
        str(row.pass_count),
        str(row.fail_count),
        str(row.average_duration_ms),
        row.last_status or "-",
        when(row.last_run_timestamp_ms / 1000),
        clean_line(row.category, 30),
        clean_line(row.name, 80),
    )


def _check(check: Check) -> Iterable[str]:
    word = {True: "ok", False: "GAP", None: "info"}[check.ok]
    area, name = clean_line(check.area, 20), clean_line(check.name, 40)
    yield f"{word:<5}{area:<12}{name}: {clean_line(check.found, 1000)}"
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
    """Draw a table whose last column gives way when the terminal is narrow."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold underline")
    for position, title in enumerate(titles):
        widest = max(len(row[position]) for row in rows) if position == 0 else None  # an id is kept whole
        table.add_column(title, no_wrap=title is not titles[-1], min_width=widest)
    for row in rows:
        table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
    drawing = Console(file=sys.stdout, highlight=False)
    with drawing.capture() as drawn:
        drawing.print(table)
    return drawn.get()
