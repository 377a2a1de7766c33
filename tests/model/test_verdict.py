"""The verdict rule, piece by piece: take one piece of evidence away and the run is no longer green."""

from typing import Any

import pytest

from proctor.model import event as ev
from proctor.model.fold import Fold
from proctor.model.request import TestRequest
from proctor.model.verdict import Judgement, judge

QUEUED = ev.RunQueued(
    run_id="run-1", project="p", root="/p", name="p", framework="pytest", category="", request=TestRequest()
)
STARTED = ev.RunStarted(argv=("pytest",), cwd="/p", sandbox="bubblewrap")
ENDED = ev.RunEnded(cause="finished", duration=1.0)


def green(**changes: Any) -> list[ev.Event]:
    """The events of a run of two passing tests; a name set to None leaves that event out."""
    events: dict[str, ev.Event | None] = {
        "queued": QUEUED,
        "started": STARTED,
        "collected": ev.Collected(total=2),
        "start_a": ev.CaseStarted(id="a"),
        "end_a": ev.CaseEnded(id="a", status="pass"),
        "start_b": ev.CaseStarted(id="b"),
        "end_b": ev.CaseEnded(id="b", status="pass"),
        "problem": None,
        "report": ev.ReportEnded(total=2, exit_code=0),
        "process": ev.ProcessEnded(exit_code=0),
        "ended": ENDED,
    }
    events.update(changes)
    return [event for event in events.values() if event is not None]


def verdict_of(events: list[ev.Event]) -> Judgement:
    judgement = judge(Fold().apply_all(events))
    assert judgement is not None
    return judgement


def test_a_run_with_all_evidence_in_agreement_passes() -> None:
    assert verdict_of(green()) == Judgement("passed", ("2 tests passed; report, totals and exit code agree",))


def test_a_run_that_goes_on_has_no_verdict() -> None:
    assert judge(Fold().apply_all(green(ended=None))) is None


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({"end_b": None}, "interrupted", "1 test started and never ended: b"),
        (
            {"report": None},
            "interrupted",
            "the process ended with exit code 0 before its report was complete",
        ),
        ({"process": None}, "interrupted", "no end of the process was recorded"),
        ({"process": ev.ProcessEnded(signal=11)}, "interrupted", "the test process was killed by SIGSEGV"),
        (
            {"process": ev.ProcessEnded(exit_code=0, out_of_memory=True)},
            "interrupted",
            "a process was killed because the memory limit was reached",
        ),
        (
            {"process": ev.ProcessEnded(exit_code=1), "report": ev.ReportEnded(total=2)},
            "inconsistent",
            "no test failed, but the exit code is 1",
        ),
        (
            {"process": ev.ProcessEnded(exit_code=3)},
            "inconsistent",
            "the framework ended with 0, its process with 3",
        ),
        (
            {"report": ev.ReportEnded(total=3, exit_code=0)},
            "inconsistent",
            "the report speaks of 3 tests, 2 were seen",
        ),
        (
            {"collected": ev.Collected(total=5)},
            "inconsistent",
            "3 collected tests never ran, though none failed",
        ),
        (
            {"end_b": ev.CaseEnded(id="b", status="fail")},
            "inconsistent",
            "1 test failed, but the exit code is 0",
        ),
        (
            {
                "end_b": ev.CaseEnded(id="b", status="fail"),
                "process": ev.ProcessEnded(exit_code=1),
                "report": ev.ReportEnded(total=2, exit_code=1),
            },
            "failed",
            "1 failed of 2 tests",
        ),
        ({"ended": ev.RunEnded(cause="timeout")}, "timeout", "the time limit was reached"),
        ({"ended": ev.RunEnded(cause="cancelled")}, "cancelled", "the run was cancelled"),
        ({"ended": ev.RunEnded(cause="interrupted")}, "interrupted", "the run was interrupted"),
        ({"ended": ev.RunEnded(cause="not_started", message="no bwrap")}, "error", "no bwrap"),
        (
            {"problem": ev.ProblemFound(kind="collection", message="boom\nmore", file="t.py", line=3)},
            "error",
            "collection error: t.py:3: boom",
        ),
        ({"problem": ev.ProblemFound(kind="tampering", message="forged")}, "inconsistent", "forged"),
        ({"problem": ev.ProblemFound(kind="worker", message="gw0 died")}, "interrupted", "gw0 died"),
    ],
)
def test_one_piece_of_evidence_against_it_is_enough(
    changes: dict[str, Any], verdict: str, reason: str
) -> None:
    judgement = verdict_of(green(**changes))
    assert (judgement.verdict, judgement.reasons[0]) == (verdict, reason)


def test_nothing_reported_and_exit_code_0_is_inconsistent() -> None:
    events: list[ev.Event] = [QUEUED, STARTED, ev.ProcessEnded(exit_code=0), ENDED]
    assert verdict_of(events).verdict == "inconsistent"


def test_nothing_reported_and_another_exit_code_is_an_error() -> None:
    events: list[ev.Event] = [QUEUED, STARTED, ev.ProcessEnded(exit_code=127), ENDED]
    assert verdict_of(events) == Judgement(
        "error", ("the command ended with exit code 127 and reported no test", "no test ran")
    )


def test_no_test_is_not_green() -> None:
    events: list[ev.Event] = [
        QUEUED, STARTED, ev.Collected(total=0, deselected=4), ev.ReportEnded(total=0, exit_code=5),
        ev.ProcessEnded(exit_code=5), ENDED,
    ]  # fmt: skip
    assert verdict_of(events) == Judgement("no_tests", ("no test ran: 4 tests deselected by the pattern",))


def test_only_skipped_tests_are_not_green() -> None:
    skipped = {name: ev.CaseEnded(id=name[-1], status="skip") for name in ("end_a", "end_b")}
    assert verdict_of(green(**skipped)) == Judgement("no_tests", ("no test ran: all 2 were skipped",))


def test_a_failure_that_a_retry_hid_is_told() -> None:
    retried = ev.CaseEnded(id="b", status="fail", attempt=1, retried=True)
    passed = ev.CaseEnded(id="b", status="pass", attempt=2)
    events = green()
    place = events.index(ev.CaseEnded(id="b", status="pass"))
    events[place : place + 1] = [retried, ev.CaseStarted(id="b", attempt=2), passed]
    assert verdict_of(events) == Judgement(
        "passed",
        ("2 tests passed; report, totals and exit code agree", "1 test needed more than one try: b"),
    )
