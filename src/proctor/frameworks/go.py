"""Go: recognised by its module files, run by `go test -json` between our first and last line. Pure."""

import os
import posixpath
import re
import sys
from collections.abc import Iterator

from proctor.frameworks.go_select import calls, without
from proctor.model.errors import ToolMissing
from proctor.model.plan import Command, Detection, Task
from proctor.ports import ProjectView, Reader

SHELL = "/bin/sh"
REPORTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reporters", "proctor_go.sh")
CACHE_PROGRAM = os.path.join(os.path.dirname(REPORTER), "proctor_go_cache.py")
NEXT_CALL = "--proctor-next"
_USE = re.compile(r"^\s*(?:use\s+)?[\"`]?(\.{1,2}(?:/[^\s\"`)]*)?)[\"`]?\s*(?://.*)?$", re.MULTILINE)
_HIGHEST = 10


class GoFramework:
    """The tests, examples and fuzz seeds of Go packages; benchmarks are left to people with time."""

    @property
    def name(self) -> str:
        """The name to ask for."""
        return "go"

    def detect(self, project: ProjectView) -> Detection | None:
        """Tell how surely a project's tests are Go's to run."""
        found = dict(_signs(project))
        if not found:
            return None
        return Detection(framework=self.name, confidence=max(found.values()), reasons=tuple(found))

    def command(self, task: Task, project: ProjectView) -> Command:
        """Return the call of the script that calls `go test`, once or for each group of tests."""
        packages, skip = without(task.exclude, _packages(project), project)
        options = (*_parallel(task.parallel), *((f"-skip={skip}",) if skip else ()))
        words: list[str] = []
        for call in calls(task.tests, task.pattern, packages, project):
            run = (f"-run={call.run}",) if call.run else ()
            words += (NEXT_CALL,) if words else ()
            words += (_tool(project), "test", "-json", *options, *run, *call.packages, *task.arguments)
        return Command(
            argv=(SHELL, REPORTER, *words),
            cwd=task.root,
            environment=_seed(project),
            stdout_is_channel=True,
            caches={"GOCACHE": "go-build"},
        )

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return the reader of one attempt."""
        # Needed only once the command runs: what is imported before delays its start.
        from proctor.frameworks.go_reader import GoReader

        return GoReader(task.root, attempt)


def _signs(project: ProjectView) -> Iterator[tuple[str, int]]:
    tests = project.find("*_test.go")
    sure = 95 if tests else 30
    for file in ("go.mod", "go.work"):
        if project.exists(file):
            yield f"{file} is there", sure
    above = next(
        (f"{'../' * up}go.mod" for up in range(1, _HIGHEST) if project.exists(f"{'../' * up}go.mod")), ""
    )
    if tests:
        more = f" and {len(tests) - 1} more" if len(tests) > 1 else ""
        known = project.exists("go.mod") or project.exists("go.work") or above
        own = [file for file in project.find("go.mod") if "/" in file]
        if known or not own:
            yield f"{tests[0]}{more}", 90 if known else 40
    if above and tests:
        yield f"{above} is above it", 90


def _packages(project: ProjectView) -> tuple[str, ...]:
    """Return all packages of the module, or of every module of a workspace whose root is none of them."""
    if project.exists("go.work") and not project.exists("go.mod"):
        modules = _USE.findall(project.read_text("go.work"))
        if modules:
            return tuple(f"{module.rstrip('/')}/..." for module in modules)
    return ("./...",)


def _parallel(number: int) -> tuple[str, ...]:
    """Go has two measures: packages tested at once, and tests at once in a package."""
    return (f"-p={number}", f"-parallel={number}") if number else ()


def _seed(project: ProjectView) -> dict[str, str]:
    """Name the user's build cache, from which a project's first run may take what it needs."""
    environment = project.environment
    caches = environment.get("XDG_CACHE_HOME") or posixpath.join(environment.get("HOME", ""), ".cache")
    cache = environment.get("GOCACHE") or posixpath.join(caches, "go-build")
    if not cache.startswith("/") or not project.exists(cache):
        return {}
    return {"PROCTOR_GO_SEED": f"{sys.executable} -I -S {CACHE_PROGRAM}", "PROCTOR_GO_SEED_FROM": cache}


def _tool(project: ProjectView) -> str:
    environment = project.environment
    folders = [*environment.get("PATH", "").split(":"), posixpath.join(environment.get("GOROOT", ""), "bin")]
    for folder in (*folders, "/usr/local/go/bin", "/usr/lib/go/bin"):
        path = posixpath.join(folder, "go")
        if folder.startswith("/") and project.exists(path):
            return path
    raise ToolMissing(
        "the project needs Go, and no `go` is in PATH", hint="install Go, or add its bin directory to PATH"
    )


FRAMEWORK = GoFramework()
