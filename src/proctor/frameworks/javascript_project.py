"""What a JavaScript project says about its tests: package.json, its scripts, its local programs. Pure."""

import json
import posixpath
import re
import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

from proctor.model.errors import ToolMissing
from proctor.model.plan import Detection
from proctor.ports import ProjectView

BY_SCRIPT, BY_CONFIG, BY_DEPENDENCY = 98, 88, 75
"""How sure each sign is. A script that names the tool outweighs whatever another tool left behind."""

_INSTALL = (
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn install --immutable"),
    ("bun.lock", "bun install --frozen-lockfile"),
    ("bun.lockb", "bun install --frozen-lockfile"),
    ("package-lock.json", "npm ci"),
)
_BEFORE_THE_TOOL = frozenset(
    {"npx", "cross-env", "c8", "nyc", "env", "exec", "run", "pnpm", "yarn", "npm", "--"}
)
_SHELL = re.compile(r"&&|\|\||;|\||\n")


class Script(NamedTuple):
    """How a script of package.json calls a tool: with what settings and arguments."""

    name: str
    environment: dict[str, str]
    arguments: tuple[str, ...]


def read_package(project: ProjectView, folder: str = "") -> dict[str, Any]:
    """Return a package.json, or nothing where it is missing or broken."""
    try:
        text = project.read_text(posixpath.join(folder, "package.json"))
        found = json.loads(text.removeprefix("\ufeff") or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def section(package: dict[str, Any], name: str) -> dict[str, Any]:
    """Return one table of package.json, empty if it is none."""
    found = package.get(name)
    return found if isinstance(found, dict) else {}


def detect(project: ProjectView, tool: str, configs: tuple[str, ...], key: str) -> Detection | None:
    """Tell how surely a tool that comes as a package runs the project's tests."""
    found = dict(_signs(project, tool, configs, key))
    if not found:
        return None
    return Detection(framework=tool, confidence=max(found.values()), reasons=tuple(found))


def _signs(project: ProjectView, tool: str, configs: tuple[str, ...], key: str) -> Iterator[tuple[str, int]]:
    package = read_package(project)
    script = find_script(package, tool)
    if script is not None:
        yield f"package.json: the script {script.name!r} calls {tool}", BY_SCRIPT
    for pattern in configs:
        for file in (found for found in project.find(pattern) if "/" not in found):
            yield f"{file} is there", BY_CONFIG
    if key and key in package:
        yield f"package.json configures {tool}", BY_CONFIG
    for table in ("devDependencies", "dependencies"):
        if tool in section(package, table):
            yield f"package.json: {tool} is among the {table}", BY_DEPENDENCY


def find_script(package: dict[str, Any], tool: str) -> Script | None:
    """Return the first test script that calls a tool, `test` before its variants."""
    scripts = section(package, "scripts")
    for name in sorted(
        (name for name in scripts if name.startswith("test")), key=lambda name: name != "test"
    ):
        for part in _SHELL.split(str(scripts[name])):
            call = read_call(part, tool)
            if call is not None:
                return Script(name, *call)
    return None


def read_call(text: str, tool: str) -> tuple[dict[str, str], tuple[str, ...]] | None:
    """Return the settings and arguments of a plain call of a tool, or None if the text is no such call."""
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    environment: dict[str, str] = {}
    for number, word in enumerate(words):
        variable, equals, value = word.partition("=")
        if posixpath.basename(word) == tool:
            return environment, tuple(words[number + 1 :])
        if equals and variable.isidentifier():
            environment[variable] = value
        elif word not in _BEFORE_THE_TOOL:
            return None
    return None


def node(project: ProjectView) -> str:
    """Return the program that runs JavaScript, or say that it is missing."""
    for folder in project.environment.get("PATH", "").split(":"):
        if folder.startswith("/") and project.exists(f"{folder}/node"):
            return "node"
    raise ToolMissing("node is not installed", hint="install Node.js 20 or newer")


def local_program(project: ProjectView, name: str) -> tuple[str, ...]:
    """Return the call of a tool that the project has installed, or say how to install it.

    Node is given the tool's own script: what lies in ``.bin`` is a link or a shell script, as the package
    manager likes.
    """
    folder = project.root
    while True:
        place = posixpath.join(folder, "node_modules", name)
        if script := _script_of(read_package(project, place), name):
            return (node(project), posixpath.join(place, script))
        if project.exists(posixpath.join(folder, ".pnp.cjs")):
            return ("yarn", "run", name)
        parent = posixpath.dirname(folder)
        if parent == folder:
            raise ToolMissing(f"{name} is not installed in {project.root}", hint=_hint(project, name))
        folder = parent


def _script_of(package: dict[str, Any], name: str) -> str:
    found = package.get("bin")
    script = found.get(name) if isinstance(found, dict) else found
    return posixpath.normpath(script) if isinstance(script, str) else ""


def _hint(project: ProjectView, name: str) -> str:
    install = next((command for file, command in _INSTALL if project.exists(file)), "npm install")
    package = read_package(project)
    if any(name in section(package, table) for table in ("devDependencies", "dependencies")):
        return f"install the project's dependencies: {install}"
    return f"add it to the project: {install.split()[0]} install --save-dev {name}"


def without_options(
    arguments: tuple[str, ...], valued: frozenset[str], bare: frozenset[str]
) -> Iterator[str]:
    """Leave out options that would make the tool watch, or report elsewhere."""
    skip = False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if skip:
            skip = False
        elif name in valued:
            skip = not equals
        elif name not in bare:
            yield argument
