"""Turns Go's events into cases, package by package. Knows nothing of bytes, builds and exit codes.

The loop is written for speed: most lines of a large run are those of tests that pass.
"""

from typing import Protocol

from proctor.frameworks.go_failure import explain, skip_reason
from proctor.frameworks.go_package import OpenTest, Package
from proctor.frameworks.go_wire import GoEvent, Places
from proctor.model.case import CaseStatus
from proctor.model.event import CaseEnded, CaseStarted, ProblemFound, ReaderEvent

_ENDS: dict[str, CaseStatus] = {"pass": "pass", "fail": "fail", "skip": "skip"}
_STEPS = ("=== RUN   ", "=== PAUSE ", "=== CONT  ", "=== NAME  ", "=== ATTR  ", "=== ARTIFACTS ")
_RESULTS = ("--- PASS: ", "--- FAIL: ", "--- SKIP: ")
_MOST_CHILDREN = 20


class Rest(Protocol):
    """Who takes what is not about a test."""

    def outside(self, event: GoEvent) -> None:
        """Take an event of no package."""

    def unbuilt(self, package: str, cause: str) -> None:
        """Take a package that was not tested because of a failed build."""


class GoCases:
    """Holds what is open, never what has passed, so that its memory does not grow with it.

    ``explained``: something was told that makes an exit code other than 0 right.
    """

    def __init__(self, places: Places, attempt: int, rest: Rest) -> None:
        self.events: list[ReaderEvent] = []
        self.total = 0
        self.cached = 0
        self.failed = False
        self.explained = False
        self._places = places
        self._attempt = attempt
        self._rest = rest
        self._faulty = False
        self._packages: dict[str, Package] = {}

    def apply(self, events: list[GoEvent]) -> None:
        """Take events; what they amount to is added to ``events``."""
        emit, attempt = self.events.append, self._attempt
        package = self.package("")
        name, tests = "", package.open
        for event in events:
            if event.package != name:
                package = self.package(event.package)
                name, tests = package.name, package.open
            action, test = event.action, event.test
            opened = tests.get(test)
            if action == "output":
                text = event.output
                if opened is None:
                    package.add(test, text)
                elif text[:4] == "=== " and text.startswith(_STEPS):
                    continue
                elif text.startswith(_RESULTS) or (text[:1] == " " and text.lstrip(" ").startswith(_RESULTS)):
                    opened.reported = True
                else:
                    opened.add(text)
            elif action == "run":
                self._run(package, test)
            elif action == "pass" and opened is not None and opened.reported:
                del tests[test]
                self.total += 1
                emit(
                    CaseEnded(
                        id=opened.id,
                        name=test,
                        package=name,
                        file=opened.file,
                        line=opened.line,
                        attempt=attempt,
                        status="pass",
                        duration=event.elapsed,
                        output="" if opened.output is None else str(opened.output),
                    )
                )
            else:
                self._rare(package, event)

    def package(self, name: str) -> Package:
        """Return the package of that name, made when it is first spoken of."""
        package = self._packages.get(name)
        if package is None:
            package = self._packages[name] = Package(name, self._places.functions(name) if name else {})
        return package

    def close(self) -> None:
        """Forget the packages, so that a later call may test them again; tell of those that never ended."""
        for name, package in self._packages.items():
            if name and not package.state:
                self.tell(ProblemFound(kind="stopped", message=f"{name} began and never ended"))
        self._packages.clear()

    def tell(self, problem: ProblemFound) -> None:
        """Add a problem that explains why the run is not green."""
        self.explained = True
        self.events.append(problem)

    def fault(self, what: str) -> None:
        """Add, once, that the report is not what Go writes."""
        if not self._faulty:
            self._faulty = True
            message = f"the report was damaged or forged: it contains {what}"
            self.events.append(ProblemFound(kind="channel", message=message))

    def _run(self, package: Package, test: str) -> None:
        if test.startswith("Benchmark"):
            return
        if not test or not package.name or test in package.open or package.state:
            self.fault(f"a start of {test[:200] or 'no test'} where none can be")
            return
        place = package.functions.get(test.partition("/")[0])
        file, line = place if place is not None else ("", 0)
        case_id = f"{package.name}::{test}"
        package.open[test] = OpenTest(case_id, file, line)
        package.seen = True
        self.events.append(
            CaseStarted(
                id=case_id, name=test, package=package.name, file=file, line=line, attempt=self._attempt
            )
        )

    def _rare(self, package: Package, event: GoEvent) -> None:
        if not package.name:
            self._rest.outside(event)
        elif event.action in _ENDS:
            (self._end_test if event.test else self._end_package)(package, event)
        elif event.action == "start" and (package.seen or package.state):
            self.fault(f"a second start of {package.name}")

    def _end_test(self, package: Package, event: GoEvent) -> None:
        test = event.test
        opened = package.open.pop(test, None)
        if opened is not None and opened.reported:
            self._end_badly(package, event, opened)
        elif test.startswith("Benchmark"):
            if event.action == "fail":
                self._end_badly(package, event, OpenTest(f"{package.name}::{test}", "", 0))
        elif package.state:
            self.fault(f"an end of {test[:200]} where none can be")
        else:
            if opened is not None:
                package.open[test] = opened
            self.tell(package.cut_off(test))

    def _end_badly(self, package: Package, event: GoEvent, opened: OpenTest) -> None:
        test, status, output = event.test, _ENDS[event.action], opened.text
        self.total += 1
        error, trace, checks = explain(output) if status == "fail" else ("", "", ())
        if status == "fail":
            package.fail(test)
            outer, _, inner = test.rpartition("/")
            parent = package.open.get(outer)
            if parent is not None:
                parent.bad_children = (*parent.bad_children, inner)[:_MOST_CHILDREN]
            if opened.bad_children:
                children = f"subtests failed: {', '.join(opened.bad_children)}"
                error = f"{children}\n{error}" if error else children
        self.events.append(
            CaseEnded(
                id=opened.id,
                name=test,
                package=package.name,
                file=opened.file,
                line=opened.line,
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
            self.fault(f"a second end of {package.name}")
            return
        self.failed |= event.action == "fail"
        self.explained |= package.has_failed
        for problem in package.end(event.action, event.failed_build):
            self.tell(problem)
        self.cached += package.cached
        if event.failed_build:
            self._rest.unbuilt(package.name, event.failed_build)
