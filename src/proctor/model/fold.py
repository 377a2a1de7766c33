"""The fold: what a list of events amounts to. Live view, stored run and every frontend use this one.

It knows nothing of verdicts (see ``verdict``); it keeps the evidence for them. With ``keep_all`` false,
passed cases are counted and then forgotten, so that a run of a million tests fits in little memory.
"""

from collections.abc import Callable, Iterable
from typing import assert_never

from proctor.model import event as ev
from proctor.model.case import Case, Summary
from proctor.model.run import Problem

_MOST_TRIES = 1_000_000


class Fold:
    """The state of a run after some events. Feed it with ``apply``; read its attributes."""

    def __init__(self, *, keep_all: bool = True, on_case: Callable[[Case], None] | None = None) -> None:
        self.keep_all = keep_all
        self._on_case = on_case
        self.queued: ev.RunQueued | None = None
        self.started: ev.RunStarted | None = None
        self.started_at = 0.0
        self.process: ev.ProcessEnded | None = None
        self.ended: ev.RunEnded | None = None
        self.output: ev.OutputKept | None = None
        self.collected: int | None = None
        self.deselected = 0
        self.reports: list[ev.ReportEnded] = []
        self.problems: list[ev.ProblemFound] = []
        self.notes: list[str] = []
        self.metrics: dict[str, float] = {}
        self.attempt = 1
        self.ran_in_attempt = 0
        self.retried: list[str] = []
        self._open: dict[str, ev.CaseStarted] = {}
        self._kept: dict[str, Case] = {}
        self._ended: dict[str, int] = {}
        self._counts = {"pass": 0, "fail": 0, "skip": 0, "error": 0, "unfinished": 0}

    def apply_all(self, events: Iterable[ev.Event]) -> "Fold":
        """Apply every event and return self."""
        for event in events:
            self.apply(event)
        return self

    def apply(self, event: ev.Event) -> None:
        """Take one more event into account."""
        match event:
            case ev.CaseStarted():
                self._open[event.id] = event
            case ev.CaseEnded():
                self._end_case(event)
            case ev.RunQueued():
                self.queued = event
            case ev.RunStarted():
                self._start_attempt(event)
            case ev.Collected():
                self.collected = (self.collected or 0) + event.total
                self.deselected += event.deselected
            case ev.ProcessEnded():
                self.process = event
                self._close_open()
            case ev.RunEnded():
                self.ended = event
                self._close_open()
            case _:
                self._apply_remark(event)

    def _apply_remark(
        self, event: ev.ProblemFound | ev.Noted | ev.ReportEnded | ev.MetricSeen | ev.OutputKept
    ) -> None:
        match event:
            case ev.ProblemFound():
                self.problems.append(event)
            case ev.Noted():
                self.notes.append(event.message)
            case ev.ReportEnded():
                self.reports.append(event)
            case ev.MetricSeen():
                self.metrics[event.key] = event.value
            case ev.OutputKept():
                self.output = event
            case _:
                assert_never(event)

    @property
    def summary(self) -> Summary:
        """Counts over all cases so far; open cases count only when the run has ended."""
        counts = self._counts
        return Summary(
            total=sum(counts.values()),
            passed=counts["pass"],
            failed=counts["fail"],
            skipped=counts["skip"],
            errors=counts["error"],
            unfinished=counts["unfinished"],
        )

    @property
    def cases(self) -> Iterable[Case]:
        """The kept cases in the order of their first end."""
        return self._kept.values()

    @property
    def running(self) -> tuple[str, ...]:
        """Ids of the cases that started and have not ended."""
        return tuple(self._open)

    def _start_attempt(self, event: ev.RunStarted) -> None:
        if self.started is None:
            self.started_at = event.at
        self.started = event
        self.attempt = event.attempt
        self.process = None
        self.collected = None
        self.reports = []
        self.ran_in_attempt = 0

    def _end_case(self, event: ev.CaseEnded) -> None:
        self._open.pop(event.id, None)
        if event.retried:
            self.retried.append(event.id)
            return
        self.ran_in_attempt += 1
        case_id = event.id
        # A later command of the run counts anew, even where a plugin had tried more often in the one before.
        attempt = self.attempt * _MOST_TRIES + event.attempt
        before = self._ended.get(case_id)
        if before is not None and attempt <= before:
            case_id = self._another_name(case_id)
            before = None
        self._ended[case_id] = attempt
        if before is not None:
            self._forget(case_id)
        self._keep(case_id, event)

    def _another_name(self, case_id: str) -> str:
        number = 2
        while f"{case_id}#{number}" in self._ended:
            number += 1
        return f"{case_id}#{number}"

    def _forget(self, case_id: str) -> None:
        earlier = self._kept.pop(case_id, None)
        status = earlier.status if earlier else "pass"
        self._counts[status] -= 1
        if status in ("fail", "error", "unfinished"):
            self.retried.append(case_id)

    def _keep(self, case_id: str, event: ev.CaseEnded) -> None:
        self._counts[event.status] += 1
        if event.status == "pass" and not self.keep_all and self._on_case is None:
            return
        case = Case(
            id=case_id,
            name=event.name or event.id,
            package=event.package,
            file=event.file,
            line=event.line,
            status=event.status,
            duration=event.duration,
            attempts=event.attempt,
            detail=event.detail,
            output=event.output,
            error=event.error,
            stack_trace=event.stack_trace,
            assertions=event.assertions,
        )
        if self._on_case is not None:
            self._on_case(case)
        if self.keep_all or event.status != "pass":
            self._kept[case_id] = case

    def _close_open(self) -> None:
        left_open, self._open = self._open, {}
        for started in left_open.values():
            lost = ev.CaseEnded(
                id=started.id,
                name=started.name,
                package=started.package,
                file=started.file,
                line=started.line,
                attempt=started.attempt,
                status="unfinished",
                error="started and never ended",
            )
            self._end_case(lost)

    def as_problems(self) -> tuple[Problem, ...]:
        """The errors outside cases, as the result shows them."""
        return tuple(
            Problem(kind=p.kind, message=p.message, file=p.file, line=p.line, stack_trace=p.stack_trace)
            for p in self.problems
        )
