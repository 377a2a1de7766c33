"""How a JavaScript project is recognised and how its tool is called."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from proctor.frameworks import javascript_project as js
from proctor.frameworks.javascript_select import select
from proctor.frameworks.jest import FRAMEWORK as JEST
from proctor.frameworks.mocha import FRAMEWORK as MOCHA
from proctor.frameworks.node_test import FRAMEWORK as NODE_TEST
from proctor.frameworks.vitest import FRAMEWORK as VITEST
from proctor.model.errors import ToolMissing
from proctor.model.plan import Detection, Task
from proctor.ports import ProjectView

Make = Callable[..., ProjectView]


def package(**fields: Any) -> str:
    return json.dumps(fields)


def installed(tool: str, **fields: Any) -> dict[str, str]:
    place = f"/p/node_modules/{tool}"
    return {
        "package.json": package(devDependencies={tool: "*"}, **fields),
        f"{place}/package.json": package(bin={tool: f"./bin/{tool}.js"}),
    }


def test_a_script_outweighs_a_configuration_and_that_a_dependency(project: Make) -> None:
    view = project(
        {
            "package.json": package(
                scripts={"test": "vitest run"}, devDependencies={"vitest": "*", "mocha": "*"}
            ),
            "jest.config.js": "",
        }
    )
    found = [framework.detect(view) for framework in (VITEST, JEST, MOCHA, NODE_TEST)]
    assert [one and one.confidence for one in found] == [js.BY_SCRIPT, js.BY_CONFIG, js.BY_DEPENDENCY, None]


def test_a_broken_package_file_recognises_nothing(project: Make) -> None:
    for text in ("{", "[]", '{"scripts": 3}', "[" * 100_000):
        assert JEST.detect(project({"package.json": text})) is None


def test_files_that_import_the_built_in_runner_are_recognised(project: Make) -> None:
    view = project({"test/a.test.mjs": "import { test } from 'node:test';"})
    assert NODE_TEST.detect(view) == Detection(
        framework="node-test", confidence=js.BY_DEPENDENCY, reasons=("test/a.test.mjs imports node:test",)
    )


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("mocha spec", ({}, ("spec",))),
        ("npm run build && cross-env A=1 nyc mocha 'a b'", ({"A": "1"}, ("a b",))),
        ("node_modules/.bin/mocha -w", ({}, ("-w",))),
        ("echo mocha", None),
        ("mocha 'unclosed", None),
    ],
)
def test_the_call_of_a_tool_is_read_from_a_script(
    script: str, expected: tuple[dict[str, str], tuple[str, ...]] | None
) -> None:
    found = js.find_script({"scripts": {"test": script}}, "mocha")
    assert (found and (found.environment, found.arguments)) == expected


def test_what_a_script_adds_is_kept_but_for_watching_and_reporting(project: Make) -> None:
    view = project(installed("mocha", scripts={"test": "TZ=UTC mocha --watch -R dot --exit 'spec/*.js'"}))
    command = MOCHA.command(Task(root="/p"), view)
    assert command.argv[:4] == ("node", "/p/node_modules/mocha/bin/mocha.js", "--exit", "spec/*.js")
    assert command.environment == {"TZ": "UTC", "CI": "true"}


def test_a_tool_above_the_project_is_found(project: Make) -> None:
    view = project({"package.json": "{}", "/node_modules/jest/package.json": package(bin="bin/jest.js")})
    assert "/node_modules/jest/bin/jest.js" in JEST.command(Task(root="/p"), view).argv


def test_a_project_without_node_modules_uses_its_package_manager(project: Make) -> None:
    view = project({"package.json": "{}", ".pnp.cjs": ""})
    assert VITEST.command(Task(root="/p"), view).argv[:4] == ("yarn", "run", "vitest", "run")


@pytest.mark.parametrize(
    ("lock", "hint"),
    [("pnpm-lock.yaml", "pnpm install"), ("package-lock.json", "npm ci"), ("x", "npm install")],
)
def test_a_missing_tool_comes_with_the_command_that_installs_it(project: Make, lock: str, hint: str) -> None:
    view = project({"package.json": package(devDependencies={"jest": "*"}), lock: ""})
    with pytest.raises(ToolMissing) as raised:
        JEST.command(Task(root="/p"), view)
    assert hint in raised.value.hint


def test_a_machine_without_node_is_told_so(project: Make) -> None:
    with pytest.raises(ToolMissing):
        NODE_TEST.command(Task(root="/p"), project({}, PATH="/nowhere"))


def test_exact_tests_become_files_and_full_names(project: Make) -> None:
    task = Task(root="/p", tests=("t/a.js::A > b (c)", "t/a.js::d"))
    assert select(task, project({})) == (("t/a.js",), r"(?:^A b \(c\)$)|(?:^d$)", ())


def test_a_whole_file_among_the_tests_runs_all_of_it(project: Make) -> None:
    assert select(Task(root="/p", tests=("t/a.js", "t/b.js::x")), project({})).names == ""


def test_patterns_are_files_globs_or_expressions(project: Make) -> None:
    view = project({"t/a.test.js": "", "t/b.test.js": ""})
    assert select(Task(root="/p", pattern="t/*.test.js"), view).files == ("t/a.test.js", "t/b.test.js")
    assert select(Task(root="/p", pattern="adds*"), view).names == "adds.*"
    assert select(Task(root="/p", pattern="adds|takes"), view).names == "adds|takes"


def test_names_and_paths_can_be_left_out(project: Make) -> None:
    task = Task(root="/p", pattern="adds", exclude=("slow", "t/old/**"))
    assert select(task, project({})) == ((), "^(?!.*(?:slow))(?=.*(?:adds))", ("t/old/**",))


def test_the_built_in_runner_is_given_the_files_when_some_are_left_out(project: Make) -> None:
    view = project({"test/a.js": "", "test/old/b.js": "", "src/c.test.js": "", "src/d.js": ""})
    argv = NODE_TEST.command(Task(root="/p", exclude=("test/old/*",)), view).argv
    assert argv[-2:] == ("src/c.test.js", "test/a.js")


def test_parallel_runs_and_arguments_reach_each_tool(project: Make) -> None:
    task = Task(root="/p", parallel=3, arguments=("--extra",))
    for framework, option in (
        (NODE_TEST, "--test-concurrency=3"),
        (VITEST, "--maxWorkers=3"),
        (JEST, "--maxWorkers=3"),
        (MOCHA, "--jobs=3"),
    ):
        argv = framework.command(task, project(installed(framework.name))).argv
        assert {option, "--extra"} <= set(argv)
