"""A view of the machine for one command: its own processes, mounts, network and memory segments.

Knows which paths are writable, read-only or hidden, not why. Standard library only: the keeper imports it.
"""

from __future__ import annotations

import _socket
import fcntl
import os
import signal
import stat
import struct

from proctor.sandboxes import keeper_calls as calls

_EMPTIED = ("/run", "/var/run")
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"}
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


class View:
    """Which paths of the machine a command sees, and how; it travels as JSON."""

    def __init__(
        self,
        *,
        writable: list[str],
        readonly: list[str],
        hidden: list[str],
        scratch: str,
        network: bool,
    ) -> None:
        self.writable = writable
        self.readonly = readonly
        self.hidden = hidden
        self.scratch = scratch
        self.network = network


def enter(view: View, result: int) -> None:
    """Move into new namespaces; return in the process that becomes the command.

    Two processes stay behind: one waits outside, one is the first process inside, which reaps and, when the
    command has ended, writes its wait status to ``result`` and ends: the kernel then kills all that is left
    inside. Neither keeps any other descriptor open.
    """
    if os.geteuid() != 0:
        _become_master_of_own_user()
    others = calls.CLONE_NEWNS | calls.CLONE_NEWIPC | calls.CLONE_NEWUTS | calls.CLONE_NEWPID
    calls.unshare(others if view.network else others | calls.CLONE_NEWNET)
    calls.prctl(calls.PR_SET_PDEATHSIG, signal.SIGKILL)
    first = os.fork()
    if first:
        _close_all_but({result})
        _follow(first)
    calls.prctl(calls.PR_SET_PDEATHSIG, signal.SIGKILL)
    if not view.network:
        _raise_loopback()
    _mount_all(view)
    command = os.fork()
    if command:
        _close_all_but({result})
        _be_first(command, result)
    os.close(result)


def _become_master_of_own_user() -> None:
    """Get, by a user namespace in which only this user exists, the right to make the other namespaces."""
    user, group = os.geteuid(), os.getegid()
    calls.prctl(calls.PR_SET_DUMPABLE, 1)  # else /proc/self/uid_map belongs to root
    calls.unshare(calls.CLONE_NEWUSER)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _close_all_but(kept: set[int]) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                pass  # the descriptor of the listing itself


def _follow(first: int) -> None:
    """End as the first process inside ended."""
    wait_status = os.waitpid(first, 0)[1]
    if os.WIFSIGNALED(wait_status):
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(os.WEXITSTATUS(wait_status))


def _be_first(command: int, result: int) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    calls.prctl(calls.PR_SET_DUMPABLE, 0)
    calls.drop_capabilities()
    while True:
        pid, wait_status = os.waitpid(-1, 0)
        if pid == command:
            os.write(result, struct.pack("i", wait_status))
            os._exit(0)


def _raise_loopback() -> None:
    """Let local servers work: a new network namespace comes with its loopback down."""
    endpoint = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    request = struct.pack("16sh14x", b"lo", 0)
    flags = struct.unpack("16xh14x", fcntl.ioctl(endpoint.fileno(), _SIOCGIFFLAGS, request))[0]
    fcntl.ioctl(endpoint.fileno(), _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))
    endpoint.close()


def _mount_all(view: View) -> None:
    """Make everything read-only, then put back what may be written and cover what must not be seen."""
    calls.keep_mounts_private()
    layers = _layers(view)
    scratch = [(path, calls.clone_tree(view.scratch)) for path in _TEMPORARY if os.path.isdir(path)]
    devices = [
        (name, calls.clone_tree(f"/dev/{name}")) for name in _DEVICES if os.path.exists(f"/dev/{name}")
    ]
    calls.set_mount("/", add=calls.MOUNT_ATTR_RDONLY | calls.MOUNT_ATTR_NOSUID)
    for path in _EMPTIED:
        if os.path.isdir(path) and not os.path.islink(path):
            _cover(path)
    for path, tree in scratch:
        calls.put_tree(tree, path)
    _mount_devices(devices)
    secure = calls.MS_NOSUID | calls.MS_NODEV | calls.MS_NOEXEC
    calls.mount("proc", "/proc", "proc", secure | calls.MS_RDONLY)
    for path, kind, tree in layers:
        _lay(path, kind, tree)


def _layers(view: View) -> list[tuple[str, str, int]]:
    """Return what is put where, outer paths first so that inner ones stay on top, with the clones to put."""
    kinds = dict.fromkeys([*view.writable, view.scratch], "writable")
    for path in view.readonly:
        kinds.update(dict.fromkeys(_anchors(path, view.writable), "writable"))
    kinds.update(dict.fromkeys(view.readonly, "readonly"))
    kinds.update(dict.fromkeys(view.hidden, "hidden"))
    return [
        (path, kind, -1 if kind == "hidden" else calls.clone_tree(path))
        for path, kind in sorted(kinds.items(), key=lambda item: item[0].count("/"))
        if os.path.lexists(path) and not os.path.islink(path)
    ]


def _anchors(path: str, writable: list[str]) -> list[str]:
    """Return the directories between a writable one and a read-only path inside it.

    Each becomes a mount point, which cannot be renamed away together with what it protects.
    """
    found = []
    for root in writable:
        parent = os.path.dirname(path)
        while parent.startswith(f"{root}/"):
            found.append(parent)
            parent = os.path.dirname(parent)
    return found


def _lay(path: str, kind: str, tree: int) -> None:
    if kind == "hidden":
        if os.path.isdir(path):
            _cover(path)
        elif os.path.lexists(path):
            copy = calls.clone_tree("/dev/null")
            calls.put_tree(copy, path)
            os.close(copy)
        return
    _make_place(path, tree)
    calls.put_tree(tree, path)
    if kind == "readonly":
        calls.set_mount(path, add=calls.MOUNT_ATTR_RDONLY)
    os.close(tree)


def _make_place(path: str, tree: int) -> None:
    """Make a mount point where a parent of the path was covered."""
    if os.path.lexists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if stat.S_ISDIR(os.fstat(tree).st_mode):
        os.mkdir(path)
    else:
        os.close(os.open(path, os.O_CREAT | os.O_CLOEXEC, 0o600))


def _cover(path: str) -> None:
    """Put an empty directory over one."""
    calls.mount("tmpfs", path, "tmpfs", calls.MS_NOSUID | calls.MS_NODEV, "size=1m,mode=755")


def _mount_devices(devices: list[tuple[str, int]]) -> None:
    calls.mount("tmpfs", "/dev", "tmpfs", calls.MS_NOSUID, "size=1m,mode=755")
    for name, tree in devices:
        os.close(os.open(f"/dev/{name}", os.O_CREAT | os.O_CLOEXEC, 0o600))
        calls.put_tree(tree, f"/dev/{name}")
    for name, target in _LINKS.items():
        os.symlink(target, f"/dev/{name}")
    for name, kind, options in (
        ("pts", "devpts", "newinstance,ptmxmode=0666,mode=620"),
        ("shm", "tmpfs", "mode=1777"),
    ):
        os.mkdir(f"/dev/{name}")
        calls.mount(kind, f"/dev/{name}", kind, calls.MS_NOSUID | calls.MS_NOEXEC, options)
    calls.set_mount("/dev", add=calls.MOUNT_ATTR_RDONLY, recursive=False)
