"""Finds runs whose owner died, keeps what they had finished, and closes them as `interrupted`.

A living owner holds the lock of its run; the kernel frees it with the process, even on kill -9. So a free
lock means a dead owner. A run whose files are on another machine is judged by its heartbeat instead.
"""

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import get_args

from proctor.journal.files import RunFiles
from proctor.journal.journal import JournalWriter
from proctor.journal.spool import Spool
from proctor.model import event as ev
from proctor.model.errors import StateFault
from proctor.model.plan import Task
from proctor.model.run import RunRow
from proctor.ports import Ended, Released, RunQuery
from proctor.service.implementations import all_frameworks, frameworks, load_executor
from proctor.service.leftovers import channel_path, remove_leftovers
from proctor.service.office import Office
from proctor.service.reading import knows_its_request, read_run
from proctor.service.recorder import Recorder

LEASE = 60.0
_READER_EVENTS = get_args(ev.ReaderEvent)
_CHUNK = 1 << 20


def close_dead_runs(office: Office) -> int:
    """Close every run that nobody runs any more; return how many.

    One that cannot be closed now (a full disk, a damaged journal) must not keep others from being seen.
    """
    closed = 0
    for status in ("RUNNING", "QUEUED"):
        for row in office.store.runs(RunQuery(status=status, limit=500)).runs:
            try:
                closed += close_if_dead(office, row)
            except StateFault:
                continue
    return closed


def close_if_dead(office: Office, row: RunRow) -> int:
    """Close one run if nobody runs it any more; return how many were closed."""
    if row.ended_at:
        return 0
    files = RunFiles(office.home, row.run_id)
    if not Path(files.journal).exists():
        return _close_if_lease_ran_out(office, row)
    writer = office.journals.take(row.run_id)
    if writer is None:
        return 0
    try:
        return _close(office, row, files, writer)
    finally:
        writer.close()


def _close_if_lease_ran_out(office: Office, row: RunRow) -> int:
    last_seen = max(row.heartbeat_at, row.started_at, row.queued_at)
    if time.time() - last_seen < LEASE:
        return 0
    gone = RunRow(
        run_id=row.run_id,
        project=row.project,
        name=row.name,
        framework=row.framework,
        category=row.category,
        status="INTERRUPTED",
        verdict="interrupted",
        queued_at=row.queued_at,
        started_at=row.started_at,
        ended_at=time.time(),
        error="its owner gave no sign of life and its journal is not here",
    )
    office.store.record(Ended(row=gone))
    return 1


def _close(office: Office, row: RunRow, files: RunFiles, writer: JournalWriter) -> int:
    recorder = Recorder(row, writer, office.blobs, office.store)
    seen = 0
    last_at = row.queued_at
    for event in read_run(office.journals, row):
        recorder.announce((event,))
        last_at = max(last_at, event.at)
        if isinstance(event, ev.RunStarted):
            seen = 0
        elif isinstance(event, _READER_EVENTS):
            seen += 1
    if recorder.fold.ended is None:
        startable = _never_started(recorder, files) and knows_its_request(recorder.fold.queued)
        if startable and row.detached:
            office.store.record(Released(run_id=row.run_id))
            load_executor("local").submit(row.run_id, str(office.home), writer.lock)
            return 0
        _say_what_was_lost(office, recorder, files, seen, last_at)
    recorder.finish()
    remove_leftovers(files)
    return 1


def _never_started(recorder: Recorder, files: RunFiles) -> bool:
    return recorder.fold.started is None and not channel_path(files, 1).exists()


def _say_what_was_lost(
    office: Office, recorder: Recorder, files: RunFiles, seen: int, last_at: float
) -> None:
    fold = recorder.fold
    if not _never_started(recorder, files):
        recorder.emit(islice(_channel_events(recorder, files), seen, None))
        if Path(files.output).exists():
            recorder.emit([Spool.from_file(files.output, office.blobs)])
    began = fold.started_at or last_at
    message = "the process that ran it died" if fold.started else "its owner died before it was started"
    recorder.emit([ev.RunEnded(cause="interrupted", message=message, duration=max(last_at - began, 0.0))])


def _channel_events(recorder: Recorder, files: RunFiles) -> Iterator[ev.Event]:
    """All that the last attempt said over its channel; a reader says the same each time."""
    fold = recorder.fold
    attempt = fold.attempt
    queued = fold.queued
    path = channel_path(files, attempt)
    known = frameworks() if recorder.row.framework in frameworks() else all_frameworks()
    framework = known.get(recorder.row.framework)
    if queued is None or framework is None or not path.exists():
        return
    reader = framework.reader(Task(root=queued.root, reports=queued.request.reports), attempt)
    with path.open("rb") as channel:
        while data := channel.read(_CHUNK):
            yield from reader.feed("channel", data)
