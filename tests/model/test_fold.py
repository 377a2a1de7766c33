"""The fold: what a list of events amounts to."""

from proctor.model import event as ev
from proctor.model.case import Case, Summary
from proctor.model.fold import Fold


def test_two_tests_of_one_name_are_two_cases() -> None:
    fold = Fold().apply_all([ev.CaseEnded(id="a", status="pass"), ev.CaseEnded(id="a", status="fail")])
    assert [(case.id, case.status) for case in fold.cases] == [("a", "pass"), ("a#2", "fail")]


def test_a_later_attempt_replaces_the_earlier_one() -> None:
    fold = Fold().apply_all(
        [
            ev.CaseEnded(id="a", status="fail"),
            ev.RunStarted(argv=(), cwd="", sandbox="", attempt=2),
            ev.CaseEnded(id="a", status="pass", attempt=2),
        ]
    )
    assert list(fold.cases) == [Case(id="a", name="a", status="pass", attempts=2)]
    assert fold.summary == Summary(total=1, passed=1)
    assert fold.retried == ["a"]


def test_a_test_that_a_crash_left_open_is_unfinished() -> None:
    fold = Fold().apply_all([ev.CaseStarted(id="a", file="t.py", line=3), ev.ProcessEnded(signal=9)])
    assert list(fold.cases) == [
        Case(id="a", name="a", file="t.py", line=3, status="unfinished", error="started and never ended")
    ]


def test_passed_cases_are_only_counted_when_little_is_to_be_kept() -> None:
    seen: list[str] = []
    fold = Fold(keep_all=False, on_case=lambda case: seen.append(case.id))
    fold.apply_all([ev.CaseEnded(id="a", status="pass"), ev.CaseEnded(id="b", status="fail")])
    assert [case.id for case in fold.cases] == ["b"]
    assert fold.summary == Summary(total=2, passed=1, failed=1)
    assert seen == ["a", "b"]


def test_a_retry_of_a_passed_case_counts_once() -> None:
    fold = Fold(keep_all=False).apply_all(
        [ev.CaseEnded(id="a", status="pass"), ev.CaseEnded(id="a", status="fail", attempt=2)]
    )
    assert fold.summary == Summary(total=1, failed=1)


def test_a_retry_counts_once_where_a_plugin_had_tried_more_often() -> None:
    fold = Fold().apply_all(
        [
            ev.CaseEnded(id="a", status="fail", attempt=1, retried=True),
            ev.CaseEnded(id="a", status="fail", attempt=2, retried=True),
            ev.CaseEnded(id="a", status="fail", attempt=3),
            ev.RunStarted(argv=(), cwd="", sandbox="", attempt=2),
            ev.CaseEnded(id="a", status="pass", attempt=2),
        ]
    )
    assert fold.summary == Summary(total=1, passed=1)
