"""The real Go toolchain in the default sandbox: one small project of everything, run in several ways."""

import shutil
from pathlib import Path

import pytest

from proctor import TestRequest, TestResult, TestRunner
from proctor.service.proctor import Proctor

PROJECTS = Path(__file__).parents[1] / "projects" / "go"


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home and a project that the tests share, so that Go's build cache is filled once."""
    return tmp_path_factory.mktemp("go")


def run(workbench: Path, name: str, **wishes: object) -> TestResult:
    project = workbench / "project"
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(PROJECTS / name, project)
    request = TestRequest(project_path=str(project), **wishes)  # type: ignore[arg-type]
    return Proctor(workbench / "home").run(request)


def statuses(result: TestResult) -> dict[str, str]:
    return {case.id: case.status for case in result.tests}


def test_a_project_of_several_packages_is_recognised_run_and_judged(workbench: Path) -> None:
    result = run(workbench, "packages")
    base = "example.com/packages"
    assert (result.framework, result.verdict, result.exit_code) == ("go", "failed", 1)
    assert result.sandbox.name != "off"
    assert statuses(result) == {
        f"{base}/cart::TestAdd": "pass",
        f"{base}/cart::TestSame": "pass",
        f"{base}/stock::TestSame": "fail",
        f"{base}/stock::TestOther": "pass",
    }
    [failed] = [case for case in result.tests if case.status == "fail"]
    assert (failed.file, failed.line) == ("stock/stock_test.go", 5)
    assert (failed.assertions[0].expected_value, failed.assertions[0].actual_value) == ("2", "1")


def test_exact_ids_run_alone_in_each_package(workbench: Path) -> None:
    wanted = ("example.com/packages/cart::TestSame", "example.com/packages/stock::TestOther")
    result = run(workbench, "packages", tests=wanted)
    assert (result.verdict, set(statuses(result))) == ("passed", set(wanted))


def test_failed_tests_are_tried_again(workbench: Path) -> None:
    result = run(workbench, "packages", retries=1, test_pattern="./stock")
    assert result.verdict == "failed"
    assert {case.name: case.attempts for case in result.tests} == {"TestSame": 2, "TestOther": 1}


def test_a_compile_error_names_file_and_line(workbench: Path) -> None:
    result = run(workbench, "compile-error")
    assert result.verdict == "error"
    assert (result.problems[0].file, result.problems[0].line) == ("shop.go", 3)


def test_a_process_that_leaves_in_the_middle_of_a_test_is_not_green(workbench: Path) -> None:
    result = run(workbench, "raw-exit-zero")
    assert (result.exit_code, result.verdict) == (0, "interrupted")
    assert statuses(result)["example.com/raw-exit-zero::TestLeaves"] == "unfinished"


def test_a_stuck_test_meets_the_time_limit_and_what_finished_is_kept(workbench: Path) -> None:
    result = run(workbench, "stuck", timeout=10.0)
    assert result.verdict == "timeout"
    assert statuses(result) == {
        "example.com/stuck::TestQuick": "pass",
        "example.com/stuck::TestStuck": "unfinished",
    }


def test_a_part_of_a_module_is_run_from_its_directory(workbench: Path) -> None:
    run(workbench, "packages", test_pattern="./cart")
    # The sandbox replaces /tmp, where this module's root lies; it covers no module of a user's.
    result = TestRunner(workbench / "project" / "cart").run(TestRequest(sandbox="off"))
    assert (result.verdict, [case.file for case in result.tests]) == ("passed", ["cart_test.go"] * 2)


def test_results_from_go_s_cache_are_said_to_be_so(workbench: Path) -> None:
    run(workbench, "packages", test_pattern="./cart")
    result = run(workbench, "packages", test_pattern="./cart")
    assert result.verdict == "passed"
    assert any("from its cache" in note for note in result.notes)


def test_a_first_run_takes_from_the_user_s_cache_what_was_built_but_not_what_passed(
    workbench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(workbench, "packages", test_pattern="./cart")
    [users] = (workbench / "home" / "caches").glob("*/go-build")
    monkeypatch.setenv("GOCACHE", str(users))
    request = TestRequest(project_path=str(workbench / "project"), test_pattern="./cart", sandbox="off")
    result = Proctor(tmp_path).run(request)
    [private] = (tmp_path / "caches").glob("*/go-build")
    both = {file.name for file in users.glob("??/*-d")} & {file.name for file in private.glob("??/*-d")}
    assert result.verdict == "passed"
    assert not any("from its cache" in note for note in result.notes)
    assert len(both) > 50
