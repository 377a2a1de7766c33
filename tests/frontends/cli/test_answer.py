from collections.abc import Callable

from inline_snapshot import snapshot

from proctor.frontends.cli import answer
from proctor.model.case import Assertion, Case
from proctor.model.run import Problem, SandboxReport, TestResult

MakeCase = Callable[..., Case]
MakeResult = Callable[..., TestResult]


def test_a_green_run_is_one_line(make_case: MakeCase, make_result: MakeResult) -> None:
    result = make_result([make_case()], sandbox=SandboxReport(name="bubblewrap"))
    assert answer.text(result, limit=20) == (
        "PASSED  1 test passed; report, totals and exit code agree"
        "  (run-01jd0000000000a, 3.2s, pytest, sandbox: bubblewrap)\n"
    )


def test_a_failure_says_where_what_and_how_to_see_more(make_case: MakeCase, make_result: MakeResult) -> None:
    failed = make_case(
        "test_total[a b]",
        status="fail",
        error="AssertionError: assert 99 == 100",
        assertions=(
            Assertion(description="total", passed=False, expected_value="100", actual_value="99"),
            Assertion(description="name", passed=True, expected_value="x", actual_value="x"),
        ),
    )
    result = make_result(
        [make_case("test_empty"), failed],
        verdict="failed",
        status="FAILED",
        success=False,
        reasons=("1 failed of 2 tests", "1 test needed more than one try: test_empty"),
        error="1 failed of 2 tests",
    )
    assert answer.text(result, limit=20) == snapshot("""\
FAILED  1 failed of 2 tests  (run-01jd0000000000a, 3.2s, pytest)
  2 tests: 1 passed, 1 failed
  1 test needed more than one try: test_empty
FAIL tests/test_cart.py:42 test_total[a b]
  AssertionError: assert 99 == 100
  expected 100, actual 99
more: proctor results run-01jd0000000000a --test 'test_total[a b]' --include-logs
""")


def test_problems_unfinished_cases_notes_and_weak_sandboxes_are_told(
    make_case: MakeCase, make_result: MakeResult
) -> None:
    result = make_result(
        [make_case("test_slow", status="unfinished", error="started and never ended")],
        verdict="timeout",
        status="TIMEOUT",
        success=False,
        reasons=("the time limit of 5m was reached",),
        problems=(Problem(kind="import", message="ModuleNotFoundError: x", file="tests/test_x.py", line=3),),
        notes=("the timeout was cut to 15m",),
        sandbox=SandboxReport(name="landlock", unavailable=("memory limit", "network off")),
    )
    assert answer.text(result, limit=20) == snapshot("""\
TIMEOUT  the time limit of 5m was reached  (run-01jd0000000000a, 3.2s, pytest, sandbox: landlock)
  1 test: 1 unfinished
  not enforced here: memory limit, network off
  note: the timeout was cut to 15m
ERROR tests/test_x.py:3 (import)
  ModuleNotFoundError: x
UNFINISHED tests/test_cart.py:42 test_slow
  started and never ended
more: proctor results run-01jd0000000000a --include-logs
""")


def test_a_problem_that_the_reason_names_is_not_told_twice(make_result: MakeResult) -> None:
    result = make_result(
        verdict="error",
        reasons=("import error: tests/test_x.py:3: ModuleNotFoundError: x",),
        problems=(
            Problem(kind="import", message="ModuleNotFoundError: x", file="tests/test_x.py", line=3),
            Problem(kind="import", message="ModuleNotFoundError: x", file="tests/test_y.py", line=3),
        ),
        raw_output="not needed",
    )
    assert answer.text(result, limit=20) == snapshot("""\
ERROR  import error: tests/test_x.py:3: ModuleNotFoundError: x  (run-01jd0000000000a, 3.2s, pytest)
  0 tests
ERROR tests/test_y.py:3 (import)
  ModuleNotFoundError: x
""")


def test_what_is_left_out_is_counted(make_case: MakeCase, make_result: MakeResult) -> None:
    failed = [make_case(f"test_{number}", status="fail", error="no") for number in range(5)]
    text = answer.text(make_result(failed, verdict="failed"), limit=2)
    assert text.count("FAIL ") == 2
    assert "3 failures more: proctor results run-01jd0000000000a --format json\n" in text


def test_without_any_explanation_the_end_of_the_output_is_shown_as_data(make_result: MakeResult) -> None:
    result = make_result(
        verdict="error", reasons=("no report",), raw_output="one\nFAILED \x1b[31mtwo\x1b[0m\n"
    )
    assert answer.text(result, limit=20).endswith("  the output ended with:\n  | one\n  | FAILED two\n")


def test_nothing_from_a_test_reaches_the_terminal_raw(make_case: MakeCase, make_result: MakeResult) -> None:
    evil = "\x1b]0;title\x07\x1b[2J\r\nPASSED  all is well\x00"
    case = make_case(
        status="fail",
        error=evil,
        output=evil,
        stack_trace=evil,
        detail=evil,
        assertions=(Assertion(description=evil, passed=False, expected_value=evil, actual_value=evil),),
    )
    case = Case(
        **{**{name: getattr(case, name) for name in case.__struct_fields__}, "name": evil, "id": evil}
    )
    result = make_result(
        [case],
        verdict="failed",
        reasons=(evil, evil),
        error=evil + "2",
        raw_output=evil,
        notes=(evil,),
        problems=(Problem(kind=evil, message=evil, file=evil, line=1),),
        sandbox=SandboxReport(unavailable=(evil,)),
    )
    text = answer.text(result, limit=20, logs=True) + answer.cases(result, [case], logs=True)
    assert not {letter for letter in text if ord(letter) < 32} - {"\n"}
    assert not [line for line in text.split("\n") if line.startswith("PASSED")]


def test_a_hundred_megabytes_of_error_make_a_short_answer(
    make_case: MakeCase, make_result: MakeResult
) -> None:
    case = make_case(status="fail", error="x" * 100_000_000)
    assert len(answer.text(make_result([case], verdict="failed"), limit=20)) < 2000


def test_a_run_that_goes_on_has_no_verdict_yet(make_case: MakeCase, make_result: MakeResult) -> None:
    result = make_result([make_case()], verdict=None, status="RUNNING", reasons=())
    assert answer.headline(result) == snapshot(
        "RUNNING  1 test: 1 passed so far  (run-01jd0000000000a, 3.2s, pytest)"
    )


def test_one_case_is_shown_with_all_that_is_known(make_case: MakeCase, make_result: MakeResult) -> None:
    case = make_case(
        status="error", error="boom", stack_trace="line 1\nline 2", output="printed", detail="setup"
    )
    assert answer.cases(make_result([case]), [case], logs=True) == snapshot("""\
ERROR tests/test_cart.py:42 test_total
  boom
  id: tests/test_cart.py::test_total
  run: run-01jd0000000000a, 0ms
  setup
  stack trace:
  | line 1
  | line 2
  output:
  | printed
""")
    assert "printed" not in answer.cases(make_result([case]), [case], logs=False)


def test_colour_is_only_in_the_verdict(make_result: MakeResult) -> None:
    assert answer.headline(make_result(), colour=True).startswith("\x1b[1;32mPASSED\x1b[0m  1 test")
