"""What the tests of planning share: a project that exists only in memory, and little frameworks."""

import fnmatch
from collections.abc import Callable, Mapping

import pytest

from proctor.frameworks.generic import FRAMEWORK
from proctor.model.plan import Command, Detection, Task
from proctor.ports import Framework, ProjectView, Reader


class MemoryView:
    """A project whose files are a dictionary."""

    def __init__(self, files: Mapping[str, str], environment: dict[str, str], root: str) -> None:
        self._files = files
        self._environment = environment
        self._root = root

    @property
    def root(self) -> str:
        return self._root

    @property
    def environment(self) -> dict[str, str]:
        return self._environment

    def exists(self, path: str) -> bool:
        return path in self._files

    def read_text(self, path: str) -> str:
        return self._files[path]

    def find(self, pattern: str) -> tuple[str, ...]:
        return tuple(fnmatch.filter(self._files, pattern))


class MarkedFramework:
    """A framework that is recognised by one file."""

    def __init__(self, name: str, mark: str, confidence: int) -> None:
        self._name = name
        self._mark = mark
        self._confidence = confidence

    @property
    def name(self) -> str:
        return self._name

    def detect(self, project: ProjectView) -> Detection | None:
        if not project.exists(self._mark):
            return None
        return Detection(framework=self._name, confidence=self._confidence, reasons=(f"{self._mark} exists",))

    def command(self, task: Task, project: ProjectView) -> Command:
        return Command(argv=(self._name, task.pattern), cwd=task.root, environment={"REPORTER": "on"})

    def reader(self, task: Task, attempt: int) -> Reader:
        return FRAMEWORK.reader(task, attempt)


@pytest.fixture
def view() -> Callable[..., ProjectView]:
    """Make a project: ``view("file", "file", environment={…}, root="/home/dev/shop")``."""

    def make(
        *files: str, environment: dict[str, str] | None = None, root: str = "/home/dev/shop"
    ) -> ProjectView:
        return MemoryView(dict.fromkeys(files, ""), environment or {"PATH": "/usr/bin"}, root)

    return make


@pytest.fixture
def frameworks() -> dict[str, Framework]:
    """A sure framework, two that are found beside each other, and the generic one."""
    marked: list[Framework] = [
        MarkedFramework("pytest", "pytest.ini", 90),
        MarkedFramework("jest", "jest.config.js", 85),
        MarkedFramework("mocha", ".mocharc", 40),
    ]
    return {one.name: one for one in [*marked, FRAMEWORK]}
