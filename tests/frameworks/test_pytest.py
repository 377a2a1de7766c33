"""How pytest is recognised and called: detection, interpreter, and which wish becomes which argument."""

import base64
import fnmatch
import json
import posixpath
import zlib

import pytest
from msgspec.structs import replace

from proctor.frameworks.pytest import FRAMEWORK, REPORTER
from proctor.frameworks.python_env import interpreter
from proctor.model.plan import Task


class View:
    """A project that exists only as names and texts."""

    root = "/project"

    def __init__(
        self, files: dict[str, str] | None = None, environment: dict[str, str] | None = None
    ) -> None:
        self.files = files or {}
        self.environment = environment or {}

    def exists(self, path: str) -> bool:
        return any(file == path or file.startswith(path.rstrip("/") + "/") for file in self.files)

    def read_text(self, path: str) -> str:
        return self.files.get(path, "")

    def find(self, pattern: str) -> tuple[str, ...]:
        names = {file: file if "/" in pattern else posixpath.basename(file) for file in self.files}
        return tuple(file for file, name in names.items() if fnmatch.fnmatch(name, pattern))


TASK = Task(root="/project")


def arguments(view: View | None = None, **wishes: object) -> list[str]:
    argv = FRAMEWORK.command(replace(TASK, **wishes), view or View()).argv
    assert argv[1] == REPORTER
    return list(argv[2:])


@pytest.mark.parametrize(
    ("files", "confidence"),
    [
        ({"pytest.ini": ""}, 95),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, 95),
        ({"setup.cfg": "[tool:pytest]\n"}, 95),
        ({"tox.ini": "[pytest]\n"}, 95),
        ({"tests/conftest.py": ""}, 90),
        ({"tests/test_a.py": "import unittest"}, 70),
        ({"shop/sum_test.py": ""}, 60),
    ],
)
def test_pytest_is_recognised_by_its_files(files: dict[str, str], confidence: int) -> None:
    found = FRAMEWORK.detect(View(files))
    assert found is not None
    assert (found.framework, found.confidence) == ("pytest", confidence)
    assert next(iter(files)) in found.reasons[0]


@pytest.mark.parametrize("files", [{}, {"pyproject.toml": "[project]"}, {"setup.cfg": ""}, {"main.go": ""}])
def test_other_projects_are_not_recognised(files: dict[str, str]) -> None:
    assert FRAMEWORK.detect(View(files)) is None


def test_the_command_reports_on_the_channel_from_the_project_root() -> None:
    command = FRAMEWORK.command(TASK, View())
    assert (command.argv, command.cwd, command.channel) == (("python3", REPORTER), "/project", True)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("total", ["-k", "total"]),
        ("total and not slow", ["-k", "total and not slow"]),
        ("test_foo*", ["--proctor-match=test_foo*"]),
        ("Test* or check_?", ["--proctor-match=Test*", "--proctor-match=check_?"]),
        ("Test* or total", ["--proctor-match=Test*", "--proctor-match=*total*"]),
        ("tests/test_a.py", ["tests/test_a.py"]),
        ("tests/test_*.py", ["tests/test_a.py", "tests/test_b.py"]),
        ("tests/test_a.py::test_x[a b]", ["tests/test_a.py::test_x[a b]"]),
        ("gone.py::test_x", ["gone.py::test_x"]),
    ],
)
def test_a_pattern_becomes_what_pytest_understands(pattern: str, wanted: list[str]) -> None:
    view = View({"tests/test_a.py": "", "tests/test_b.py": ""})
    assert arguments(view, pattern=pattern) == wanted


def test_excluded_names_ids_and_paths_are_left_out() -> None:
    exclude = ("TestIntegration*", "tests/test_a.py::test_x", "tests/slow/")
    wanted = [
        "--proctor-exclude=TestIntegration*",
        "--deselect=tests/test_a.py::test_x",
        "--ignore-glob=tests/slow",
    ]
    assert arguments(exclude=exclude) == wanted


def test_arguments_and_parallel_runs_are_passed_on() -> None:
    assert arguments(arguments=("-x",), parallel=4) == ["--proctor-parallel=4", "-x"]
    assert arguments(parallel=1) == []


def test_exact_tests_are_named_one_by_one() -> None:
    assert arguments(tests=("a.py::x[1 2]", "b.py")) == ["--proctor-test=a.py::x[1 2]", "--proctor-test=b.py"]


def test_very_many_tests_travel_packed() -> None:
    tests = tuple(f"tests/test_many.py::test_it[{number}]" for number in range(100_000))
    packed = arguments(tests=tests)
    assert max(map(len, packed)) < 128_000
    whole = "".join(argument.partition("=")[2] for argument in packed)
    assert tuple(json.loads(zlib.decompress(base64.b64decode(whole)))) == tests


POETRY = {"pyproject.toml": '[tool.poetry]\nname = "My_Shop.core"\n'}


@pytest.mark.parametrize(
    ("files", "environment", "wanted"),
    [
        ({".venv/pyvenv.cfg": "", ".venv/bin/python": ""}, {}, "/project/.venv/bin/python"),
        ({"venv/pyvenv.cfg": "", "venv/bin/python": ""}, {}, "/project/venv/bin/python"),
        ({"/e/bin/python": ""}, {"UV_PROJECT_ENVIRONMENT": "/e"}, "/e/bin/python"),
        ({"/e/bin/python": ""}, {"VIRTUAL_ENV": "/e"}, "/e/bin/python"),
        ({"/e/bin/python": ""}, {"CONDA_PREFIX": "/e"}, "/e/bin/python"),
        ({".pdm-python": "/e/bin/python\n", "/e/bin/python": ""}, {}, "/e/bin/python"),
        ({"/usr/bin/python3": ""}, {"PATH": "bin:/bin:/usr/bin"}, "/usr/bin/python3"),
        ({".venv/bin/python": "", "/usr/bin/python3": ""}, {"PATH": "/usr/bin"}, "/usr/bin/python3"),
        ({}, {"VIRTUAL_ENV": "/gone", "PATH": "/gone"}, "python3"),
        (
            {**POETRY, "/h/.cache/pypoetry/virtualenvs/my-shop-core-6gE1vKXj-py3.12/bin/python": ""},
            {"HOME": "/h"},
            "/h/.cache/pypoetry/virtualenvs/my-shop-core-6gE1vKXj-py3.12/bin/python",
        ),
    ],
)
def test_the_interpreter_is_the_project_s_own(
    files: dict[str, str], environment: dict[str, str], wanted: str
) -> None:
    assert interpreter(View(files, environment)) == wanted


def test_the_project_s_own_environment_wins_over_the_caller_s() -> None:
    files = {".venv/pyvenv.cfg": "", ".venv/bin/python": "", "/e/bin/python": ""}
    assert interpreter(View(files, {"VIRTUAL_ENV": "/e"})) == "/project/.venv/bin/python"
