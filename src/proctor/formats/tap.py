"""Reads TAP (Test Anything Protocol 12, 13 and 14) from a stream. Indented subtests are told as part of
their parent, so nothing counts twice; text in YAML blocks, comments and subtests is never a result."""

import re
from collections.abc import Iterator

from proctor.formats.lines import LineSplitter
from proctor.formats.tap_result import TapResult, is_failure, read_result
from proctor.model.event import Collected, Noted, ProblemFound, ProblemKind, ReaderEvent

_PLAN = re.compile(r"1\.\.(\d{1,9})\s*(?:#\s*(?:skip\S*\s*)?(.*))?", re.ASCII | re.DOTALL | re.IGNORECASE)
_BAIL_OUT = re.compile(r"Bail out!\s*(.*)", re.DOTALL)
_BLOCK_START = re.compile(r"\s+---(?:\s.*)?", re.DOTALL)

_TELLING = frozenset((" ", "\t", "#", "o", "n", "1", "B"))
"""First characters of lines that may be more than noise, of which there can be gigabytes."""


class TapReader:
    """Feed it bytes, then close it. ``total`` counts its results.

    ``whole``: a plan was there and every result that it promises, in order. A result is told when the next
    one begins, because what follows a result may still speak of it.
    """

    def __init__(self, attempt: int = 1) -> None:
        self.total = 0
        self.whole = False
        self._attempt = attempt
        self._lines = LineSplitter()
        self._planned: int | None = None
        self._plan_came_last = False
        self._bailed = False
        self._faults: set[str] = set()
        self._held: TapResult | None = None
        self._early_subtests: list[str] = []
        self._block_indent = -1
        self._block_is_of_held = False

    def feed(self, data: bytes) -> Iterator[ReaderEvent]:
        """Take the next bytes and tell what they complete."""
        for line in self._lines.feed(data):
            if self._block_indent < 0 and line[:1] not in _TELLING:
                self._remark(line)
            else:
                yield from self._line(line)

    def close(self, exit_code: int | None) -> Iterator[ReaderEvent]:
        """Take the end of the stream and tell what is missing; None: the command was ended from outside."""
        torn = self._lines.close()
        yield from self._release()
        if exit_code is None:
            return
        if self._block_indent >= 0:
            yield from self._fault("report", "the TAP output ends in the middle of a YAML block")
        if read_result(torn) or _PLAN.fullmatch(torn):
            yield from self._fault("report", f"the TAP output ends in the middle of a line: {torn[:200]!r}")
        yield from self._missing(exit_code)
        self.whole = not self._faults

    def _line(self, line: str) -> Iterator[ReaderEvent]:
        if self._block_indent >= 0 and self._block_line(line):
            return
        if self._block_indent >= 0:
            self._block_indent = -1
            yield from self._fault("report", f"a YAML block of the TAP output never ends: {line[:200]!r}")
        if line.startswith((" ", "\t")):
            self._indented(line)
        elif line.startswith("# Subtest: "):
            yield from self._release()
        elif line.startswith("#"):
            self._remark(line[1:].strip())
        elif result := read_result(line):
            yield from self._result(result)
        elif plan := _PLAN.fullmatch(line):
            yield from self._plan(int(plan[1]), (plan[2] or "").strip())
        elif bail := _BAIL_OUT.fullmatch(line):
            self._bailed = True
            yield from self._release()
            yield from self._fault("stopped", f"the tests bailed out: {bail[1].strip() or 'no reason given'}")
        else:
            self._remark(line)

    def _block_line(self, line: str) -> bool:
        """Take a line of an open YAML block; false if it cannot be one."""
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent < self._block_indent:
            return False
        if indent == self._block_indent and line.strip() == "...":
            self._block_indent = -1
        elif self._block_is_of_held and self._held:
            self._held.block.add(line)
        return True

    def _indented(self, line: str) -> None:
        indent = len(line) - len(line.lstrip())
        if _BLOCK_START.fullmatch(line):
            self._block_indent = indent
            # Four columns and more belong to a subtest (TAP 14); a block of the result stands at two.
            self._block_is_of_held = indent < 4 and not self._early_subtests
        elif is_failure(line.strip()) and len(self._early_subtests) < 100:
            self._early_subtests.append(line.strip()[:1000])
        elif not self._early_subtests:
            self._remark(line)

    def _remark(self, text: str) -> None:
        if self._held is not None:
            self._held.remarks.add(f"{text}\n")

    def _result(self, result: TapResult) -> Iterator[ReaderEvent]:
        yield from self._release()
        self.total += 1
        if result.number not in (None, self.total):
            message = f"TAP result {result.number} came where {self.total} was due"
            yield from self._fault("report", message, once="order")
        if self._plan_came_last:
            yield from self._fault("report", "a TAP result came after the closing plan", once="late")
        result.number = self.total
        result.failed_subtests, self._early_subtests = self._early_subtests, []
        self._held = result

    def _plan(self, count: int, remark: str) -> Iterator[ReaderEvent]:
        yield from self._release()
        if self._planned is not None:
            yield from self._fault("report", "the TAP output has more than one plan", once="plans")
            return
        self._planned = count
        self._plan_came_last = self.total > 0
        yield Collected(total=count)
        if not count and remark:
            yield Noted(message=f"all tests were skipped: {remark[:1000]}")

    def _release(self) -> Iterator[ReaderEvent]:
        held, self._held = self._held, None
        if held is not None:
            yield held.end(self._attempt)

    def _fault(self, kind: ProblemKind, message: str, once: str = "") -> Iterator[ReaderEvent]:
        """Tell a problem, each sort of it once: a million bad lines are one problem."""
        sort = once or message
        if sort not in self._faults and len(self._faults) < 100:
            self._faults.add(sort)
            yield ProblemFound(kind=kind, message=message)

    def _missing(self, exit_code: int) -> Iterator[ReaderEvent]:
        # A command that failed and said less than promised was stopped; a successful one contradicts itself.
        if self._bailed:
            return
        if self._planned is None and not self.total:
            yield from self._no_tap(exit_code)
        elif self._planned is None:
            message = f"the TAP output has no plan, only {self.total} results"
            yield from self._fault("stopped" if exit_code else "report", message)
        elif self.total < self._planned:
            message = f"the TAP output ends after {self.total} of {self._planned} planned results"
            yield from self._fault("stopped" if exit_code else "totals", message)
        elif self.total > self._planned:
            message = f"the TAP output has {self.total} results, but planned {self._planned}"
            yield from self._fault("totals", message)

    def _no_tap(self, exit_code: int) -> Iterator[ReaderEvent]:
        message = "the command printed no TAP"
        self._faults.add(message)
        yield Noted(message=message) if exit_code else ProblemFound(kind="report", message=message)
