"""The text of a result: the verdict first, then why, then each failure. Short, and harmless on a terminal.

What tests printed is set off by a bar, so that nobody takes it for words of Proctor.
"""

import shlex
from collections.abc import Iterable, Iterator

from proctor.frontends.cli.clean import clean_block, clean_line, clean_tail
from proctor.frontends.cli.phrases import counts, lasted, number_of, place
from proctor.model.case import Assertion, Case
from proctor.model.run import Problem, TestResult

SHOWN_BY_RUN = 20
SHOWN_BY_RESULTS = 200
_ERROR_LINES = 12
_TAIL_LINES = 20
_LOG_LINES = 2000
_REMARKS = 10
_BAD = ("fail", "error", "unfinished")
_COLOURS = {"PASSED": "32", "RUNNING": "33", "QUEUED": "33", "NO_TESTS": "33"}
_WORDS = {"fail": "FAIL", "error": "ERROR", "unfinished": "UNFINISHED", "pass": "PASS", "skip": "SKIP"}


def headline(result: TestResult, *, colour: bool = False) -> str:
    """Return the answer in one line: verdict, the reason that decided, and where to find the rest."""
    word = (result.verdict or result.status).upper()
    shown = f"\x1b[1;{_COLOURS.get(word, '31')}m{word}\x1b[0m" if colour else word
    reason = clean_line(result.reasons[0], 400) if result.reasons else f"{counts(result.summary)} so far"
    return f"{shown}  {reason}  ({_about(result)})"


def text(result: TestResult, *, limit: int, logs: bool = False, colour: bool = False) -> str:
    """Return the whole answer, with at most ``limit`` failures in full."""
    lines = [headline(result, colour=colour), *_circumstances(result)]
    failures = list(_failures(result))
    for entry in failures[:limit]:
        lines += entry
    lines += _last_words(result, failures)
    if logs:
        lines += _logs(result)
    lines += _more(result, len(failures) - limit, logs)
    return "\n".join(lines) + "\n"


def cases(result: TestResult, chosen: Iterable[Case], *, logs: bool) -> str:
    """Return single cases with everything that is known about them."""
    lines: list[str] = []
    for case in chosen:
        lines += _case(case, whole=True)
        lines += [f"  id: {clean_line(case.id, 1000)}", f"  run: {result.run_id}, {lasted(case.duration)}"]
        lines += [f"  {line}" for line in clean_block(case.detail, _ERROR_LINES)]
        lines += _quoted("stack trace", clean_tail(case.stack_trace, _LOG_LINES, 1000))
        if logs:
            lines += _quoted("output", clean_tail(case.output, _LOG_LINES, 1000))
    return "\n".join(lines) + "\n"


def _about(result: TestResult) -> str:
    parts = [result.run_id, lasted(result.duration), clean_line(result.framework, 40)]
    if result.sandbox.name:
        parts.append(f"sandbox: {result.sandbox.name}")
    return ", ".join(part for part in parts if part)


def _circumstances(result: TestResult) -> Iterator[str]:
    if result.verdict not in ("passed", None):
        yield f"  {counts(result.summary)}"
    for reason in result.reasons[1:_REMARKS]:
        yield f"  {clean_line(reason, 400)}"
    if result.error and result.error not in result.reasons:
        yield f"  {clean_line(result.error, 400)}"
    if result.sandbox.unavailable:
        yield f"  not enforced here: {clean_line(', '.join(result.sandbox.unavailable), 400)}"
    for note in result.notes[:_REMARKS]:
        yield f"  note: {clean_line(note, 400)}"


def _failures(result: TestResult) -> Iterator[list[str]]:
    for problem in result.problems:
        if not _is_told(problem, result.reasons):
            yield _problem(problem)
    for case in result.tests:
        if case.status in _BAD:
            yield _case(case)


def _is_told(problem: Problem, reasons: tuple[str, ...]) -> bool:
    """A problem of one line that a reason already says, with its place, need not be said twice."""
    message, where = problem.message.strip(), place(problem.file, problem.line)
    return any(message in reason and where in reason for reason in reasons)


def _problem(problem: Problem) -> list[str]:
    where = place(problem.file, problem.line)
    lines = [" ".join(part for part in ("ERROR", where, f"({clean_line(problem.kind, 40)})") if part)]
    return lines + [f"  {line}" for line in clean_block(problem.message, _ERROR_LINES)]


def _case(case: Case, *, whole: bool = False) -> list[str]:
    where = place(case.file, case.line)
    name = clean_line(case.name if where else case.id)
    lines = [" ".join(part for part in (_WORDS[case.status], where, name) if part)]
    error = clean_block(case.error, _LOG_LINES if whole else _ERROR_LINES)
    lines += [f"  {line}" for line in error if line]
    for assertion in case.assertions:
        lines += _assertion(assertion)
    return lines


def _assertion(assertion: Assertion) -> Iterator[str]:
    if not assertion.passed and (assertion.expected_value or assertion.actual_value):
        expected = clean_line(assertion.expected_value, 200)
        yield f"  expected {expected}, actual {clean_line(assertion.actual_value, 200)}"


def _last_words(result: TestResult, failures: list[list[str]]) -> list[str]:
    """Where no test says what went wrong, the end of the output is the best there is."""
    explained = any(len(entry) > 1 for entry in failures) or result.problems
    if explained or result.verdict in ("passed", "no_tests", None):
        return []
    return _quoted("the output ended with", clean_tail(result.raw_output, _TAIL_LINES))


def _logs(result: TestResult) -> list[str]:
    lines: list[str] = []
    for case in result.tests:
        if case.output.strip():
            lines += _quoted(f"output of {clean_line(case.id)}", clean_tail(case.output, _LOG_LINES, 1000))
    return lines + _quoted("output of the command", clean_tail(result.raw_output, _LOG_LINES, 1000))


def _quoted(title: str, lines: list[str]) -> list[str]:
    return [f"  {title}:", *(f"  | {line}" for line in lines)] if lines else []


def _more(result: TestResult, left_out: int, logs: bool) -> Iterator[str]:
    if left_out > 0:
        yield f"{number_of(left_out, 'failure')} more: proctor results {result.run_id} --format json"
    bad = next((case for case in result.tests if case.status in _BAD), None)
    if bad is not None and not logs:
        chosen = f" --test {shlex.quote(clean_line(bad.name))}" if result.summary.total > 1 else ""
        yield f"more: proctor results {result.run_id}{chosen} --include-logs"
