"""The system calls that confine a process and that Python does not offer. Knows no policy.

Standard library only: the keeper imports it. Call numbers above 420 are the same on all architectures.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct

_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446

_AT_FDCWD = -100
_AT_EMPTY_PATH = 0x1000
_AT_RECURSIVE = 0x8000
_OPEN_TREE_CLONE = 1
_MOVE_MOUNT_F_EMPTY_PATH = 4

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_PR_CAPBSET_DROP = 24
_PR_SET_SECUREBITS, _NO_ROOT_LOCKED = 28, 0x03 | 0x0C | 0xC0
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_LINUX_CAPABILITY_VERSION_3 = 0x20080522

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REC, MS_PRIVATE = 0x4000, 0x40000
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV = 1, 2, 4

_RULE_PATH_BENEATH = 1
_ON_FILES = 0b1100000000000111  # execute, write, read, truncate, device ioctl: all that a plain file can have

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return int(result)


def _syscall(what: str, number: int, *arguments: object) -> int:
    return _checked(_libc.syscall(ctypes.c_long(number), *arguments), what)


def prctl(option: int, first: int, second: int = 0) -> None:
    """Change an attribute of this process."""
    words = (ctypes.c_ulong(word) for word in (first, second, 0, 0))
    _checked(_libc.prctl(option, *words), f"prctl {option}")


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount a file system of a kind."""
    texts = [os.fsencode(text) for text in (source, target, kind)]
    _checked(_libc.mount(*texts, ctypes.c_ulong(flags), data.encode()), f"mount {target}")


def keep_mounts_private() -> None:
    """Let no mount made here travel back to the host."""
    _checked(_libc.mount(None, b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None), "private mounts")


def clone_tree(path: str) -> int:
    """Return a descriptor of what is seen at a path, to be put elsewhere with put_tree."""
    flags = _OPEN_TREE_CLONE | _AT_RECURSIVE | os.O_CLOEXEC
    return _syscall(f"open {path}", _OPEN_TREE, _AT_FDCWD, os.fsencode(path), ctypes.c_uint(flags))


def put_tree(tree: int, target: str) -> None:
    """Mount a cloned tree at a path."""
    place = os.fsencode(target)
    flags = ctypes.c_uint(_MOVE_MOUNT_F_EMPTY_PATH)
    _syscall(f"bind {target}", _MOVE_MOUNT, tree, b"", _AT_FDCWD, place, flags)


def set_mount(target: str, *, add: int = 0, remove: int = 0, recursive: bool = True) -> None:
    """Add and remove attributes of the mount at a path and, unless told otherwise, of all below it."""
    attributes = struct.pack("QQQQ", add, remove, 0, 0)
    flags = ctypes.c_uint(_AT_RECURSIVE if recursive else 0)
    size = ctypes.c_size_t(len(attributes))
    _syscall(f"change {target}", _MOUNT_SETATTR, _AT_FDCWD, os.fsencode(target), flags, attributes, size)


def landlock_abi() -> int:
    """Return the version of Landlock that this kernel offers, 0 if none."""
    try:
        return _syscall("landlock", _LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    except OSError:
        return 0


def restrict(abi: int, handled: tuple[int, int, int], grants: list[tuple[str, int]]) -> None:
    """Give up, for good, every handled access (files, network, scopes) except the granted ones.

    A path that is gone is passed over: nothing is granted then.
    """
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = _syscall(
        "landlock ruleset",
        _LANDLOCK_CREATE,
        struct.pack("QQQ", *handled),
        ctypes.c_size_t(size),
        ctypes.c_uint(0),
    )
    for path, access in grants:
        _grant(ruleset, path, access)
    _syscall("landlock", _LANDLOCK_RESTRICT, ruleset, ctypes.c_uint(0))
    os.close(ruleset)


def _grant(ruleset: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        kind = stat.S_IFMT(os.fstat(place).st_mode)
        allowed = access if kind == stat.S_IFDIR else access & _ON_FILES
        if kind != stat.S_IFLNK and allowed:
            rule = struct.pack("=Qi", allowed, place)
            beneath, no_flags = ctypes.c_int(_RULE_PATH_BENEATH), ctypes.c_uint(0)
            _syscall(f"grant {path}", _LANDLOCK_ADD, ruleset, beneath, rule, no_flags)
    finally:
        os.close(place)


def forbid_capabilities() -> None:
    """Let no program executed from here on bring a capability; an ordinary user cannot ask for that."""
    try:
        for number in range(64):
            prctl(_PR_CAPBSET_DROP, number)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EPERM):  # EINVAL: past the last one that the kernel knows
            raise
    try:
        prctl(_PR_SET_SECUREBITS, _NO_ROOT_LOCKED)
    except PermissionError:
        pass


def drop_capabilities() -> None:
    """Give up every capability that this process has."""
    prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    header = struct.pack("=Ii", _LINUX_CAPABILITY_VERSION_3, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")


def refuse_new_privileges() -> None:
    """Let no set-uid program give this process or its children any privilege."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def load_filter(program: bytes) -> None:
    """Put a seccomp filter in force for this process and all its children."""
    buffer = ctypes.create_string_buffer(program, len(program))
    filter_program = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    held = ctypes.create_string_buffer(filter_program, len(filter_program))
    prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(held))
