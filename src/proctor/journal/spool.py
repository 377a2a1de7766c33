"""Takes the output of a command as it comes, keeps what fits, and says what it kept. Knows no lines."""

import os
from pathlib import Path

from proctor.journal.blobs import Blobs
from proctor.journal.faults import state_faults
from proctor.journal.texts import PART, WHOLE, head_of, tail_of, whole_text
from proctor.model.errors import StateFault
from proctor.model.event import OutputKept

RING = 64 * 1024


class Spool:
    """The first ``limit`` bytes go to a file, the last 64 KiB stay in memory, all bytes are counted.

    A full disk is no reason to stop a run: it only brings the limit forward.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._room = limit
        self._size = 0
        self._on_disk = 0
        self._ring = bytearray()
        with state_faults("create", path):
            flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
            self._file = os.open(path, flags, 0o600)

    @property
    def size(self) -> int:
        """How many bytes came so far."""
        return self._size

    def write(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self._size += len(chunk)
        rest = memoryview(chunk)
        if self._room:
            rest = rest[self._write(rest[: self._room]) :]
        if rest:
            self._ring += rest[-RING:]
            if len(self._ring) > 4 * RING:
                del self._ring[:-RING]

    def finish(self, blobs: Blobs) -> OutputKept:
        """Return what was kept. The file stays, for the case of a crash, until ``discard``."""
        tail = bytes(self._ring[-RING:])
        dropped = self._size - self._on_disk - len(tail)
        if tail:
            note = b"\n[... %d bytes of output are missing here ...]\n" % dropped if dropped else b""
            self._room = len(note) + len(tail)
            if self._write(memoryview(note + tail)) < len(note) + len(tail):
                dropped += len(tail)
        self.close()
        return _kept(self._path, self._size, tail, dropped, blobs)

    def discard(self) -> None:
        """Remove the file: the journal now says what became of the output."""
        self.close()
        with state_faults("remove", self._path):
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Write no more. Idempotent."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    @staticmethod
    def from_file(path: Path, blobs: Blobs) -> OutputKept:
        """Return what the owner of a run, now dead, had kept of its output."""
        with state_faults("read", path):
            size = path.stat().st_size if path.is_file() else 0
        return _kept(path, size, b"", 0, blobs) if size else OutputKept(size=0)

    def _write(self, data: memoryview) -> int:
        done = 0
        try:
            while done < len(data):
                done += os.write(self._file, data[done:])
        except OSError:
            self._room = done
        self._room -= done
        self._on_disk += done
        return done


def _kept(path: Path, size: int, tail: bytes, dropped: int, blobs: Blobs) -> OutputKept:
    with state_faults("read", path), open(path, "rb") as file:
        if size <= WHOLE:
            whole = file.read(WHOLE)
            if len(whole) == size:
                return OutputKept(size=size, head=whole_text(whole))
            return OutputKept(size=size, head=head_of(whole), tail=tail_of(tail), dropped=dropped)
        head = file.read(PART)
        file.seek(max(PART, os.fstat(file.fileno()).st_size - PART))
        last = file.read(PART)
    tail = tail or last
    try:
        blob = blobs.adopt(path)
    except StateFault:
        blob, dropped = "", size - len(head) - min(len(tail), PART)
    return OutputKept(size=size, head=head_of(head), tail=tail_of(tail), blob=blob, dropped=dropped)
