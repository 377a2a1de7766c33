"""One result line of TAP, and what it amounts to with all that is said below it. Knows nothing of streams."""

import re

from proctor.formats.tap_yaml import read_diagnostics
from proctor.formats.text import BoundedText, cut
from proctor.model.case import CaseStatus
from proctor.model.event import CaseEnded

_RESULT = re.compile(r"(not )?ok(?:\s+(\d{1,9}))?(?=\s|$)(?:\s+-(?=\s|$))?\s*(.*)", re.ASCII | re.DOTALL)
_DIRECTIVE = re.compile(r"(?:^|\s)#\s*(?:(skip)\S*|(todo)\b)\s*(.*)", re.ASCII | re.IGNORECASE | re.DOTALL)
_ESCAPE = re.compile(r"\\([\\#])")


class BoundedLines:
    """Lines, up to a bound; the rest is dropped."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._room = 64 * 1024

    def add(self, line: str) -> None:
        """Append a line if there is still room."""
        if self._room > 0:
            self.lines.append(line[: self._room])
            self._room -= len(line) + 1


class TapResult:
    """One `ok` or `not ok`, and what the lines after it add."""

    def __init__(self, passed: bool, number: int | None, description: str) -> None:
        self.passed = passed
        self.number = number
        self.directive, self.reason = "", ""
        if found := _DIRECTIVE.search(description):
            self.directive = "skip" if found[1] else "todo"
            self.reason = found[3].strip()
            description = description[: found.start()]
        self.description = _ESCAPE.sub(r"\1", description.strip())
        self.failed_subtests: list[str] = []
        self.block = BoundedLines()
        self.remarks = BoundedText()

    @property
    def status(self) -> CaseStatus:
        """What it counts as. An expected failure (`todo`) is a skip; a failure marked `skip` stays one."""
        if self.passed:
            return "skip" if self.directive == "skip" else "pass"
        return "skip" if self.directive == "todo" else "fail"

    def end(self, attempt: int) -> CaseEnded:
        """Return the end of the case."""
        status = self.status
        said = read_diagnostics(self.block.lines)
        name = self.description or f"test {self.number}"
        failed = status == "fail"
        message = said.message or "\n".join(self.failed_subtests) or str(self.remarks).strip()
        return CaseEnded(
            id=name,
            name=name,
            file=said.file,
            line=said.line,
            attempt=attempt,
            status=status,
            duration=said.duration,
            detail=self._detail(),
            output=cut(str(self.remarks).strip()),
            error=(cut(message) or "not ok") if failed else "",
            stack_trace="\n".join([*self.failed_subtests, said.stack]).strip() if failed else "",
            assertions=said.assertions if failed else (),
        )

    def _detail(self) -> str:
        if self.directive == "todo":
            return (
                f"unexpectedly passed: {self.reason}" if self.passed else f"expected to fail: {self.reason}"
            )
        return self.reason


def read_result(line: str) -> TapResult | None:
    """Return the result that a line states, or None if it states none."""
    found = _RESULT.fullmatch(line)
    return TapResult(not found[1], int(found[2]) if found[2] else None, found[3]) if found else None


def is_failure(line: str) -> bool:
    """Tell whether a line of a subtest states a failure that counts."""
    result = read_result(line) if line.startswith("not ") else None
    return result is not None and result.status == "fail"
