"""One package under test: its open tests, what it printed, and whether its end fits what was seen of it."""

from collections.abc import Iterator
from typing import Final

import msgspec

from proctor.formats.text import BoundedText, cut
from proctor.frameworks.go_build import kind_of
from proctor.frameworks.go_failure import crash_line, explain
from proctor.model.event import ProblemFound, ProblemKind

MOST_OUTPUT: Final = 1024 * 1024
_MOST_OUTSIDE: Final = 64 * 1024
_SOME: Final = 5
_FINAL_WORD: Final = "PASS\n"
_OWN_WORDS: Final = ("PASS\n", "FAIL\n", "FAIL\t", "ok  \t", "?   \t")


class OpenTest(msgspec.Struct):
    """A test that runs. ``reported``: its own result line was seen, as it is before every true end."""

    id: str
    file: str
    line: int
    reported: bool = False
    output: BoundedText | None = None
    bad_children: tuple[str, ...] = ()

    def add(self, text: str) -> None:
        """Take what it printed."""
        if self.output is None:
            self.output = BoundedText(MOST_OUTPUT)
        self.output.add(text)

    @property
    def text(self) -> str:
        """All that it printed, bounded."""
        return "" if self.output is None else str(self.output)


class Package:
    """A package from its first line to its end. Holds only what is open, never what has passed."""

    def __init__(self, name: str, functions: dict[str, tuple[str, int]]) -> None:
        self.name = name
        self.functions = functions
        self.open: dict[str, OpenTest] = {}
        self.seen = False
        self.cached = False
        self.state = ""
        self._failed: list[str] = []
        self._passed = False
        self._outside: BoundedText | None = None

    @property
    def has_failed(self) -> bool:
        """Whether a test failed in it, or was under way when it ended."""
        return bool(self._failed or self.open)

    def fail(self, test: str) -> None:
        """Remember that a test failed; the first few are kept by name."""
        if len(self._failed) <= _SOME:
            self._failed.append(test)

    def add(self, test: str, text: str) -> None:
        """Take what was printed outside any open test; what a benchmark prints is its result."""
        if test.startswith("Benchmark"):
            return
        if text == _FINAL_WORD and not test:
            self._passed = True
        elif text.startswith("ok  \t") and "\t(cached)" in text:
            self.cached = True
        if not text.startswith(_OWN_WORDS):
            if self._outside is None:
                self._outside = BoundedText(_MOST_OUTSIDE)
            self._outside.add(text)

    def end(self, state: str, failed_build: str) -> Iterator[ProblemFound]:
        """Say what does not fit the end that Go tells of."""
        self.state = state
        if state == "pass":
            yield from self._doubt_pass()
        elif state == "fail" and self.open:
            yield self._crash()
        elif state == "fail" and not failed_build and not self._failed:
            yield self._failure_outside()

    def cut_off(self, test: str) -> ProblemFound:
        """Return the problem of a package whose process ended with 0 while its tests were under way.

        Go then puts the package's end on the last test (golang/go#37555): that test has not passed.
        """
        self.state = "cut off"
        message = f"{self.name} ended with exit code 0 before its tests were through: {test} was the last"
        return ProblemFound(kind="stopped", message=message)

    def _doubt_pass(self) -> Iterator[ProblemFound]:
        if self._failed:
            message = f"{self.name} says that it passed, but {_list(self._failed)} failed in it"
            yield ProblemFound(kind="totals", message=message)
        if self.open:
            message = f"{self.name} says that it passed, but {_list(list(self.open))} never ended"
            yield ProblemFound(kind="totals", message=message)
        if not self._passed:
            message = f"{self.name} ended with exit code 0, but its tests never said PASS: it was left early"
            yield ProblemFound(kind="report", message=message)

    def _crash(self) -> ProblemFound:
        texts = [self._said(), *(test.text for test in self.open.values())]
        texts = [text for text in texts if text.strip()]
        why = next((line for text in texts if (line := crash_line(text))), "its process ended early")
        message = f"{self.name} crashed while {_list(list(self.open))} ran: {why}"
        told = next((text for text in texts if crash_line(text)), "\n".join(texts))
        failure = explain(told)
        trace = f"{failure.error}\n{failure.stack_trace}".strip()
        return ProblemFound(kind="stopped", message=cut(message), stack_trace=cut(trace))

    def _failure_outside(self) -> ProblemFound:
        said = self._said().strip()
        why = crash_line(said) or said or "it did not say why"
        when = "though none of its tests did" if self.seen else "before a test ran"
        usage = kind_of(said) == "usage" and not self.seen
        kind: ProblemKind = "usage" if usage else "teardown" if self.seen else "setup"
        message = f"{self.name} failed {when}: {why}"
        return ProblemFound(kind=kind, message=cut(message), stack_trace=cut(said), fatal=not self.seen)

    def _said(self) -> str:
        return "" if self._outside is None else str(self._outside)


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _SOME} more" if len(names) > _SOME else ""
    return ", ".join(name[:200] for name in names[:_SOME]) + more
