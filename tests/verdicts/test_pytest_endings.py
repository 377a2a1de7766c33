"""How a pytest process can end: what finished is kept, and nothing else is made of it."""

import signal
from collections.abc import Callable

import pytest

from proctor import TestResult

Run = Callable[..., TestResult]
Statuses = Callable[[TestResult], dict[str, str]]
THREE = """
import os, signal, sys
def test_one():
    pass
def test_two():
    {body}
def test_three():
    pass
"""


@pytest.mark.parametrize("code", [0, 1, 3])
def test_an_exit_in_the_middle_of_a_test_is_interrupted(run: Run, statuses: Statuses, code: int) -> None:
    result = run({"test_a.py": THREE.format(body=f"os._exit({code})")})
    assert (result.verdict, result.exit_code) == ("interrupted", code)
    assert statuses(result) == {"test_a.py::test_one": "pass", "test_a.py::test_two": "unfinished"}


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
def test_a_signal_in_the_middle_of_a_test_is_interrupted(run: Run, statuses: Statuses, number: int) -> None:
    result = run({"test_a.py": THREE.format(body=f"os.kill(os.getpid(), {int(number)})")})
    assert result.verdict == "interrupted"
    assert signal.Signals(number).name in result.reasons[0]
    assert statuses(result) == {"test_a.py::test_one": "pass", "test_a.py::test_two": "unfinished"}


def test_a_real_segmentation_fault_is_interrupted(run: Run) -> None:
    body = "import ctypes; ctypes.string_at(0)"
    result = run({"test_a.py": THREE.format(body=body)})
    assert (result.verdict, result.summary.passed, result.summary.unfinished) == ("interrupted", 1, 1)


def test_a_kill_after_the_last_pass_is_interrupted(run: Run) -> None:
    hook = "import os\ndef pytest_sessionfinish():\n    os.kill(os.getpid(), 9)\n"
    result = run({"conftest.py": hook, "test_a.py": THREE.format(body="pass")})
    assert (result.verdict, result.summary.passed) == ("interrupted", 3)


def test_an_exit_zero_between_the_last_test_and_the_end_of_pytest_is_interrupted(run: Run) -> None:
    hook = "import os\ndef pytest_sessionfinish():\n    os._exit(0)\n"
    result = run({"conftest.py": hook, "test_a.py": THREE.format(body="pass")})
    assert (result.verdict, result.exit_code, result.summary.passed) == ("interrupted", 0, 3)


def test_exit_code_zero_after_failures_is_inconsistent(run: Run) -> None:
    hook = "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
    result = run({"conftest.py": hook, "test_a.py": THREE.format(body="assert 0")})
    assert (result.verdict, result.exit_code, result.summary.failed) == ("inconsistent", 0, 1)


def test_an_exit_code_changed_after_pytest_is_inconsistent(run: Run) -> None:
    conftest = "import atexit, os\natexit.register(os._exit, 7)\n"
    result = run({"conftest.py": conftest, "test_a.py": THREE.format(body="pass")})
    assert (result.verdict, result.exit_code) == ("inconsistent", 7)


@pytest.mark.parametrize(
    ("body", "reason"),
    [("import pytest; pytest.exit('enough')", "enough"), ("raise KeyboardInterrupt", "KeyboardInterrupt")],
)
def test_a_test_that_stops_the_run_makes_it_interrupted(run: Run, body: str, reason: str) -> None:
    result = run({"test_a.py": THREE.format(body=body)})
    assert (result.verdict, result.summary.passed, result.summary.unfinished) == ("interrupted", 1, 1)
    assert reason in result.reasons[0]


def test_pytest_exit_with_code_zero_is_not_green(run: Run) -> None:
    result = run({"test_a.py": THREE.format(body="import pytest; pytest.exit('fine', returncode=0)")})
    assert (result.verdict, result.exit_code) == ("interrupted", 0)


def test_sys_exit_zero_in_a_test_fails_it(run: Run, statuses: Statuses) -> None:
    result = run({"test_a.py": THREE.format(body="sys.exit(0)")})
    assert (result.verdict, statuses(result)["test_a.py::test_two"]) == ("failed", "fail")


def test_an_internal_error_of_a_plugin_keeps_what_finished(run: Run) -> None:
    hook = """
def pytest_runtest_logreport(report):
    if report.nodeid.endswith("two"):
        raise RuntimeError("a broken plugin")
"""
    result = run({"conftest.py": hook, "test_a.py": THREE.format(body="pass")})
    assert result.verdict != "passed"
    assert (result.summary.passed, result.problems[0].kind) == (1, "internal")
    assert "a broken plugin" in result.problems[0].message


def test_an_error_while_pytest_shuts_down_is_an_error(run: Run) -> None:
    hook = "def pytest_unconfigure():\n    raise RuntimeError('at the very end')\n"
    result = run({"conftest.py": hook, "test_a.py": THREE.format(body="pass")})
    assert (result.verdict, result.summary.passed) == ("error", 3)
    assert "at the very end" in result.reasons[0]


def test_stopping_at_the_first_failure_is_failed_and_says_what_never_ran(run: Run) -> None:
    files = {"test_a.py": THREE.format(body="assert 0"), "pytest.ini": "[pytest]\naddopts = -x\n"}
    result = run(files)
    assert (result.verdict, result.summary.total) == ("failed", 2)
    assert "1 collected test never ran" in " ".join(result.reasons)


DAEMON = """
if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            import time
            time.sleep(60)
        os._exit(0)
"""


def test_a_daemon_that_holds_stdout_does_not_hold_the_run(run: Run) -> None:
    result = run({"test_a.py": THREE.format(body=DAEMON.strip())}, timeout=50.0)
    assert (result.verdict, result.summary.passed) == ("passed", 3)


def test_a_forked_child_that_runs_on_as_pytest_does_not_report(run: Run, statuses: Statuses) -> None:
    body = "child = os.fork()\n    if child:\n        os.waitpid(child, 0)"
    result = run({"test_a.py": THREE.format(body=body)}, timeout=50.0)
    assert (result.verdict, len(statuses(result))) == ("passed", 3)


def test_a_failure_message_of_a_hundred_megabytes_is_cut(run: Run) -> None:
    body = "raise ValueError('x' * 100_000_000)"
    quiet = {"pytest.ini": "[pytest]\naddopts = --tb=no -rN\n"}  # pytest takes long to print it
    result = run({"test_a.py": THREE.format(body=body), **quiet})
    bad = result.tests[1]
    assert (result.verdict, bad.status) == ("failed", "fail")
    assert bad.error.startswith("ValueError: xxx")
    assert len(bad.error) + len(bad.stack_trace) < 3_000_000
