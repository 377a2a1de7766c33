"""Mocha: recognised by package.json and its configuration, run once through our reporter. Pure."""

import os

from proctor.frameworks import javascript_project as js
from proctor.frameworks.javascript_reader import JavascriptReader
from proctor.frameworks.javascript_select import select, wishes
from proctor.model.plan import Command, Detection, Task
from proctor.ports import ProjectView, Reader

REPORTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reporters", "proctor_mocha.cjs")
_CONFIGS = (".mocharc.*",)
_VALUED = frozenset({"--reporter", "-R", "--reporter-option", "--reporter-options", "-O"})
_BARE = frozenset({"--watch", "-w", "--inspect", "--inspect-brk"})


class MochaFramework:
    """Mocha 10 or newer, from the project's own node_modules."""

    @property
    def name(self) -> str:
        """The name to ask for."""
        return "mocha"

    def detect(self, project: ProjectView) -> Detection | None:
        """Tell how surely a project's tests are Mocha's to run."""
        return js.detect(project, self.name, _CONFIGS, self.name)

    def command(self, task: Task, project: ProjectView) -> Command:
        """Return the call of the project's Mocha, with what its own script adds to it."""
        script = js.find_script(js.read_package(project), self.name)
        chosen = select(task, project)
        argv = (
            *js.local_program(project, self.name),
            *(js.without_options(script.arguments, _VALUED, _BARE) if script else ()),
            f"--require={REPORTER}",
            f"--reporter={REPORTER}",
            *(("--parallel", f"--jobs={task.parallel}") if task.parallel > 1 else ()),
            *((f"--grep={chosen.names}",) if chosen.names else ()),
            *(f"--ignore={path}" for path in chosen.left_out),
            *task.arguments,
            *chosen.files,
        )
        environment = {**(script.environment if script else {}), **wishes(task), "CI": "true"}
        return Command(argv=argv, cwd=task.root, channel=True, environment=environment)

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return the reader of one attempt; ``attempt`` is the number of each test's first try in it."""
        return JavascriptReader("Mocha", attempt, no_tests="Error: No test files found")


FRAMEWORK = MochaFramework()
