"""Turns the pytest reporter's lines into events and holds its totals against each other. Never raises."""

import posixpath
from collections.abc import Iterator
from typing import assert_never

from proctor.formats.channel import (
    CollectedLine,
    EndLine,
    NoteLine,
    NumberedLines,
    ProblemLine,
    StartLine,
    Tries,
)
from proctor.frameworks import pytest_wire as wire
from proctor.frameworks.pytest_totals import Totals
from proctor.model.event import Collected, Noted, ProblemFound, ReaderEvent, ReportEnded
from proctor.ports import Stream


class PytestReader:
    """Reads one attempt. ``first_attempt`` is the number that the first try of every test gets."""

    def __init__(self, first_attempt: int) -> None:
        self._lines: NumberedLines[wire.Line] = NumberedLines(wire.decode)
        self._tries = Tries(first_attempt, _package)
        self._totals = Totals()

    def feed(self, stream: Stream, data: bytes) -> Iterator[ReaderEvent]:
        """Take the next bytes of the channel; what is printed is no evidence and is not read."""
        if stream != "channel":
            return
        for line in self._lines.read(data):
            if isinstance(line, ProblemFound):
                yield line
            else:
                yield from self._event(line)

    def finish(self, exit_code: int | None) -> Iterator[ReaderEvent]:
        """All is read. A line that was cut off, or an end that is missing, is for the verdict to see."""
        if self._lines.done and self._lines.cut_off:
            yield from self._lines.fault("text after its end")

    def _event(self, line: wire.Line) -> Iterator[ReaderEvent]:
        match line:
            case StartLine():
                yield self._tries.start(line)
            case EndLine():
                yield from self._end(line)
            case ProblemLine():
                self._totals.problems += 1
                self._totals.failed_reports += line.report
                yield line.as_event()
            case CollectedLine():
                self._totals.collected += 0 if line.extra else line.total
                yield Collected(total=line.total, deselected=line.deselected)
            case wire.Header():
                pass
            case NoteLine():
                yield Noted(message=line.message)
            case wire.SessionLine():
                self._totals.session = line
            case wire.DoneLine():
                yield from self._finish(line)
            case _:
                assert_never(line)

    def _end(self, line: EndLine) -> Iterator[ReaderEvent]:
        ended = self._tries.end(line)
        if ended is None:
            yield from self._lines.fault("the end of a test that had not begun")
            return
        self._totals.add(line)
        yield ended

    def _finish(self, line: wire.DoneLine) -> Iterator[ReaderEvent]:
        self._lines.done = True
        if self._lines.current != line.as_written():
            yield from self._lines.fault("a last line that the reporter did not write")
        if line.crc != self._lines.crc:
            yield from self._lines.fault("bytes that the reporter did not write")
        yield from self._tries.never_tried_again()
        yield from self._totals.compare(line)
        yield ReportEnded(total=line.total, exit_code=line.code)


def _package(file: str) -> str:
    stem = posixpath.splitext(file)[0]
    return stem.removesuffix("/__init__").replace("/", ".") if not stem.startswith("..") else ""
