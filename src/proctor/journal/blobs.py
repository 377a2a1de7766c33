"""Large contents, each kept once under the name of its hash. Does not know who refers to them."""

import hashlib
import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proctor.journal.faults import state_faults
from proctor.journal.files import private_directory
from proctor.model.errors import BadRequest, NotFound

_REF = re.compile(r"sha256:[0-9a-f]{64}\Z")
_BLOCK = 1 << 20


class Blobs:
    """All blobs under one home. A blob is named by what is in it: ``sha256:<hex>``."""

    def __init__(self, home: Path) -> None:
        self._directory = home / "blobs"

    def put(self, data: bytes) -> str:
        """Keep the bytes; return their name."""
        ref = f"sha256:{hashlib.sha256(data).hexdigest()}"
        path = self._path(ref)
        if not _has_size(path, len(data)):
            private_directory(path.parent)
            with state_faults("write", path), _new_file(path.parent) as (file, new):
                file.write(data)
                file.close()
                os.replace(new, path)
        return ref

    def put_file(self, path: Path, move: bool = True) -> str:
        """Keep a file; return its name. Only files that nobody else can change any more may be moved."""
        if not move:
            return self._copy(path)
        ref = self.adopt(path)
        with state_faults("remove", path):
            path.unlink()
        return ref

    def adopt(self, path: Path) -> str:
        """Keep a file of ours without copying it; it also stays where it is until its name is removed."""
        with state_faults("read", path), _open_regular(path) as file:
            ref = f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
            size = os.fstat(file.fileno()).st_size
        blob = self._path(ref)
        if _has_size(blob, size):
            return ref
        private_directory(blob.parent)
        new = _new_name(blob.parent)
        try:
            os.link(path, new, follow_symlinks=False)
            os.replace(new, blob)
        except OSError:
            return self._copy(path)  # not every file system knows hard links
        finally:
            new.unlink(missing_ok=True)
        return ref

    def open(self, ref: str) -> io.BufferedReader:
        """Open a blob for reading."""
        path = self._path(ref)
        with state_faults("read", path):
            try:
                return open(path, "rb")
            except FileNotFoundError:
                raise NotFound(
                    f"no blob {ref} is kept", hint="its run was removed, or a power cut lost it"
                ) from None

    def read(self, ref: str, offset: int = 0, limit: int = _BLOCK) -> bytes:
        """Return up to ``limit`` bytes of a blob from ``offset`` on."""
        if offset < 0 or limit < 0:
            raise BadRequest("offset and limit of a blob cannot be negative")
        with self.open(ref) as file, state_faults("read", self._path(ref)):
            file.seek(offset)
            return file.read(limit)

    def _copy(self, source: Path) -> str:
        private_directory(self._directory)
        with state_faults("keep", source), _open_regular(source) as file:
            digest = hashlib.sha256()
            with _new_file(self._directory) as (target, new):
                while block := file.read(_BLOCK):
                    digest.update(block)
                    target.write(block)
                target.close()
                ref = f"sha256:{digest.hexdigest()}"
                private_directory(self._path(ref).parent)
                os.replace(new, self._path(ref))
        return ref

    def _path(self, ref: str) -> Path:
        if not _REF.match(ref):
            raise NotFound(
                f"{ref[:80]!r} is not the name of a blob", hint="it looks like sha256:<64 hex digits>"
            )
        digest = ref.removeprefix("sha256:")
        return self._directory / digest[:2] / digest


def _new_name(directory: Path) -> Path:
    return directory / f".new-{os.urandom(8).hex()}"


@contextmanager
def _new_file(directory: Path) -> Iterator[tuple[io.BufferedWriter, Path]]:
    """A file to fill and rename; if it was not renamed at the end, it is removed."""
    path = _new_name(directory)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            yield file, path
    finally:
        path.unlink(missing_ok=True)


def _has_size(path: Path, size: int) -> bool:
    """A blob of another size than its content is what a power cut left: it is to be written again."""
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def _open_regular(path: Path) -> io.BufferedReader:
    """Open a plain file, never what a link, a pipe or a device in its place leads to."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "it is not a regular file", str(path))
    return open(descriptor, "rb")
