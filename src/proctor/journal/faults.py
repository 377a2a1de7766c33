"""Turns what the operating system says about Proctor's own files into a StateFault with a hint."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proctor.model.errors import StateFault

_HINTS = {
    errno.ENOSPC: "free some disk space, or set PROCTOR_HOME to a disk that has some",
    errno.EDQUOT: "the disk quota is used up: free some space, or set PROCTOR_HOME to another disk",
    errno.EFBIG: "a file-size limit (ulimit -f) is in force: raise it",
    errno.EROFS: "the disk is read-only: set PROCTOR_HOME to a directory that can be written",
    errno.EACCES: "set PROCTOR_HOME to a directory that you may write",
    errno.EPERM: "set PROCTOR_HOME to a directory that you may write",
    errno.EMFILE: "too many files are open: raise the limit (ulimit -n)",
}


@contextmanager
def state_faults(doing: str, path: Path) -> Iterator[None]:
    """Raise StateFault for every OSError of the body."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        hint = _HINTS.get(error.errno or 0, "see what `proctor doctor` says about Proctor's own files")
        raise StateFault(f"cannot {doing} {path}: {reason}", hint=hint, fields={"path": str(path)}) from error
