"""What a caller may name: a project, a part of one, or a single test."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from proctor import TestRequest, TestRunner
from proctor.service.project import locate

Project = Callable[[Mapping[str, str]], Path]
FILES = {
    "pyproject.toml": "",
    "tests/unit/test_a.py": "def test_a(): pass\n",
    "tests/test_b.py": "def test_b(): pass\n",
}


def test_a_directory_inside_a_project_means_the_tests_in_it(make_project: Project) -> None:
    root = make_project(FILES)
    assert locate(str(root)) == (root, ())
    assert locate(str(root / "tests" / "unit")) == (root, ("tests/unit",))
    assert locate(str(root / "tests/unit/test_a.py") + "::test_a") == (
        root,
        ("tests/unit/test_a.py::test_a",),
    )
    result = TestRunner(root / "tests" / "unit").run(TestRequest(sandbox="off"))
    assert (result.verdict, [case.name for case in result.tests]) == ("passed", ["test_a"])


def test_a_command_runs_in_the_directory_that_was_named(make_project: Project) -> None:
    root = make_project(FILES)
    assert locate(str(root / "tests"), whole=True) == (root / "tests", ())


def test_a_directory_of_a_repository_without_projects_is_a_project(make_project: Project) -> None:
    root = make_project({".git/HEAD": "", "service/test_a.py": ""})
    assert locate(str(root / "service")) == (root / "service", ())


def test_a_home_directory_is_never_taken_for_the_project_of_a_file(
    make_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_project({".git/HEAD": "", "setup.cfg": "", "scratch/test_a.py": ""})
    monkeypatch.setenv("HOME", str(home))
    assert locate(str(home / "scratch" / "test_a.py")) == (home / "scratch", ("test_a.py",))
    assert locate(str(home / "scratch")) == (home / "scratch", ())
