from inline_snapshot import snapshot

from proctor.frontends.cli import tables
from proctor.model.case import Summary
from proctor.model.doctor import Check, DoctorReport
from proctor.model.run import Page, RunRow, TestRow

ROW = RunRow(
    run_id="run-01jd0000000000a",
    project="/src/shop",
    name="shop\x1b[31m",
    framework="pytest",
    category="unit",
    status="FAILED",
    verdict="inconsistent",
    queued_at=1_700_000_000.0,
    started_at=1_700_000_001.0,
    ended_at=1_700_000_004.0,
    duration=3.21,
    summary=Summary(total=41, passed=38, failed=2, errors=1),
)


def test_runs_are_columns_without_escapes() -> None:
    assert tables.runs(Page(runs=(ROW,))) == snapshot("""\
RUN                  STATUS  VERDICT       PASSED  WHEN               TIME  CATEGORY  NAME
run-01jd0000000000a  FAILED  inconsistent  38/41   2023-11-14T22:13Z  3.2s  unit      shop
""")


def test_an_empty_page_says_so() -> None:
    assert (tables.runs(Page()), tables.tests(Page())) == ("no runs\n", "no tests\n")


def test_tests_are_listed_with_their_totals() -> None:
    row = TestRow(
        test_id="test-0123456789abcdef",
        name="test_total",
        category="unit",
        last_status="fail",
        last_run_timestamp_ms=1_700_000_000_000,
        total_runs=7,
        pass_count=5,
        fail_count=2,
        average_duration_ms=12,
    )
    assert tables.tests(Page(tests=(row,))) == snapshot("""\
TEST                   RUNS  PASS  FAIL  AVG_MS  LAST  WHEN               CATEGORY  NAME
test-0123456789abcdef  7     5     2     12      fail  2023-11-14T22:13Z  unit      test_total
""")


def test_one_line_says_where_a_run_is() -> None:
    assert tables.run_line(ROW) == snapshot(
        "FAILED (inconsistent)  run-01jd0000000000a  shop  41 tests: 38 passed, 2 failed, 1 in error  3.2s"
    )
    queued = RunRow(
        run_id="run-01jd0000000000b", project="/p", name="p", framework="x", category="unit", status="QUEUED",
        cancel_asked=True,
    )  # fmt: skip
    assert tables.run_line(queued) == snapshot(
        "QUEUED  run-01jd0000000000b  p  0 tests, not started  cancellation asked"
    )


def test_the_doctor_counts_gaps_and_gives_advice() -> None:
    report = DoctorReport(
        checks=(
            Check(area="sandbox", name="bubblewrap", ok=True, found="0.8.0"),
            Check(area="tools", name="go", ok=False, found="missing", advice="install go"),
            Check(area="state", name="home", ok=None, found="/x"),
        )
    )
    assert tables.doctor(report) == snapshot("""\
ok   sandbox     bubblewrap: 0.8.0
GAP  tools       go: missing
     install go
info state       home: /x
1 gap found
""")
