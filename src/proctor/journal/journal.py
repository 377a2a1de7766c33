"""The append-only event log of each run: who may write it, and how it is read while or after it is written.

What ``append`` returned for survives the death of any process and never appears twice.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from proctor.journal.faults import state_faults
from proctor.journal.files import RunFiles
from proctor.journal.lines import decode, encode, stamped
from proctor.journal.lock import is_lock_of, is_locked, take_lock
from proctor.model.errors import BadRequest, NotFound, StateFault
from proctor.model.event import Event
from proctor.model.ids import is_run_id

_BLOCK = 1 << 20


class JournalWriter:
    """The one pen of a journal. Holds the lock of the run until it is closed."""

    def __init__(self, files: RunFiles, lock: int, journal: int) -> None:
        self.files = files
        self._lock = lock
        self._journal = journal
        self._end = os.fstat(journal).st_size
        self._torn = False
        self._known_to_disk = False

    @property
    def lock(self) -> int:
        """The descriptor that marks the run as owned, for a process that inherits it."""
        return self._lock

    def append(self, *events: Event) -> tuple[Event, ...]:
        """Write the events, or none of them when the disk refuses; return them with their times."""
        if not events:
            return ()
        written = stamped(events)
        with state_faults("write to", self.files.journal):
            self._write(encode(written))
        return written

    def sync(self) -> None:
        """Make what was appended survive a power cut."""
        with state_faults("write to", self.files.journal):
            os.fdatasync(self._journal)
            if not self._known_to_disk:
                for directory in (self.files.directory, self.files.directory.parent):
                    _sync_directory(directory)
                self._known_to_disk = True

    def close(self) -> None:
        """Give the run up. Idempotent."""
        journal, self._journal = self._journal, -1
        lock, self._lock = self._lock, -1
        for descriptor in (journal, lock):
            if descriptor >= 0:
                os.close(descriptor)

    def __enter__(self) -> "JournalWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        if self._torn:
            self._undo()
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._journal, rest) :]
        except OSError:
            self._torn = True
            self._undo()
            raise
        self._end += len(data)

    def _undo(self) -> None:
        os.ftruncate(self._journal, self._end)
        self._torn = False


class Journals:
    """All journals under one home."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def create(self, run_id: str) -> JournalWriter:
        """Begin the journal of a new run and own it."""
        files = RunFiles(self._home, run_id)
        files.make()
        writer = _open(files, os.O_CREAT | os.O_EXCL)
        if writer is None:
            raise StateFault(
                f"the run {run_id} already has an owner", hint="start again: a new run gets a new id"
            )
        return writer

    def take(self, run_id: str) -> JournalWriter | None:
        """Own a run that has no living owner, its torn last line cut off; None when it has one."""
        return _open(self._known(run_id), 0)

    def adopt(self, run_id: str, lock: int) -> JournalWriter:
        """Own a run through the lock that this process inherited from its former owner."""
        files = self._known(run_id)
        if not is_lock_of(files.lock, lock):
            raise BadRequest(
                f"descriptor {lock} is not the lock of {run_id}", hint="only Proctor starts this"
            )
        os.set_inheritable(lock, False)
        with state_faults("open", files.journal):
            return JournalWriter(files, lock, os.open(files.journal, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC))

    def is_owned(self, run_id: str) -> bool:
        """Tell whether a living process owns the run."""
        return is_locked(RunFiles(self._home, run_id).lock)

    def read(self, run_id: str, offset: int = 0) -> Iterator[Event]:
        """Yield the events from a place on, in constant memory; a torn last line is not there yet."""
        return (event for event, _ in _events(self._known(run_id).journal, offset))

    def read_from(self, run_id: str, offset: int = 0, most: int = 10_000) -> tuple[list[Event], int]:
        """Return the next events after a place, and the place after them; nothing new gives no events."""
        events: list[Event] = []
        for event, end in _events(self._known(run_id).journal, offset):
            events.append(event)
            offset = end
            if len(events) >= most:
                break
        return events, offset

    def run_ids(self) -> list[str]:
        """Return the ids of all runs that have a journal, oldest first; an empty one was never begun."""
        directory = self._home / "runs"
        with state_faults("list", directory):
            try:
                names = os.listdir(directory)
            except FileNotFoundError:
                return []
        return sorted(name for name in names if is_run_id(name) and self._begun(name))

    def _begun(self, run_id: str) -> bool:
        journal = RunFiles(self._home, run_id).journal
        return journal.is_file() and journal.stat().st_size > 0

    def exists(self, run_id: str) -> bool:
        """Tell whether the run has a journal."""
        return RunFiles(self._home, run_id).journal.is_file()

    def _known(self, run_id: str) -> RunFiles:
        if not self.exists(run_id):
            raise NotFound(f"no run {run_id} is known", hint="`proctor list` shows the known ids")
        return RunFiles(self._home, run_id)


def _events(journal: Path, offset: int) -> Iterator[tuple[Event, int]]:
    with state_faults("read", journal), open(journal, "rb", buffering=_BLOCK) as file:
        file.seek(offset)
        for line in file:
            if not line.endswith(b"\n"):
                return
            event = decode(line, offset)
            offset += len(line)
            yield event, offset


def _open(files: RunFiles, flags: int) -> JournalWriter | None:
    """Lock first, then open, then cut: nobody else writes between the three."""
    lock = take_lock(files.lock)
    if lock is None:
        return None
    journal = -1
    try:
        with state_faults("open", files.journal):
            journal = os.open(files.journal, flags | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC, 0o600)
            _cut_torn_tail(journal)
            return JournalWriter(files, lock, journal)
    except BaseException:
        os.close(lock)
        if journal >= 0:
            os.close(journal)
        raise


def _cut_torn_tail(journal: int) -> None:
    """Cut off what follows the last end of line."""
    size = end = os.fstat(journal).st_size
    while end > 0:
        begin = max(0, end - _BLOCK)
        found = os.pread(journal, end - begin, begin).rfind(b"\n")
        if found >= 0:
            end = begin + found + 1
            break
        end = begin
    if end < size:
        os.ftruncate(journal, end)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
