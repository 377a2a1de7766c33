"""The store in SQLite: many processes at once, one file, made from the journals and made again from them."""

import fcntl
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proctor.model.run import Page, RunRow
from proctor.ports import Change, RunQuery, TestQuery
from proctor.stores import filters, statements
from proctor.stores.changes import apply, has_room
from proctor.stores.faults import store_faults
from proctor.stores.paging import make_token, read_token
from proctor.stores.rows import plain, to_run, to_test
from proctor.stores.sqlite_file import announce, connect, os_faults, remove, swap

PATIENCE = 10.0
"""Seconds to wait for other processes before giving up."""


class SqliteStore:
    """``ports.Store`` over one SQLite file in WAL mode. One instance may be used by several threads."""

    def __init__(self, path: Path, *, patience: float = PATIENCE) -> None:
        self._path = path
        self._mutex = threading.Lock()
        self._presence = announce(path, fcntl.LOCK_SH, patience)
        try:
            with store_faults(path):
                self._connection = connect(path, patience)
        except BaseException:
            os.close(self._presence)
            raise

    @classmethod
    @contextmanager
    def fresh(cls, path: Path, *, patience: float = PATIENCE) -> Iterator["SqliteStore"]:
        """Give an empty store to fill; at the end it takes the place of the one at ``path``, or, after an
        error, is thrown away. Refused while another process has the store open."""
        presence = announce(path, fcntl.LOCK_EX, patience)
        beside = path.with_name(f"{path.name}.new")
        try:
            remove(beside)
            store = cls(beside, patience=patience)
            try:
                yield store
            finally:
                store.close()
            with os_faults(path):
                swap(beside, path)
        finally:
            remove(beside)
            os.close(presence)

    def close(self) -> None:
        """Let go of the file. Idempotent."""
        with self._mutex, store_faults(self._path):
            self._connection.close()
            presence, self._presence = self._presence, -1
            if presence >= 0:
                os.close(presence)

    def __enter__(self) -> "SqliteStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def record(self, *changes: Change) -> None:
        """Apply the changes together or not at all; a change that was applied before changes nothing."""
        if not changes:
            return
        with self._writing() as connection:
            for change in changes:
                apply(connection, change)

    def claim(self, run_id: str, owner: str, at: float, limit: int) -> bool:
        """Make ``owner`` the one who runs it, if it is queued and among those for whom there is room now."""
        with self._reading() as connection:
            if not has_room(connection, run_id, limit):
                return False  # the common answer to those who wait: found without locking others out
        with self._writing() as connection:
            if not has_room(connection, run_id, limit):
                return False
            return connection.execute(statements.CLAIM, (plain(owner), at, at, run_id)).rowcount == 1

    def find(self, id_or_prefix: str) -> tuple[RunRow, ...]:
        """Return the run of that id, or up to ten whose id begins with it."""
        text = plain(id_or_prefix.strip())
        if not text:
            return ()
        pattern = text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
        with self._reading() as connection:
            rows = connection.execute(statements.FIND_RUN, (text,)).fetchall()
            rows = rows or connection.execute(statements.FIND_RUNS, (pattern,)).fetchall()
        return tuple(to_run(row) for row in rows)

    def runs(self, query: RunQuery) -> Page:
        """Return one page of runs, newest first."""
        where, values = filters.runs_condition(query)
        limit = filters.page_limit(query.limit)
        name = ("runs", query.category, query.status, query.project)
        after = read_token(query.page_token, name)
        with self._reading() as connection:
            sql = statements.list_runs(where, after is not None)
            found = connection.execute(sql, (*values, *(after or ()), limit + 1)).fetchall()
            total = connection.execute(statements.count("runs", where), values).fetchone()[0]
        rows = tuple(to_run(row) for row in found[:limit])
        token = make_token((rows[-1].queued_at, rows[-1].run_id), name) if len(found) > limit else ""
        return Page(runs=rows, next_page_token=token, total_count=total)

    def tests(self, query: TestQuery) -> Page:
        """Return one page of tests, by last run, newest first."""
        where, values = filters.tests_condition(query)
        limit = filters.page_limit(query.limit)
        name = ("tests", query.category, query.project)
        after = read_token(query.page_token, name)
        with self._reading() as connection:
            sql = statements.list_tests(where, after is not None)
            found = connection.execute(sql, (*values, *(after or ()), limit + 1)).fetchall()
            total = connection.execute(statements.count("tests", where), values).fetchone()[0]
        rows = tuple(to_test(row) for row in found[:limit])
        token = make_token((found[limit - 1][7], found[limit - 1][0]), name) if len(found) > limit else ""
        return Page(tests=rows, next_page_token=token, total_count=total)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One snapshot for all statements of the body."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The write lock from the first statement on, so that no reader has to become a writer half-way."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._mutex, store_faults(self._path):
            self._connection.execute(begin)
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
