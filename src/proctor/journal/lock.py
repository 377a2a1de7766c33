"""Who owns a run: a lock that the kernel gives back when its owner dies, whatever way it dies.

Open-file-description locks rather than ``flock``, because they can be asked about without being taken:
somebody who only looks never makes a rightful taker believe that the run has an owner.
"""

import errno
import fcntl
import os
import struct
from pathlib import Path

from proctor.journal.faults import state_faults

_FLOCK = struct.Struct("hhqqi4x")
_WHOLE_FILE = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
_OPEN = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW


def take_lock(path: Path) -> int | None:
    """Return a descriptor that holds the lock until it is closed, or None when another one holds it."""
    with state_faults("lock", path):
        descriptor = os.open(path, _OPEN | os.O_CREAT, 0o600)
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _WHOLE_FILE)
        except OSError as error:
            os.close(descriptor)
            if error.errno in (errno.EAGAIN, errno.EACCES):
                return None
            raise
    return descriptor


def is_locked(path: Path) -> bool:
    """Tell whether somebody holds the lock, without touching it."""
    with state_faults("look at the lock", path):
        try:
            descriptor = os.open(path, _OPEN)
        except FileNotFoundError:
            return False
        try:
            answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _WHOLE_FILE)
        finally:
            os.close(descriptor)
    return bool(_FLOCK.unpack(answer)[0] != fcntl.F_UNLCK)


def is_lock_of(path: Path, descriptor: int) -> bool:
    """Tell whether an inherited descriptor is the lock of that path."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except OSError:
        return False
