"""pytest: recognised by its files, run through our reporter in the project's own interpreter. Pure."""

import base64
import json
import os
import zlib
from collections.abc import Iterator

from proctor.frameworks.python_env import interpreter
from proctor.model.plan import Command, Detection, Task
from proctor.ports import ProjectView, Reader

REPORTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reporters", "proctor_pytest.py")
_CHUNK = 100_000
"""The system limits one argument to 128 KiB; more ids than this travel packed."""
_SECTIONS = (
    ("pytest.ini", ""),
    (".pytest.ini", ""),
    ("pytest.toml", ""),
    (".pytest.toml", ""),
    ("pyproject.toml", "[tool.pytest"),
    ("tox.ini", "[pytest]"),
    ("setup.cfg", "[tool:pytest]"),
)


class PytestFramework:
    """pytest 6.0 or newer, also for suites written with unittest or doctest."""

    @property
    def name(self) -> str:
        """The name to ask for."""
        return "pytest"

    def detect(self, project: ProjectView) -> Detection | None:
        """Tell how surely a project's tests are pytest's to run."""
        found = dict(_signs(project))
        if not found:
            return None
        return Detection(framework=self.name, confidence=max(found.values()), reasons=tuple(found))

    def command(self, task: Task, project: ProjectView) -> Command:
        """Return the call of the reporter, which takes its own options out and gives pytest the rest."""
        wishes = (*_tests(task), *_pattern(task.pattern, project), *_exclude(task.exclude))
        parallel = (f"--proctor-parallel={task.parallel}",) if task.parallel > 1 else ()
        argv = (interpreter(project), REPORTER, *parallel, *task.arguments, *wishes)
        return Command(argv=argv, cwd=task.root, channel=True)

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return the reader of one attempt; ``attempt`` is the number of each test's first try in it."""
        # Needed only once the command runs: what is imported before delays its start.
        from proctor.frameworks.pytest_reader import PytestReader

        return PytestReader(attempt)


def _signs(project: ProjectView) -> Iterator[tuple[str, int]]:
    for file, section in _SECTIONS:
        if project.exists(file) and section in project.read_text(file):
            yield f"{file} configures pytest" if section else f"{file} is there", 95
    for pattern, confidence in (("conftest.py", 90), ("test_*.py", 70), ("*_test.py", 60), ("test*.py", 40)):
        files = project.find(pattern)
        if files:
            more = f" and {len(files) - 1} more" if len(files) > 1 else ""
            yield f"{files[0]}{more}", confidence
            return


def _tests(task: Task) -> Iterator[str]:
    """Exact ids are matched by the reporter: pytest's own matching depends on its version and directory."""
    if sum(len(test) for test in task.tests) <= _CHUNK:
        yield from (f"--proctor-test={test}" for test in task.tests)
        return
    packed = base64.b64encode(zlib.compress(json.dumps(task.tests).encode())).decode()
    for start in range(0, len(packed), _CHUNK):
        yield f"--proctor-packed-tests={packed[start : start + _CHUNK]}"


def _pattern(pattern: str, project: ProjectView) -> tuple[str, ...]:
    """A node id or path is passed on; a glob is matched against names; anything else is pytest's ``-k``."""
    if not pattern:
        return ()
    if _is_path(pattern) and (found := _paths(pattern, project)):
        return found
    words = pattern.split(" or ")
    if any(mark in pattern for mark in "*?") and not any(" " in word.strip() for word in words):
        globs = (word.strip() if any(m in word for m in "*?") else f"*{word.strip()}*" for word in words)
        return tuple(f"--proctor-match={glob}" for glob in globs)
    return ("-k", pattern)


def _is_path(pattern: str) -> bool:
    return "::" in pattern or "/" in pattern or pattern.endswith(".py")


def _paths(pattern: str, project: ProjectView) -> tuple[str, ...]:
    file = pattern.partition("::")[0]
    if project.exists(file):
        return (pattern,)
    if any(mark in file for mark in "*?") and "::" not in pattern:
        return project.find(pattern)
    return (pattern,) if "::" in pattern and " " not in file else ()


def _exclude(patterns: tuple[str, ...]) -> Iterator[str]:
    for pattern in patterns:
        if "::" in pattern:
            yield f"--deselect={pattern}"
        elif _is_path(pattern):
            yield f"--ignore-glob={pattern.rstrip('/')}"
        else:
            yield f"--proctor-exclude={pattern}"


FRAMEWORK = PytestFramework()
