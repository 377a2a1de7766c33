"""Turns what SQLite says into errors of ours."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proctor.model.errors import StateFault, StoreBusy, StoreDamaged

REBUILD = "`proctor doctor --rebuild` makes a new one from the journals; no result is lost"

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR}
_HINTS = {
    sqlite3.SQLITE_FULL: "free some disk space, or set PROCTOR_HOME to a disk that has some",
    sqlite3.SQLITE_READONLY: "set PROCTOR_HOME to a directory that you may write",
    sqlite3.SQLITE_CANTOPEN: "set PROCTOR_HOME to a directory that you may write",
}


@contextmanager
def store_faults(path: Path) -> Iterator[None]:
    """Raise an error of ours for every error of SQLite in the body."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(error, path) from error


def _translated(error: sqlite3.Error, path: Path) -> StateFault:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    fields = {"path": str(path)}
    if code in _BUSY:
        return StoreBusy(
            f"the database {path} stayed locked by another process",
            hint="try again; if it stays so, look for a process that hangs",
            fields=fields,
        )
    if code in _DAMAGED:
        return StoreDamaged(f"the database {path} is damaged: {error}", hint=REBUILD, fields=fields)
    hint = _HINTS.get(code, "see what `proctor doctor` says about the store")
    return StateFault(f"the database {path} cannot be used: {error}", hint=hint, fields=fields)
