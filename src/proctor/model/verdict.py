"""The verdict rule: `passed` only when every piece of evidence says so. Pure; the only place that judges."""

import signal
from collections.abc import Iterator
from typing import NamedTuple

from proctor.model.fold import Fold
from proctor.model.run import RunStatus, Verdict

_CONTRADICTIONS = frozenset({"channel", "report", "totals", "tampering"})
_CRASHES = frozenset({"worker", "stopped"})
_STATUS: dict[Verdict, RunStatus] = {
    "passed": "PASSED",
    "timeout": "TIMEOUT",
    "cancelled": "CANCELLED",
    "interrupted": "INTERRUPTED",
}


class Judgement(NamedTuple):
    """A verdict and why. The first reason is the one that decided."""

    verdict: Verdict
    reasons: tuple[str, ...]


def status_of(verdict: Verdict) -> RunStatus:
    """Return the status that a run with this verdict has ended in."""
    return _STATUS.get(verdict, "FAILED")


def judge(fold: Fold) -> Judgement | None:
    """Return the verdict of an ended run, or None while it goes on."""
    if fold.ended is None:
        return None
    found = list(_findings(fold))
    if not found:
        return Judgement("passed", (_all_agree(fold), *_remarks(fold)))
    reasons = tuple(dict.fromkeys(reason for _, reason in found))
    return Judgement(found[0][0], (*reasons, *_remarks(fold)))


def _findings(fold: Fold) -> Iterator[tuple[Verdict, str]]:
    """Everything that speaks against `passed`, the weightiest first."""
    yield from _ended_from_outside(fold)
    yield from _contradictions(fold)
    yield from _crashes(fold)
    yield from _failures(fold)
    yield from _other_problems(fold)
    yield from _incomplete_report(fold)
    yield from _disagreements(fold)
    yield from _nothing_ran(fold)


def _ended_from_outside(fold: Fold) -> Iterator[tuple[Verdict, str]]:
    assert fold.ended is not None
    message = fold.ended.message
    match fold.ended.cause:
        case "timeout":
            yield "timeout", message or "the time limit was reached"
        case "cancelled":
            yield "cancelled", message or "the run was cancelled"
        case "interrupted":
            yield "interrupted", message or "the run was interrupted"
        case "not_started":
            yield "error", message or "the command could not be started"
        case "finished":
            if fold.process is None:
                yield "interrupted", "no end of the process was recorded"


def _contradictions(fold: Fold) -> Iterator[tuple[Verdict, str]]:
    for problem in fold.problems:
        if problem.kind in _CONTRADICTIONS:
            yield "inconsistent", problem.message


def _crashes(fold: Fold) -> Iterator[tuple[Verdict, str]]:
    process = fold.process
    if process is not None and process.out_of_memory:
        yield "interrupted", "a process was killed because the memory limit was reached"
    stopped_by_us = fold.ended is not None and fold.ended.cause != "finished"
    if process is not None and process.signal and not stopped_by_us:
        yield "interrupted", f"the test process was killed by {signal_name(process.signal)}"
    for problem in fold.problems:
        if problem.kind in _CRASHES:
            yield "interrupted", problem.message
    unfinished = fold.summary.unfinished
    if unfinished:
        names = [case.id for case in fold.cases if case.status == "unfinished"]
        yield "interrupted", f"{_count(unfinished, 'test')} started and never ended: {_some(names)}"


def _failures(fold: Fold) -> Iterator[tuple[Verdict, str]]:
    summary, process = fold.summary, fold.process
    bad = summary.failed + summary.errors
    if not bad:
        return
    if process is not None and process.exit_code == 0:
        yield "inconsistent", f"{_count(bad, 'test')} failed, but the exit code is 0"
    parts = [f"{summary.failed} failed"] if summary.failed else []
    parts += [f"{summary.errors} in error"] if summary.errors else []
    yield "failed", f"{' and '.join(parts)} of {_count(summary.total, 'test')}"
    missing = (fold.collected or 0) - fold.ran_in_attempt
    if missing > 0:
        yield "failed", f"{_count(missing, 'collected test')} never ran: the run stopped early"


def _other_problems(fold: Fold) -> Iterator[tuple[Verdict, str]]:
    for problem in fold.problems:
        if problem.kind not in _CONTRADICTIONS | _CRASHES:
            where = f"{problem.file}:{problem.line}: " if problem.file and problem.line else ""
            where = where or (f"{problem.file}: " if problem.file else "")
            yield "error", f"{problem.kind} error: {where}{_first_line(problem.message)}"


def _incomplete_report(fold: Fold) -> Iterator[tuple[Verdict, str]]:
    process = fold.process
    if fold.reports or process is None or process.signal:
        return
    if fold.summary.total or fold.collected is not None:
        yield (
            "interrupted",
            f"the process ended with exit code {process.exit_code} before its report was complete",
        )
    elif process.exit_code == 0:
        yield "inconsistent", "the exit code is 0, but the test framework never reported anything"
    else:
        yield "error", f"the command ended with exit code {process.exit_code} and reported no test"


def _disagreements(fold: Fold) -> Iterator[tuple[Verdict, str]]:
    process, summary = fold.process, fold.summary
    for report in fold.reports:
        if report.total != fold.ran_in_attempt:
            yield (
                "inconsistent",
                f"the report speaks of {report.total} tests, {fold.ran_in_attempt} were seen",
            )
        if process is not None and report.exit_code is not None and report.exit_code != process.exit_code:
            yield (
                "inconsistent",
                f"the framework ended with {report.exit_code}, its process with {process.exit_code}",
            )
    bad = summary.failed + summary.errors
    if bad or not fold.reports:
        return
    missing = (fold.collected or 0) - fold.ran_in_attempt
    if missing > 0:
        yield "inconsistent", f"{_count(missing, 'collected test')} never ran, though none failed"
    if (
        process is not None
        and process.exit_code != 0
        and summary.total > summary.skipped
        and not fold.problems
    ):
        yield "inconsistent", f"no test failed, but the exit code is {process.exit_code}"


def _nothing_ran(fold: Fold) -> Iterator[tuple[Verdict, str]]:
    summary = fold.summary
    if summary.total == 0:
        gone = f": {_count(fold.deselected, 'test')} deselected by the pattern" if fold.deselected else ""
        yield "no_tests", f"no test ran{gone}"
    elif summary.total == summary.skipped:
        yield "no_tests", f"no test ran: all {summary.total} were skipped"


def _all_agree(fold: Fold) -> str:
    summary = fold.summary
    skipped = f", {summary.skipped} skipped" if summary.skipped else ""
    return f"{_count(summary.passed, 'test')} passed{skipped}; report, totals and exit code agree"


def _remarks(fold: Fold) -> tuple[str, ...]:
    if not fold.retried:
        return ()
    names = list(dict.fromkeys(fold.retried))
    return (f"{_count(len(names), 'test')} needed more than one try: {_some(names)}",)


def signal_name(number: int) -> str:
    """Return the name of a signal, or its number where it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _some(names: list[str], most: int = 3) -> str:
    shown = ", ".join(name[:200] for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0][:400]
