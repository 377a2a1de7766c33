"""The files of a SQLite database: opening, creating, and replacing one that others may be using."""

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from proctor.model.errors import StateFault, StoreBusy
from proctor.stores import schema

_PAUSE = 0.02


def connect(path: Path, patience: float) -> sqlite3.Connection:
    """Open the database, creating or migrating it first when that is needed."""
    connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
    try:
        if not schema.is_current(connection, path):
            # Changing the mode fails at once while another process does the same: SQLite does not wait here.
            _patiently(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone(), patience)
            schema.migrate(connection, path)
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def announce(path: Path, mode: int, patience: float) -> int:
    """Return a descriptor that says, while it is open, that the database is in use (or being replaced).

    The write-ahead log belongs to its database by name alone: if the database were replaced under a process
    that has it open, that log would be played into the wrong file.
    """
    with os_faults(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            if time.monotonic() < until:
                time.sleep(_PAUSE)
                continue
            os.close(descriptor)
            raise StoreBusy(f"the database {path} is {_IN_USE[mode]}", hint=_WAIT[mode]) from None


_IN_USE = {fcntl.LOCK_SH: "being rebuilt", fcntl.LOCK_EX: "in use by another Proctor process"}
_WAIT = {
    fcntl.LOCK_SH: "try again when the rebuild is done",
    fcntl.LOCK_EX: "let the running tests end, stop Proctor's servers, then try again",
}


def swap(beside: Path, path: Path) -> None:
    """Put one closed database in the place of another, whose log must not outlive it."""
    for end in ("-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    os.replace(beside, path)


def remove(path: Path) -> None:
    """Remove a database with all that belongs to it."""
    for end in ("", "-wal", "-shm", ".lock"):
        Path(f"{path}{end}").unlink(missing_ok=True)


@contextmanager
def os_faults(path: Path) -> Iterator[None]:
    """Raise StateFault for every OSError of the body."""
    try:
        yield
    except OSError as error:
        raise StateFault(
            f"the database {path} cannot be used: {error.strerror or error}",
            hint="set PROCTOR_HOME to a directory that you may write, on a disk with free space",
            fields={"path": str(path)},
        ) from error


def _patiently(act: Callable[[], object], patience: float) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            act()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
