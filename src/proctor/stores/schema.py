"""Brings a database to the newest schema by numbered migrations, each applied once."""

import sqlite3
from functools import cache
from pathlib import Path

from proctor.model.errors import StateFault

_MIGRATIONS = Path(__file__).parent / "migrations"
NEWEST = 1
"""A number, so that opening an up-to-date database reads no directory; a test holds it to the files."""


def is_current(connection: sqlite3.Connection, path: Path) -> bool:
    """Tell whether there is nothing to migrate; refuse a database of a newer Proctor."""
    version = _version(connection)
    if version > NEWEST:
        raise StateFault(
            f"the database {path} has schema {version}, this Proctor knows {NEWEST}: a newer Proctor made it",
            hint="use the newer Proctor, or another PROCTOR_HOME",
            fields={"path": str(path)},
        )
    return version == NEWEST


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Apply what is missing, all or nothing, while other processes wait."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not is_current(connection, path):
            _apply(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # on a full disk SQLite has rolled back by itself
            connection.execute("ROLLBACK")
        raise


@cache
def migrations() -> tuple[str, ...]:
    """Return the text of every migration, in order."""
    return tuple(file.read_text("utf-8") for file in sorted(_MIGRATIONS.glob("*.sql")))


def _apply(connection: sqlite3.Connection) -> None:
    version = _version(connection)
    if version == 0:
        connection.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
        connection.execute("INSERT INTO schema_version (version) VALUES (0)")
    for text in migrations()[version:]:
        for statement in text.split(";\n"):
            connection.execute(statement)
    connection.execute("UPDATE schema_version SET version = ?", (NEWEST,))


def _version(connection: sqlite3.Connection) -> int:
    try:
        row = connection.execute("SELECT version FROM schema_version").fetchone()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return 0
        raise
    return int(row[0]) if row else 0
