from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.formats.junit import JunitReader
from proctor.formats.junit_writer import write_junit
from proctor.model.case import Case, Summary
from proctor.model.event import CaseEnded, ProblemFound
from proctor.model.fold import Fold
from proctor.model.run import Problem, TestResult, Verdict
from proctor.model.verdict import judge

Run = Callable[..., Fold]
CASES = (
    Case(id="c::a", name="a", package="c", status="pass", duration=0.5),
    Case(
        id="c::b",
        name="b",
        package="c",
        file="c.py",
        line=3,
        status="fail",
        error="wrong\nmore",
        stack_trace="at",
    ),
    Case(id="c::c", name="c", package="c", status="skip", detail="no printer"),
    Case(id="c::d", name="d", package="c", status="error", error="no database", output="said"),
    Case(id="c::e", name="e", package="c", status="unfinished"),
)


def result(verdict: Verdict | None, *cases: Case, problems: tuple[Problem, ...] = ()) -> TestResult:
    return TestResult(
        run_id="run-1",
        project="shop",
        name="shop",
        framework="pytest",
        category="unit",
        status="PASSED" if verdict == "passed" else "FAILED",
        verdict=verdict,
        success=verdict == "passed",
        reasons=("because",),
        summary=Summary(total=len(cases), skipped=sum(case.status == "skip" for case in cases)),
        tests=cases,
        problems=problems,
    )


def test_every_case_is_read_back_as_it_was() -> None:
    reader = JunitReader()
    events = [*reader.feed(write_junit(result("failed", *CASES))), *reader.close()]
    assert reader.whole
    seen = [(event.name, event.status) for event in events if isinstance(event, CaseEnded)]
    assert seen == [("a", "pass"), ("b", "fail"), ("c", "skip"), ("d", "error"), ("e", "error")]
    assert not any(isinstance(event, ProblemFound) for event in events)


def test_totals_and_properties_are_those_of_the_run() -> None:
    suite = ElementTree.fromstring(write_junit(result("failed", *CASES)))[0]
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "5", "failures": "1", "errors": "2", "skipped": "1"}
    properties = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert (properties["run_id"], properties["verdict"], properties["reasons"]) == (
        "run-1",
        "failed",
        "because",
    )


def test_a_green_run_looks_green(run: Run) -> None:
    judgement = judge(run("junit", write_junit(result("passed", CASES[0])), 0))
    assert judgement is not None
    assert judgement.verdict == "passed"


@pytest.mark.parametrize(
    "verdict", ["failed", "error", "timeout", "cancelled", "interrupted", "no_tests", "inconsistent", None]
)
@pytest.mark.parametrize("cases", [(), CASES[:1]])
def test_a_run_that_is_not_green_never_looks_green(
    run: Run, verdict: Verdict | None, cases: tuple[Case, ...]
) -> None:
    fold = run("junit", write_junit(result(verdict, *cases)), 0)
    assert fold.summary.errors == 1
    assert "because" in next(case for case in fold.cases if case.status == "error").error


def test_a_problem_outside_the_cases_becomes_a_case_in_error(run: Run) -> None:
    problem = Problem(kind="import", message="no module", file="conftest.py", stack_trace="at")
    fold = run("junit", write_junit(result("error", CASES[0], problems=(problem,))), 1)
    (bad,) = [case for case in fold.cases if case.status == "error"]
    assert (bad.name, bad.file, bad.error, bad.stack_trace) == (
        "problem: import",
        "conftest.py",
        "no module",
        "no module\nat",
    )


@given(st.text(st.characters(), max_size=60))
def test_any_text_makes_valid_xml(text: str) -> None:
    case = Case(
        id=text,
        name=text,
        package=text,
        status="fail",
        error=text,
        stack_trace=text,
        output=text,
        detail=text,
    )
    ElementTree.fromstring(
        write_junit(result("failed", case, Case(id="x", name=text, status="skip", detail=text)))
    )


def test_what_xml_cannot_hold_is_shown_as_an_escape() -> None:
    name = "\x00\x1b[31m\ud800\ufffe]]> <&\"' é\n\t"
    document = ElementTree.fromstring(write_junit(result("passed", Case(id="x", name=name, status="pass"))))
    case = next(document.iter("testcase"))
    assert case.get("name") == "\\u{0}\\u{1b}[31m\\u{d800}\\u{fffe}]]> <&\"' é\n\t"
