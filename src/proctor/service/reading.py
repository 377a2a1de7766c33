"""Reads the events of a run so that every use case gets a whole run, even where its journal is damaged."""

from collections.abc import Iterator

from proctor.journal.journal import Journals
from proctor.model.errors import NotFound
from proctor.model.event import Event, ProblemFound, RunQueued
from proctor.model.request import TestRequest
from proctor.model.run import RunRow


def require_journal(journals: Journals, row: RunRow) -> None:
    """Raise NotFound for a run that the index still lists, though somebody removed its files."""
    if not journals.exists(row.run_id):
        raise NotFound(
            f"the journal of {row.run_id} was removed; its line in `proctor list` is all that is left",
            hint="`proctor doctor --rebuild` makes the list agree with the journals",
            fields={"run_id": row.run_id},
        )


def read_run(journals: Journals, row: RunRow) -> Iterator[Event]:
    """Yield the events of a run; where its first is lost, what the row knows takes its place."""
    require_journal(journals, row)
    events = journals.read(row.run_id)
    first = next(events, None)
    if not isinstance(first, RunQueued):
        yield _as_queued(row)
        yield ProblemFound(kind="report", message="the journal of this run has lost its beginning")
    if first is not None:
        yield first
    yield from events


def unknown_row(run_id: str) -> RunRow:
    """Return the row of a run of which nothing but its journal is known."""
    return RunRow(run_id=run_id, project="", name="", framework="", category="", status="UNKNOWN")


def knows_its_request(queued: RunQueued | None) -> bool:
    """Tell whether a run could be started from this event: not from one that only stands for a lost one."""
    return queued is not None and queued.root != ""


def _as_queued(row: RunRow) -> RunQueued:
    return RunQueued(
        at=row.queued_at,
        run_id=row.run_id,
        project=row.project,
        root="",
        name=row.name or "(lost)",
        framework=row.framework or "unknown",
        category=row.category or "unknown",
        request=TestRequest(),
        commit=row.commit,
        branch=row.branch,
    )
