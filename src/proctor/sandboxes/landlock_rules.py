"""From a policy to Landlock's rules: which access is handled, and what is granted on which path.

Landlock only grants, and always for all that lies below a path. So a hidden path is left out by granting its
neighbours, and a read-only path inside a writable one cannot be expressed. Only reads.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Final

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FIRST_ABI: Final = (1 << 13) - 1
_SINCE: Final = {2: _REFER, 3: _TRUNCATE, 5: _IOCTL_DEV}
"""The kinds of access to files that came with a version of Landlock."""

_READ: Final = _EXECUTE | _READ_FILE | _READ_DIR
_TCP: Final = 0b11
_SCOPES: Final = 0b11
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")

ABSTRACT_SOCKETS: Final = "abstract sockets hidden"
_GAPS: Final = (
    (2, "moving files between directories"),
    (3, "truncation of files outside"),
    (5, "device controls (ioctl)"),
    (6, ABSTRACT_SOCKETS),
    (6, "signals kept inside"),
)


def gaps(abi: int) -> tuple[str, ...]:
    """Return what this version of Landlock does not yet guard."""
    return tuple(words for version, words in _GAPS if abi < version)


def handled(abi: int, *, network: bool) -> tuple[int, int, int]:
    """Return the accesses to files, network and outside processes that are refused unless granted."""
    files = _FIRST_ABI
    for version, bit in _SINCE.items():
        files |= bit if abi >= version else 0
    return files, 0 if network or abi < 4 else _TCP, _SCOPES if abi >= 6 else 0


def grants(abi: int, writable: Iterable[str], hidden: Iterable[str] = ()) -> list[tuple[str, int]]:
    """Return each path with the access that is granted on it and on all below it.

    A writable place with something hidden in it is read around that only: what the command newly makes beside
    a hidden path it can write but not read again.
    """
    files = handled(abi, network=False)[0]
    everything = files & ~(_MAKE_CHAR | _MAKE_BLOCK)
    unread = everything & ~(_READ_FILE | _EXECUTE)
    device = (_READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV) & files
    covered = {os.path.realpath(path) for path in hidden if os.path.lexists(path)}
    return [
        *((path, _READ) for path in (_neighbours("/", covered) if covered else ["/"])),
        *((path, unread if holds_any(path, covered) else everything) for path in writable),
        *((path, device) for path in DEVICES),
    ]


def holds_any(root: str, paths: Iterable[str]) -> bool:
    """Say whether one of the paths lies in a place."""
    return any(_is_within(path, root) for path in paths)


def outermost(paths: Iterable[str]) -> list[str]:
    """Return real paths of those that lie in no other.

    Only these are resolved: a link inside a writable directory may have been left there by an earlier run.
    """
    given = sorted({os.path.normpath(path) for path in paths})
    outer = [path for path in given if not is_within_any(path, (other for other in given if other != path))]
    return [os.path.realpath(path) for path in outer]


def _neighbours(directory: str, hidden: set[str]) -> Iterator[str]:
    try:
        entries = list(os.scandir(directory))
    except OSError:
        return
    for entry in entries:
        if entry.path in hidden or entry.is_symlink():
            continue  # what a link points to is judged where it really is
        if holds_any(entry.path, hidden):
            yield from _neighbours(entry.path, hidden)
        else:
            yield entry.path


def is_within_any(path: str, roots: Iterable[str]) -> bool:
    """Say whether a path is one of the roots or lies below one."""
    return any(_is_within(path, root) for root in roots)


def _is_within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
