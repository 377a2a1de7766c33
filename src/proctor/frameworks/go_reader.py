"""Reads what `go test -json` and the script around it write, and holds its parts against each other.

Never raises. Of what the tests print nothing is evidence: Go keeps it inside its events.
"""

from collections.abc import Iterator

import msgspec

from proctor.formats.text import BoundedText, cut
from proctor.frameworks import go_build, go_wire
from proctor.frameworks.go_cases import GoCases
from proctor.frameworks.go_wire import GoEvent
from proctor.model.event import Noted, ProblemFound, ReaderEvent, ReportEnded
from proctor.ports import Stream

_BATCH = 128 * 1024
"""What is decoded at once stays in the processor's cache until it is read: a tenth faster than 1 MiB."""
_MOST_BUILD_TEXT = 256 * 1024
_TROUBLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class GoReader:
    """Reads one attempt, in memory that does not grow with the tests that passed."""

    def __init__(self, root: str, attempt: int) -> None:
        self._places = go_wire.Places(root)
        self._cases = GoCases(self._places, attempt, self)
        self._in_header = True
        self._pending = b""
        self._size = 0
        self._end: GoEvent | None = None
        self._builds: dict[str, BoundedText] = {}
        self._told: set[tuple[str, str, int]] = set()
        self._stderr = BoundedText()
        self._unbuilt = False

    def feed(self, stream: Stream, data: bytes) -> list[ReaderEvent]:
        """Take the next bytes; those of stderr only explain what the events say."""
        if stream == "stderr":
            self._stderr.add(data.decode("utf-8", "replace"))
        elif stream == "channel":
            for start in range(0, len(data), _BATCH):
                self._take(data[start : start + _BATCH])
        return self._new_events()

    def finish(self, exit_code: int | None) -> list[ReaderEvent]:
        """All is read: say what is open, and whether report and exit code agree."""
        cases = self._cases
        if self._pending and self._end is not None:
            cases.fault("text after its end")
        if exit_code is not None:
            cases.close()
            self._compare(exit_code)
        if cases.cached:
            names = f"{cases.cached} package{'s' if cases.cached > 1 else ''}"
            message = f"Go took the results of {names} from its cache (-count=1 runs them anew)"
            cases.events.append(Noted(message=message))
        return self._new_events()

    def _new_events(self) -> list[ReaderEvent]:
        events, self._cases.events = self._cases.events, []
        return events

    # Bytes to lines.

    def _take(self, data: bytes) -> None:
        stop = data.rfind(b"\n") + 1
        if stop:
            whole, self._pending = self._pending + data[:stop], data[stop:]
            self._read(self._read_header(whole) if self._in_header else whole)
        else:
            self._pending += data
        if len(self._pending) > go_wire.LONGEST_LINE:
            self._pending = b""
            self._cases.fault("a line without end")

    def _read_header(self, data: bytes) -> bytes:
        """Take the lines before the first event and return the rest."""
        start = 0
        for line in _lines(data):
            self._in_header = not line.startswith(b"{")  # else a stream without the script around it
            if not self._in_header:
                break
            start += len(line)
            self._places.add(line)
            self._in_header = line != go_wire.TESTS_FOLLOW
            if not self._in_header:
                break
        self._size += start
        return data[start:]

    def _read(self, data: bytes) -> None:
        try:
            events = go_wire.decode_lines(data)
        except _TROUBLE:
            self._read_singly(data)
            return
        if self._end is not None or (events and events[-1].action == go_wire.END):
            self._read_singly(data)
        else:
            self._size += len(data)
            self._cases.apply(events)

    def _read_singly(self, data: bytes) -> None:
        for line in _lines(data):
            if self._end is not None:
                self._cases.fault("text after its end")
                return
            try:
                event = go_wire.decode(line)
            except _TROUBLE:
                self._plain_line(line)
            else:
                self._cases.apply([event])
            self._size += len(line)

    def _plain_line(self, line: bytes) -> None:
        package = go_wire.unbuilt_package(line)
        if package:
            self._unbuilt = self._cases.failed = True
            self._cases.package(package).state = "fail"
        elif line.strip() and not go_wire.is_newer_event(line):
            self._cases.fault(f"a line that is no event: {line[:200].decode('utf-8', 'replace').strip()!r}")

    # What is not about a test.

    def outside(self, event: GoEvent) -> None:
        """Take an event of no package: of a build, or the script's own."""
        match event.action:
            case "build-output":
                self._builds.setdefault(event.import_path, BoundedText(_MOST_BUILD_TEXT)).add(event.output)
            case "build-fail":
                self._cases.failed = True
                self._tell(str(self._builds.pop(event.import_path, "")))
            case go_wire.NEXT:
                self._cases.close()
            case go_wire.END:
                self._end = event
                if event.size not in (-1, self._size):
                    self._cases.fault(f"{self._size} bytes where {event.size} were written")
            case "run" | "start" | "pass" | "fail" | "skip":
                self._cases.fault("an event of no package")

    def unbuilt(self, package: str, cause: str) -> None:
        """Tell of a package that was not tested, unless the cause was its own and is told already."""
        own = cause.split(" ", 1)[0] in (package, f"{package}.test")
        if not own or not self._told:
            message = f"{package} was not tested: {cause} could not be built or found"
            self._cases.tell(ProblemFound(kind="build", message=cut(message), fatal=True))

    def _tell(self, text: str) -> bool:
        """Tell of what a text of the Go tool names, each thing once; return whether there was anything."""
        found = list(go_build.problems(text))
        for problem in found:
            key = (problem.message, problem.file, problem.line)
            if key not in self._told:
                self._told.add(key)
                self._cases.tell(problem)
        return bool(found)

    # The end.

    def _compare(self, exit_code: int) -> None:
        cases = self._cases
        if exit_code and (self._unbuilt or not cases.explained):
            self._explain_exit(exit_code)
        if exit_code == 0 and cases.failed:
            message = "a package failed, but the exit code is 0"
            cases.tell(ProblemFound(kind="totals", message=message))
        if self._end is not None:
            cases.events.append(ReportEnded(total=cases.total, exit_code=self._end.exit))

    def _explain_exit(self, exit_code: int) -> None:
        text = str(self._stderr)
        if not self._tell(text):
            message = f"go ended with exit code {exit_code} and did not say why"
            self._cases.tell(ProblemFound(kind="internal", message=message, fatal=True))


def _lines(data: bytes) -> Iterator[bytes]:
    """Cut at line feeds only; ``splitlines`` would cut at more."""
    start = 0
    while start < len(data):
        stop = data.index(b"\n", start) + 1
        yield data[start:stop]
        start = stop
