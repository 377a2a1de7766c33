"""cargo test with the real toolchain, in the default sandbox. A missing toolchain fails, it never skips."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proctor import TestRequest, TestResult, TestRunner

PROJECTS = Path(__file__).parents[1] / "projects" / "cargo"
Run = Callable[..., TestResult]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a copy of one of our little projects."""
    monkeypatch.setenv("RUST_BACKTRACE", "0")

    def start(name: str, inside: str = "", without: str = "", **wishes: Any) -> TestResult:
        shutil.copytree(PROJECTS / name, tmp_path / name, dirs_exist_ok=True)
        if without:
            (tmp_path / name / without).unlink()
        return TestRunner(tmp_path / name / inside).run(TestRequest(**wishes))

    return start


def statuses(result: TestResult) -> dict[str, str]:
    return {case.id: case.status for case in result.tests}


def test_a_project_is_detected_and_run_in_the_sandbox(run: Run) -> None:
    result = run("mixed")
    assert (result.verdict, result.framework, result.sandbox.name) == ("failed", "cargo", "bubblewrap")
    assert statuses(result) == {
        "mixed::lib::passes": "pass",
        "mixed::lib::compares": "fail",
        "mixed::lib::differs": "fail",
        "mixed::lib::waits": "skip",
        "mixed::lib::returns_an_error": "fail",
        "mixed::lib::panics_as_expected": "pass",
    }
    places = {(case.file, case.line) for case in result.tests if case.status == "fail"}
    assert places == {("src/lib.rs", 7), ("src/lib.rs", 12), ("src/lib.rs", 20)}


def test_wished_tests_run_alone_in_every_kind_of_target(run: Run) -> None:
    wished = ("targets::other::from_outside", "targets::bin/tool::in_the_binary")
    result = run("targets", tests=wished)
    assert (result.verdict, set(statuses(result))) == ("passed", set(wished))


def test_a_file_names_its_tests(run: Run) -> None:
    result = run("targets", test_pattern="tests/api.rs")
    assert statuses(result) == {"targets::api::from_outside": "fail"}


def test_a_wished_documentation_test_runs_alone(run: Run) -> None:
    wished = "documented::doc::src/lib.rs - add (line 3)"
    result = run("documented", tests=(wished,))
    assert (result.verdict, statuses(result)) == ("passed", {wished: "pass"})


def test_a_member_of_a_workspace_runs_by_itself(run: Run) -> None:
    result = run("workspace", "two")
    assert (result.verdict, statuses(result)) == ("failed", {"two::lib::same_name": "fail"})
    assert (result.tests[0].file, result.tests[0].line) == ("src/lib.rs", 3)


def test_an_exit_in_the_middle_is_not_green(run: Run) -> None:
    result = run("exit_zero", environment={"RUST_TEST_THREADS": "1"})
    assert (result.verdict, result.exit_code) == ("interrupted", 0)
    assert "1 of its tests never began" in result.reasons[0]


def test_a_runner_of_the_projects_own_is_never_green(run: Run) -> None:
    result = run("own_runner")
    assert result.verdict == "inconsistent"
    assert "name a runner of their own" in result.reasons[0]


def test_a_missing_lock_file_is_made_without_a_network(run: Run, tmp_path: Path) -> None:
    assert run("green", without="Cargo.lock").verdict == "passed"
    assert (tmp_path / "green" / "Cargo.lock").exists()
