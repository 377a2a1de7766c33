"""Counts what a pytest run showed and holds it against what pytest says it counted. Knows no bytes."""

from collections import Counter
from collections.abc import Iterator

from proctor.formats.channel import EndLine
from proctor.frameworks.pytest_wire import DoneLine, SessionLine
from proctor.model.event import ProblemFound, ProblemKind

_UNEXPLAINED: dict[int, tuple[ProblemKind, str]] = {
    2: ("stopped", "pytest was stopped before its end and did not say why"),
    3: ("internal", "pytest had an internal error and did not say which"),
    4: ("usage", "pytest refused its command line or configuration and did not say why"),
}


class Totals:
    """What was seen so far; ``compare`` says what does not fit."""

    def __init__(self) -> None:
        self.collected = 0
        self.problems = 0
        self.failed_reports = 0
        self.session: SessionLine | None = None
        self._ended = 0
        self._bad = 0
        self._seen: Counter[str] = Counter()

    def add(self, line: EndLine) -> None:
        """Count the end of one try."""
        counts = line.r if line.r is not None else {"passed": 1}
        self._seen.update(counts)
        self.failed_reports += counts.get("failed", 0) + counts.get("error", 0)
        if not line.retried:
            self._ended += 1
            self._bad += line.s in ("fail", "error")

    def compare(self, done: DoneLine) -> Iterator[ProblemFound]:
        """Say what does not add up, and what pytest's exit status means where nothing else explains it."""
        for message in (*self._own(done), *self._session(done)):
            yield ProblemFound(kind="totals", message=message)
        session = self.session
        if session is not None and not done.configured:
            yield ProblemFound(kind="internal", message="pytest did not shut down as it should")
        if session is not None and session.loop_failed is not None and session.failed > session.loop_failed:
            message = "a plugin failed the run after its tests (a coverage threshold, for example)"
            yield ProblemFound(kind="unhandled", message=message)
        explained = self.problems or (done.code == 2 and self._bad)
        if done.code in _UNEXPLAINED and not explained:
            kind, message = _UNEXPLAINED[done.code]
            yield ProblemFound(kind=kind, message=message, fatal=True)

    def _own(self, done: DoneLine) -> Iterator[str]:
        if done.total != self._ended:
            yield f"the reporter counted {done.total} tests, {self._ended} were seen"

    def _session(self, done: DoneLine) -> Iterator[str]:
        session = self.session
        if session is None:
            return
        if session.exitstatus != done.code:
            yield f"pytest's session ended with {session.exitstatus}, pytest itself with {done.code}"
        # pytest sets its count last: an error that ends the collection, as in a bad -k, leaves it at zero.
        stopped = self.problems > 0 and session.collected == 0
        if session.collected != self.collected and not stopped:
            yield f"pytest collected {session.collected} tests, the report speaks of {self.collected}"
        counted = session.failed if session.loop_failed is None else session.loop_failed
        # pytest fails the test around a failed subtest after counting; plugins that try again count back.
        slack = self._seen["subtests"]
        if abs(counted - self.failed_reports) > slack:
            yield f"pytest counted {counted} failures, the report {self.failed_reports}"
        for word in ("passed", "failed", "error"):
            theirs, ours = (session.stats or {}).get(word, 0), self._seen[word]
            if theirs > ours + (self._seen["subtests"] if word == "failed" else 0) + self._in_collection(
                word
            ):
                yield f"pytest's terminal shows {theirs} {word}, the report {ours}"

    def _in_collection(self, word: str) -> int:
        """Errors at collection are shown among the others, and are no test's."""
        return self.failed_reports - self._seen["failed"] - self._seen["error"] if word == "error" else 0
