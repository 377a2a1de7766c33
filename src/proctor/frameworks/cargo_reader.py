"""Turns what our launcher wrote around cargo into events, and holds its parts against each other.

Never raises, whatever the bytes are.
"""

import binascii
from collections.abc import Iterator

import msgspec

from proctor.formats.channel import WholeLines
from proctor.formats.text import BoundedText, cut
from proctor.frameworks import cargo_wire as wire
from proctor.frameworks.cargo_errors import explain_exit, place_of
from proctor.frameworks.cargo_section import Section
from proctor.model.event import CaseStarted, ProblemFound, ReaderEvent, ReportEnded
from proctor.model.plan import Task
from proctor.model.verdict import signal_name
from proctor.ports import Stream

MOST_ERRORS = 50


class CargoReader:
    """Reads one attempt. Only the channel is evidence; stderr explains why cargo could not do its work."""

    def __init__(self, task: Task, attempt: int) -> None:
        self._task, self._attempt = task, attempt
        self._whole = WholeLines()
        self._lines = self._crc = 0
        self._section_lines = self._section_crc = 0
        self._stderr = BoundedText()
        self._targets: dict[str, wire.Target] = {}
        self._sections: dict[str, Section] = {}
        self._section: Section | None = None
        self._built: bool | None = None
        self._errors: set[str] = set()
        self._wanted = set(task.tests)
        self._problems = 0
        self._done: wire.Done | None = None

    def feed(self, stream: Stream, data: bytes) -> Iterator[ReaderEvent]:
        """Take the next bytes of the channel; what is printed is only kept to explain an exit code."""
        if stream == "stderr" and not self._sections:
            self._stderr.add(data.decode("utf-8", "replace"))
        if stream != "channel" or not data:
            return
        for line in self._whole.split(data):
            yield from self._line(line)
        yield from self._whole.overlong()

    def finish(self, exit_code: int | None) -> Iterator[ReaderEvent]:
        """All is read: explain an exit code that nothing else explains, name tests that do not exist."""
        if self._done is not None and self._whole.rest:
            yield from self._whole.fault("text after its end")
        if exit_code is None or self._done is None:
            return
        failed = any(not section.ok for section in self._sections.values())
        if exit_code and not failed and not self._problems:
            yield explain_exit(exit_code, "" if self._sections else str(self._stderr))
        elif self._built:
            for test in sorted(self._wanted):
                yield ProblemFound(kind="usage", message=f"there is no test {test[:1000]}")

    def _line(self, data: bytes) -> Iterator[ReaderEvent]:
        if self._done is not None:
            yield from self._whole.fault("text after its end")
            return
        try:
            line = wire.decode(data)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            yield from self._whole.fault("a line that nobody should have written")
        else:
            for event in self._event(line, data):
                self._problems += isinstance(event, ProblemFound)
                if self._wanted and isinstance(event, CaseStarted):
                    self._wanted -= {event.id, event.file, f"{event.file}::{event.name}"}
                yield event
        self._lines += 1
        self._crc = binascii.crc32(data, self._crc)

    def _event(self, line: wire.Line, data: bytes) -> Iterator[ReaderEvent]:
        match line:
            case wire.Suite() | wire.Test() | wire.Bench() | wire.Report():
                yield from self._report(line, data)
            case wire.Begin():
                yield from self._begin(line)
            case wire.Listed():
                if self._section is None:
                    yield from self._whole.fault("a list of tests of no test binary")
                else:
                    yield from self._section.listed(line)
            case wire.End():
                yield from self._end(line)
            case wire.Artifact():
                if line.executable and line.profile.test:
                    self._targets[line.executable] = line.target
            case wire.CompilerMessage():
                yield from self._error(line.message)
            case wire.BuildFinished():
                self._built = line.success and self._built is not False
            case wire.Trouble():
                yield ProblemFound(kind=line.kind, message=line.message, fatal=True)
            case wire.Done():
                yield from self._finish(line)

    def _report(self, line: wire.Libtest, data: bytes) -> Iterator[ReaderEvent]:
        if self._section is None:
            yield from self._whole.fault("a result of no test binary")
            return
        self._section_lines += 1
        self._section_crc = binascii.crc32(data, self._section_crc)
        yield from self._section.take(line)

    def _begin(self, line: wire.Begin) -> Iterator[ReaderEvent]:
        key = f"{line.path} {line.package}"
        if self._section is not None or key in self._sections or not self._built:
            yield from self._whole.fault(f"{line.path} out of its turn")
        section = Section(line, self._targets.get(line.path), self._task.root, self._attempt)
        self._section = self._sections[key] = section
        self._section_lines = self._section_crc = 0

    def _end(self, line: wire.End) -> Iterator[ReaderEvent]:
        section, self._section = self._section, None
        if section is None or section.path != line.path:
            yield from self._whole.fault("the end of a test binary that had not begun")
            return
        if (line.lines, line.crc) != (self._section_lines, self._section_crc):
            yield from self._whole.fault(f"more or less than {section.name} wrote")
        yield from section.end(line)

    def _error(self, said: wire.Diagnostic) -> Iterator[ReaderEvent]:
        text = said.rendered or said.message
        if (
            text in self._errors
            or len(self._errors) >= MOST_ERRORS
            or said.message.startswith("aborting due to")
        ):
            return
        self._errors.add(text)
        file, line = place_of(said, self._task.root)
        yield ProblemFound(
            kind="build", message=cut(said.message), file=file, line=line, stack_trace=cut(text), fatal=True
        )

    def _finish(self, line: wire.Done) -> Iterator[ReaderEvent]:
        self._done = line
        if (line.lines, line.crc) != (self._lines, self._crc):
            yield from self._whole.fault("more or less than was written")
        if self._section is not None:
            yield ProblemFound(kind="stopped", message=f"the report of {self._section.name} has no end")
        if line.signal:
            yield ProblemFound(kind="worker", message=f"cargo was killed by {signal_name(line.signal)}")
        yield from self._missing()
        bad = [section.name for section in self._sections.values() if not section.ok]
        if bad and line.code == 0:
            message = f"cargo ended with exit code 0, but {', '.join(bad[:3])} did not"
            yield ProblemFound(kind="totals", message=message)
        whole = self._built and all(section.whole for section in self._sections.values())
        if whole and not self._whole.damaged and bool(bad) == bool(line.code) and not self._section:
            total = sum(section.total for section in self._sections.values())
            yield ReportEnded(total=total, exit_code=line.code)

    def _missing(self) -> Iterator[ReaderEvent]:
        begun = {section.path for section in self._sections.values()}
        for path, target in self._targets.items():
            if self._built and path not in begun:
                yield ProblemFound(
                    kind="report",
                    message=f"cargo did not run the test binary of {target.name} ({target.src_path}) through "
                    "Proctor: perhaps the project's settings of cargo name a runner of their own",
                )
