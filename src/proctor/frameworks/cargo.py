"""cargo test: the tests of a Rust package or workspace, with libtest's own report on stable Rust. Pure."""

import json
import os
import posixpath
import re
import sys
from collections.abc import Iterator

from proctor.model.errors import ToolMissing
from proctor.model.plan import Command, Detection, Task
from proctor.ports import ProjectView, Reader

REPORTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reporters", "proctor_cargo.py")
OURS = ("--no-fail-fast", "--message-format")
"""Options of cargo that this module sets itself; cargo refuses them twice."""


class CargoFramework:
    """Unit, integration and documentation tests, as ``cargo test`` runs them."""

    @property
    def name(self) -> str:
        """The name to ask for."""
        return "cargo"

    def detect(self, project: ProjectView) -> Detection | None:
        """Tell whether the project is a Rust package or workspace."""
        reasons = tuple(signs(project))
        return Detection(framework=self.name, confidence=90, reasons=reasons) if reasons else None

    def command(self, task: Task, project: ProjectView) -> Command:
        """Return the call of our launcher, which starts cargo with our runner for every test binary."""
        mine, theirs = split_arguments(task.arguments)
        wishes = {
            "root": task.root,
            "tests": task.tests,
            "pattern": task.pattern,
            "exclude": task.exclude,
        }
        cargo = (find_cargo(project), "test", "--no-fail-fast", "--message-format=json")
        return Command(
            argv=(sys.executable, "-I", "-S", REPORTER, "launch", json.dumps(wishes), *cargo, *mine, *theirs),
            cwd=task.root,
            environment={"RUST_TEST_THREADS": str(task.parallel)} if task.parallel else {},
            channel=True,
            caches=target_cache(project),
        )

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return the reader of one attempt."""
        # Needed only once the command runs: what is imported before delays its start.
        from proctor.frameworks.cargo_reader import CargoReader

        return CargoReader(task, attempt)


def signs(project: ProjectView) -> Iterator[str]:
    """Say what makes this a Rust project."""
    manifest = project.read_text("Cargo.toml") if project.exists("Cargo.toml") else ""
    for section in ("package", "workspace"):
        if re.search(rf"^\s*\[{section}\]", manifest, re.MULTILINE):
            yield f"Cargo.toml describes a {section}"


def find_cargo(project: ProjectView) -> str:
    """Return the cargo that the caller would start."""
    environment = project.environment
    home = environment.get("CARGO_HOME") or posixpath.join(environment.get("HOME", "/root"), ".cargo")
    for folder in (*environment.get("PATH", "").split(":"), posixpath.join(home, "bin")):
        if folder.startswith("/") and project.exists(posixpath.join(folder, "cargo")):
            return posixpath.join(folder, "cargo")
    hint = "install Rust (rustup or the distribution's cargo package) and put cargo on the PATH"
    raise ToolMissing("cargo is not installed", hint=hint)


def split_arguments(arguments: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is for cargo, without what we set ourselves, and what is for the test binaries."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    mine: list[str] = []
    before = ""
    for argument in arguments[:at]:
        if argument.partition("=")[0] not in OURS and before != "--message-format":
            mine.append(argument)
        before = argument
    return tuple(mine), arguments[at:]


def target_cache(project: ProjectView) -> dict[str, str]:
    """A member of a workspace builds into the workspace, which a run may not write: it gets its own place."""
    asked = project.environment.get("CARGO_TARGET_DIR", "")
    outside = posixpath.relpath(posixpath.join(project.root, asked), project.root).startswith("..")
    if asked and not outside:
        return {}
    return {"CARGO_TARGET_DIR": "cargo-target"} if asked or _is_member(project) else {}


def _is_member(project: ProjectView) -> bool:
    if "workspace" in " ".join(signs(project)):
        return False
    folder = posixpath.dirname(project.root)
    while folder not in ("", "/"):
        if "[workspace" in project.read_text(posixpath.join(folder, "Cargo.toml")):
            return True
        folder = posixpath.dirname(folder)
    return False


FRAMEWORK = CargoFramework()
