from collections.abc import Iterable

import pytest

from proctor.frameworks.generic import FRAMEWORK
from proctor.model.errors import BadRequest
from proctor.model.event import (
    CaseEnded,
    CaseStarted,
    Collected,
    Event,
    Noted,
    ProblemFound,
    ProcessEnded,
    ReaderEvent,
    ReportEnded,
    RunEnded,
    RunStarted,
)
from proctor.model.fold import Fold
from proctor.model.plan import Task
from proctor.model.verdict import judge
from proctor.ports import Stream

GREEN = b'<testsuite name="s" tests="1"><testcase name="a" classname="c"/></testsuite>'
OTHER = b'<testsuite name="s" tests="1"><testcase name="b" classname="c"/></testsuite>'


def read(
    parts: Iterable[tuple[Stream, bytes]],
    exit_code: int | None,
    *,
    reports: tuple[str, ...] = (),
    attempt: int = 1,
) -> list[ReaderEvent]:
    reader = FRAMEWORK.reader(Task(root="/p", command="make test", reports=reports), attempt)
    events: list[ReaderEvent] = []
    for stream, data in parts:
        events += reader.feed(stream, data)
    return [*events, *reader.finish(exit_code)]


def verdict(events: Iterable[ReaderEvent], exit_code: int | None) -> str:
    whole: list[Event] = [RunStarted(argv=("sh",), cwd="/p", sandbox="off"), *events]
    whole += [ProcessEnded(exit_code=exit_code), RunEnded(cause="finished")]
    judgement = judge(Fold().apply_all(whole))
    assert judgement is not None
    return judgement.verdict


def test_a_command_that_ends_well_is_one_passed_case_named_after_it() -> None:
    events = read([("stdout", b"built\n")], 0)
    assert events == [
        Collected(total=1),
        CaseStarted(id="make test", name="make test"),
        CaseEnded(id="make test", name="make test", status="pass"),
        ReportEnded(total=1, exit_code=0),
    ]
    assert verdict(events, 0) == "passed"


def test_a_command_that_says_nothing_is_a_case_all_the_same() -> None:
    assert verdict(read([], 0), 0) == "passed"
    assert verdict(read([], 1), 1) == "failed"


def test_a_failed_command_carries_its_exit_code_and_the_end_of_its_output() -> None:
    events = read([("stdout", b"x" * 10_000 + b"\n"), ("stderr", b"make: *** [test] Error 2\n")], 2)
    ended = next(event for event in events if isinstance(event, CaseEnded))
    assert ended.error.startswith("the command ended with exit code 2\n")
    assert ended.error.endswith("make: *** [test] Error 2")
    assert len(ended.error) < 5000
    assert verdict(events, 2) == "failed"


def test_a_command_that_was_stopped_leaves_an_unfinished_case() -> None:
    events = read([("stdout", b"working")], None)
    assert not any(isinstance(event, CaseEnded | ReportEnded) for event in events)
    assert verdict(events, None) == "interrupted"


def test_success_printed_by_a_failing_command_is_no_evidence() -> None:
    assert verdict(read([("stdout", b"1..1\nok 1\nALL TESTS PASSED\n")], 1), 1) == "failed"


def test_a_command_that_the_shell_cannot_find_is_an_error_not_a_failure() -> None:
    said = b"/bin/sh: 1: nosuch: not found\n"
    events = read([("stderr", said)], 127)
    assert events == [ProblemFound(kind="missing_tool", message=said.decode().strip(), fatal=True)]
    assert verdict(events, 127) == "error"


def test_a_script_that_misses_a_tool_halfway_has_failed() -> None:
    events = read([("stdout", b"building\n"), ("stderr", b"/bin/sh: 1: nosuch: not found\n")], 127)
    assert verdict(events, 127) == "failed"


def test_the_attempt_is_told_with_the_case() -> None:
    events = read([], 0, attempt=3)
    assert [event.attempt for event in events if isinstance(event, CaseStarted | CaseEnded)] == [3, 3]


def test_junit_files_give_the_cases_of_a_run() -> None:
    events = read([("report", GREEN), ("report", OTHER)], 0, reports=("junit:out/*.xml",))
    assert events[-1] == ReportEnded(total=2, exit_code=0)
    assert verdict(events, 0) == "passed"


def test_a_copy_of_a_report_is_counted_once() -> None:
    events = read([("report", GREEN), ("report", GREEN)], 0, reports=("*.xml",))
    assert events[-1] == ReportEnded(total=1, exit_code=0)
    assert any(isinstance(event, Noted) for event in events)


def test_a_command_that_ends_well_without_its_report_is_inconsistent() -> None:
    assert verdict(read([], 0, reports=("out/*.xml",)), 0) == "inconsistent"
    assert verdict(read([("stdout", b"done\n")], 0, reports=("tap",)), 0) == "inconsistent"


def test_a_command_that_fails_without_its_report_is_an_error_that_names_the_report() -> None:
    events = read([("stderr", b"compile error\n")], 2, reports=("out/*.xml",))
    assert events == [Noted(message="the command left no new report at out/*.xml")]
    assert verdict(events, 2) == "error"


@pytest.mark.parametrize("damaged", [b"", b" ", GREEN[:-3], b"not xml", b"<html></html>", GREEN + GREEN])
def test_an_empty_torn_or_foreign_report_is_inconsistent(damaged: bytes) -> None:
    assert verdict(read([("report", damaged)], 0, reports=("r.xml",)), 0) == "inconsistent"


def test_one_torn_report_among_whole_ones_is_inconsistent() -> None:
    events = read([("report", GREEN), ("report", OTHER[:-5])], 0, reports=("*.xml",))
    assert verdict(events, 0) == "inconsistent"


def test_tap_and_junit_asked_for_together_must_both_be_there() -> None:
    tap: tuple[Stream, bytes] = ("stdout", b"1..1\nok 1 - t\n")
    both = read([tap, ("report", GREEN)], 0, reports=("tap", "r.xml"))
    assert both[-1] == ReportEnded(total=2, exit_code=0)
    assert verdict(read([tap], 0, reports=("tap", "r.xml")), 0) == "inconsistent"


def test_tap_on_stderr_is_not_read() -> None:
    assert verdict(read([("stderr", b"1..1\nok 1 - t\n")], 0, reports=("tap",)), 0) == "inconsistent"


def test_a_green_report_of_a_failing_command_is_inconsistent() -> None:
    assert verdict(read([("report", GREEN)], 1, reports=("r.xml",)), 1) == "inconsistent"


@pytest.mark.parametrize("wish", ["", "junit:", "xunit", "junit:/etc/x.xml", "../r.xml", "a/../../r.xml"])
def test_a_report_that_cannot_be_meant_is_refused(wish: str) -> None:
    with pytest.raises(BadRequest) as caught:
        FRAMEWORK.reader(Task(root="/p", command="make", reports=(wish,)), 1)
    assert "junit:PATTERN" in caught.value.hint
