"""Reads JUnit XML in the dialects of pytest, Surefire, Gradle, Jest, gotestsum, PHPUnit, gtest, ctest,
nextest, bats and Node. Refuses DTDs; tells what is torn, malformed or contradicts its own totals."""

from collections.abc import Iterator
from xml.parsers import expat

from proctor.formats.junit_case import JunitCase, Remark
from proctor.formats.text import cut
from proctor.model.event import Noted, ProblemFound, ReaderEvent

MAX_DEPTH = 64
_SUITES = ("testsuites", "testsuite")
_REMARKS = frozenset(
    {"failure", "error", "skipped", "system-out", "system-err",
     "flakyFailure", "flakyError", "rerunFailure", "rerunError"}
)  # fmt: skip
# Some tools write terminal colours and NUL into their XML as they are; XML has no place for them.
_REPAIR = bytes(code if code >= 32 or code in (9, 10, 13) else ord("?") for code in range(256))


class _Refused(Exception):
    """A document that is not read any further."""


class _Suite:
    """One open suite: what it declares, and what was seen in it so far."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.is_inner = tag == "testsuite"
        self.name = attributes.get("name", "")
        self.file = attributes.get("file", "")
        self.tests = _number(attributes.get("tests"))
        bad = [_number(attributes.get(key)) for key in ("failures", "errors")]
        declared = [number for number in bad if number is not None]
        self.bad = sum(declared) if declared else None
        self.cases = 0
        self.children = 0
        self.bad_cases = 0
        self.error_cases = 0
        self.reran = False


class JunitReader:
    """Reads one document: feed it bytes, then close it. ``total`` counts its cases.

    ``whole``: it was read to its end and agrees with itself.
    """

    def __init__(self, attempt: int = 1) -> None:
        self.total = 0
        self.whole = False
        self._attempt = attempt
        self._events: list[ReaderEvent] = []
        self._broken = False
        self._fed = False
        self._wide = False
        self._depth = 0
        self._suites: list[_Suite] = []
        self._case: JunitCase | None = None
        self._remark: Remark | None = None
        self._remark_depth = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def feed(self, data: bytes) -> list[ReaderEvent]:
        """Take the next bytes and return what they complete."""
        if not self._fed and data:
            self._fed = True
            self._wide = data.startswith((b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<"))
        self._parse(data if self._wide else data.translate(_REPAIR), last=False)
        return self._take()

    def close(self) -> list[ReaderEvent]:
        """Take the end of the document and return what is missing."""
        if not self._fed:
            self._broken = True
            self._problem("the report is empty")
        self._parse(b"", last=True)
        self.whole = not self._broken
        return self._take()

    def _parse(self, data: bytes, *, last: bool) -> None:
        if self._broken:
            return
        try:
            self._parser.Parse(data, last)
        except _Refused as refused:
            self._broken = True
            self._problem(f"the report is refused: {refused}")
        except (expat.ExpatError, ValueError, LookupError) as error:
            self._broken = True
            state = "ends too early" if last else "is malformed"
            self._problem(f"the report {state}: {error}")

    def _take(self) -> list[ReaderEvent]:
        events, self._events = self._events, []
        return events

    def _problem(self, message: str) -> None:
        self._events.append(ProblemFound(kind="report", message=message))

    def _refuse_doctype(self, *_: object) -> None:
        raise _Refused("it has a document type declaration")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _Refused(f"it is nested deeper than {MAX_DEPTH} levels")
        if self._depth == 1 and tag not in _SUITES:
            raise _Refused(f"<{tag[:80]}> is not the root of a JUnit report")
        if self._remark is not None:
            return
        if tag in _REMARKS:
            self._remark = Remark(tag, attributes)
            self._remark_depth = self._depth
        elif tag in _SUITES:
            self._open_suite(tag, attributes)
        elif tag == "testcase":
            self._open_case(attributes)

    def _open_suite(self, tag: str, attributes: dict[str, str]) -> None:
        if self._case is not None:
            raise _Refused("a suite stands inside a case")
        if self._suites:
            self._suites[-1].children += 1
        self._suites.append(_Suite(tag, attributes))

    def _open_case(self, attributes: dict[str, str]) -> None:
        if self._case is not None:
            raise _Refused("a case stands inside a case")
        suite = self._suites[-1]
        suite.children += 1
        self._case = JunitCase(attributes, suite.name, suite.file)

    def _text(self, text: str) -> None:
        if self._remark is not None:
            self._remark.add(text)

    def _end(self, tag: str) -> None:
        depth, self._depth = self._depth, self._depth - 1
        if self._remark is not None:
            if depth == self._remark_depth:
                self._close_remark(self._remark)
                self._remark = None
        elif tag == "testcase" and self._case is not None:
            self._close_case(self._case)
            self._case = None
        elif tag in _SUITES:
            self._close_suite(self._suites.pop())

    def _close_remark(self, remark: Remark) -> None:
        if self._case is not None:
            self._case.add(remark)
        elif remark.tag in ("failure", "error"):
            message = f"suite {self._suites[-1].name!r}: {remark.message or 'failed outside its tests'}"
            self._events.append(ProblemFound(kind="setup", message=cut(message), stack_trace=remark.text))

    def _close_case(self, case: JunitCase) -> None:
        self.total += 1
        ends = list(case.ends(self._attempt))
        self._events += ends
        suite = self._suites[-1]
        suite.cases += 1
        suite.bad_cases += ends[-1].status in ("fail", "error")
        suite.error_cases += case.has_error
        suite.reran |= len(ends) > 1

    def _close_suite(self, suite: _Suite) -> None:
        self._events += _contradictions(suite)
        if self._suites:
            outer = self._suites[-1]
            outer.cases += suite.cases
            outer.bad_cases += suite.bad_cases
            outer.error_cases += suite.error_cases
            outer.reran |= suite.reran


def _contradictions(suite: _Suite) -> Iterator[ReaderEvent]:
    """Where a suite's own totals disagree with its cases in a way that could hide something.

    Totals are sloppy in red reports (gotestsum counts build errors, Surefire only the last rerun, old pytest
    a failed teardown twice), which stay red; so in those only lost cases are held against the report.
    """
    name = f"suite {suite.name[:200]!r}"
    red = bool(suite.bad_cases)
    if suite.bad and not red:
        yield ProblemFound(
            kind="totals", message=f"{name} declares {suite.bad} failures, none was found in it"
        )
    elif suite.bad is not None and suite.bad != suite.bad_cases:
        yield Noted(message=f"{name} declares {suite.bad} failures, {suite.bad_cases} were found in it")
    # Node counts the direct children of a suite, inner suites among them.
    counted = (suite.cases, suite.children) if suite.is_inner else (suite.cases,)
    if suite.tests is None or suite.tests in counted:
        return
    sloppy = suite.reran or (red and suite.tests <= suite.cases + suite.error_cases)
    if not sloppy:
        message = f"{name} declares {suite.tests} tests, {suite.cases} were found in it"
        yield ProblemFound(kind="totals", message=message)


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    clean = text.strip()
    return int(clean) if clean.isascii() and clean.isdigit() and len(clean) < 10 else None
