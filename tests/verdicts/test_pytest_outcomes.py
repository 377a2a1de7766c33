"""What becomes of each kind of pytest test: status, what the status hides, and the values compared."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor import TestResult
from proctor.model.case import Assertion, Case

Run = Callable[..., TestResult]
Statuses = Callable[[TestResult], dict[str, str]]

KINDS = """
import pytest

@pytest.fixture
def broken_setup():
    raise LookupError("no setup")

@pytest.fixture
def broken_teardown():
    yield
    raise LookupError("no teardown")

def test_passes():
    print("out")

def test_fails():
    assert 1 == 2

def test_setup(broken_setup):
    pass

def test_teardown(broken_teardown):
    pass

def test_both(broken_teardown):
    assert 1 == 2

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

def test_skips_itself():
    pytest.skip("no network")

@pytest.mark.xfail(reason="bug 7")
def test_xfail():
    assert 0

def test_xfail_itself():
    pytest.xfail("bug 8")

@pytest.mark.xfail(reason="bug 9")
def test_xpass():
    pass

@pytest.mark.xfail(strict=True, reason="bug 10")
def test_xpass_strict():
    pass

@pytest.mark.xfail(raises=ValueError)
def test_other_exception():
    raise KeyError("x")
"""


def test_every_kind_of_outcome(run: Run) -> None:
    result = run({"test_a.py": KINDS})
    found = {case.name: (case.status, case.detail) for case in result.tests}
    assert found == {
        "test_passes": ("pass", ""),
        "test_fails": ("fail", ""),
        "test_setup": ("error", ""),
        "test_teardown": ("error", "the test itself passed, its teardown failed"),
        "test_both": ("fail", "its teardown failed too"),
        "test_skipped": ("skip", "not today"),
        "test_skips_itself": ("skip", "no network"),
        "test_xfail": ("skip", "xfail: bug 7"),
        "test_xfail_itself": ("skip", "xfail: bug 8"),
        "test_xpass": ("pass", "unexpectedly passed (it was expected to fail)"),
        "test_xpass_strict": ("fail", ""),
        "test_other_exception": ("fail", ""),
    }
    errors = {case.name: case.error.split("\n")[0] for case in result.tests if case.error}
    assert errors == {
        "test_fails": "assert 1 == 2",
        "test_setup": "in setup: LookupError: no setup",
        "test_teardown": "in teardown: LookupError: no teardown",
        "test_both": "assert 1 == 2",
        "test_xpass_strict": "[XPASS(strict)] bug 10",
        "test_other_exception": "KeyError: 'x'",
    }
    both = next(case for case in result.tests if case.name == "test_both")
    assert "in teardown: LookupError: no teardown" in both.error
    assert (result.verdict, result.problems) == ("failed", ())
    assert result.tests[0].output == "out\n"
    assert (result.tests[0].file, result.tests[0].line, result.tests[0].package) == (
        "test_a.py",
        13,
        "test_a",
    )


def test_a_teardown_error_after_a_pass_is_not_green(run: Run) -> None:
    fixture = (
        "import pytest\n@pytest.fixture(scope='session', autouse=True)\ndef s():\n    yield\n    assert 0\n"
    )
    result = run({"conftest.py": fixture, "test_a.py": "def test_one():\n    pass\n"})
    assert (result.verdict, result.summary.errors) == ("failed", 1)


def test_all_skipped_is_no_tests(run: Run) -> None:
    result = run({"test_a.py": "import pytest\npytestmark = pytest.mark.skip\ndef test_one():\n    pass\n"})
    assert (result.verdict, result.exit_code, result.summary.skipped) == ("no_tests", 0, 1)


def test_a_file_that_skips_itself_is_one_skipped_case(run: Run, statuses: Statuses) -> None:
    skipping = "import pytest\npytest.importorskip('no_such_module')\ndef test_one():\n    pass\n"
    result = run({"test_a.py": skipping, "test_b.py": "def test_two():\n    pass\n"})
    assert result.verdict == "passed"
    assert statuses(result) == {"test_a.py": "skip", "test_b.py::test_two": "pass"}
    assert "no_such_module" in result.tests[0].detail


def test_expected_failures_and_passes_are_green(run: Run) -> None:
    text = "import pytest\n@pytest.mark.xfail\ndef test_one():\n    assert 0\ndef test_two():\n    pass\n"
    assert run({"test_a.py": text}).verdict == "passed"


VALUES = """
import unittest
import pytest

def helper(value):
    assert value == {"a": 1}

def test_equal():
    x = 2
    assert x == 3

def test_less():
    assert len("abc") < 2

def test_in():
    assert "x" in ["a", "b"]

def test_helper():
    helper({"a": 2})

def test_caught_before():
    try:
        assert 1 == 2
    except AssertionError:
        pass
    flag = False
    def inner():
        assert flag, "the flag is off"
    inner()

def test_raises():
    with pytest.raises(ValueError):
        pass

class Unprintable:
    def __repr__(self):
        raise RuntimeError("no repr")

def test_unprintable():
    assert Unprintable() == 1

def test_huge():
    assert "x" * 1_000_000 == "y"

class TestOld(unittest.TestCase):
    def test_equal(self):
        self.assertEqual([1], [2])

    def test_in(self):
        self.assertIn(1, [2])
"""


def _check(result: TestResult, name: str) -> Assertion:
    return next(case for case in result.tests if case.name == name).assertions[0]


def test_assertions_carry_expected_and_actual_values(run: Run) -> None:
    result = run({"test_a.py": VALUES})
    seen = {case.name: (a.expected_value, a.actual_value) for case in result.tests for a in case.assertions}
    huge = seen.pop("test_huge")
    assert (huge[0], len(huge[1]) < 40_000) == ("'y'", True)
    assert seen == {
        "test_equal": ("3", "2"),
        "test_less": ("< 2", "3"),
        "test_in": ("in ['a', 'b']", "'x'"),
        "test_helper": ("{'a': 1}", "{'a': 2}"),
        "test_caught_before": ("", ""),
        "test_raises": ("ValueError", "no exception"),
        "test_unprintable": ("1", "<Unprintable whose repr raises RuntimeError>"),
        "TestOld.test_equal": ("[2]", "[1]"),
        "TestOld.test_in": ("in [2]", "1"),
    }
    assert _check(result, "test_equal").description == "assert x == 3"
    assert _check(result, "test_equal").error_message == "assert 2 == 3"
    assert _check(result, "TestOld.test_equal").description == "self.assertEqual([1], [2])"


RETRIED = """
tries = []

def test_flaky():
    tries.append(1)
    assert len(tries) > 2

def test_solid():
    pass
"""


def test_a_failure_hidden_by_a_retry_plugin_is_told(run: Run) -> None:
    files = {"test_a.py": RETRIED, "pytest.ini": "[pytest]\naddopts = --reruns 3\n"}
    result = run(files, plugins="pytest_rerunfailures")
    assert (result.verdict, result.tests[0].attempts) == ("passed", 3)
    assert "1 test needed more than one try: test_a.py::test_flaky" in result.reasons


def test_a_test_that_fails_every_retry_is_failed_once(run: Run, statuses: Statuses) -> None:
    files = {"test_a.py": RETRIED, "pytest.ini": "[pytest]\naddopts = --reruns 1\n"}
    result = run(files, plugins="pytest_rerunfailures")
    assert (result.verdict, result.tests[0].attempts) == ("failed", 2)
    assert statuses(result) == {"test_a.py::test_flaky": "fail", "test_a.py::test_solid": "pass"}


FLAKY = """
import pytest
from flaky import flaky

tries = []

{mark}
def test_flaky():
    tries.append(1)
    assert len(tries) > 1

{mark}
def test_hopeless():
    assert 0
"""


@pytest.mark.parametrize(
    ("plugin", "mark"), [("flaky", "@flaky(max_runs=2)"), ("pytest-retry", "@pytest.mark.flaky(retries=1)")]
)
def test_other_retry_plugins_are_understood_too(
    run: Run,
    statuses: Statuses,
    environment: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    plugin: str,
    mark: str,
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(environment(Path(sys.executable), "pytest", plugin)))
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    text = FLAKY.replace("{mark}", mark)
    result = run({"test_a.py": text if plugin == "flaky" else text.replace("from flaky import flaky", "")})
    assert (result.verdict, result.problems) == ("failed", ())
    assert statuses(result) == {"test_a.py::test_flaky": "pass", "test_a.py::test_hopeless": "fail"}
    assert [case.attempts for case in result.tests] == [2, 2]


RETRY_IN_CONFTEST = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for last in (False, False, True):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if last or not any(report.failed for report in reports):
            for report in reports:
                item.ihook.pytest_runtest_logreport(report=report)
            break
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
"""


def test_a_home_made_retry_that_says_nothing_of_the_failures_is_not_green(run: Run) -> None:
    result = run({"conftest.py": RETRY_IN_CONFTEST, "test_a.py": RETRIED})
    assert result.verdict == "inconsistent"
    assert "raised an exception" in result.reasons[0]


SUBTESTS = """
import unittest

class TestOld(unittest.TestCase):
    def test_sub(self):
        for i in range(3):
            with self.subTest("third", i=i):
                self.assertNotEqual(i, 2)

def test_new(subtests):
    for i in range(3):
        with subtests.test(msg="even", i=i):
            assert i % 2 == 0

def test_good(subtests):
    with subtests.test():
        pass
"""


def test_a_failed_subtest_is_a_case_of_its_own(run: Run, statuses: Statuses) -> None:
    result = run({"test_a.py": SUBTESTS})
    found = statuses(result)
    assert (result.verdict, result.problems) == ("failed", ())
    assert found["test_a.py::TestOld::test_sub [third] (i=2)"] == "fail"
    assert found["test_a.py::test_new [even] (i=1)"] == "fail"
    assert found["test_a.py::test_good"] == "pass"
    assert [case.id for case in result.tests if case.id.startswith("test_a.py::test_good")] == [
        "test_a.py::test_good"
    ]


def test_doctests_count(run: Run, statuses: Statuses) -> None:
    text = '"""Sums.\n\n>>> 1 + 1\n3\n"""\n'
    result = run({"sums.py": text, "pytest.ini": "[pytest]\naddopts = --doctest-modules\n"})
    assert (result.verdict, statuses(result)) == ("failed", {"sums.py::sums": "fail"})


def test_a_random_order_changes_nothing(run: Run, statuses: Statuses) -> None:
    hook = "import random\ndef pytest_collection_modifyitems(items):\n    random.shuffle(items)\n"
    tests = "".join(f"def test_{number}():\n    assert {number} != 7\n" for number in range(20))
    result = run({"conftest.py": hook, "test_a.py": tests})
    assert (result.verdict, result.summary.passed, statuses(result)["test_a.py::test_7"]) == (
        "failed",
        19,
        "fail",
    )


@pytest.mark.parametrize(
    "options",
    ["-q", "-p no:terminal", "-s", "--capture=sys", "-p no:cacheprovider", "--strict-markers --strict-config",
     "-W error", "-p no:warnings", "--tb=no", "-vv", "--tb=native -rA", "-p no:capture -p no:logging",
     "-p no:legacypath", "-p no:assertion", "-p no:unittest -p no:doctest"],
)  # fmt: skip
def test_the_options_of_a_project_do_not_change_the_verdict(run: Run, options: str) -> None:
    files = {"test_a.py": "def test_one():\n    pass\n", "pytest.ini": f"[pytest]\naddopts = {options}\n"}
    result = run(files)
    assert (result.verdict, result.summary.passed) == ("passed", 1), result.reasons


def test_a_coverage_threshold_like_failure_after_the_tests_is_not_green(run: Run) -> None:
    hook = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtestloop(session):
    yield
    session.testsfailed += 1
    """
    result = run({"conftest.py": hook, "test_a.py": "def test_one():\n    pass\n"})
    assert (result.verdict, result.exit_code, result.problems[0].kind) == ("error", 1, "unhandled")


def test_ids_count_from_a_root_above_the_project(run: Run, statuses: Statuses, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    result = run({"setup.py": "", "test_a.py": "def test_one():\n    pass\n"})
    case: Case = result.tests[0]
    assert (result.verdict, case.id, case.file) == ("passed", "project/test_a.py::test_one", "test_a.py")
    again = run({}, tests=(case.id,))
    assert (again.verdict, list(statuses(again))) == ("passed", [case.id])
