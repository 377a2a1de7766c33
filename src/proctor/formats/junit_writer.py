"""Writes a result as JUnit XML that every tool can read. A run that is not green never looks green in it."""

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from proctor.model.case import Case
from proctor.model.run import TestResult

_OUTSIDE_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]")
_BLANKS = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


def write_junit(result: TestResult) -> bytes:
    """Return the result as one JUnit document in UTF-8."""
    cases = [_case(case) for case in result.tests]
    outside = list(_outside(result, any(_is_bad(case) for case in result.tests)))
    summary = result.summary
    errors = sum(case.status in ("error", "unfinished") for case in result.tests) + len(outside)
    totals = _attributes(
        tests=str(len(cases) + len(outside)),
        failures=str(sum(case.status == "fail" for case in result.tests)),
        errors=str(errors),
        skipped=str(summary.skipped),
        time=f"{result.duration:.6f}",
    )
    suite = _attributes(name=result.name or result.project, timestamp=result.started_at)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites{_attributes(name='proctor')}{totals}>",
        f"<testsuite{suite}{totals}>",
        *_properties(result),
        *cases,
        *outside,
        "</testsuite>",
        "</testsuites>",
        "",
    ]
    return "\n".join(lines).encode("utf-8")


def _properties(result: TestResult) -> Iterator[str]:
    values = {
        "run_id": result.run_id,
        "verdict": result.verdict or "",
        "reasons": "\n".join(result.reasons),
        "framework": result.framework,
        "category": result.category,
        "project": result.project,
        "commit": result.commit,
    }
    yield "<properties>"
    for name, value in values.items():
        yield f"<property{_attributes(name=name, value=value)}/>"
    yield "</properties>"


def _case(case: Case) -> str:
    where = _attributes(file=case.file, line=str(case.line) if case.line else "")
    head = _attributes(classname=case.package or case.file, name=case.name, time=f"{case.duration:.6f}")
    inside = "".join((*_outcome(case), *_output(case)))
    return f"<testcase{head}{where}>{inside}</testcase>"


def _outcome(case: Case) -> Iterator[str]:
    match case.status:
        case "fail":
            yield _remark("failure", case.error or "failed", case.stack_trace)
        case "error" | "unfinished":
            yield _remark("error", case.error or case.status, case.stack_trace, case.status)
        case "skip":
            yield f"<skipped{_attributes(message=case.detail)}/>"
        case "pass":
            return


def _output(case: Case) -> Iterator[str]:
    if case.output:
        yield f"<system-out>{_text(case.output)}</system-out>"


def _outside(result: TestResult, some_case_is_bad: bool) -> Iterator[str]:
    """What speaks against the run but belongs to no case becomes a case in error of its own."""
    for problem in result.problems:
        yield _error_case(f"problem: {problem.kind}", problem.message, problem.stack_trace, problem.file)
    if result.verdict != "passed" and not some_case_is_bad and not result.problems:
        message = "\n".join(result.reasons) or "the run has not ended"
        yield _error_case(f"verdict: {result.verdict or 'none'}", message, result.error)


def _error_case(name: str, message: str, text: str, file: str = "") -> str:
    head = _attributes(classname="proctor", name=name, time="0.000000", file=file)
    return f"<testcase{head}>{_remark('error', message, text)}</testcase>"


def _is_bad(case: Case) -> bool:
    return case.status in ("fail", "error", "unfinished")


def _remark(tag: str, message: str, text: str, kind: str = "") -> str:
    first_line = message.strip().split("\n", 1)[0]
    body = text if message in text else f"{message}\n{text}".strip("\n")
    return f"<{tag}{_attributes(message=first_line, type=kind)}>{_text(body)}</{tag}>"


def _attributes(**values: str) -> str:
    """Write attributes; empty ones are left out, but a name is always there."""
    pairs = ((key, value) for key, value in values.items() if value or key == "name")
    return "".join(f" {key}={quoteattr(_legal(value), _BLANKS)}" for key, value in pairs)


def _text(text: str) -> str:
    return escape(_legal(text), {"\r": "&#13;"})


def _legal(text: str) -> str:
    """Show what XML cannot hold (control characters, surrogates, non-characters) as an escape."""
    return _OUTSIDE_XML.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", text)
