"""Picks up the report files that a command leaves: only those it wrote, only inside the project."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from proctor.model.plan import Command

_MOST_FILES = 10_000
_MOST_BYTES = 512 * 1024 * 1024

_Stamp = tuple[int, int, int]


def watch_reports(command: Command) -> Callable[[], Iterable[bytes]]:
    """Remember what lies there now; the returned function yields the reports that changed since."""
    before = {path: _stamp(path) for path in _matches(command)}

    def fresh() -> Iterator[bytes]:
        for path in _matches(command):
            if _stamp(path) != before.get(path):
                content = _read_confined(path, command.cwd)
                if content is not None:
                    yield content

    return fresh


def _matches(command: Command) -> list[Path]:
    found: list[Path] = []
    for pattern in command.reports:
        relative = os.path.normpath(pattern)
        if relative.startswith((os.sep, "..")):
            continue
        for path in sorted(Path(command.cwd).glob(relative)):
            if len(found) >= _MOST_FILES:
                return found
            found.append(path)
    return found


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _read_confined(path: Path, root: str) -> bytes | None:
    """Return the content of a regular file with one name inside ``root``; no link is followed."""
    if not path.parent.resolve().is_relative_to(Path(root).resolve()):
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1 or status.st_size > _MOST_BYTES:
            return None
        return file.read(_MOST_BYTES)
