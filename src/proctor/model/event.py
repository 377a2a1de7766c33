"""Everything that can happen in a run: one closed, tagged union. The journal is a list of these."""

from typing import Literal

import msgspec

from proctor.model.case import Assertion, CaseStatus
from proctor.model.request import TestRequest

EndCause = Literal["finished", "timeout", "cancelled", "interrupted", "not_started"]
ProblemKind = Literal[
    "collection", "import", "build", "setup", "teardown", "internal", "worker", "unhandled",
    "channel", "report", "totals", "tampering", "resource", "sandbox", "missing_tool", "usage", "stopped",
]  # fmt: skip


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", omit_defaults=True):
    at: float = 0.0


class RunQueued(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="run_queued"):
    """A run was accepted. First event of every journal."""

    run_id: str
    project: str
    root: str
    name: str
    framework: str
    category: str
    request: TestRequest
    commit: str = ""
    branch: str = ""
    version: str = ""


class RunStarted(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="run_started"):
    """The command of one attempt was started."""

    argv: tuple[str, ...]
    cwd: str
    sandbox: str
    enforced: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()
    attempt: int = 1
    pid: int = 0


class Collected(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="collected"):
    """The framework said how many cases it is going to run."""

    total: int
    deselected: int = 0


class CaseStarted(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="case_started"):
    """A case began. If no end follows, it is `unfinished`."""

    id: str
    name: str = ""
    package: str = ""
    file: str = ""
    line: int = 0
    attempt: int = 1


class CaseEnded(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="case_ended"):
    """One attempt of a case ended. `retried` marks one that its framework follows by another try."""

    id: str
    name: str = ""
    package: str = ""
    file: str = ""
    line: int = 0
    attempt: int = 1
    status: CaseStatus
    duration: float = 0.0
    detail: str = ""
    output: str = ""
    error: str = ""
    stack_trace: str = ""
    assertions: tuple[Assertion, ...] = ()
    retried: bool = False


class ProblemFound(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="problem"):
    """Something wrong outside a case. A run with one is never `passed`.

    ``fatal``: the problem means that the tests could not be run as asked (build, import, missing tool).
    """

    kind: ProblemKind
    message: str
    file: str = ""
    line: int = 0
    stack_trace: str = ""
    fatal: bool = False


class Noted(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="note"):
    """Something worth telling that does not change the verdict."""

    message: str


class ReportEnded(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="report_ended"):
    """The framework's own report was read to its end; ``total`` is the number of cases it says it ran."""

    total: int
    exit_code: int | None = None


class MetricSeen(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="metric"):
    """A measured number of the run, such as its peak memory."""

    key: str
    value: float


class OutputKept(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="output"):
    """What the command printed: its head and tail, and where the rest is."""

    size: int
    head: str = ""
    tail: str = ""
    blob: str = ""
    dropped: int = 0


class ProcessEnded(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="process_ended"):
    """The command of one attempt is gone, with all its descendants."""

    exit_code: int | None = None
    signal: int = 0
    attempt: int = 1
    out_of_memory: bool = False


class RunEnded(_Event, frozen=True, kw_only=True, omit_defaults=True, tag="run_ended"):
    """Nothing more will happen. Last event of every whole journal."""

    cause: EndCause
    message: str = ""
    duration: float = 0.0


Event = (
    RunQueued | RunStarted | Collected | CaseStarted | CaseEnded | ProblemFound | Noted | ReportEnded
    | MetricSeen | OutputKept | ProcessEnded | RunEnded
)  # fmt: skip

ReaderEvent = Collected | CaseStarted | CaseEnded | ProblemFound | Noted | ReportEnded | MetricSeen
"""What a framework's reader may say; the rest is the engine's to say."""
