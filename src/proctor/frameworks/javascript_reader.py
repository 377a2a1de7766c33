"""Turns the lines of our JavaScript reporters into events and holds their totals together. Never raises."""

import posixpath
import re
from collections import Counter
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
from proctor.formats.text import BoundedText
from proctor.frameworks import javascript_wire as wire
from proctor.model.event import Collected, Noted, ProblemFound, ReaderEvent, ReportEnded
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
        self._lines: NumberedLines[wire.Line] = NumberedLines(wire.decode)
        self._tries = Tries(first_attempt, posixpath.dirname)
        self._seen: Counter[str] = Counter()
        self._said = {"stdout": BoundedText(_SAID), "stderr": BoundedText(_SAID)}

    def feed(self, stream: Stream, data: bytes) -> Iterator[ReaderEvent]:
        """Take the next bytes. What is printed is no evidence: it may explain a run that never began."""
        if stream != "channel":
            if self._lines.next <= 1 and stream in self._said:
                self._said[stream].add(data.decode("utf-8", "backslashreplace"))
            return
        for line in self._lines.read(data):
            if isinstance(line, ProblemFound):
                yield line
            else:
                yield from self._event(line)

    def finish(self, exit_code: int | None) -> Iterator[ReaderEvent]:
        """All is read. A line that was cut off, or an end that is missing, is for the verdict to see."""
        lines = self._lines
        if lines.cut_off and (lines.done or not lines.next):
            yield from lines.fault("text after its end" if lines.done else "no whole line")
        never_began = lines.next <= 1 and not lines.done and not lines.damaged
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

    def _event(self, line: wire.Line) -> Iterator[ReaderEvent]:
        match line:
            case StartLine():
                yield self._tries.start(line)
            case EndLine():
                yield from self._end(line)
            case ProblemLine():
                yield line.as_event()
            case CollectedLine():
                yield Collected(total=line.total, deselected=line.deselected)
            case wire.Header():
                pass
            case NoteLine():
                yield Noted(message=line.message)
            case wire.DoneLine():
                yield from self._finish(line)
            case _:
                assert_never(line)

    def _end(self, line: EndLine) -> Iterator[ReaderEvent]:
        ended = self._tries.end(line)
        if ended is None:
            yield from self._lines.fault("the end of a test that had not begun")
            return
        if not line.retried:
            self._seen[line.s] += 1
        yield ended

    def _finish(self, line: wire.DoneLine) -> Iterator[ReaderEvent]:
        self._lines.done = True
        if line.crc != self._lines.crc:
            yield from self._lines.fault("bytes that the reporter did not write")
        yield from self._tries.never_tried_again()
        for status, counted in sorted(line.counts.items()):
            seen = self._seen[status] if status != "total" else self._seen.total()
            if counted != seen:
                message = f"{self._tool} counted {counted} ({status}), {seen} were seen"
                yield ProblemFound(kind="totals", message=message)
        if line.total != self._seen.total():
            message = f"the reporter counted {line.total} tests, {self._seen.total()} were seen"
            yield ProblemFound(kind="totals", message=message)
        yield ReportEnded(total=line.total, exit_code=line.code)


def _telling_line(text: str) -> str:
    """Return the line that most likely says what is wrong."""
    lines = [line.strip() for line in _COLOUR.sub("", text).splitlines() if line.strip()]
    telling = [line for line in lines if _ERROR.match(line)]
    return (telling or lines or ["it printed nothing"])[0]
