"""What is told on stderr while a run goes on: a bar on a terminal, sparse lines elsewhere."""

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from proctor.frontends.cli import console
from proctor.frontends.cli.clean import clean_line
from proctor.frontends.cli.phrases import lasted, number_of, place
from proctor.model.event import CaseEnded, Collected, Event, ProblemFound, RunQueued, RunStarted

_PAUSE = 5.0
_MOST_FAILURES = 20


class Watcher(AbstractContextManager["Watcher"], Protocol):
    """Someone who is told every event of a run as it happens."""

    def __call__(self, run_id: str, event: Event) -> None: ...


class Tally:
    """How far the present attempt of a run is."""

    def __init__(self) -> None:
        self.total = self.done = self.bad = 0

    def count(self, event: Event) -> None:
        """Take one more event into account."""
        match event:
            case CaseEnded(retried=False):
                self.done += 1
                self.bad += event.status in ("fail", "error", "unfinished")
            case Collected():
                self.total += event.total
            case RunStarted():
                self.total = self.done = self.bad = 0

    def __str__(self) -> str:
        of = f"/{self.total}" if self.total >= self.done else ""
        return f"{self.done}{of} tests, {self.bad} failed" if self.bad else f"{self.done}{of} tests"


class Silence:
    """Tells nothing, for callers who asked for data."""

    def __call__(self, run_id: str, event: Event) -> None:
        """Take the event and say nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        return None


class Lines:
    """Sparse lines: that it started, each of the first failures, and how far it is every few seconds."""

    def __init__(
        self, write: Callable[[str], None] = console.say, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._write, self._clock = write, clock
        self._tally = Tally()
        self._began = self._told = clock()
        self._failures = 0

    def __call__(self, run_id: str, event: Event) -> None:
        """Tell what is worth a line."""
        self._tally.count(event)
        match event:
            case RunQueued():
                self._write(f"{run_id}: {clean_line(event.framework)} in {clean_line(event.root)}")
            case RunStarted(attempt=attempt) if attempt > 1:
                self._write(f"attempt {attempt}")
            case Collected(total=total) if total:
                self._write(number_of(total, "test") + " collected")
            case CaseEnded(status="fail" | "error", retried=False):
                self._failure(event.status.upper(), place(event.file, event.line), event.name or event.id)
            case ProblemFound():
                self._failure("ERROR", place(event.file, event.line), event.message.strip())
        self._tell_sometimes()

    def _failure(self, word: str, where: str, what: str) -> None:
        self._failures += 1
        if self._failures <= _MOST_FAILURES:
            self._write(" ".join(part for part in (word, where, clean_line(what)) if part))
        elif self._failures == _MOST_FAILURES + 1:
            self._write("further failures are counted only")

    def _tell_sometimes(self) -> None:
        now = self._clock()
        if now - self._told >= _PAUSE:
            self._told = now
            self._write(f"{self._tally}, {lasted(now - self._began)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


def watcher(wanted: str) -> Watcher:
    """Return who watches a run for a caller who wants this format."""
    if wanted == "jsonl":
        from proctor.frontends.cli.stream import EventStream

        return EventStream()
    if wanted != "text":
        return Silence()
    if console.is_terminal(sys.stderr):
        from proctor.frontends.cli.bar import Bar

        return Bar()
    return Lines()
