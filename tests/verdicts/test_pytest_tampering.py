"""Code under test that forges its own verdict: what can be seen of it makes the run inconsistent."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor import TestResult

Run = Callable[..., TestResult]
BAD = "def test_bad():\n    assert 0\n"
GOOD = "def test_good():\n    pass\n"

WRAPPER = """
import pytest
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    result = yield
    report = result.get_result()
    if report.failed:
        report.outcome, report.longrepr = "passed", None
"""
EXCINFO = """
import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    call.excinfo = None
"""
LOGREPORT = """
import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    report.outcome, report.longrepr = "passed", None
"""
REPLACED = """
import pytest
from _pytest.reports import TestReport
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = yield
    result.force_result(TestReport(item.nodeid, item.location, {}, "passed", None, call.when, (), 0))
"""


@pytest.mark.parametrize("hook", [WRAPPER, EXCINFO, LOGREPORT, REPLACED])
@pytest.mark.parametrize("place", ["conftest.py", "tests/conftest.py"])
def test_a_conftest_that_turns_failures_into_passes_is_found_out(run: Run, hook: str, place: str) -> None:
    result = run({place: hook, "tests/test_a.py": BAD})
    assert result.verdict == "inconsistent"
    assert "test_bad raised an exception and was reported as passed" in result.reasons[0]


INVENTED = """
from _pytest.reports import TestReport
def pytest_sessionfinish(session):
    for when in ("setup", "call", "teardown"):
        report = TestReport("test_a.py::test_ghost", ("test_a.py", 0, "test_ghost"), {}, "passed", None, when)
        session.config.hook.pytest_runtest_logreport(report=report)
"""


def test_a_report_for_a_test_that_never_started_is_found_out(run: Run) -> None:
    result = run({"conftest.py": INVENTED, "test_a.py": GOOD})
    assert result.verdict == "inconsistent"
    assert "test_ghost was reported, and had never started" in result.reasons[0]


def test_failures_taken_out_of_the_count_are_found_out(run: Run) -> None:
    hook = "def pytest_runtest_logfinish(nodeid):\n    S[0].testsfailed = 0\n"
    hook += "S = []\ndef pytest_sessionstart(session):\n    S.append(session)\n"
    result = run({"conftest.py": hook, "test_a.py": BAD})
    assert (result.verdict, result.exit_code) == ("inconsistent", 0)


def test_tests_taken_out_of_the_run_are_found_out(run: Run) -> None:
    hook = "import pytest\n@pytest.hookimpl(trylast=True)\n"
    hook += "def pytest_runtestloop(session):\n    return True\n"
    hook += "@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_protocol(item, nextitem):\n    return True\n"
    result = run({"conftest.py": hook, "test_a.py": BAD})
    assert result.verdict == "inconsistent"
    assert "1 collected test never ran" in " ".join(result.reasons)


SHIM = """
import sys
__version__ = "9.9.9"
print("1 passed")
sys.exit(0)
"""


@pytest.mark.parametrize("name", ["pytest.py", "_pytest/__init__.py", "json.py", "proctor_pytest_channel.py"])
def test_a_module_that_takes_the_place_of_the_runner_is_not_taken(run: Run, name: str) -> None:
    result = run({name: SHIM, "test_a.py": BAD})
    assert (result.verdict, result.summary.failed) == ("failed", 1)


def test_a_shim_on_the_python_path_is_not_taken(run: Run, tmp_path: Path) -> None:
    path = {"PYTHONPATH": str(tmp_path / "project/shims")}
    result = run({"shims/pytest.py": SHIM, "test_a.py": BAD}, environment=path)
    assert (result.verdict, result.summary.failed) == ("failed", 1)


def test_a_shim_on_the_path_is_not_taken(run: Run, tmp_path: Path) -> None:
    shims = tmp_path / "shims"
    shims.mkdir()
    for name in ("pytest", "python", "python3"):
        (shims / name).write_text("#!/bin/sh\necho '1 passed'\nexit 0\n")
        (shims / name).chmod(0o755)
    result = run({"test_a.py": BAD}, environment={"PATH": f"{shims}:{os.environ['PATH']}"})
    assert (result.verdict, result.summary.failed) == ("failed", 1)


FORGER = """
import os
def test_bad():
    for name in os.listdir("/proc/self/fd"):
        target = os.readlink("/proc/self/fd/" + name) if os.path.exists("/proc/self/fd/" + name) else ""
        if target.endswith("{suffix}") or int(name) >= 900:
            os.write(int(name), b'{line}\\n')
    {end}
"""


@pytest.mark.parametrize(
    "line",
    [
        '{"n":2,"e":"end","of":1,"s":"pass","t":0.1}',
        '{"n":3,"e":"end","of":2,"s":"pass","t":0.1}',
        '{"n":3,"e":"done","code":0,"total":1,"configured":true,"crc":1}',
        "not json",
    ],
)
@pytest.mark.parametrize("end", ["os._exit(0)", "assert 0", "pass"])
def test_lines_forged_on_the_channel_are_found_out(run: Run, line: str, end: str) -> None:
    text = FORGER.replace("{suffix}", "channel").replace("{line}", line).replace("{end}", end)
    result = run({"test_a.py": text})
    assert result.verdict in ("inconsistent", "interrupted")
    if end != "os._exit(0)":
        assert "damaged or forged" in result.reasons[0]


def test_the_interpreter_is_the_one_the_project_names(run: Run) -> None:
    result = run({"test_a.py": f"import sys\ndef test_it():\n    assert sys.prefix == {sys.prefix!r}\n"})
    assert result.verdict == "passed"
