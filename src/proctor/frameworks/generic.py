"""Any command as a test: its exit code decides, or the TAP or JUnit report that was asked for. Pure."""

import hashlib
from collections.abc import Iterable, Iterator

from proctor.formats.junit import JunitReader
from proctor.formats.tap import TapReader
from proctor.model.errors import BadRequest
from proctor.model.event import (
    CaseEnded,
    CaseStarted,
    Collected,
    Noted,
    ProblemFound,
    ReaderEvent,
    ReportEnded,
)
from proctor.model.plan import Command, Detection, Task
from proctor.ports import ProjectView, Reader, Stream

SHELL = "/bin/sh"
TAIL = 4096
REPORTS_HINT = "write `tap` for TAP on stdout, or `junit:PATTERN` for JUnit files in the project"


class GenericFramework:
    """Runs a command line through the shell. Never detected: it is only used when a command is given."""

    @property
    def name(self) -> str:
        """The name to ask for."""
        return "generic"

    def detect(self, project: ProjectView) -> Detection | None:
        """Nothing in a project says that a plain command is its test."""
        return None

    def command(self, task: Task, project: ProjectView) -> Command:
        """Return the shell's call of the command line, in the project's root."""
        if not task.command.strip():
            raise BadRequest("the command is empty", hint="give one, for example 'make test'")
        patterns = read_wishes(task.reports)[1]
        return Command(argv=(SHELL, "-c", task.command), cwd=task.root, reports=patterns)

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return the reader of the reports that were asked for, or of the exit code alone."""
        if not task.reports:
            return ExitCodeReader(task.command, attempt)
        tap, patterns = read_wishes(task.reports)
        return ReportReader(tap, patterns, attempt)


def read_wishes(reports: tuple[str, ...]) -> tuple[bool, tuple[str, ...]]:
    """Return whether TAP is expected on stdout, and the patterns of the JUnit files that are expected."""
    patterns = []
    for wish in reports:
        pattern = wish.removeprefix("junit:")
        if wish == "tap":
            continue
        if not pattern or (pattern == wish and not wish.endswith(".xml")):
            raise BadRequest(f"unknown report {wish[:80]!r}", hint=REPORTS_HINT)
        if pattern.startswith("/") or ".." in pattern.split("/"):
            raise BadRequest(f"the report {wish[:80]!r} lies outside the project", hint=REPORTS_HINT)
        patterns.append(pattern)
    return "tap" in reports, tuple(patterns)


class ExitCodeReader:
    """The command is the one case; its exit code decides."""

    def __init__(self, command: str, attempt: int) -> None:
        self._command = command
        self._attempt = attempt
        self._started = False
        self._tail = bytearray()

    def feed(self, stream: Stream, data: bytes) -> Iterable[ReaderEvent]:
        """Keep the end of what is printed, for the error text."""
        self._tail += data[-TAIL:]
        del self._tail[:-TAIL]
        # A shell that complains first has not found the command: then no case ever began.
        if self._started or data.startswith((b"sh: ", SHELL.encode() + b": ")):
            return ()
        return tuple(self._start())

    def finish(self, exit_code: int | None) -> Iterable[ReaderEvent]:
        """End the case as the exit code says; without one it stays unfinished."""
        said = self._tail.decode("utf-8", "backslashreplace").strip()
        if exit_code in (126, 127) and not self._started:
            message = said or f"the shell could not run the command (exit code {exit_code})"
            return (ProblemFound(kind="missing_tool", message=message, fatal=True),)
        return (*self._start(), *self._end(exit_code, said))

    def _start(self) -> Iterator[ReaderEvent]:
        if not self._started:
            self._started = True
            yield Collected(total=1)
            yield CaseStarted(id=self._command, name=self._command, attempt=self._attempt)

    def _end(self, exit_code: int | None, said: str) -> Iterator[ReaderEvent]:
        if exit_code is None:
            return
        failed = exit_code != 0
        error = f"the command ended with exit code {exit_code}" + (f"\n{said}" if said else "")
        yield CaseEnded(
            id=self._command,
            name=self._command,
            attempt=self._attempt,
            status="fail" if failed else "pass",
            error=error if failed else "",
        )
        yield ReportEnded(total=1, exit_code=exit_code)


class ReportReader:
    """The cases are those of the TAP on stdout and of the JUnit files that the command leaves."""

    def __init__(self, tap: bool, patterns: tuple[str, ...], attempt: int) -> None:
        self._tap = TapReader(attempt) if tap else None
        self._patterns = patterns
        self._attempt = attempt
        self._total = 0
        self._whole = True
        self._documents: set[bytes] = set()

    def feed(self, stream: Stream, data: bytes) -> Iterable[ReaderEvent]:
        """Read TAP as it is printed, and each JUnit file when it is handed over."""
        if stream == "report":
            return self._document(data)
        if stream == "stdout" and self._tap is not None:
            return tuple(self._tap.feed(data))
        return ()

    def finish(self, exit_code: int | None) -> Iterable[ReaderEvent]:
        """Say what is missing; only a whole report of every kind that was asked for counts as read."""
        events: list[ReaderEvent] = []
        if self._tap is not None:
            events += self._tap.close(exit_code)
            self._total += self._tap.total
            self._whole &= self._tap.whole
        if self._patterns and not self._documents:
            self._whole = False
            events += _no_report(self._patterns, exit_code)
        if self._whole and exit_code is not None:
            events.append(ReportEnded(total=self._total, exit_code=exit_code))
        return tuple(events)

    def _document(self, data: bytes) -> Iterable[ReaderEvent]:
        digest = hashlib.sha256(data).digest()
        if data and digest in self._documents:
            return (Noted(message="a report file has the same content as another: it is counted once"),)
        self._documents.add(digest)
        reader = JunitReader(self._attempt)
        events = (*reader.feed(data), *reader.close())
        self._total += reader.total
        self._whole &= reader.whole
        return events


def _no_report(patterns: tuple[str, ...], exit_code: int | None) -> Iterator[ReaderEvent]:
    message = f"the command left no new report at {', '.join(patterns)}"
    if exit_code == 0:
        yield ProblemFound(kind="report", message=message)
    elif exit_code is not None:
        # It failed before it could report: the exit code says enough, this says what was waited for.
        yield Noted(message=message)


FRAMEWORK = GenericFramework()
