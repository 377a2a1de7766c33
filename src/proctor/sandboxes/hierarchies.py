"""Where on this machine control groups can be made: v1 hierarchies, the v2 one, or neither. Makes none."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

WANTED: Final = frozenset({"memory", "pids", "cpu", "cpuacct"})


class Hierarchy(NamedTuple):
    """A directory in which this process may make groups, and what groups there can limit or count.

    ``controllers`` of a v2 hierarchy may be empty: then it still kills a whole group at once.
    """

    version: int
    base: Path
    controllers: tuple[str, ...]


class _Mount(NamedTuple):
    root: str
    point: str
    kind: str
    options: frozenset[str]


def find_hierarchies() -> tuple[Hierarchy, ...]:
    """Return every hierarchy that this process can use, in no promised order."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        memberships = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return ()
    return tuple(_usable(tuple(_parse_mounts(mounts)), memberships))


def _parse_mounts(lines: list[str]) -> Iterator[_Mount]:
    for line in lines:
        before, _, after = line.partition(" - ")
        kind, _, rest = after.partition(" ")
        if kind in ("cgroup", "cgroup2"):
            fields = before.split()
            yield _Mount(fields[3], fields[4], kind, frozenset(rest.rpartition(" ")[2].split(",")))


def _usable(mounts: tuple[_Mount, ...], memberships: list[str]) -> Iterator[Hierarchy]:
    for line in memberships:
        _, names, path = line.split(":", 2)
        controllers = frozenset(names.split(",")) & WANTED
        if not names:
            yield from _unified(mounts, path)
        elif controllers:
            for mount in mounts:
                own = _own_directory(mount, path)
                if mount.kind == "cgroup" and controllers <= mount.options and own is not None:
                    if os.access(own, os.W_OK):
                        yield Hierarchy(1, own, tuple(sorted(controllers)))
                    break


def _own_directory(mount: _Mount, path: str) -> Path | None:
    relative = os.path.relpath(path, mount.root)
    return None if relative.startswith("..") else Path(mount.point, relative)


def _unified(mounts: tuple[_Mount, ...], path: str) -> Iterator[Hierarchy]:
    mount = next((mount for mount in mounts if mount.kind == "cgroup2"), None)
    own = _own_directory(mount, path) if mount is not None else None
    if mount is None or own is None:
        return
    bare = None
    for base in (own, *own.parents):
        # A process moves only with write access to the common ancestor of both groups, which this one is.
        if os.access(base, os.W_OK) and os.access(base / "cgroup.procs", os.W_OK):
            controllers = _enable(base)
            if controllers:
                yield Hierarchy(2, base, controllers)
                return
            bare = bare or base
        if base == Path(mount.point):
            break
    if bare is not None:
        yield Hierarchy(2, bare, ())


def _enable(base: Path) -> tuple[str, ...]:
    """Return the controllers that children of this group get, after asking for those we want."""
    try:
        offered = WANTED.intersection((base / "cgroup.controllers").read_text().split())
        control = base / "cgroup.subtree_control"
        for name in offered.difference(control.read_text().split()):
            try:
                control.write_text(f"+{name}")
            except OSError:
                # A group with processes of its own cannot pass controllers on.
                continue
        return tuple(sorted(offered.intersection(control.read_text().split())))
    except OSError:
        return ()
