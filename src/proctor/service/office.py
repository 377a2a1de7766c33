"""What every use case works with: the journals, the blobs and the store of one PROCTOR_HOME."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from proctor.journal.blobs import Blobs
from proctor.journal.journal import Journals
from proctor.model.errors import AmbiguousId, NotFound, StateFault
from proctor.model.run import RunRow
from proctor.ports import Store
from proctor.stores.sqlite import SqliteStore


@dataclass(frozen=True)
class Office:
    """The opened state of one PROCTOR_HOME."""

    home: Path
    journals: Journals
    blobs: Blobs
    store: Store

    def row(self, id_or_prefix: str) -> RunRow:
        """Return the one run that an id or the beginning of one names."""
        if not id_or_prefix:
            raise NotFound("no run id was given", hint="`proctor list` shows the known runs")
        found = self.store.find(id_or_prefix)
        if not found:
            raise NotFound(f"no run has the id {id_or_prefix!r}", hint="`proctor list` shows the known runs")
        if len(found) > 1:
            ids = ", ".join(row.run_id for row in found[:5])
            raise AmbiguousId(f"several runs begin with {id_or_prefix!r}: {ids}", hint="give more of the id")
        return found[0]


def database_path(home: Path) -> Path:
    """Return where the index of a home lies."""
    return home / "proctor.db"


def make_home(home: Path) -> None:
    """Make the directory of all state, if it is not there yet."""
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
    except OSError as error:
        raise StateFault(
            f"cannot use {home} for Proctor's state: {error.strerror}",
            hint="set PROCTOR_HOME to a directory that you can write",
        ) from error


@contextmanager
def open_office(home: Path) -> Iterator[Office]:
    """Open the state of a home, making it on first use."""
    make_home(home)
    store = SqliteStore(database_path(home))
    try:
        yield Office(home=home, journals=Journals(home), blobs=Blobs(home), store=store)
    finally:
        store.close()
