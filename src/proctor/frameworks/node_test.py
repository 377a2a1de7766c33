"""node:test: recognised by its scripts and imports, run by `node --test` through our reporter. Pure."""

import fnmatch
import os
import re
from collections.abc import Iterator

from proctor.frameworks import javascript_project as js
from proctor.frameworks.javascript_reader import JavascriptReader
from proctor.frameworks.javascript_select import Selection, select, wishes
from proctor.model.plan import Command, Detection, Task
from proctor.ports import ProjectView, Reader

_HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reporters")
REPORTER = os.path.join(_HERE, "proctor_node_test.mjs")
BESIDE = os.path.join(_HERE, "proctor_node_test_file.cjs")
_IMPORT = re.compile(r"""(?:from\s*|require\(\s*|import\s*)['"]node:test['"]""")
_MOST_FILES = 50
_VALUED = frozenset({"--test-reporter", "--test-reporter-destination"})
_BARE = frozenset({"--test", "--watch"})
_TEST_FILE = re.compile(r"(^|/)(test/.*|test|test-[^/]*|[^/]*[.\-_]test)\.[cm]?js$")
"""What `node --test` runs when it is given no file."""


class NodeTestFramework:
    """The test runner that Node.js brings along, version 20 or newer."""

    @property
    def name(self) -> str:
        """The name to ask for."""
        return "node-test"

    def detect(self, project: ProjectView) -> Detection | None:
        """Tell how surely a project's tests are those of `node --test`."""
        found = dict(_signs(project))
        if not found:
            return None
        return Detection(framework=self.name, confidence=max(found.values()), reasons=tuple(found))

    def command(self, task: Task, project: ProjectView) -> Command:
        """Return the call of `node --test`, with what the project's own script adds to it."""
        script = _script(project)
        chosen = select(task, project, leaf_only=True)
        options, files = _split(js.without_options(script.arguments, _VALUED, _BARE) if script else ())
        argv = (
            js.node(project),
            f"--require={BESIDE}",
            *options,
            "--test",
            "--test-reporter=spec",
            "--test-reporter-destination=stdout",
            f"--test-reporter={REPORTER}",
            "--test-reporter-destination=stdout",
            *((f"--test-concurrency={task.parallel}",) if task.parallel > 1 else ()),
            *((f"--test-name-pattern={chosen.names}",) if chosen.names else ()),
            *task.arguments,
            *_files(chosen, files, project),
        )
        environment = {**(script.environment if script else {}), **wishes(task), "CI": "true"}
        return Command(argv=argv, cwd=task.root, channel=True, environment=environment)

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return the reader of one attempt; ``attempt`` is the number of each test's first try in it."""
        return JavascriptReader("node --test", attempt)


def _script(project: ProjectView) -> js.Script | None:
    script = js.find_script(js.read_package(project), "node")
    return script if script is not None and "--test" in script.arguments else None


def _signs(project: ProjectView) -> Iterator[tuple[str, int]]:
    script = _script(project)
    if script is not None:
        yield f"package.json: the script {script.name!r} calls node --test", js.BY_SCRIPT
    files = (*project.find("*test.[jt]s"), *project.find("*test.[cm][jt]s"), *project.find("test/*.js"))
    for file in files[:_MOST_FILES]:
        if _IMPORT.search(project.read_text(file)):
            yield f"{file} imports node:test", js.BY_DEPENDENCY
            return


def _split(words: Iterator[str] | tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Part the options of a script from the files that it names."""
    options: list[str] = []
    files: list[str] = []
    takes_value = False
    for word in words:
        (options if word.startswith("-") or takes_value else files).append(word)
        takes_value = word in (
            "--import",
            "--require",
            "-r",
            "--loader",
            "--experimental-loader",
            "--conditions",
            "-C",
        )
    return tuple(options), tuple(files)


def _files(chosen: Selection, given: tuple[str, ...], project: ProjectView) -> tuple[str, ...]:
    """Node 20 expands no patterns and leaves nothing out: where either is asked for, the files are named."""
    if chosen.files:
        return chosen.files
    if not given and not chosen.left_out:
        return ()
    files: list[str] = []
    for pattern in given:
        files += project.find(_find_pattern(pattern)) if any(mark in pattern for mark in "*?[") else [pattern]
    if not given:
        files = [file for file in project.find("*.*js") if _TEST_FILE.search(file)]
    return tuple(
        file
        for file in dict.fromkeys(files)
        if not any(
            fnmatch.fnmatch(file, pattern.rstrip("/")) or file.startswith(pattern)
            for pattern in chosen.left_out
        )
    )


def _find_pattern(pattern: str) -> str:
    """A double star may stand for no directory at all; the view's single star crosses directories anyway."""
    return pattern.removeprefix("./").replace("**/", "*")


FRAMEWORK = NodeTestFramework()
