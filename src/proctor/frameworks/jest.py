"""Jest: recognised by package.json and its configuration, run once through our reporter. Pure."""

import os

from proctor.frameworks import javascript_project as js
from proctor.frameworks.javascript_reader import JavascriptReader
from proctor.frameworks.javascript_select import Selection, select, wishes
from proctor.model.plan import Command, Detection, Task
from proctor.ports import ProjectView, Reader

REPORTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reporters", "proctor_jest.cjs")
_CONFIGS = ("jest.config.*",)
_VALUED = frozenset({"--reporters", "--outputFile", "--cacheDirectory"})
_BARE = frozenset({"--watch", "--watchAll", "--json", "--silent", "--onlyChanged", "-o"})
_WITH_CACHE = 'exec "$0" "$@" --cacheDirectory="$PROCTOR_JEST_CACHE"'
"""Jest keeps what it compiled in the temporary directory, which lives no longer than a run does."""


class JestFramework:
    """Jest 29 or newer, from the project's own node_modules."""

    @property
    def name(self) -> str:
        """The name to ask for."""
        return "jest"

    def detect(self, project: ProjectView) -> Detection | None:
        """Tell how surely a project's tests are Jest's to run."""
        return js.detect(project, self.name, _CONFIGS, self.name)

    def command(self, task: Task, project: ProjectView) -> Command:
        """Return the call of the project's Jest, with what its own script adds to it."""
        script = js.find_script(js.read_package(project), self.name)
        chosen = select(task, project)
        argv = (
            "/bin/sh",
            "-c",
            _WITH_CACHE,
            *js.local_program(project, self.name),
            *(js.without_options(script.arguments, _VALUED, _BARE) if script else ()),
            "--ci",
            "--reporters=default",
            f"--reporters={REPORTER}",
            "--testLocationInResults",
            *((f"--maxWorkers={task.parallel}",) if task.parallel > 1 else ()),
            *((f"--testNamePattern={chosen.names}",) if chosen.names else ()),
            *_left_out(chosen),
            *task.arguments,
            *(("--runTestsByPath", *chosen.files) if chosen.files else ()),
        )
        environment = {**(script.environment if script else {}), **wishes(task), "CI": "true"}
        return Command(
            argv=argv,
            cwd=task.root,
            channel=True,
            environment=environment,
            caches={"PROCTOR_JEST_CACHE": "jest"},
        )

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return the reader of one attempt; ``attempt`` is the number of each test's first try in it."""
        return JavascriptReader("Jest", attempt, no_tests="No tests found, exiting with code 1")


def _left_out(chosen: Selection) -> tuple[str, ...]:
    """Jest takes expressions for paths; the one it uses by default is lost when others are given."""
    if not chosen.left_out:
        return ()
    patterns = (path.replace(".", "\\.").replace("**", "*").replace("*", ".*") for path in chosen.left_out)
    return tuple(f"--testPathIgnorePatterns={pattern}" for pattern in ("/node_modules/", *patterns))


FRAMEWORK = JestFramework()
