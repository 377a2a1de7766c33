"""Each change of the store as statements on an open transaction."""

import sqlite3
from collections.abc import Sequence
from typing import assert_never

from proctor.model.run import CaseRow, RunRow
from proctor.ports import Beat, CancelAsked, CasesEnded, Change, Ended, Enqueued, Released
from proctor.stores import statements
from proctor.stores.rows import from_case, from_run, plain


def apply(connection: sqlite3.Connection, change: Change) -> None:
    """Apply one change; one that was applied before changes nothing."""
    match change:
        case Enqueued(row=row):
            connection.execute(statements.ENQUEUE, from_run(row))
        case Released(run_id=run_id):
            connection.execute(statements.RELEASE, (run_id,))
        case Beat(run_id=run_id, owner=owner, at=at):
            connection.execute(statements.BEAT, (at, run_id, plain(owner)))
        case CancelAsked(run_id=run_id):
            connection.execute(statements.ASK_CANCEL, (run_id,))
        case CasesEnded(run_id=run_id, rows=rows):
            _add_cases(connection, run_id, rows)
        case Ended(row=row):
            _end_run(connection, row)
        case _:
            assert_never(change)


def has_room(connection: sqlite3.Connection, run_id: str, limit: int) -> bool:
    """Tell whether a queued run may start: it is among the first in line, as many as places are free."""
    free = limit - connection.execute(statements.COUNT_RUNNING).fetchone()[0]
    if free <= 0:
        return False
    return (run_id,) in connection.execute(statements.FIRST_IN_LINE, (free,)).fetchall()


def _is_counted(connection: sqlite3.Connection, run_id: str) -> bool:
    return connection.execute(statements.IS_COUNTED, (run_id,)).fetchone() is not None


def _add_cases(connection: sqlite3.Connection, run_id: str, rows: Sequence[CaseRow]) -> None:
    if _is_counted(connection, run_id):
        return  # the totals stand: an execution that changed now would no longer agree with them
    connection.executemany(statements.ADD_TEST, [(row.test_id, plain(row.name)) for row in rows])
    connection.executemany(statements.ADD_EXECUTION, [from_case(run_id, row) for row in rows])


def _end_run(connection: sqlite3.Connection, row: RunRow) -> None:
    if _is_counted(connection, row.run_id):
        return
    values = from_run(row)
    connection.execute(statements.END_RUN, values)
    last_run_at = row.ended_at or row.started_at or row.queued_at
    named = (plain(row.category), plain(row.project), row.framework)
    connection.execute(statements.ADD_TOTALS, (*named, last_run_at, row.run_id))
