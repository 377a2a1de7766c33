"""What keeps pytest from running tests: every such run names its cause and is never green."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor import TestResult

Run = Callable[..., TestResult]
GOOD = "def test_good():\n    pass\n"


def test_an_import_error_at_collection_names_the_file_and_the_import(run: Run) -> None:
    result = run({"test_a.py": "import os\nimport no_such_module\n" + GOOD, "test_b.py": GOOD})
    assert result.verdict == "error"
    problem = result.problems[0]
    assert (problem.kind, problem.file, problem.line) == ("import", "test_a.py", 2)
    assert "No module named 'no_such_module'" in problem.message
    assert "test_a.py:2" in result.reasons[0]
    assert "no_such_module" in result.reasons[0]


def test_an_import_error_in_the_code_under_test_names_the_place_of_the_import(run: Run) -> None:
    result = run({"shop.py": "import no_such_module\n", "test_a.py": "import shop\n" + GOOD})
    assert (result.verdict, result.problems[0].file, result.problems[0].line) == ("error", "shop.py", 1)


def test_a_syntax_error_names_its_line(run: Run) -> None:
    result = run({"test_a.py": GOOD + "\ndef broken(:\n"})
    problem = result.problems[0]
    assert (result.verdict, problem.kind, problem.file, problem.line) == (
        "error",
        "collection",
        "test_a.py",
        4,
    )
    assert "SyntaxError" in problem.message


def test_an_exception_at_import_is_an_error(run: Run) -> None:
    result = run({"test_a.py": "raise RuntimeError('no database')\n" + GOOD})
    assert (result.verdict, result.problems[0].message) == ("error", "RuntimeError: no database")


@pytest.mark.parametrize("folder", ["", "tests/"])
def test_a_conftest_that_cannot_be_imported_is_named(run: Run, folder: str) -> None:
    result = run({f"{folder}conftest.py": "import no_such_module\n", f"{folder}test_a.py": GOOD})
    assert result.verdict == "error"
    assert (result.problems[0].kind, result.problems[0].file) == ("import", f"{folder}conftest.py")
    assert "no_such_module" in result.problems[0].message


def test_tests_that_ran_beside_a_file_that_could_not_be_collected_do_not_make_it_green(run: Run) -> None:
    files = {"test_a.py": "import no_such_module\n", "test_b.py": GOOD}
    result = run({**files, "pytest.ini": "[pytest]\naddopts = --continue-on-collection-errors\n"})
    assert (result.verdict, result.summary.passed) == ("error", 1)
    assert len(result.problems) == 1


def test_sys_exit_zero_at_import_of_a_test_file_is_an_error(run: Run) -> None:
    result = run({"test_a.py": "import sys\nsys.exit(0)\n" + GOOD})
    assert result.verdict == "error"
    assert "SystemExit" in result.reasons[0]
    assert "test_a.py:2" in result.reasons[0]


def test_sys_exit_zero_at_import_of_a_conftest_is_an_error(run: Run) -> None:
    result = run({"conftest.py": "import sys\nsys.exit(0)\n", "test_a.py": GOOD})
    assert (result.verdict, result.exit_code) == ("error", 0)
    assert "conftest.py:2: SystemExit: 0" in result.reasons[0]


def test_a_hard_exit_zero_at_import_is_not_green(run: Run) -> None:
    result = run({"test_a.py": "import os\nos._exit(0)\n" + GOOD})
    assert (result.verdict, result.exit_code) == ("inconsistent", 0)


def test_a_project_without_tests_is_no_tests(run: Run) -> None:
    result = run({"pytest.ini": "[pytest]\n", "test_a.py": "x = 1\n"})
    assert (result.verdict, result.exit_code, result.summary.total) == ("no_tests", 5, 0)


def test_a_filter_that_matches_nothing_is_no_tests(run: Run) -> None:
    result = run({"test_a.py": GOOD}, test_pattern="nothing_like_it")
    assert result.verdict == "no_tests"
    assert "1 test deselected" in result.reasons[0]


def test_an_unknown_option_is_an_error(run: Run) -> None:
    result = run({"test_a.py": GOOD, "pytest.ini": "[pytest]\naddopts = --no-such-option\n"})
    assert (result.verdict, result.problems[0].kind) == ("error", "usage")
    assert "--no-such-option" in result.problems[0].message


def test_a_file_that_does_not_exist_is_an_error(run: Run) -> None:
    result = run({"test_a.py": GOOD}, test_pattern="test_gone.py::test_x")
    assert (result.verdict, result.problems[0].kind) == ("error", "usage")


def test_a_wished_test_that_does_not_exist_is_an_error_and_the_others_run(run: Run) -> None:
    result = run({"test_a.py": GOOD}, tests=("test_a.py::test_good", "test_a.py::test_gone"))
    assert (result.verdict, result.summary.passed) == ("error", 1)
    assert "there is no test test_a.py::test_gone" in result.reasons[0]


def test_an_interpreter_without_pytest_is_named(
    run: Run, environment: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = environment(Path(sys.executable), "iniconfig")
    monkeypatch.setenv("VIRTUAL_ENV", str(place))
    result = run({"test_a.py": GOOD})
    assert (result.verdict, result.problems[0].kind) == ("error", "missing_tool")
    assert str(place) in result.problems[0].message


def test_a_pytest_that_is_too_old_is_named(
    run: Run, environment: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = environment(Path(sys.executable), "pytest==5.4.3")
    monkeypatch.setenv("VIRTUAL_ENV", str(place))
    result = run({"test_a.py": GOOD})
    assert (result.verdict, result.problems[0].kind) == ("error", "missing_tool")
    assert "5.4.3" in result.problems[0].message


@pytest.mark.parametrize(
    ("conftest", "pattern", "kind"),
    [
        ("", "good and (", "usage"),
        ("def pytest_collection_modifyitems(): raise OSError('no')\n", "", "internal"),
    ],
)
def test_an_error_after_the_files_were_read_is_an_error_and_no_contradiction(
    run: Run, conftest: str, pattern: str, kind: str
) -> None:
    result = run({"conftest.py": conftest, "test_a.py": GOOD}, test_pattern=pattern)
    assert (result.verdict, [problem.kind for problem in result.problems]) == ("error", [kind])
