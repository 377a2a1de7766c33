"""What our own reporters write to a run's channel, whatever the test framework: numbered lines of JSON.

Each line has its number ``n`` and its kind ``e``; the last one has the CRC of all before it. So loss,
repetition and foreign hands are noticed. Never raises; knows no framework.
"""

import binascii
from collections.abc import Callable, Iterator
from typing import Generic, Literal, TypeVar

import msgspec

from proctor.model.case import Assertion
from proctor.model.event import CaseEnded, CaseStarted, ProblemFound, ProblemKind, ReaderEvent

LONGEST_LINE = 64 * 1024 * 1024


class NumberedLine(msgspec.Struct, frozen=True, kw_only=True, tag_field="e", forbid_unknown_fields=True):
    """Any line."""

    n: int


class ProblemLine(NumberedLine, frozen=True, kw_only=True, tag="problem"):
    """Something wrong outside a test. ``report``: the framework counts it among its failures."""

    kind: ProblemKind
    message: str
    file: str = ""
    line: int = 0
    trace: str = ""
    fatal: bool = False
    report: bool = False

    def as_event(self) -> ProblemFound:
        """Return what it says as an event."""
        return ProblemFound(
            kind=self.kind,
            message=self.message,
            file=self.file,
            line=self.line,
            stack_trace=self.trace,
            fatal=self.fatal,
        )


class NoteLine(NumberedLine, frozen=True, kw_only=True, tag="note"):
    """A remark."""

    message: str


class CollectedLine(NumberedLine, frozen=True, kw_only=True, tag="collected"):
    """Tests are going to run. ``extra``: the framework does not count them as collected."""

    total: int
    deselected: int
    extra: bool = False


class StartLine(NumberedLine, frozen=True, kw_only=True, tag="start"):
    """A try of a test begins."""

    id: str
    name: str
    file: str
    line: int
    attempt: int


class EndLine(NumberedLine, frozen=True, kw_only=True, tag="end"):
    """The try that began in line ``of`` is over. ``line``: where it failed, or stands if known only now.

    ``r`` counts the reports that the framework made for it, by its own words.
    """

    of: int
    s: Literal["pass", "fail", "skip", "error"]
    t: float
    line: int = 0
    detail: str = ""
    out: str = ""
    err: str = ""
    trace: str = ""
    checks: tuple[tuple[str, str, str, str], ...] = ()
    retried: bool = False
    r: dict[str, int] | None = None


LineT = TypeVar("LineT", bound=NumberedLine)


class WholeLines:
    """Cuts a channel into lines with their ends, and tells of damage once."""

    def __init__(self) -> None:
        self.rest = bytearray()
        self.damaged = False

    def split(self, data: bytes) -> Iterator[bytes]:
        """Yield the lines that are complete now."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            line = bytes(self.rest) + data[start : end + 1]
            self.rest.clear()
            start = end + 1
            yield line
        self.rest += data[start:]

    def overlong(self) -> Iterator[ProblemFound]:
        """Tell of a line that has no end, and forget it."""
        if len(self.rest) > LONGEST_LINE:
            self.rest.clear()
            yield from self.fault("a line without end")

    def fault(self, what: str) -> Iterator[ProblemFound]:
        """Tell of damage; one word is enough."""
        if not self.damaged:
            self.damaged = True
            message = f"the report was damaged or forged: it contains {what}"
            yield ProblemFound(kind="channel", message=message)


class NumberedLines(Generic[LineT]):
    """Reads numbered lines and holds their numbers together. ``done`` is the reader's to set."""

    def __init__(self, decode: Callable[[bytes], LineT]) -> None:
        self._decode = decode
        self._lines = WholeLines()
        self.next = 0
        self.crc = 0
        self.done = False
        self.current = b""

    @property
    def damaged(self) -> bool:
        """Damage was found."""
        return self._lines.damaged

    @property
    def cut_off(self) -> bool:
        """The last line has no end."""
        return bool(self._lines.rest)

    def fault(self, what: str) -> Iterator[ProblemFound]:
        """Tell of damage, once."""
        return self._lines.fault(what)

    def read(self, data: bytes) -> Iterator[LineT | ProblemFound]:
        """Yield the lines that follow each other as they should, and what is wrong with the others."""
        for whole in self._lines.split(data):
            yield from self._line(whole)
        yield from self._lines.overlong()

    def _line(self, data: bytes) -> Iterator[LineT | ProblemFound]:
        try:
            line = self._decode(data)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            yield from self.fault("a line that the reporter did not write")
            return
        if self.done:
            yield from self.fault("text after its end")
        if line.n != self.next:
            yield from self.fault(f"line {line.n} where line {self.next} should be")
        if line.n >= self.next and not self.done:
            self.next = line.n + 1
            self.current = data
            yield line
        self.crc = binascii.crc32(data, self.crc)


class Tries:
    """The tries of tests that are open, and those that are to be tried again."""

    def __init__(self, first_attempt: int, package_of: Callable[[str], str]) -> None:
        self._offset = first_attempt - 1
        self._package_of = package_of
        self._open: dict[int, StartLine] = {}
        self._retrying: set[str] = set()

    def start(self, line: StartLine) -> CaseStarted:
        """A try begins."""
        self._open[line.n] = line
        return CaseStarted(
            id=line.id,
            name=line.name,
            package=self._package_of(line.file),
            file=line.file,
            line=line.line,
            attempt=line.attempt + self._offset,
        )

    def end(self, line: EndLine) -> CaseEnded | None:
        """A try is over; None if it had never begun."""
        start = self._open.pop(line.of, None)
        if start is None:
            return None
        (self._retrying.add if line.retried else self._retrying.discard)(start.id)
        return CaseEnded(
            id=start.id,
            name=start.name,
            package=self._package_of(start.file),
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

    def never_tried_again(self) -> Iterator[ReaderEvent]:
        """Tell of each test that was to be tried again and never was."""
        for test in sorted(self._retrying):
            yield ProblemFound(kind="totals", message=f"{test} was to be tried again, and never was")


def _assertion(check: tuple[str, str, str, str]) -> Assertion:
    description, expected, actual, message = check
    return Assertion(
        description=description,
        passed=False,
        expected_value=expected,
        actual_value=actual,
        error_message=message,
    )
