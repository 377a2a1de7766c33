"""Vitest: recognised by package.json and its configuration, run once through our reporter. Pure."""

import os
import posixpath

from proctor.frameworks import javascript_project as js
from proctor.frameworks.javascript_reader import JavascriptReader
from proctor.frameworks.javascript_select import select, wishes
from proctor.model.plan import Command, Detection, Task
from proctor.ports import ProjectView, Reader

REPORTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reporters", "proctor_vitest.mjs")
_CONFIGS = ("vitest.config.*", "vitest.workspace.*")
_VALUED = frozenset({"--reporter", "--outputFile"})
_BARE = frozenset({"run", "watch", "dev", "--run", "--watch", "-w", "--ui", "--open"})


class VitestFramework:
    """Vitest 3 or newer, from the project's own node_modules."""

    @property
    def name(self) -> str:
        """The name to ask for."""
        return "vitest"

    def detect(self, project: ProjectView) -> Detection | None:
        """Tell how surely a project's tests are Vitest's to run."""
        return js.detect(project, self.name, _CONFIGS, "")

    def command(self, task: Task, project: ProjectView) -> Command:
        """Return the call of the project's Vitest, with what its own script adds to it."""
        script = js.find_script(js.read_package(project), self.name)
        chosen = select(task, project)
        argv = (
            *js.local_program(project, self.name),
            "run",
            *(js.without_options(script.arguments, _VALUED, _BARE) if script else ()),
            "--reporter=default",
            f"--reporter={REPORTER}",
            "--includeTaskLocation",
            *((f"--maxWorkers={task.parallel}",) if task.parallel > 1 else ()),
            *((f"--testNamePattern={chosen.names}",) if chosen.names else ()),
            *(f"--exclude={path}" for path in chosen.left_out),
            *task.arguments,
            *(posixpath.join(task.root, file) for file in chosen.files),
        )
        environment = {**(script.environment if script else {}), **wishes(task), "CI": "true"}
        return Command(argv=argv, cwd=task.root, channel=True, environment=environment)

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return the reader of one attempt; ``attempt`` is the number of each test's first try in it."""
        return JavascriptReader("Vitest", attempt)


FRAMEWORK = VitestFramework()
