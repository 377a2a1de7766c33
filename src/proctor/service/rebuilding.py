"""Builds the index anew from the journals, which are the truth."""

from pathlib import Path

from proctor.journal.journal import Journals
from proctor.model.fold import Fold
from proctor.model.result import build_row
from proctor.ports import CasesEnded, Ended, Enqueued, Store
from proctor.service.office import database_path
from proctor.service.reading import read_run, unknown_row
from proctor.service.recorder import case_row
from proctor.stores.sqlite import SqliteStore


def rebuild_index(home: Path) -> int:
    """Fold every journal into a fresh database and put that in place; return how many runs it holds."""
    journals = Journals(home)
    count = 0
    with SqliteStore.fresh(database_path(home)) as store:
        for run_id in sorted(journals.run_ids()):
            _index_run(store, journals, run_id)
            count += 1
    return count


def _index_run(store: Store, journals: Journals, run_id: str) -> None:
    unknown = unknown_row(run_id)
    fold = Fold().apply_all(read_run(journals, unknown))
    row = build_row(fold, unknown)
    rows = [case_row(row, case) for case in fold.cases]
    store.record(Enqueued(row=row), CasesEnded(run_id=run_id, rows=rows))
    if fold.ended is not None:
        store.record(Ended(row=row))
