"""Reads a plain command: its exit code alone, or the TAP or JUnit report that was asked for. Pure."""

import hashlib
from collections.abc import Iterable, Iterator

from proctor.formats.junit import JunitReader
from proctor.formats.tap import TapReader
from proctor.model.event import (
    CaseEnded,
    CaseStarted,
    Collected,
    Noted,
    ProblemFound,
    ReaderEvent,
    ReportEnded,
)
from proctor.ports import Stream

SHELL = "/bin/sh"
TAIL = 4096


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
