"""Which implementations there are, by name. Each is imported only when it is used."""

import importlib
from functools import cache
from pathlib import Path
from typing import cast

from proctor.model.errors import BadRequest, SandboxUnavailable
from proctor.ports import Executor, Framework, Sandbox

_SANDBOXES = {
    "bubblewrap": "proctor.sandboxes.bubblewrap:BubblewrapSandbox",
    "landlock": "proctor.sandboxes.landlock:LandlockSandbox",
    "off": "proctor.sandboxes.bare:BareSandbox",
}
_STRONGEST_FIRST = ("bubblewrap", "landlock")
_EXECUTORS = {"local": "proctor.executors.local:LocalExecutor"}


@cache
def load_sandbox(name: str) -> Sandbox:
    """Return the sandbox of that name."""
    return cast(Sandbox, _load("proctor.sandboxes", _SANDBOXES, name))


def load_executor(name: str) -> Executor:
    """Return the executor of that name."""
    return cast(Executor, _load("proctor.executors", _EXECUTORS, name))


def sandbox_candidates(mode: str) -> tuple[Sandbox, ...]:
    """Return the sandboxes to try for a mode, the strongest first. `auto` never ends in none."""
    return tuple(load_sandbox(name) for name in (_STRONGEST_FIRST if mode == "auto" else (mode,)))


def no_sandbox(refusals: list[SandboxUnavailable]) -> SandboxUnavailable:
    """Return the error for a machine on which no sandbox works."""
    if len(refusals) == 1:
        return refusals[0]
    reasons = "; ".join(refusal.message for refusal in refusals)
    return SandboxUnavailable(f"no sandbox works here: {reasons}", hint=refusals[0].hint)


@cache
def frameworks() -> dict[str, Framework]:
    """Return every framework that ships with Proctor, by name."""
    package = importlib.import_module("proctor.frameworks")
    found: dict[str, Framework] = {}
    for path in sorted(Path(package.__path__[0]).glob("*.py")):
        # Most modules there are parts of one: reading a file is cheaper than importing it.
        if b"\nFRAMEWORK" in path.read_bytes():
            framework = importlib.import_module(f"proctor.frameworks.{path.stem}").FRAMEWORK
            found[framework.name] = framework
    return found


@cache
def all_frameworks() -> dict[str, Framework]:
    """Return the shipped frameworks and those that installed packages add (slower)."""
    return {**_entry_points("proctor.frameworks"), **frameworks()}


def _entry_points(group: str) -> dict[str, Framework]:
    metadata = importlib.import_module("importlib.metadata")
    return {point.name: point.load() for point in metadata.entry_points(group=group)}


def _load(group: str, table: dict[str, str], name: str) -> object:
    if name in table:
        module, _, attribute = table[name].partition(":")
        return getattr(importlib.import_module(module), attribute)()
    added = _entry_points(group)
    if name in added:
        return added[name]
    raise BadRequest(
        f"unknown {group.rsplit('.', 1)[1]}: {name}", hint=f"known: {', '.join([*table, *added])}"
    )
