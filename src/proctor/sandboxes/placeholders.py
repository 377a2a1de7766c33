"""Paths that do not exist and must not come into being: each is taken by an empty directory for a while.

A mount needs a place on the host to stand on, and an empty directory is what git and most tools overlook.
It is marked and locked: the last run that uses it removes it, and one that a killed Proctor left is adopted
by the next run. ``rmdir`` removes it only while it is empty, so nobody's work is ever lost.
"""

import fcntl
import os
from contextlib import suppress
from typing import Final

_MARK: Final = "user.proctor.placeholder"
_TRIES: Final = 8


class Placeholder:
    """One such directory, held by a shared lock until ``release``."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def release(self) -> None:
        """Let go; remove the directory if no other run holds it. Idempotent."""
        if self._descriptor < 0:
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.rmdir(self.path)
        except OSError:
            # Another run holds it, or somebody has put it to use: then it is not ours any more.
            pass
        finally:
            os.close(self._descriptor)
            self._descriptor = -1


def hold(path: str) -> Placeholder | None:
    """Take a missing path, or share it with the run that took it; None if it exists or cannot be made."""
    for _ in range(_TRIES):
        made = _make(path)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            if not made:
                return None
            continue
        except OSError:
            return None
        if not (made or _is_marked(descriptor)):
            os.close(descriptor)
            return None
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if _is_still_there(path, descriptor):
            return Placeholder(path, descriptor)
        os.close(descriptor)
    return None


def _make(path: str) -> bool:
    try:
        os.mkdir(path, 0o755)
    except OSError:
        return False
    parent = os.stat(os.path.dirname(path))
    with suppress(OSError):
        os.chown(path, parent.st_uid, parent.st_gid)
    with suppress(OSError):
        os.setxattr(path, _MARK, b"1")
    return True


def _is_marked(descriptor: int) -> bool:
    try:
        return os.getxattr(descriptor, _MARK) == b"1"
    except OSError:
        return False


def _is_still_there(path: str, descriptor: int) -> bool:
    """Another run may have removed the directory between our opening and our locking it."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
