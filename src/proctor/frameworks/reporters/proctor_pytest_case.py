"""What pytest's reports of one test amount to. Knows no hooks and no channel."""

from __future__ import annotations

from typing import Any

from proctor_pytest_channel import LONG, clean

GOOD = ("passed", "skipped")
PHASES = ("setup", "call", "teardown")


class Case:
    """One try of one test. ``told`` is the phase whose failure, already told, made another try necessary."""

    __slots__ = ("attempt", "id", "location", "number", "reports", "seconds", "subtests", "told")

    def __init__(self, case_id: str, location: Any, number: int, attempt: int, told: str) -> None:
        self.id, self.location, self.number, self.attempt = case_id, location, number, attempt
        self.told = told
        self.reports: list[Any] = []
        self.subtests: list[Any] = []
        self.seconds = 0.0

    def goes_on_well(self, report: Any) -> bool:
        """Tell whether a report is of the next phase, which passed, without anything to look into."""
        done = len(self.reports)
        if done > 2 or report.outcome != "passed" or report.when != PHASES[done]:
            return False
        return "proctor" not in report.__dict__ and type(report).__name__ == "TestReport"

    def passed_quietly(self) -> bool:
        """Tell whether there is nothing to say but that the test passed."""
        reports = self.reports
        if len(reports) != 3 or reports[2].sections or self.subtests or hasattr(reports[1], "wasxfail"):
            return False
        return bool(reports[0].outcome == reports[1].outcome == reports[2].outcome == "passed")


def repeated(reports: list[Any]) -> str:
    """Return the phase after which a plugin tries again, or an empty text.

    Plugins say it by an outcome of their own; some say nothing and keep the result of the test to themselves.
    """
    for report in reports:
        if report.outcome not in ("passed", "failed", "skipped"):
            return str(report.when)
    quiet = all(report.outcome == "passed" and report.when != "call" for report in reports)
    return "call" if quiet else ""


def is_subtest(report: Any) -> bool:
    """Tell whether a report is of a subtest: pytest's own since version 9, a plugin's before."""
    return "subtest" in type(report).__name__.lower()


def label_of(report: Any) -> str:
    """Return how pytest names a subtest."""
    describe = getattr(report, "_sub_test_description", None) or report.sub_test_description
    return str(describe())


def category(report: Any) -> str:
    """Return under which word pytest's terminal counts a report; the empty one is not counted."""
    if hasattr(report, "wasxfail"):
        return {"skipped": "xfailed", "passed": "xpassed"}.get(report.outcome, str(report.outcome))
    if report.when in ("setup", "teardown"):
        return {"failed": "error", "passed": ""}.get(report.outcome, str(report.outcome))
    return str(report.outcome)


def outcome(reports: list[Any]) -> tuple[str, str]:
    """Fold the phases of one try into a status and what that status hides."""
    phases = {report.when: report for report in reports}
    bad = [when for when, report in phases.items() if report.outcome not in GOOD]
    call = phases.get("call")
    if "call" in bad:
        return "fail", "its teardown failed too" if "teardown" in bad else ""
    if bad:
        passed = bad == ["teardown"] and call is not None and call.outcome == "passed"
        return "error", "the test itself passed, its teardown failed" if passed else ""
    for report in reports:
        if report.outcome == "skipped":
            return "skip", skip_reason(report)
    if call is None:
        return "error", "a plugin kept the result of the test itself"
    return "pass", "unexpectedly passed (it was expected to fail)" if hasattr(call, "wasxfail") else ""


def skip_reason(report: Any) -> str:
    """Say why a test was skipped or expected to fail."""
    if hasattr(report, "wasxfail"):
        return "xfail: " + without(str(report.wasxfail), "reason: ")
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
    return without(str(reason), "Skipped: ")


def without(text: str, prefix: str) -> str:
    """Return the text without a prefix."""
    return text[len(prefix) :] if text.startswith(prefix) else text


def texts(reports: list[Any]) -> dict[str, Any]:
    """Return error, trace, checks, failing line and captured output of a try, as far as there are any."""
    failed = [report for report in reports if report.outcome not in GOOD]
    checks = [getattr(report, "proctor", {}).get("check") for report in failed]
    found = {
        "err": "\n".join(error_of(report) for report in failed),
        "trace": "\n\n".join(trace_of(report) for report in failed),
        "checks": [item for item in checks if item],
        "line": next(filter(None, (getattr(report, "proctor", {}).get("line") for report in failed)), 0),
        "out": output_of(reports),
    }
    return {key: value for key, value in found.items() if value}


def message_of(report: Any) -> str:
    """Return the whole error message of a failed phase."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash is not None else report.longrepr or "")


def error_of(report: Any) -> str:
    """Return the message of a failed phase, bounded, and which phase it was if not the test itself."""
    phase = f"in {report.when}: " if report.when in ("setup", "teardown") else ""
    return phase + clean(message_of(report))


def trace_of(report: Any) -> str:
    """Return the traceback as pytest shows it; of a monstrous message only head and tail."""
    message = message_of(report)
    return clean(report.longreprtext if len(message) < LONG else message, LONG)


def output_of(reports: list[Any]) -> str:
    """Return what was captured; the last report has the sections of all phases."""
    sections = reports[-1].sections if reports else []
    if len(sections) == 1:
        return clean(sections[0][1], LONG)
    return "\n".join(f"{title}:\n{clean(text, LONG // len(sections))}" for title, text in sections)
