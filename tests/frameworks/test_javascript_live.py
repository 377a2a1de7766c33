"""The JavaScript frameworks with their real tools, in the default sandbox. `scripts/toolchains` installs them."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor import Proctor
from proctor.model.request import TestRequest
from proctor.model.run import TestResult

ROOT = Path(__file__).parent.parent.parent
PROJECTS = ROOT / "tests" / "projects"
INSTALLED = ROOT / ".cache" / "node"
TOOLS = ("node-test", "vitest-4", "vitest-3", "jest-30", "jest-29", "mocha-12", "mocha-11")
Run = Callable[..., TestResult]


@pytest.fixture
def run(tmp_path: Path, proctor: Proctor) -> Run:
    """Return a function that runs a copy of a project with a tool: ``run("jest-30", "mixed")``."""

    def run_project(tool: str, name: str, **wishes: object) -> TestResult:
        framework = tool if tool == "node-test" else tool.partition("-")[0]
        project = tmp_path / name
        shutil.copytree(PROJECTS / framework / name, project)
        if framework != "node-test":
            assert (INSTALLED / tool / "installed").exists(), f"{tool} is missing: run scripts/toolchains"
            source = INSTALLED / tool / "node_modules"
            shutil.copytree(source, project / "node_modules", symlinks=True, copy_function=os.link)
        return proctor.run(TestRequest(project_path=str(project), **wishes))  # type: ignore[arg-type]

    return run_project


@pytest.mark.parametrize("tool", TOOLS)
def test_every_outcome_is_told_with_its_place(run: Run, tool: str) -> None:
    result = run(tool, "mixed")
    assert result.verdict == "failed", result.reasons
    assert {case.id: case.status for case in result.tests} == {
        "test/a.test.js::one": "pass",
        "test/a.test.js::two": "skip",
        "test/a.test.js::three": "fail",
        "test/b.test.js::b > four": "pass",
        "test/b.test.js::b > five": "fail",
    }
    failed = {case.name: case for case in result.tests if case.status == "fail"}
    assert "boom" in failed["three"].error
    assert all(case.line for case in result.tests)
    [check] = failed["b > five"].assertions
    assert (check.expected_value, check.actual_value) == ("5", "2")


@pytest.mark.parametrize("tool", TOOLS)
def test_one_test_can_be_asked_for_by_its_id(run: Run, tool: str) -> None:
    result = run(tool, "mixed", tests=("test/b.test.js::b > four",))
    assert (result.verdict, [case.id for case in result.tests]) == ("passed", ["test/b.test.js::b > four"])


@pytest.mark.parametrize("tool", ["node-test", "vitest-4", "jest-30", "mocha-12"])
def test_a_test_that_does_not_exist_is_an_error(run: Run, tool: str) -> None:
    result = run(tool, "passes", tests=("test/a.test.js::one", "test/a.test.js::none"))
    assert (result.verdict, result.problems[0].message) == ("error", "there is no test test/a.test.js::none")


@pytest.mark.parametrize("tool", ["node-test", "jest-30", "mocha-12"])
def test_an_exit_in_the_middle_of_a_test_is_not_green(run: Run, tool: str) -> None:
    assert run(tool, "exit-0-later").verdict == "interrupted"
