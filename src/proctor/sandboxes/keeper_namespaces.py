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

TYPE_CHECKING = False  # importing typing would cost more than all else here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"}
_BOUND = ("write", "read")
_BLANK = "/dev/.blank"
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


class View:
    """What a command sees of the machine; it travels as JSON.

    ``entries`` are paths with what lies there (``private``, ``empty``, ``blank``, ``write`` or ``read``, as
    in a layout of mounts); ``aliases`` are links to make.
    """

    def __init__(
        self, *, entries: list[list[str]], aliases: dict[str, str], temp_size: int, network: bool
    ) -> None:
        self.entries = entries
        self.aliases = aliases
        self.temp_size = temp_size
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
    # Listed now, because /proc will soon show another world.
    surplus = [int(name) for name in os.listdir("/proc/self/fd") if int(name) != result]
    first = os.fork()
    if first:
        _stay(surplus, _follow, first, result)
    calls.prctl(calls.PR_SET_PDEATHSIG, signal.SIGKILL)
    if not view.network:
        _raise_loopback()
    _mount_all(view)
    command = os.fork()
    if command:
        _stay(surplus, _be_first, command, result)
    os.close(result)


def _become_master_of_own_user() -> None:
    """Get, by a user namespace in which only this user exists, the right to make the other namespaces."""
    user, group = os.geteuid(), os.getegid()
    calls.prctl(calls.PR_SET_DUMPABLE, 1)  # else /proc/self/uid_map belongs to root
    calls.unshare(calls.CLONE_NEWUSER)
    _write("/proc/self/setgroups", b"deny")
    _write("/proc/self/uid_map", b"%d %d 1" % (user, user))
    _write("/proc/self/gid_map", b"%d %d 1" % (group, group))


def _write(path: str, text: bytes) -> None:
    # Not as text: a codec might have to be imported, from a library that is out of reach by now.
    with open(path, "wb") as file:
        file.write(text)


def _stay(surplus: list[int], duty: Callable[[int, int], None], child: int, result: int) -> NoReturn:
    """Stay behind to do a duty. The command may run already, so no failure may come back from here."""
    try:
        for descriptor in surplus:
            try:
                os.close(descriptor)
            except OSError:
                pass  # the descriptor by which they were listed
        duty(child, result)
    finally:
        os._exit(1)


def _follow(first: int, result: int) -> None:
    """End as the first process inside ended."""
    wait_status = os.waitpid(first, 0)[1]
    if os.WIFSIGNALED(wait_status):
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(os.WEXITSTATUS(wait_status))


def _be_first(command: int, result: int) -> None:
    calls.prctl(calls.PR_SET_DUMPABLE, 0)
    calls.forbid_capabilities()
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
    entries = sorted(((path, kind) for path, kind in view.entries), key=lambda entry: entry[0].split("/"))
    bound = [path for path, kind in entries if kind in _BOUND and not _is_made_here(path)]
    trees = {path: calls.clone_tree(path) for path in bound}
    devices = {name: calls.clone_tree(f"/dev/{name}") for name in _DEVICES if os.path.exists(f"/dev/{name}")}
    calls.set_mount("/", add=calls.MOUNT_ATTR_RDONLY | calls.MOUNT_ATTR_NOSUID)
    secure = calls.MS_NOSUID | calls.MS_NODEV | calls.MS_NOEXEC
    calls.mount("proc", "/proc", "proc", secure | calls.MS_RDONLY)
    _mount_devices(devices)
    for path, kind in entries:
        if kind in _BOUND:
            _bind(path, kind, trees[path] if path in trees else calls.clone_tree(path))
        else:
            _cover(path, kind, view.temp_size)
    os.unlink(_BLANK)
    for alias, target in view.aliases.items():
        os.symlink(target, alias)
    # Last, because deeper mounts had to find or make their places in these.
    for path in ("/dev", *(path for path, kind in entries if kind == "empty")):
        calls.set_mount(path, add=calls.MOUNT_ATTR_RDONLY, recursive=False)


def _is_made_here(path: str) -> bool:
    return path.startswith(("/proc/", "/dev/"))


def _bind(path: str, kind: str, tree: int) -> None:
    _make_place(path, is_directory=stat.S_ISDIR(os.fstat(tree).st_mode))
    calls.put_tree(tree, path)
    if kind == "read":
        calls.set_mount(path, add=calls.MOUNT_ATTR_RDONLY)
    os.close(tree)


def _cover(path: str, kind: str, temp_size: int) -> None:
    """Put an empty file, an empty directory or a private one over a path."""
    _make_place(path, is_directory=kind != "blank")
    if kind == "blank":
        _bind(path, "read", calls.clone_tree(_BLANK))
        return
    options = "size=1m,mode=755" if kind == "empty" else f"size={temp_size},mode=1777"
    calls.mount("tmpfs", path, "tmpfs", calls.MS_NOSUID | calls.MS_NODEV, options)


def _make_place(path: str, *, is_directory: bool) -> None:
    """Make a mount point where a parent of the path was covered."""
    if os.path.lexists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if is_directory:
        os.mkdir(path)
    else:
        os.close(os.open(path, os.O_CREAT | os.O_CLOEXEC, 0o600))


def _mount_devices(devices: dict[str, int]) -> None:
    calls.mount("tmpfs", "/dev", "tmpfs", calls.MS_NOSUID, "size=1m,mode=755")
    for name, tree in devices.items():
        os.close(os.open(f"/dev/{name}", os.O_CREAT | os.O_CLOEXEC, 0o600))
        calls.put_tree(tree, f"/dev/{name}")
        os.close(tree)
    for name, target in _LINKS.items():
        os.symlink(target, f"/dev/{name}")
    os.close(os.open(_BLANK, os.O_CREAT | os.O_CLOEXEC, 0o444))
    os.mkdir("/dev/pts")
    options = "newinstance,ptmxmode=0666,mode=620"
    calls.mount("devpts", "/dev/pts", "devpts", calls.MS_NOSUID | calls.MS_NOEXEC, options)
