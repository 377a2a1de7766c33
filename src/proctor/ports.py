"""Every seam of Proctor on one page: what a framework, a sandbox, an executor and a store must offer.

Arguments and returns are nouns of ``proctor.model``. The service picks the implementations and hands them to
the engine, which imports none of them.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

import msgspec

from proctor.model.event import ReaderEvent
from proctor.model.plan import Command, Detection, Job, Task
from proctor.model.run import CaseRow, Page, RunRow, SandboxReport

Stream = Literal["channel", "stdout", "stderr", "report"]


class ProjectView(Protocol):
    """A project as a framework may see it: read-only, bounded, without touching the disk itself.

    Paths are relative to the project's root, or absolute for files outside it (an interpreter, a cache).
    """

    @property
    def root(self) -> str: ...
    @property
    def environment(self) -> dict[str, str]: ...
    def exists(self, path: str) -> bool: ...
    def read_text(self, path: str) -> str: ...
    def find(self, pattern: str) -> tuple[str, ...]: ...


class Reader(Protocol):
    """Turns what one attempt of a command says into events. Never raises, whatever the bytes are."""

    def feed(self, stream: Stream, data: bytes) -> Iterable[ReaderEvent]:
        """Take the next bytes of a stream (for ``report``: one whole report file)."""

    def finish(self, exit_code: int | None) -> Iterable[ReaderEvent]:
        """All streams are at their end: say what is still open, missing or contradictory.

        ``exit_code`` is None when the command did not end by itself.
        """


class Framework(Protocol):
    """One test framework: how to recognise it, how to call it, how to read it. Pure."""

    @property
    def name(self) -> str: ...
    def detect(self, project: ProjectView) -> Detection | None: ...
    def command(self, task: Task, project: ProjectView) -> Command: ...
    def reader(self, task: Task, attempt: int) -> Reader: ...


class Exit(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended, and what it used.

    ``tampered`` are read-only paths that were changed where the sandbox could only watch them.
    """

    exit_code: int | None = None
    signal: int = 0
    out_of_memory: bool = False
    peak_memory: int = 0
    cpu_seconds: float = 0.0
    tampered: tuple[str, ...] = ()


class Process(Protocol):
    """A command at work in a sandbox. ``stdout`` and ``stderr`` are non-blocking descriptors to read from."""

    @property
    def pid(self) -> int: ...
    @property
    def stdout(self) -> int: ...
    @property
    def stderr(self) -> int: ...
    async def wait(self) -> Exit:
        """Return when the command has ended; whatever it left running is then killed."""

    def terminate(self) -> None:
        """Ask every process of the command to end (SIGTERM)."""

    def kill(self) -> None:
        """End every process of the command now, double-forked daemons included (SIGKILL)."""

    def close(self) -> None:
        """Give back all that the sandbox took: processes, descriptors, control groups, mounts. Idempotent."""


class Sandbox(Protocol):
    """A place where a command may run."""

    @property
    def name(self) -> str: ...
    def probe(self) -> SandboxReport:
        """Say what could be enforced on this machine now."""

    def start(self, job: Job) -> tuple[Process, SandboxReport]:
        """Start the command and say what is enforced; raise SandboxUnavailable rather than be weaker."""


class Executor(Protocol):
    """A machine that works through queued runs."""

    @property
    def name(self) -> str: ...
    def submit(self, run_id: str, home: str, lock: int) -> None:
        """Have a queued run taken up by a process that outlives this one.

        ``lock`` is the descriptor that marks the run as owned; the new process inherits it, so that the run
        is never without an owner while one lives.
        """


class Enqueued(msgspec.Struct, frozen=True, kw_only=True):
    """A run enters the queue."""

    row: RunRow


class Released(msgspec.Struct, frozen=True, kw_only=True):
    """The owner of a run died before it started anything: the run is queued again, at its old place."""

    run_id: str


class Beat(msgspec.Struct, frozen=True, kw_only=True):
    """The owner of a run is alive."""

    run_id: str
    owner: str
    at: float


class CancelAsked(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody wants a run to end."""

    run_id: str


class CasesEnded(msgspec.Struct, frozen=True, kw_only=True):
    """Cases of a run ended; telling it twice changes nothing."""

    run_id: str
    rows: Sequence[CaseRow]


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """A run is over; its cases count in the totals from now on, once, however often this is told."""

    row: RunRow


Change = Enqueued | Released | Beat | CancelAsked | CasesEnded | Ended


class RunQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which runs to list, newest first."""

    category: str = ""
    status: str = ""
    project: str = ""
    limit: int = 100
    page_token: str = ""


class TestQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which tests to list, by last run, newest first."""

    __test__ = False

    category: str = ""
    project: str = ""
    limit: int = 100
    page_token: str = ""


class Store(Protocol):
    """The index over all journals: the queue, the lists and the totals. It can always be rebuilt."""

    def record(self, *changes: Change) -> None: ...
    def claim(self, run_id: str, owner: str, at: float, limit: int) -> bool:
        """Make ``owner`` the one who runs it, if it is queued, next in line, and fewer than ``limit`` run."""

    def find(self, id_or_prefix: str) -> tuple[RunRow, ...]:
        """Return the run of that id, or up to ten whose id begins with it."""

    def runs(self, query: RunQuery) -> Page: ...
    def tests(self, query: TestQuery) -> Page: ...
