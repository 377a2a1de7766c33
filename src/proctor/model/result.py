"""Builds the result that every frontend shows from the fold of a run."""

from datetime import UTC, datetime

from proctor.model.event import OutputKept
from proctor.model.fold import Fold
from proctor.model.run import Artifact, RunRow, RunStatus, SandboxReport, TestResult
from proctor.model.verdict import Judgement, judge, status_of


def build_result(fold: Fold) -> TestResult:
    """Return the whole result of a run, ended or not."""
    queued, ended, process = fold.queued, fold.ended, fold.process
    assert queued is not None, "a journal begins with run_queued"
    judgement = judge(fold)
    return TestResult(
        run_id=queued.run_id,
        project=queued.project,
        name=queued.name,
        framework=queued.framework,
        category=queued.category,
        status=_status(fold, judgement),
        verdict=judgement.verdict if judgement else None,
        success=judgement is not None and judgement.verdict == "passed",
        reasons=judgement.reasons if judgement else (),
        exit_code=process.exit_code if process else None,
        timed_out=ended is not None and ended.cause == "timeout",
        queued_at=iso_time(queued.at),
        started_at=iso_time(fold.started_at),
        ended_at=iso_time(ended.at if ended else 0),
        duration=round(ended.duration, 6) if ended else 0.0,
        summary=fold.summary,
        tests=tuple(fold.cases),
        problems=fold.as_problems(),
        notes=tuple(fold.notes),
        error=_error(judgement),
        raw_output=output_text(fold.output),
        artifacts=_artifacts(fold.output),
        metrics=dict(fold.metrics),
        sandbox=_sandbox(fold),
        command=fold.started.argv if fold.started else (),
        commit=queued.commit,
        branch=queued.branch,
    )


def build_row(fold: Fold, row: RunRow) -> RunRow:
    """Return the row of a run as its events tell it; what only the queue knows is taken from ``row``."""
    result = build_result(fold)
    return RunRow(
        run_id=row.run_id,
        project=result.project,
        name=result.name,
        framework=result.framework,
        category=result.category,
        status=result.status,
        verdict=result.verdict,
        queued_at=fold.queued.at if fold.queued else row.queued_at,
        started_at=fold.started_at,
        ended_at=fold.ended.at if fold.ended else 0.0,
        duration=result.duration,
        summary=result.summary,
        error=result.error,
        commit=result.commit,
        branch=result.branch,
        owner=row.owner,
        heartbeat_at=row.heartbeat_at,
        cancel_asked=row.cancel_asked,
        detached=row.detached,
    )


def output_text(output: OutputKept | None) -> str:
    """Return what was printed; of long output its head and tail with a line that says what lies between."""
    if output is None:
        return ""
    if not output.tail:
        return output.head
    return f"{output.head}\n[… {output.size} bytes in all; whole text: {output.blob}]\n{output.tail}"


def _artifacts(output: OutputKept | None) -> tuple[Artifact, ...]:
    if output is None or not output.blob:
        return ()
    return (Artifact(name="output", size=output.size - output.dropped, blob=output.blob),)


def iso_time(seconds: float) -> str:
    """Return a point in time as ISO 8601 in UTC, or an empty string for none."""
    if not seconds:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _status(fold: Fold, judgement: Judgement | None) -> RunStatus:
    if judgement is not None:
        return status_of(judgement.verdict)
    return "RUNNING" if fold.started is not None else "QUEUED"


def _error(judgement: Judgement | None) -> str:
    if judgement is None or judgement.verdict == "passed":
        return ""
    return judgement.reasons[0]


def _sandbox(fold: Fold) -> SandboxReport:
    started = fold.started
    if started is None:
        return SandboxReport()
    return SandboxReport(name=started.sandbox, enforced=started.enforced, unavailable=started.unavailable)
