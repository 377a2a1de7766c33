"""pytest under xdist: the same truth from several processes, and from workers that die."""

from collections.abc import Callable

import pytest

from proctor import TestResult

Run = Callable[..., TestResult]
Statuses = Callable[[TestResult], dict[str, str]]
TWO = "[pytest]\naddopts = -n 2\n"


def in_two(run: Run, files: dict[str, str], options: str = "", **wishes: object) -> TestResult:
    return run({"pytest.ini": TWO + f"  {options}\n", **files}, plugins="xdist", **wishes)


def test_workers_report_as_one(run: Run, statuses: Statuses) -> None:
    text = "".join(f"def test_{number}():\n    x = {number}\n    assert x != 7\n" for number in range(12))
    result = in_two(run, {"test_a.py": text})
    assert (result.verdict, result.summary.passed, result.summary.failed) == ("failed", 11, 1)
    bad = next(case for case in result.tests if case.status == "fail")
    assert (bad.id, bad.file, bad.line) == ("test_a.py::test_7", "test_a.py", 24)
    assert (bad.assertions[0].expected_value, bad.assertions[0].actual_value) == ("!= 7", "7")


def test_the_wish_for_parallel_runs_is_handed_to_xdist(run: Run) -> None:
    text = "import os\ndef test_it():\n    assert os.environ['PYTEST_XDIST_WORKER_COUNT'] == '2'\n"
    result = run({"test_a.py": text}, plugins="xdist", parallel=True, max_parallel=2)
    assert (result.verdict, result.summary.passed) == ("passed", 1)


def test_the_wish_for_parallel_runs_without_xdist_is_answered_by_a_note(run: Run) -> None:
    result = run({"test_a.py": "def test_it():\n    pass\n"}, parallel=True, max_parallel=2)
    assert (result.verdict, result.notes[-1]) == (
        "passed",
        "pytest-xdist is not installed: the tests ran one by one",
    )


CRASH = """
import os, signal, time
def test_before():
    pass
def test_crash():
    os.kill(os.getpid(), signal.SIGSEGV)
def test_after():
    pass
def test_last():
    pass
"""


@pytest.mark.parametrize("restart", ["", "--max-worker-restart=0"])
def test_a_crashed_worker_is_interrupted_and_its_cause_is_given(
    run: Run, statuses: Statuses, restart: str
) -> None:
    result = in_two(run, {"test_a.py": CRASH}, restart)
    assert result.verdict == "interrupted"
    assert "signal 11" in result.reasons[0]
    crashed = next(case for case in result.tests if case.id == "test_a.py::test_crash")
    assert (crashed.status, crashed.detail) == ("error", "signal 11")
    assert "crashed while running" in crashed.error


def test_an_import_error_in_the_workers_is_an_error(run: Run) -> None:
    result = in_two(run, {"test_a.py": "import no_such_module\n", "test_b.py": "def test_it():\n    pass\n"})
    assert (result.verdict, result.problems[0].kind, result.problems[0].line) == ("error", "import", 1)
    assert "no_such_module" in result.problems[0].message


def test_stopping_at_the_first_failure_is_failed(run: Run) -> None:
    text = "def test_bad():\n    assert 0\n" + "".join(
        f"def test_{number}():\n    import time; time.sleep(0.2)\n" for number in range(20)
    )
    result = in_two(run, {"test_a.py": text}, "-x")
    assert result.verdict == "failed"
    assert "never ran" in " ".join(result.reasons)


def test_selection_reaches_the_workers(run: Run, statuses: Statuses) -> None:
    text = "".join(f"def test_{number}():\n    pass\n" for number in range(6))
    result = in_two(run, {"test_a.py": text}, tests=("test_a.py::test_1", "test_a.py::test_3"))
    assert (result.verdict, sorted(statuses(result))) == (
        "passed",
        ["test_a.py::test_1", "test_a.py::test_3"],
    )


def test_a_wished_test_that_no_worker_finds_is_an_error(run: Run) -> None:
    result = in_two(
        run, {"test_a.py": "def test_1():\n    pass\n"}, tests=("test_a.py::test_1", "test_a.py::no")
    )
    assert (result.verdict, result.problems[0].message) == ("error", "there is no test test_a.py::no")


def test_a_hidden_failure_in_a_worker_is_found_out(run: Run) -> None:
    hook = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = yield
    result.get_result().outcome = "passed"
"""
    result = in_two(run, {"conftest.py": hook, "test_a.py": "def test_bad():\n    assert 0\n"})
    assert (result.verdict, result.exit_code) == ("inconsistent", 0)


def test_an_exit_asked_for_in_a_worker_is_not_green(run: Run) -> None:
    text = "import pytest\ndef test_one():\n    pass\ndef test_two():\n    pytest.exit('enough')\n"
    assert in_two(run, {"test_a.py": text}).verdict == "interrupted"
