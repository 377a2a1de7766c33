"""Turns the lines of our JavaScript reporters into events and holds their totals together. Never raises."""

import binascii
import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from typing import assert_never

import msgspec

from proctor.formats.text import BoundedText
from proctor.frameworks import javascript_wire as wire
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

_SAID = 8 * 1024
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ERROR = re.compile(r"\W*(?:ERROR: )?\w*Error(?: \[\w+\])?: ")


class JavascriptReader:
    """Reads one attempt. ``first_attempt`` is the number that the first try of every test gets.

    ``no_tests`` is what the tool prints when it finds no test at all: then it never calls a reporter.
    """

    def __init__(self, tool: str, first_attempt: int, no_tests: str = "") -> None:
        self._tool = tool
        self._no_tests = no_tests
        self._offset = first_attempt - 1
        self._pending = bytearray()
        self._next = 0
        self._crc = 0
        self._faulty = False
        self._done = False
        self._open: dict[int, wire.StartLine] = {}
        self._retrying: set[str] = set()
        self._seen: Counter[str] = Counter()
        self._said = {"stdout": BoundedText(_SAID), "stderr": BoundedText(_SAID)}

    def feed(self, stream: Stream, data: bytes) -> Iterator[ReaderEvent]:
        """Take the next bytes. What is printed is no evidence: it may explain a run that never began."""
        if stream != "channel":
            if self._next <= 1 and stream in self._said:
                self._said[stream].add(data.decode("utf-8", "backslashreplace"))
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
        if self._pending and (self._done or not self._next):
            yield from self._fault("text after its end" if self._done else "no whole line")
        never_began = self._next <= 1 and not self._done and not self._faulty
        if never_began and exit_code is not None and exit_code != 0:
            yield self._explain(exit_code)

    def _explain(self, exit_code: int) -> ReaderEvent:
        said = {stream: str(text).strip() for stream, text in self._said.items()}
        if self._no_tests and any(self._no_tests in text for text in said.values()):
            return ReportEnded(total=0, exit_code=exit_code)
        why = said["stderr"] or said["stdout"]
        message = f"{self._tool} ended with exit code {exit_code} before any test could run"
        return ProblemFound(
            kind="usage", message=f"{message}: {_telling_line(why)}", stack_trace=why, fatal=True
        )

    def _fault(self, what: str) -> Iterator[ReaderEvent]:
        if not self._faulty:
            self._faulty = True
            message = f"the report was damaged or forged: it contains {what}"
            yield ProblemFound(kind="channel", message=message)

    def _line(self, data: bytes) -> Iterator[ReaderEvent]:
        try:
            line = wire.decode(data)
        except (msgspec.DecodeError, RecursionError):
            yield from self._fault("a line that the reporter did not write")
            return
        if self._done:
            yield from self._fault("text after its end")
        if line.n != self._next:
            yield from self._fault(f"line {line.n} where line {self._next} should be")
        if line.n >= self._next and not self._done:
            self._next = line.n + 1
            yield from self._event(line)
        self._crc = binascii.crc32(data, self._crc)

    def _event(self, line: wire.Line) -> Iterator[ReaderEvent]:
        match line:
            case wire.StartLine():
                yield self._start(line)
            case wire.EndLine():
                yield from self._end(line)
            case wire.ProblemLine():
                yield _problem(line)
            case wire.CollectedLine():
                yield Collected(total=line.total, deselected=line.deselected)
            case wire.Header():
                yield Noted(message=f"{line.tool} {line.version}, {line.runtime}".replace(" ,", ","))
            case wire.NoteLine():
                yield Noted(message=line.message)
            case wire.DoneLine():
                yield from self._finish(line)
            case _:
                assert_never(line)

    def _start(self, line: wire.StartLine) -> ReaderEvent:
        self._open[line.n] = line
        return CaseStarted(
            id=line.id,
            name=line.name,
            package=posixpath.dirname(line.file),
            file=line.file,
            line=line.line,
            attempt=line.attempt + self._offset,
        )

    def _end(self, line: wire.EndLine) -> Iterator[ReaderEvent]:
        start = self._open.pop(line.of, None)
        if start is None:
            yield from self._fault("the end of a test that had not begun")
            return
        (self._retrying.add if line.retried else self._retrying.discard)(start.id)
        if not line.retried:
            self._seen[line.s] += 1
        yield CaseEnded(
            id=start.id,
            name=start.name,
            package=posixpath.dirname(start.file),
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

    def _finish(self, line: wire.DoneLine) -> Iterator[ReaderEvent]:
        self._done = True
        if line.crc != self._crc:
            yield from self._fault("bytes that the reporter did not write")
        for test in sorted(self._retrying):
            yield ProblemFound(kind="totals", message=f"{test} was to be tried again, and never was")
        for status, counted in sorted(line.counts.items()):
            seen = self._seen[status] if status != "total" else self._seen.total()
            if counted != seen:
                message = f"{self._tool} counted {counted} ({status}), {seen} were seen"
                yield ProblemFound(kind="totals", message=message)
        if line.total != self._seen.total():
            message = f"the reporter counted {line.total} tests, {self._seen.total()} were seen"
            yield ProblemFound(kind="totals", message=message)
        yield ReportEnded(total=line.total, exit_code=line.code)


def _problem(line: wire.ProblemLine) -> ReaderEvent:
    return ProblemFound(
        kind=line.kind,
        message=line.message,
        file=line.file,
        line=line.line,
        stack_trace=line.trace,
        fatal=line.fatal,
    )


def _assertion(check: tuple[str, str, str, str]) -> Assertion:
    description, expected, actual, message = check
    return Assertion(
        description=description,
        passed=False,
        expected_value=expected,
        actual_value=actual,
        error_message=message,
    )


def _telling_line(text: str) -> str:
    """Return the line that most likely says what is wrong."""
    lines = [line.strip() for line in _COLOUR.sub("", text).splitlines() if line.strip()]
    telling = [line for line in lines if _ERROR.match(line)]
    return (telling or lines or ["it printed nothing"])[0]
