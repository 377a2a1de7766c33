"""Turns the stream of `go test -json` into events and holds its parts against each other. Never raises.

The loop over events is written for speed: most lines of a large run are those of tests that pass.
"""

from collections.abc import Iterator

import msgspec

from proctor.formats.text import BoundedText, cut
from proctor.frameworks import go_build, go_wire
from proctor.frameworks.go_failure import explain, skip_reason
from proctor.frameworks.go_package import OpenTest, Package
from proctor.frameworks.go_wire import GoEvent
from proctor.model.case import CaseStatus
from proctor.model.event import CaseEnded, CaseStarted, Noted, ProblemFound, ReaderEvent, ReportEnded
from proctor.ports import Stream

_ENDS: dict[str, CaseStatus] = {"pass": "pass", "fail": "fail", "skip": "skip"}
_STEPS = ("=== RUN   ", "=== PAUSE ", "=== CONT  ", "=== NAME  ", "=== ATTR  ", "=== ARTIFACTS ")
_RESULTS = ("--- PASS: ", "--- FAIL: ", "--- SKIP: ")
_MOST_BUILD_TEXT = 256 * 1024


class GoReader:
    """Reads one attempt. Holds open tests only, so that its memory does not grow with those that passed."""

    def __init__(self, root: str, attempt: int) -> None:
        self._attempt = attempt
        self._places = go_wire.Places(root)
        self._in_header = True
        self._pending = b""
        self._size = 0
        self._faulty = False
        self._end: GoEvent | None = None
        self._total = 0
        self._packages: dict[str, Package] = {}
        self._builds: dict[str, BoundedText] = {}
        self._told: set[tuple[str, str, int]] = set()
        self._stderr = BoundedText()
        self._unbuilt = False
        self._failed = False
        self._cached = 0
        self._explained = False
        self._events: list[ReaderEvent] = []

    def feed(self, stream: Stream, data: bytes) -> list[ReaderEvent]:
        """Take the next bytes; those of stderr only explain what the events say."""
        if stream == "stderr":
            self._stderr.add(data.decode("utf-8", "replace"))
        elif stream == "channel" and data:
            self._take(data)
        events, self._events = self._events, []
        return events

    def finish(self, exit_code: int | None) -> list[ReaderEvent]:
        """All is read: say what is open, and whether report and exit code agree."""
        if self._pending and self._end is not None:
            self._fault("text after its end")
        self._close_packages()
        end = self._end
        if end is not None and exit_code is not None:
            self._compare(exit_code)
            self._events.append(ReportEnded(total=self._total, exit_code=end.exit))
        elif exit_code:
            self._explain_exit(exit_code)
        if self._cached:
            names = f"{self._cached} package{'s' if self._cached > 1 else ''}"
            self._events.append(
                Noted(message=f"Go took the results of {names} from its cache (-count=1 runs them anew)")
            )
        events, self._events = self._events, []
        return events

    # Bytes to lines.

    def _take(self, data: bytes) -> None:
        cut_at = data.rfind(b"\n") + 1
        if not cut_at:
            self._pending += data
        else:
            whole, self._pending = self._pending + data[:cut_at], data[cut_at:]
            if self._in_header:
                whole = self._read_header(whole)
            self._read(whole)
        if len(self._pending) > go_wire.LONGEST_LINE:
            self._pending = b""
            self._fault("a line without end")

    def _read_header(self, data: bytes) -> bytes:
        """Take the lines before the first event and return the rest."""
        start = 0
        while self._in_header and start < len(data):
            stop = data.index(b"\n", start) + 1
            line = data[start:stop]
            if line.startswith(b"{"):  # a stream without the script around it
                self._in_header = False
                break
            start = stop
            self._in_header = line != go_wire.TESTS_FOLLOW
            self._places.add(line)
        self._size += start
        return data[start:]

    def _read(self, data: bytes) -> None:
        try:
            events = go_wire.decode_lines(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._read_singly(data)
            return
        if self._end is None and not (events and events[-1].action == "proctor-end"):
            self._size += len(data)
            self._apply(events)
        else:
            self._read_singly(data)

    def _read_singly(self, data: bytes) -> None:
        for line in data.splitlines(keepends=True) if b"\r" not in data else _lines(data):
            if self._end is not None:
                self._fault("text after its end")
                return
            try:
                event = go_wire.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self._plain_line(line)
            else:
                self._apply([event])
            self._size += len(line)

    def _plain_line(self, line: bytes) -> None:
        package = go_wire.unbuilt_package(line)
        if package:
            self._unbuilt = self._failed = True
            self._package(package).state = "fail"
        elif line.strip():
            self._fault(f"a line that is no event: {line[:200].decode('utf-8', 'replace').strip()!r}")

    def _fault(self, what: str) -> None:
        if not self._faulty:
            self._faulty = True
            message = f"the report was damaged or forged: it contains {what}"
            self._events.append(ProblemFound(kind="channel", message=message))

    # Lines to events.

    def _apply(self, events: list[GoEvent]) -> None:
        packages = self._packages
        package: Package | None = None
        for event in events:
            action = event.action
            if package is None or package.name != event.package:
                package = packages.get(event.package)
                if package is None and event.package:
                    package = self._package(event.package)
            if package is None:
                self._outside(event)
            elif action == "output":
                self._output(package, event.test, event.output)
            elif action == "run":
                self._run(package, event.test)
            elif action in _ENDS:
                if event.test:
                    self._end_test(package, event)
                else:
                    self._end_package(package, event)
            elif action == "start" and (package.seen or package.state):
                self._fault(f"a second start of {package.name}")

    def _package(self, name: str) -> Package:
        package = self._packages[name] = Package(name, self._places.functions(name))
        return package

    def _output(self, package: Package, test: str, text: str) -> None:
        if not test:
            package.add(text)
            return
        opened = package.open.get(test)
        if opened is None:
            if not test.startswith("Benchmark"):
                package.add(text)
        elif text.startswith(_STEPS):
            return
        elif text.lstrip(" ").startswith(_RESULTS):
            opened.reported = True
        else:
            opened.add(text)

    def _run(self, package: Package, test: str) -> None:
        if test.startswith("Benchmark"):
            return
        if not test or test in package.open or package.state:
            self._fault(f"a start of {test[:200] or 'no test'} where none can be")
            return
        package.open[test] = OpenTest()
        package.seen += 1
        file, line = package.functions.get(test.partition("/")[0], ("", 0))
        self._events.append(
            CaseStarted(
                id=f"{package.name}::{test}",
                name=test,
                package=package.name,
                file=file,
                line=line,
                attempt=self._attempt,
            )
        )

    def _end_test(self, package: Package, event: GoEvent) -> None:
        test = event.test
        opened = package.open.get(test)
        benchmark = test.startswith("Benchmark")
        if opened is None and benchmark and event.action != "fail":
            return
        if not benchmark and (opened is None or not opened.reported):
            if package.state:
                self._fault(f"an end of {test[:200]} where none can be")
            else:
                self._events.append(package.cut_off(test))
            return
        package.open.pop(test, None)
        status = _ENDS[event.action]
        self._total += 1
        file, line = package.functions.get(test.partition("/")[0], ("", 0))
        output = "" if opened is None or opened.output is None else str(opened.output)
        if status == "pass":
            self._events.append(
                CaseEnded(
                    id=f"{package.name}::{test}",
                    name=test,
                    package=package.name,
                    file=file,
                    line=line,
                    attempt=self._attempt,
                    status=status,
                    duration=event.elapsed,
                    output=output,
                )
            )
            return
        self._end_badly(package, event, output, opened.bad_children if opened else [], (file, line))

    def _end_badly(
        self, package: Package, event: GoEvent, output: str, bad_children: list[str], place: tuple[str, int]
    ) -> None:
        test, status = event.test, _ENDS[event.action]
        error, trace, checks = explain(output) if status == "fail" else ("", "", ())
        if status == "fail":
            package.fail(test)
            parent = package.open.get(test.rpartition("/")[0])
            if parent is not None and len(parent.bad_children) < 20:
                parent.bad_children.append(test.rpartition("/")[2])
            if bad_children:
                error = f"subtests failed: {', '.join(bad_children)}" + (f"\n{error}" if error else "")
        self._events.append(
            CaseEnded(
                id=f"{package.name}::{test}",
                name=test,
                package=package.name,
                file=place[0],
                line=place[1],
                attempt=self._attempt,
                status=status,
                duration=event.elapsed,
                detail=skip_reason(output) if status == "skip" else "",
                output=output,
                error=(error or "failed without a message") if status == "fail" else "",
                stack_trace=trace,
                assertions=checks,
            )
        )

    def _end_package(self, package: Package, event: GoEvent) -> None:
        if package.state:
            self._fault(f"a second end of {package.name}")
            return
        self._failed |= event.action == "fail"
        self._explained |= bool(package.failed or package.open)
        self._events += self._count(package.end(event.action, event.failed_build))
        self._cached += package.cached
        if event.failed_build:
            self._tell_unbuilt(package.name, event.failed_build)

    def _count(self, found: Iterator[ProblemFound]) -> Iterator[ProblemFound]:
        for problem in found:
            self._explained = True
            yield problem

    # Builds.

    def _outside(self, event: GoEvent) -> None:
        if event.action == "build-output":
            self._builds.setdefault(event.import_path, BoundedText(_MOST_BUILD_TEXT)).add(event.output)
        elif event.action == "build-fail":
            self._failed = True
            self._tell(str(self._builds.pop(event.import_path, "")))
        elif event.action == "proctor-next":
            self._close_packages()
        elif event.action == "proctor-end":
            self._end = event
            if event.size >= 0 and event.size != self._size:
                self._fault(f"{self._size} bytes where {event.size} were written")
        elif event.action in ("run", "start", *_ENDS):
            self._fault("an event of no package")

    def _tell(self, text: str) -> None:
        for problem in go_build.problems(text):
            key = (problem.message, problem.file, problem.line)
            if key not in self._told:
                self._told.add(key)
                self._explained = True
                self._events.append(problem)

    def _tell_unbuilt(self, package: str, cause: str) -> None:
        own = cause.split(" ", 1)[0] in (package, f"{package}.test")
        if not own or not self._told:
            self._explained = True
            message = f"{package} was not tested: {cause} could not be built or found"
            self._events.append(ProblemFound(kind="build", message=cut(message), fatal=True))

    # The end.

    def _close_packages(self) -> None:
        """What has ended is forgotten, so that a later call may test the same package; the rest is told."""
        for name, package in self._packages.items():
            if not package.state and (self._end is not None or name):
                self._explained = True
                message = f"{name} began and never ended"
                self._events.append(ProblemFound(kind="stopped", message=message))
        self._packages.clear()

    def _compare(self, exit_code: int) -> None:
        if exit_code and (self._unbuilt or not self._explained):
            self._explain_exit(exit_code)
        if exit_code == 0 and self._failed:
            message = "a package failed, but the exit code is 0"
            self._events.append(ProblemFound(kind="totals", message=message))

    def _explain_exit(self, exit_code: int) -> None:
        text = str(self._stderr)
        before = len(self._events)
        self._tell(text)
        if len(self._events) == before:
            said = text.strip() or "it did not say why"
            kind = go_build.kind_of(said)
            message = cut(f"go ended with exit code {exit_code}: {said}")
            self._events.append(ProblemFound(kind=kind, message=message, fatal=True))


def _lines(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        stop = data.index(b"\n", start) + 1
        yield data[start:stop]
        start = stop
