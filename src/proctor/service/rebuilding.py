"""Builds the index anew from the journals, which are the truth."""

from pathlib import Path

from proctor.journal.journal import Journals
from proctor.model.fold import Fold
from proctor.model.result import build_row
from proctor.model.run import RunRow
from proctor.ports import CasesEnded, Ended, Enqueued, Store
from proctor.service.office import database_path
from proctor.service.recorder import case_row
from proctor.stores.sqlite import SqliteStore


def rebuild_index(home: Path) -> int:
    """Fold every journal into a fresh database and put that in place; return how many runs it holds."""
    journals = Journals(home)
    count = 0
    with SqliteStore.fresh(database_path(home)) as store:
        for run_id in sorted(journals.run_ids()):
            count += _index_run(store, journals, run_id)
    return count


def _index_run(store: Store, journals: Journals, run_id: str) -> int:
    fold = Fold().apply_all(journals.read(run_id))
    if fold.queued is None:
        return 0
    queued = fold.queued
    row = build_row(
        fold,
        RunRow(
            run_id=run_id,
            project=queued.project,
            name=queued.name,
            framework=queued.framework,
            category=queued.category,
            status="QUEUED",
        ),
    )
    rows = [case_row(row, case) for case in fold.cases]
    store.record(Enqueued(row=row), CasesEnded(run_id=run_id, rows=rows))
    if fold.ended is not None:
        store.record(Ended(row=row))
    return 1
