"""Follows what one test binary reports, from libtest's first line to its last. Knows no bytes, no cargo."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator

from proctor.formats.text import cut
from proctor.frameworks import cargo_wire as wire
from proctor.frameworks.rust_panic import MOST_OUTPUT, Failure, explain
from proctor.model.event import (
    CaseEnded,
    CaseStarted,
    Collected,
    ProblemFound,
    ProblemKind,
    ReaderEvent,
)
from proctor.model.verdict import signal_name

_IN_DOCUMENTATION = re.compile(r"(.+?) - .*\(line (\d+)\)")
_KINDS = {"bin": "bin/", "example": "example/", "bench": "bench/", "test": ""}


class Section:
    """One test binary or rustdoc. ``whole``: it reported to its end and its totals agree."""

    def __init__(self, begin: wire.Begin, target: wire.Target | None, root: str, attempt: int) -> None:
        self.path, self.kind = begin.path, begin.kind
        self.name = f"{begin.package}::{_target_name(begin, target)}"
        self.whole = True
        self.total = 0
        self.ok = True
        self._root, self._attempt = root, attempt
        self._base = begin.directory
        self._package = begin.package
        self._source = target.src_path if target else ""
        self._places: dict[str, tuple[str, int]] = {}
        self._begun: set[str] = set()
        self._open: Counter[str] = Counter()
        self._suite: wire.Suite | None = None
        self._suites = 0
        self._counts: Counter[str] = Counter()
        self._suite_counts: Counter[str] = Counter()

    def listed(self, line: wire.Listed) -> Iterator[ReaderEvent]:
        """Take in where its tests are. A binary without libtest is one test itself."""
        if self.kind == "plain" and line.tests:
            yield Collected(total=1)
            yield self._started(self.name, self.name.rpartition("::")[2], self._relative(self._source), 0)
            return
        self._base = line.base or self._base
        self._places = {name: (self._relative(file), number) for name, file, number in line.tests}
        if line.deselected:
            yield Collected(total=0, deselected=line.deselected)

    def take(self, line: wire.Libtest) -> Iterator[ReaderEvent]:
        """Read a line of libtest."""
        match line:
            case wire.Suite(event="started"):
                yield from self._begin_suite(line)
            case wire.Suite():
                yield from self._end_suite(line)
            case wire.Test(event="started"):
                yield from self._start_test(line.name)
            case wire.Test(event="timeout") | wire.Report():
                return
            case wire.Test():
                yield from self._end_test(line)
            case wire.Bench():
                yield from self._end_test(wire.Test(event="ok", name=line.name))

    def end(self, line: wire.End) -> Iterator[ReaderEvent]:
        """The binary is gone: hold how it ended against what it reported."""
        self.ok = line.code == 0 and line.signal == 0
        if not line.run:
            return
        if self.kind == "plain":
            yield from self._end_plain(line)
        elif self._suite is not None or not self._suites:
            yield from self._ended_early(line)
        elif line.signal or (line.code and not self._counts["failed"]):
            message = f"{self.name} {_fate(line)} after its tests had ended"
            yield self._problem("worker" if line.signal else "unhandled", message)
        elif self._counts["failed"] and self.ok:
            yield self._problem("totals", f"{self.name} reported a failed test and exit code 0")

    def _begin_suite(self, line: wire.Suite) -> Iterator[ReaderEvent]:
        if self._suite is not None or (self._suites and self.kind == "test"):
            yield self._problem("report", f"the report of {self.name} begins twice")
        listed = len(self._places)
        if listed and self.kind == "test" and listed != line.test_count:
            message = f"{self.name} listed {listed} tests and began {line.test_count}"
            yield self._problem("totals", message)
        self._suite = line
        self._suites += 1
        self._suite_counts = Counter()
        yield Collected(total=line.test_count)

    def _end_suite(self, line: wire.Suite) -> Iterator[ReaderEvent]:
        begun, self._suite = self._suite, None
        if begun is None:
            yield self._problem("report", f"the report of {self.name} ends without having begun")
            return
        seen = self._suite_counts
        theirs = (line.passed + line.measured, line.failed, line.ignored)
        ours = (seen["ok"], seen["failed"], seen["ignored"])
        if theirs != ours or any(self._open.values()) or (line.event == "ok") != (line.failed == 0):
            yield self._problem(
                "totals",
                f"{self.name} counted {theirs[0]} passed, {theirs[1]} failed and {theirs[2]} ignored tests, "
                f"its report shows {ours[0]}, {ours[1]} and {ours[2]}",
            )
        if sum(ours) != begun.test_count and not line.failed:
            message = f"{self.name} began {begun.test_count} tests and ended {sum(ours)}"
            yield self._problem("totals", message)
        if line.filtered_out and not self._places:
            yield Collected(total=0, deselected=line.filtered_out)

    def _start_test(self, name: str) -> Iterator[ReaderEvent]:
        if self._suite is None or (self._places and name not in self._places):
            yield self._problem("report", f"{self.name} reported a test that it does not have: {name[:200]}")
        elif self.kind == "test" and name in self._begun:
            yield self._problem("report", f"{self.name} reported twice that {name[:200]} began")
        self._begun.add(name)
        self._open[name] += 1
        yield self._started(self._id(name), name, *self._place(name))

    def _end_test(self, line: wire.Test) -> Iterator[ReaderEvent]:
        if not self._open[line.name]:
            message = f"{self.name} reported the end of a test that was not running: {line.name[:200]}"
            yield self._problem("report", message)
            return
        self._open[line.name] -= 1
        self._suite_counts[line.event] += 1
        self._counts[line.event] += 1
        self.total += 1
        yield self._ended(line)

    def _ended(self, line: wire.Test) -> CaseEnded:
        failed = line.event == "failed"
        said = explain(line.name, line.stdout, line.message or line.reason) if failed else Failure()
        file, number = self._place(line.name)
        if not file and self.kind == "test":
            file = self._relative(said.file)
        # The lines of a documentation test count from its own beginning, so its panic says nothing here.
        if said.line and self.kind == "test" and self._relative(said.file) == file:
            number = said.line
        return CaseEnded(
            id=self._id(line.name),
            name=line.name,
            package=self._package,
            file=file,
            line=number,
            attempt=self._attempt,
            status="fail" if failed else "pass" if line.event == "ok" else "skip",
            duration=line.exec_time,
            detail=(line.message or "ignored") if line.event == "ignored" else "",
            output=cut(line.stdout, MOST_OUTPUT),
            error=said.error,
            stack_trace=said.stack_trace,
            assertions=said.assertions,
        )

    def _end_plain(self, line: wire.End) -> Iterator[ReaderEvent]:
        if line.signal:
            yield self._problem("worker", f"{self.name} {_fate(line)}")
            return
        self.total += 1
        yield CaseEnded(
            id=self.name,
            name=self.name.rpartition("::")[2],
            package=self._package,
            file=self._relative(self._source),
            attempt=self._attempt,
            status="fail" if line.code else "pass",
            error=f"the test program {_fate(line)}" if line.code else "",
        )

    def _ended_early(self, line: wire.End) -> Iterator[ReaderEvent]:
        running = [name for name, count in self._open.items() if count]
        never = len(self._places) - len(self._begun)
        parts = [f"{self.name} {_fate(line)} before its report was complete"]
        parts += [f"while running {', '.join(running[:3])}"] if running else []
        parts += [f"{never} of its tests never began"] if never > 0 else []
        kind: ProblemKind = "worker" if line.signal else "build" if self._doc_build(line) else "stopped"
        yield self._problem(kind, "; ".join(parts))

    def _doc_build(self, line: wire.End) -> bool:
        return self.kind == "doc" and not self._suites and line.code != 0

    def _problem(self, kind: ProblemKind, message: str) -> ProblemFound:
        self.whole = False
        return ProblemFound(kind=kind, message=message)

    def _started(self, case_id: str, name: str, file: str, line: int) -> CaseStarted:
        return CaseStarted(
            id=case_id, name=name, package=self._package, file=file, line=line, attempt=self._attempt
        )

    def _id(self, name: str) -> str:
        return f"{self.name}::{name}"

    def _place(self, name: str) -> tuple[str, int]:
        known = self._places.get(name)
        if known is None and self.kind == "doc" and (found := _IN_DOCUMENTATION.match(name)):
            known = self._relative(found[1]), int(found[2])
        return known or ("", 0)

    def _relative(self, file: str) -> str:
        """Return a file as seen from the project, if it lies in it."""
        if not file:
            return ""
        path = posixpath.normpath(posixpath.join(self._base, file))
        inside = path.startswith(self._root.rstrip("/") + "/")
        return posixpath.relpath(path, self._root) if inside else file


def _target_name(begin: wire.Begin, target: wire.Target | None) -> str:
    if begin.kind == "doc":
        return "doc"
    if target is None:
        return posixpath.basename(begin.path)
    prefix = _KINDS.get(target.kind[0] if target.kind else "")
    if prefix is None:
        return "lib"
    # An integration test may be called like one of the two names that are taken.
    return f"test/{target.name}" if not prefix and target.name in ("lib", "doc") else prefix + target.name


def _fate(line: wire.End) -> str:
    return f"was killed by {signal_name(line.signal)}" if line.signal else f"ended with exit code {line.code}"
