"""Turns the pytest reporter's lines into events and holds its totals against each other. Never raises."""

import binascii
import posixpath
from collections.abc import Iterator
from typing import assert_never

import msgspec

from proctor.frameworks import pytest_wire as wire
from proctor.frameworks.pytest_totals import Totals
from proctor.model.case import Assertion
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


class PytestReader:
    """Reads one attempt. ``first_attempt`` is the number that the first try of every test gets."""

    def __init__(self, first_attempt: int) -> None:
        self._offset = first_attempt - 1
        self._pending = bytearray()
        self._next = 0
        self._crc = 0
        self._faulty = False
        self._done = False
        self._open: dict[int, wire.StartLine] = {}
        self._retrying: set[str] = set()
        self._totals = Totals()

    def feed(self, stream: Stream, data: bytes) -> Iterator[ReaderEvent]:
        """Take the next bytes of the channel; what is printed is no evidence and is not read."""
        if stream != "channel" or not data:
            return
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            line = bytes(self._pending) + data[start : end + 1]
            self._pending.clear()
            start = end + 1
            yield from self._line(line)
        self._pending += data[start:]
        if len(self._pending) > wire.LONGEST_LINE:
            self._pending.clear()
            yield from self._fault("a line without end")

    def finish(self, exit_code: int | None) -> Iterator[ReaderEvent]:
        """All is read. A line that was cut off, or an end that is missing, is for the verdict to see."""
        if self._done and self._pending:
            yield from self._fault("text after its end")

    def _fault(self, what: str) -> Iterator[ReaderEvent]:
        if not self._faulty:
            self._faulty = True
            message = f"the report was damaged or forged: it contains {what}"
            yield ProblemFound(kind="channel", message=message)

    def _line(self, data: bytes) -> Iterator[ReaderEvent]:
        try:
            line = wire.decode(data)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            yield from self._fault("a line that the reporter did not write")
            return
        if self._done:
            yield from self._fault("text after its end")
        if line.n != self._next:
            yield from self._fault(f"line {line.n} where line {self._next} should be")
        if line.n >= self._next and not self._done:
            self._next = line.n + 1
            if isinstance(line, wire.DoneLine) and data != line.as_written():
                yield from self._fault("a last line that the reporter did not write")
            yield from self._event(line)
        self._crc = binascii.crc32(data, self._crc)

    def _event(self, line: wire.Line) -> Iterator[ReaderEvent]:
        match line:
            case wire.StartLine():
                yield self._start(line)
            case wire.EndLine():
                yield from self._end(line)
            case wire.ProblemLine():
                yield self._problem(line)
            case wire.CollectedLine():
                self._totals.collected += 0 if line.extra else line.total
                yield Collected(total=line.total, deselected=line.deselected)
            case wire.Header():
                pass
            case wire.NoteLine():
                yield Noted(message=line.message)
            case wire.SessionLine():
                self._totals.session = line
            case wire.DoneLine():
                yield from self._finish(line)
            case _:
                assert_never(line)

    def _start(self, line: wire.StartLine) -> ReaderEvent:
        self._open[line.n] = line
        return CaseStarted(
            id=line.id,
            name=line.name,
            package=_package(line.file),
            file=line.file,
            line=line.line,
            attempt=line.attempt + self._offset,
        )

    def _end(self, line: wire.EndLine) -> Iterator[ReaderEvent]:
        start = self._open.pop(line.of, None)
        if start is None:
            yield from self._fault("the end of a test that had not begun")
            return
        self._totals.add(line)
        (self._retrying.add if line.retried else self._retrying.discard)(start.id)
        yield CaseEnded(
            id=start.id,
            name=start.name,
            package=_package(start.file),
            file=start.file,
            line=line.line or start.line,
            attempt=start.attempt + self._offset,
            status=line.s,
            duration=line.t,
            detail=line.detail,
            output=line.out,
            error=line.err,
            stack_trace=line.trace,
            assertions=tuple(_assertion(check) for check in line.checks),
            retried=line.retried,
        )

    def _problem(self, line: wire.ProblemLine) -> ReaderEvent:
        self._totals.problems += 1
        self._totals.failed_reports += line.report
        return ProblemFound(
            kind=line.kind,
            message=line.message,
            file=line.file,
            line=line.line,
            stack_trace=line.trace,
            fatal=line.fatal,
        )

    def _finish(self, line: wire.DoneLine) -> Iterator[ReaderEvent]:
        self._done = True
        if line.crc != self._crc:
            yield from self._fault("bytes that the reporter did not write")
        for test in sorted(self._retrying):
            yield ProblemFound(kind="totals", message=f"{test} was to be tried again, and never was")
        yield from self._totals.compare(line)
        yield ReportEnded(total=line.total, exit_code=line.code)


def _assertion(check: tuple[str, str, str, str]) -> Assertion:
    description, expected, actual, message = check
    return Assertion(
        description=description,
        passed=False,
        expected_value=expected,
        actual_value=actual,
        error_message=message,
    )


def _package(file: str) -> str:
    stem = posixpath.splitext(file)[0]
    return stem.removesuffix("/__init__").replace("/", ".") if not stem.startswith("..") else ""
