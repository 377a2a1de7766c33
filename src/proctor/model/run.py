"""A run from outside: its row in lists, its status, and the whole result as every frontend shows it."""

from typing import Literal

import msgspec

from proctor.model.case import Case, Summary

Verdict = Literal[
    "passed", "failed", "error", "timeout", "cancelled", "interrupted", "no_tests", "inconsistent"
]
RunStatus = Literal["UNKNOWN", "QUEUED", "RUNNING", "PASSED", "FAILED", "TIMEOUT", "CANCELLED", "INTERRUPTED"]

SCHEMA_VERSION = 1


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """An error outside any case."""

    kind: str
    message: str
    file: str = ""
    line: int = 0
    stack_trace: str = ""


class SandboxReport(msgspec.Struct, frozen=True, kw_only=True):
    """What isolation a run really had. ``unavailable`` names what was wanted and could not be had."""

    name: str = ""
    enforced: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """A kept file: its name, its size and the blob that holds it."""

    name: str
    size: int
    blob: str


class TestResult(msgspec.Struct, frozen=True, kw_only=True):
    """One run, whole. This is the JSON that the command line, HTTP and MCP show alike."""

    __test__ = False

    schema_version: int = SCHEMA_VERSION
    run_id: str
    project: str
    name: str
    framework: str
    category: str
    status: RunStatus
    verdict: Verdict | None
    success: bool
    reasons: tuple[str, ...] = ()
    exit_code: int | None = None
    timed_out: bool = False
    queued_at: str = ""
    started_at: str = ""
    ended_at: str = ""
    duration: float = 0.0
    summary: Summary = Summary()
    tests: tuple[Case, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""
    raw_output: str = ""
    artifacts: tuple[Artifact, ...] = ()
    metrics: dict[str, float] = {}
    sandbox: SandboxReport = SandboxReport()
    command: tuple[str, ...] = ()
    commit: str = ""
    branch: str = ""
    analysis: None = None


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run in a list, and all that the queue knows of it. Times: seconds since the epoch, 0 if not yet."""

    run_id: str
    project: str
    name: str
    framework: str
    category: str
    status: RunStatus
    verdict: Verdict | None = None
    queued_at: float = 0.0
    started_at: float = 0.0
    ended_at: float = 0.0
    duration: float = 0.0
    summary: Summary = Summary()
    error: str = ""
    commit: str = ""
    branch: str = ""
    owner: str = ""
    heartbeat_at: float = 0.0
    cancel_asked: bool = False
    detached: bool = False


class TestRow(msgspec.Struct, frozen=True, kw_only=True):
    """One test over all its runs, as `ListTests` shows it."""

    __test__ = False

    test_id: str
    name: str
    category: str
    project: str = ""
    framework: str = ""
    last_status: str = ""
    last_run_id: str = ""
    last_run_timestamp_ms: int = 0
    total_runs: int = 0
    pass_count: int = 0
    fail_count: int = 0
    average_duration_ms: int = 0


class CaseRow(msgspec.Struct, frozen=True, kw_only=True):
    """One ended case, as the store keeps it for history; its details stay in the journal."""

    test_id: str
    case_id: str
    name: str
    status: str
    duration: float
    attempts: int = 1


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One page of runs or tests, the token of the next one (empty at the end), and the count of all."""

    runs: tuple[RunRow, ...] = ()
    tests: tuple[TestRow, ...] = ()
    next_page_token: str = ""
    total_count: int = 0
