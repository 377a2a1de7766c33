"""One `<testcase>` of a JUnit report and what it amounts to. Knows nothing of documents and suites."""

import math
from collections.abc import Iterator

from proctor.formats.text import BoundedText, cut
from proctor.model.case import CaseStatus
from proctor.model.event import CaseEnded

_NOT_RUN = frozenset({"notrun", "disabled", "skipped", "ignored", "suppressed", "pending"})
_FAILED = frozenset({"fail", "failed", "failure"})
_ERROR = frozenset({"error", "errored"})
_RETRIES = ("flakyFailure", "flakyError", "rerunFailure", "rerunError")
_LONGEST_LINE_NUMBER = 9


class Remark:
    """A child of a case: a failure, an error, a skip, an earlier try, or output."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.type = attributes.get("type", "")
        self._message = attributes.get("message", "")
        self._text = BoundedText()

    def add(self, text: str) -> None:
        """Append a piece of the text inside."""
        self._text.add(text)

    @property
    def text(self) -> str:
        """The whole text inside, bounded."""
        return str(self._text).strip()

    @property
    def message(self) -> str:
        """What is wrong in short: the message, else the first line of the text, else the type."""
        return cut(self._message.strip()) or self.text.split("\n", 1)[0] or self.type


class JunitCase:
    """Gathers one case; ``ends`` says how each try of it ended, the last one being what counts."""

    def __init__(self, attributes: dict[str, str], suite: str, suite_file: str) -> None:
        self.name = attributes.get("name", "")
        self.package = attributes.get("classname") or attributes.get("class") or suite
        self.file = attributes.get("file") or suite_file
        self.line = _line(attributes.get("line", ""))
        self.duration = _seconds(attributes.get("time", ""))
        self._words = {attributes.get(key, "").lower() for key in ("status", "result")}
        self._remarks: dict[str, list[Remark]] = {}

    def add(self, remark: Remark) -> None:
        """Take a child of the case."""
        self._remarks.setdefault(remark.tag, []).append(remark)

    @property
    def has_error(self) -> bool:
        """Whether an error stands in it, beside a pass or a failure perhaps."""
        return "error" in self._remarks

    def ends(self, attempt: int) -> Iterator[CaseEnded]:
        """Yield one end for each earlier try that the report knows of, then the end that counts."""
        tries = [remark for tag in _RETRIES for remark in self._remarks.get(tag, ())]
        for number, remark in enumerate(tries):
            status: CaseStatus = "error" if remark.tag.endswith("Error") else "fail"
            yield self._end(attempt + number, status, [remark], retried=True)
        status = self._status()
        yield self._end(attempt + len(tries), status, self._decisive(status))

    def _status(self) -> CaseStatus:
        skips = self._remarks.get("skipped", ())
        if any(skip.type == "todo" for skip in skips):
            return "skip"  # Node: a test known to fail may carry its failure beside the mark.
        if "failure" in self._remarks or self._words & _FAILED:
            return "fail"
        if "error" in self._remarks or self._words & _ERROR:
            return "error"
        return "skip" if skips or self._words & _NOT_RUN else "pass"

    def _decisive(self, status: CaseStatus) -> list[Remark]:
        if status == "skip":
            return self._remarks.get("skipped", [])
        return [*self._remarks.get("failure", ()), *self._remarks.get("error", ())]

    def _end(
        self, attempt: int, status: CaseStatus, remarks: list[Remark], *, retried: bool = False
    ) -> CaseEnded:
        said = "\n".join(remark.message for remark in remarks if remark.message)
        output = [r.text for tag in ("system-out", "system-err") for r in self._remarks.get(tag, ())]
        bad = status in ("fail", "error")
        return CaseEnded(
            id=f"{self.package}::{self.name}" if self.package else self.name,
            name=self.name,
            package=self.package,
            file=self.file,
            line=self.line,
            attempt=attempt,
            status=status,
            duration=self.duration,
            detail=cut(said) if status == "skip" else "",
            output="" if retried else cut("\n".join(text for text in output if text)),
            error=(cut(said) or "failed without a message") if bad else "",
            stack_trace=cut("\n".join(r.text for r in remarks if r.text)) if bad else "",
            retried=retried,
        )


def _seconds(text: str) -> float:
    """Read a duration: `1.5`, `1,5` (a German Surefire), `1,234.5` (with marks for thousands)."""
    clean = text.strip()
    clean = clean.replace(",", "") if "." in clean else clean.replace(",", ".")
    try:
        number = float(clean)
    except ValueError:
        return 0.0
    return number if math.isfinite(number) and number >= 0 else 0.0


def _line(text: str) -> int:
    plain = text.isascii() and text.isdigit() and len(text) <= _LONGEST_LINE_NUMBER
    return int(text) if plain else 0
