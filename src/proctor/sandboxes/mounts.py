"""The file system a command sees, planned as a list of mounts. Knows bubblewrap's words, starts nothing.

One rule: the deepest entry decides. The whole machine is readable; some directories are replaced by empty
ones; what the policy names is writable, read-only or hidden. Of two entries for one path the stricter wins.
"""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

from proctor.model.errors import SandboxUnavailable
from proctor.model.plan import Job
from proctor.sandboxes.keeper_identity import Identity, is_reachable
from proctor.sandboxes.keeper_watch import Watch
from proctor.sandboxes.landlock_rules import is_within_any, outermost

Kind = Literal["private", "write", "read", "empty", "blank"]
"""An own tmpfs; the host's, writable; the host's, read-only; an empty directory; an empty file."""

_STRICTNESS: Final[dict[Kind, int]] = {"private": 0, "write": 1, "read": 2, "empty": 3, "blank": 3}
_PRIVATE: Final = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108
_EMPTY: Final = ("/run", "/var/run", "/sys", "/proc/acpi", "/proc/scsi", "/proc/fs", "/proc/driver")
"""Sockets of the host's services live in the first two; in the others root writes without a capability."""
_READ: Final = (
    # Runtimes count processors and size their pages by these.
    "/sys/devices/system",
    "/sys/kernel/mm/transparent_hugepage",
    # Root needs no capability to write here; bubblewrap overlooks the first, because its mode is 555.
    "/proc/sys",
    "/proc/sysrq-trigger",
)
_SEARCH_PATHS: Final = ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "NODE_PATH", "JAVA_HOME", "GOROOT", "GOPATH")


class Layout:
    """Every mount of one job.

    ``loose`` are read-only paths that no mount can hold: links, and what does not exist yet. A mount needs a
    place to stand on, but an empty `.git` or `.venv` put there would change what the tests see.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Kind] = {}
        self.aliases: dict[str, str] = {}
        self.loose: dict[str, None] = {}

    def put(self, path: str, kind: Kind) -> None:
        """Enter a real path; the stricter of two kinds wins."""
        known = self.entries.get(path)
        if known is None or _STRICTNESS[kind] > _STRICTNESS[known]:
            self.entries[path] = kind

    def kind_of(self, path: str) -> Kind:
        """Return what the entry nearest above a path (or on it) says; the machine as such is read-only."""
        while path != "/":
            if path in self.entries:
                return self.entries[path]
            path = os.path.dirname(path)
        return "read"

    def watch(self) -> Watch:
        """Return what will tell, afterwards, which of the loose paths were changed."""
        return Watch(tuple(self.loose))

    def arguments(self, temp_size: int, blank: Iterator[int]) -> Iterator[str]:
        """Yield bubblewrap's arguments; ``blank`` yields a descriptor at its end for each empty file."""
        ordered = sorted(self.entries.items(), key=lambda entry: entry[0].split("/"))
        yield from ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev")
        for path, kind in ordered:
            match kind:
                case "private":
                    yield from ("--perms", "1777", "--size", str(temp_size), "--tmpfs", path)
                case "empty":
                    yield from ("--tmpfs", path)
                case "blank":
                    yield from ("--ro-bind-data", str(next(blank)), path)
                case "write" | "read":
                    yield from ("--bind" if kind == "write" else "--ro-bind", path, path)
        for alias, real in self.aliases.items():
            yield from ("--symlink", real, alias)
        # Last, because deeper mounts had to find or make their places in these.
        for path in ("/dev", *(path for path, kind in ordered if kind == "empty")):
            yield from ("--remount-ro", path)


def plan_mounts(job: Job, program: str, identity: Identity) -> Layout:
    """Return the layout of a job that runs as ``identity``."""
    layout = Layout()
    _cover_the_host(layout)
    hidden = (*job.policy.hidden, *filter(None, [job.channel_path]))
    secret = [os.path.realpath(path) for path in hidden]
    for path in _needed_below_covered(job, program):
        covered = layout.kind_of(path) in ("private", "empty") and path not in layout.entries
        if covered and not is_within_any(path, secret):
            layout.put(path, "read")
    for path in outermost(job.policy.writable):
        _make_writable(layout, path)
    for path in job.policy.writable:
        _keep_link(layout, path)
    _hide(layout, hidden, identity)
    _blank_sockets(layout, identity)
    for path in job.policy.readonly:
        _make_readonly(layout, _behind_root_links(path, job.policy.writable))
    return layout


def _cover_the_host(layout: Layout) -> None:
    for path in _PRIVATE:
        layout.put(os.path.realpath(path) if path != "/dev/shm" else path, "private")  # noqa: S108
    for path in _EMPTY:
        if os.path.isdir(path):
            layout.put(os.path.realpath(path), "empty")
    for path in _READ:
        if os.path.exists(path):
            layout.put(path, "read")


def _needed_below_covered(job: Job, program: str) -> Iterator[str]:
    """What the command line and search paths name, the program's installation, ourselves, name service."""
    yield from map(_installation, (program, os.path.realpath(program)))
    values = [*job.command.argv, *(job.environment.get(name, "") for name in _SEARCH_PATHS)]
    for value in values:
        for part in value.split(":"):
            if os.path.isabs(part) and os.path.exists(part):
                yield os.path.realpath(part)
    yield str(Path(__file__).resolve().parents[1])
    yield os.path.realpath(sys.prefix)
    if job.policy.network and os.path.exists("/etc/resolv.conf"):
        yield os.path.realpath("/etc/resolv.conf")


def _installation(program: str) -> str:
    directory = os.path.dirname(program)
    return os.path.dirname(directory) if os.path.basename(directory) == "bin" else program


def _make_writable(layout: Layout, path: str) -> None:
    if path == "/":
        raise SandboxUnavailable(
            "the root of the file system cannot be the writable project of a sandbox",
            hint="run Proctor on the project's own directory",
        )
    layout.put(path, "write")


def _keep_link(layout: Layout, path: str) -> None:
    """A link to the project that lies in a covered directory would be gone; it is made anew there."""
    above, real = os.path.realpath(os.path.dirname(path)), os.path.realpath(path)
    if os.path.islink(path) and layout.kind_of(above) in ("private", "empty") and real in layout.entries:
        layout.aliases[os.path.join(above, os.path.basename(path))] = real


def _hide(layout: Layout, paths: Iterable[str], identity: Identity) -> None:
    for path in paths:
        real = os.path.realpath(path)
        # What this user cannot reach anyway, bubblewrap could not cover either: it acts as this user.
        if os.path.exists(real) and _may_search(real, identity):
            layout.put(real, "empty" if os.path.isdir(real) else "blank")


def _may_search(path: str, identity: Identity) -> bool:
    parent = os.path.dirname(path)
    if os.geteuid() != 0:
        return os.access(parent, os.X_OK)
    groups = () if identity.change else os.getgroups()
    return is_reachable(parent, identity.user, (identity.group, *groups))


def _blank_sockets(layout: Layout, identity: Identity) -> None:
    """Connecting to a socket needs no write access to the file system, so each known one is covered."""
    try:
        lines = Path("/proc/net/unix").read_text(errors="surrogateescape").splitlines()[1:]
    except OSError:
        return
    for line in lines:
        fields = line.split(maxsplit=7)
        if len(fields) == 8 and fields[7].startswith("/"):
            path = os.path.realpath(fields[7])
            if layout.kind_of(path) == "read" and _is_socket(path) and _may_search(path, identity):
                layout.put(path, "blank")


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False


def _behind_root_links(path: str, roots: Iterable[str]) -> str:
    """Return a path below a writable root with that root resolved; links below the root stay as they are."""
    for root in roots:
        if path == root or path.startswith(root.rstrip("/") + "/"):
            return os.path.realpath(root) + path[len(root.rstrip("/")) :]
    return path


def _make_readonly(layout: Layout, path: str) -> None:
    current = ""
    for name in path.strip("/").split("/"):
        current += "/" + name
        if os.path.islink(current):
            if layout.kind_of(os.path.dirname(current)) == "write":
                layout.loose[current] = None
            path = os.path.realpath(path)
            break
    above = os.path.dirname(path)
    if layout.kind_of(above) == "write":
        if os.path.lexists(path):
            _hold(layout, path)
        else:
            layout.loose[path] = None


def _hold(layout: Layout, path: str) -> None:
    """Mount a path and the directories above it up to the writable root: else those could be renamed away."""
    layout.put(path, "read")
    above = os.path.dirname(path)
    while above not in layout.entries:
        layout.put(above, "write")
        above = os.path.dirname(above)
