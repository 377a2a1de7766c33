"""What will be done: the command, where it may reach, and its limits. Made by planning, run by the engine."""

import msgspec

from proctor.model.request import DEFAULT_CPUS, DEFAULT_MEMORY, DEFAULT_TIMEOUT, GIB, MIB


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The most that one run may take. Times in seconds, sizes in bytes."""

    timeout: float = DEFAULT_TIMEOUT
    grace: float = 0.5
    memory: int = DEFAULT_MEMORY
    cpus: float = DEFAULT_CPUS
    processes: int = 1024
    open_files: int = 4096
    file_size: int = 2 * GIB
    temp_size: int = 1 * GIB
    output: int = 64 * MIB
    channel: int = 2 * GIB


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run may reach. Paths are absolute; everything else is readable but not writable."""

    network: bool = False
    writable: tuple[str, ...] = ()
    readonly: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One command line of a framework, and by which ways it reports.

    ``channel``: the command streams events to the descriptor named by ``PROCTOR_CHANNEL``.
    ``stdout_is_channel``: what it prints on stdout are its events, so that a killed Proctor loses none.
    ``caches``: variables that name directories which the tool may write and finds again in the project's next
    run, such as ``{"GOCACHE": "go-build"}``.
    ``reports``: patterns, relative to ``cwd``, of the report files that it leaves behind.
    """

    argv: tuple[str, ...]
    cwd: str
    environment: dict[str, str] = {}
    channel: bool = False
    stdout_is_channel: bool = False
    caches: dict[str, str] = {}
    reports: tuple[str, ...] = ()


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a sandbox is handed: a command with its whole environment, its limits, and its files.

    ``channel_path`` is a file that the command may append to through an inherited descriptor, never by name.
    ``scratch`` is a private directory of the run that becomes its temporary directory.
    """

    command: Command
    environment: dict[str, str]
    policy: Policy
    limits: Limits
    scratch: str
    channel_path: str = ""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What a framework is asked to turn into a command."""

    root: str
    pattern: str = ""
    tests: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    parallel: int = 0
    arguments: tuple[str, ...] = ()
    command: str = ""
    reports: tuple[str, ...] = ()


class Detection(msgspec.Struct, frozen=True, kw_only=True):
    """That a framework was found, how sure that is (0 to 100) and why."""

    framework: str
    confidence: int
    reasons: tuple[str, ...] = ()


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """One run, decided: what to run, how it is isolated, and what it is called."""

    project: str
    root: str
    name: str
    framework: str
    category: str
    task: Task
    command: Command
    policy: Policy
    limits: Limits
    sandbox: str
    retries: int = 0
