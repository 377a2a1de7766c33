"""JUnit documents that no recorded sample shows: dialects, damage and malice in a few lines."""

from collections.abc import Callable

import pytest

from proctor.formats.junit import JunitReader
from proctor.model.case import Case
from proctor.model.event import CaseEnded, ProblemFound
from proctor.model.fold import Fold
from proctor.model.verdict import judge

Run = Callable[..., Fold]


def verdict(fold: Fold) -> str:
    judgement = judge(fold)
    assert judgement is not None
    return judgement.verdict


def only(fold: Fold) -> Case:
    (case,) = fold.cases
    return case


def suite(inside: str, attributes: str = "") -> bytes:
    return f'<testsuite name="s" {attributes}>{inside}</testsuite>'.encode()


@pytest.mark.parametrize(
    ("inside", "status"),
    [
        ("<testcase name='a'/>", "pass"),
        ("<testcase name='a'><failure/></testcase>", "fail"),
        ("<testcase name='a'><error message='x'/></testcase>", "error"),
        ("<testcase name='a'><failure/><error/></testcase>", "fail"),
        ("<testcase name='a'><skipped/></testcase>", "skip"),
        ("<testcase name='a'><skipped/><failure/></testcase>", "fail"),
        ("<testcase name='a'><skipped type='todo'/><failure/></testcase>", "skip"),
        ("<testcase name='a' status='disabled'/>", "skip"),
        ("<testcase name='a' status='failed'/>", "fail"),
        ("<testcase name='a' status='error'/>", "error"),
        ("<testcase name='a'><system-out>&lt;failure/></system-out></testcase>", "pass"),
        ("<testcase name='a'><properties><property name='failure'/></properties></testcase>", "pass"),
    ],
)
def test_each_kind_of_case_has_its_status(run: Run, inside: str, status: str) -> None:
    assert only(run("junit", suite(inside), 1)).status == status


def test_a_case_carries_place_time_error_and_output(run: Run) -> None:
    inside = """<testcase classname='shop.Cart' name='adds' file='cart.php' line='7' time='1,5'>
      <failure message='wrong sum' type='AssertionError'>at cart.php:9</failure>
      <system-out>said</system-out><system-err>warned</system-err></testcase>"""
    assert only(run("junit", suite(inside), 1)) == Case(
        id="shop.Cart::adds",
        name="adds",
        package="shop.Cart",
        file="cart.php",
        line=7,
        status="fail",
        duration=1.5,
        output="said\nwarned",
        error="wrong sum",
        stack_trace="at cart.php:9",
    )


@pytest.mark.parametrize(("written", "seconds"), [("1,234.5", 1234.5), ("nan", 0.0), ("-1", 0.0), ("", 0.0)])
def test_times_are_read_as_tools_write_them(run: Run, written: str, seconds: float) -> None:
    assert only(run("junit", suite(f"<testcase name='a' time='{written}'/>"), 0)).duration == seconds


def test_nested_suites_may_count_their_whole_tree_or_their_children(run: Run) -> None:
    inner = "<testsuite name='i' tests='2'><testcase name='a'/><testcase name='b'/></testsuite>"
    for total in (3, 2):
        assert verdict(run("junit", suite(f"{inner}<testcase name='c'/>", f"tests='{total}'"), 0)) == "passed"


@pytest.mark.parametrize(
    "attributes", ["tests='2'", "tests='0'", "failures='1'", "errors='1'", "tests='1' failures='1'"]
)
def test_totals_that_the_cases_do_not_bear_out_are_inconsistent(run: Run, attributes: str) -> None:
    assert verdict(run("junit", suite("<testcase name='a'/>", attributes), 0)) == "inconsistent"


def test_totals_of_the_whole_document_are_checked_too(run: Run) -> None:
    data = (
        b"<testsuites tests='2'><testsuite name='s' tests='1'><testcase name='a'/></testsuite></testsuites>"
    )
    assert verdict(run("junit", data, 0)) == "inconsistent"


def test_cases_lost_from_a_red_report_are_inconsistent(run: Run) -> None:
    red = "<testcase name='a'><failure/></testcase>"
    assert verdict(run("junit", suite(red, "tests='5' failures='1'"), 1)) == "inconsistent"
    assert verdict(run("junit", suite(red, "tests='1' failures='3'"), 1)) == "failed"


def test_a_report_without_cases_is_no_tests(run: Run) -> None:
    assert verdict(run("junit", b"<testsuites/>", 0)) == "no_tests"


def test_an_error_of_a_suite_outside_its_cases_is_never_green(run: Run) -> None:
    fold = run("junit", suite("<testcase name='a'/><error message='set-up broke'>trace</error>"), 0)
    assert [problem.message for problem in fold.problems] == ["suite 's': set-up broke"]
    assert verdict(fold) == "error"


def test_a_case_that_passed_at_its_third_try_says_so(run: Run) -> None:
    inside = "<testcase name='a'><flakyFailure message='x'/><flakyError message='y'/></testcase>"
    fold = run("junit", suite(inside), 0)
    assert (only(fold).status, only(fold).attempts, fold.retried) == ("pass", 3, ["s::a", "s::a"])
    assert verdict(fold) == "passed"


BILLION_LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>
<testsuite><testcase name="&b;"/></testsuite>"""
FILE_ENTITY = (
    b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&f;"/></testsuite>'
)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (BILLION_LAUGHS, "document type declaration"),
        (FILE_ENTITY, "document type declaration"),
        (b"<testsuite>" * 100, "nested deeper"),
        (b"<testsuite><testcase name='a'><testcase name='b'/></testcase></testsuite>", "inside a case"),
        (b"<testsuite><testcase name='a'><testsuite/></testcase></testsuite>", "inside a case"),
        (b"<results/>", "not the root of a JUnit report"),
        (b"<testsuite><testcase name='a'/>", "ends too early"),
        (b"<testsuite><testcase name='\xff'/></testsuite>", "malformed"),
        (b"<?xml version='1.0' encoding='klingon'?><testsuite/>", "malformed"),
        (b"", "empty"),
    ],
)
def test_a_hostile_or_torn_document_is_refused_and_never_green(run: Run, data: bytes, said: str) -> None:
    fold = run("junit", data, 0)
    assert len(fold.problems) == 1
    assert said in fold.problems[0].message
    assert verdict(fold) == "inconsistent"


def test_terminal_colours_and_nul_in_a_report_do_not_spoil_it(run: Run) -> None:
    fold = run("junit", b"<testsuite><testcase name='a\x1b[31m\x00'/></testsuite>", 0)
    assert only(fold).name == "a?[31m?"
    assert verdict(fold) == "passed"


def test_a_report_in_utf_16_is_read(run: Run) -> None:
    text = "<?xml version='1.0' encoding='UTF-16'?><testsuite><testcase name='é'/></testsuite>"
    assert only(run("junit", text.encode("utf-16"), 0)).name == "é"


def test_a_huge_failure_text_is_kept_in_part_and_says_so(run: Run) -> None:
    inside = f"<testcase name='a'><failure>{'x' * 5_000_000}</failure></testcase>"
    case = only(run("junit", suite(inside), 1))
    assert len(case.stack_trace) < 200_000
    assert "characters left out" in case.stack_trace


def test_a_document_may_come_in_pieces() -> None:
    data = suite(
        "<testcase name='a'><failure message='x'>text</failure></testcase><testcase name='b'/>", "tests='2'"
    )
    reader = JunitReader()
    events = [event for byte in data for event in reader.feed(bytes([byte]))] + reader.close()
    assert [event.status for event in events if isinstance(event, CaseEnded)] == ["fail", "pass"]
    assert (reader.total, reader.whole) == (2, True)


def test_what_follows_a_fault_is_not_read() -> None:
    reader = JunitReader()
    events = [
        *reader.feed(b"<testsuite><&>"),
        *reader.feed(b"<testcase name='a'/></testsuite>"),
        *reader.close(),
    ]
    assert [event.__class__ for event in events] == [ProblemFound]
    assert not reader.whole
