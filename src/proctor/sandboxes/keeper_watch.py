"""Seeing afterwards whether paths changed that could not be made read-only. Prevents nothing."""

import os
import stat

_MOST_ENTRIES = 20_000

_Mark = tuple[int, int, int, int, int]


class Watch:
    """Remembers how some paths were, by what a process cannot easily forge: inodes and change times."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._before = {path: _marks(path) for path in paths}

    def changed(self) -> tuple[str, ...]:
        """Return those of the paths that were made, altered or removed since."""
        return tuple(path for path, marks in self._before.items() if _marks(path) != marks)


def _marks(path: str) -> dict[str, _Mark]:
    found: dict[str, _Mark] = {}
    waiting = [path]
    while waiting and len(found) < _MOST_ENTRIES:
        place = waiting.pop()
        try:
            seen = os.lstat(place)
        except OSError:
            continue
        found[place] = (seen.st_dev, seen.st_ino, seen.st_mode, seen.st_size, seen.st_ctime_ns)
        if stat.S_ISDIR(seen.st_mode):
            waiting += sorted(_children(place))
    return found


def _children(directory: str) -> list[str]:
    try:
        return [os.path.join(directory, name) for name in os.listdir(directory)]
    except OSError:
        return []
