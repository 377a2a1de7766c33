"""What configuration files may say, and how the user-wide file and the project's file become one.

A project's file is as trustworthy as the project: it may tune a run and tighten the sandbox, not leave it.
"""

from typing import TypeVar

import msgspec

_Number = TypeVar("_Number", int, float)


class SandboxSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is isolated. None or empty: the file says nothing."""

    enabled: bool | None = None
    mode: str = ""
    allow_network: bool | None = None
    max_memory: int | None = None
    max_cpu: float | None = None
    max_processes: int | None = None
    writable: tuple[str, ...] = ()
    readonly: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """One configuration file, or two merged. None or empty: the file says nothing.

    ``notes`` tells what one file asked for and another forbade.
    """

    framework: str = ""
    command: str = ""
    timeout: float | None = None
    max_timeout: float | None = None
    patterns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    category: str = ""
    retries: int | None = None
    parallel: int | None = None
    reports: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    sandbox: SandboxSettings = SandboxSettings()
    max_runs: int | None = None
    notes: tuple[str, ...] = ()


def merge(user: Settings, project: Settings) -> Settings:
    """Return the user-wide settings with the project's laid over them.

    The project wins, except that what the user-wide file calls ``max_…`` is the most a project may have,
    and that a user-wide ``allow_network: false`` stands. (A project's file cannot switch the sandbox off or
    name writable places at all: ``parse_settings`` refuses both.)
    """
    notes = [*user.notes, *project.notes]
    changes = {name: getattr(project, name) for name in _OVERRIDABLE if _is_set(getattr(project, name))}
    if _conflicting(project):
        changes = {"framework": project.framework, "command": project.command} | changes
    return msgspec.structs.replace(
        user,
        **changes,
        max_timeout=_least("max_timeout", user.max_timeout, project.max_timeout, notes),
        environment={**user.environment, **project.environment},
        sandbox=_merge_sandbox(user.sandbox, project.sandbox, notes),
        notes=tuple(notes),
    )


_OVERRIDABLE = (
    "framework", "command", "timeout", "patterns", "exclude", "category", "retries", "parallel",
    "reports", "arguments",
)  # fmt: skip


def _merge_sandbox(user: SandboxSettings, project: SandboxSettings, notes: list[str]) -> SandboxSettings:
    network = project.allow_network if project.allow_network is not None else user.allow_network
    if user.allow_network is False and project.allow_network:
        network = False
        notes.append("the project's file asks for the network, but the user-wide file forbids it")
    mode_on = project.mode or (user.mode if user.mode != "off" else "")
    switched_on = project.enabled or bool(project.mode)
    return SandboxSettings(
        enabled=True if switched_on else user.enabled,
        mode=mode_on if switched_on else user.mode,
        allow_network=network,
        max_memory=_least("max_memory", user.max_memory, project.max_memory, notes),
        max_cpu=_least("max_cpu", user.max_cpu, project.max_cpu, notes),
        max_processes=_least("max_processes", user.max_processes, project.max_processes, notes),
        writable=user.writable,
        readonly=(*user.readonly, *project.readonly),
        hidden=(*user.hidden, *project.hidden),
    )


def _least(name: str, user: _Number | None, project: _Number | None, notes: list[str]) -> _Number | None:
    if user is None or project is None:
        return project if user is None else user
    if project > user:
        notes.append(f"the project's file asks for a higher {name} than the user-wide file allows")
    return min(user, project)


def _conflicting(project: Settings) -> bool:
    """A project that says how it is tested is not mixed with the user-wide way of another kind."""
    return bool(project.framework or project.command)


def _is_set(value: object) -> bool:
    return value is not None and value not in ("", ())
