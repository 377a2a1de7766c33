"""The system calls that no command in a sandbox may make, as one compiled filter (BPF).

The same bytes go to ``bwrap --seccomp`` and to ``prctl(PR_SET_SECCOMP)``. Everything not named is allowed.
``ptrace`` is: debuggers and leak sanitizers need it, and the PID namespace or the Landlock domain confines it
to the run's own processes.
"""

import errno
import os
from functools import cache
from typing import Final

from proctor.model.errors import SandboxUnavailable
from proctor.sandboxes.libseccomp import (
    ALLOW,
    EQ,
    GT,
    KILL_PROCESS,
    MASKED_EQ,
    Arg,
    SystemCallFilter,
    refusal,
)

_REFUSED: Final = (
    # the file-system tree
    "mount", "umount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_by_handle_at", "name_to_handle_at",
    "quotactl", "quotactl_fd", "swapon", "swapoff", "acct", "fanotify_init", "lookup_dcookie", "nfsservctl",
    # other namespaces
    "setns",
    # large and often broken parts of the kernel
    "bpf", "perf_event_open", "keyctl", "add_key", "request_key",
    # the machine itself
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "create_module",
    "get_kernel_syms", "query_module", "reboot", "syslog", "settimeofday", "clock_settime", "stime",
    "sethostname", "setdomainname", "iopl", "ioperm", "modify_ldt", "vm86", "vm86old", "vhangup",
    "uselib", "_sysctl",
)  # fmt: skip
"""Answered with EPERM."""

_ABSENT: Final = (
    "clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd",
)  # fmt: skip
"""Answered with ENOSYS, as by an older kernel: programs probe for these and fall back.

``clone3`` passes its flags by pointer, which no filter can read, so its callers must use ``clone``."""

_NAMESPACE_FLAGS: Final = (
    0x00020000,  # CLONE_NEWNS
    0x02000000,  # CLONE_NEWCGROUP
    0x04000000,  # CLONE_NEWUTS
    0x08000000,  # CLONE_NEWIPC
    0x10000000,  # CLONE_NEWUSER
    0x20000000,  # CLONE_NEWPID
    0x40000000,  # CLONE_NEWNET
)
_CLONE_NEWTIME: Final = 0x80
"""For ``unshare`` alone: in ``clone`` this bit belongs to the exit signal."""

_TERMINAL_INPUT: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX type into the terminal on behalf of the user."""

_FAMILIES_BELOW_INET6: Final = (3, 4, 5, 6, 7, 8, 9)
_AF_INET6: Final = 10
"""Only AF_UNSPEC, AF_UNIX, AF_INET and AF_INET6 pass. AF_NETLINK is not needed: getaddrinfo works without."""

_PERSONALITY_BITS: Final = (
    0x0100000,  # MMAP_PAGE_ZERO
    0x0200000,  # ADDR_COMPAT_LAYOUT
    0x0400000,  # READ_IMPLIES_EXEC
    0x0800000,  # ADDR_LIMIT_32BIT
    0x1000000,  # SHORT_INODE
    0x2000000,  # WHOLE_SECONDS
    0x4000000,  # STICKY_TIMEOUTS
    0x8000000,  # ADDR_LIMIT_3GB
)
_PERSONALITY_TOP: Final = 0x80000000
_LOW_WORD: Final = 0xFFFFFFFF


@cache
def program() -> bytes:
    """Return the compiled filter for this machine; calls of foreign ABIs (32-bit, x32) kill their process."""
    try:
        rules = SystemCallFilter(ALLOW, KILL_PROCESS)
        for name in _REFUSED:
            rules.add(refusal(errno.EPERM), name)
        for name in _ABSENT:
            rules.add(refusal(errno.ENOSYS), name)
        _refuse_namespaces(rules)
        _refuse_families(rules)
        _refuse_terminal_input(rules)
        _refuse_personalities(rules)
        return rules.compile()
    except OSError as error:
        raise SandboxUnavailable(
            f"the system call filter cannot be built: {error}",
            hint="apt-get install libseccomp2, or --sandbox off to run unprotected",
        ) from error


def _refuse_namespaces(rules: SystemCallFilter) -> None:
    # s390 is the one architecture that takes the flags of clone second.
    flags_at = 1 if os.uname().machine.startswith("s390") else 0
    for flag in _NAMESPACE_FLAGS:
        rules.add(refusal(errno.EPERM), "clone", Arg(flags_at, MASKED_EQ, flag, flag))
    for flag in (*_NAMESPACE_FLAGS, _CLONE_NEWTIME):
        rules.add(refusal(errno.EPERM), "unshare", Arg(0, MASKED_EQ, flag, flag))


def _refuse_families(rules: SystemCallFilter) -> None:
    """EAFNOSUPPORT, as by a kernel without that family. All 64 bits are compared, so none slips through."""
    for call in ("socket", "socketpair"):
        rules.add(refusal(errno.EAFNOSUPPORT), call, Arg(0, GT, _AF_INET6))
        for family in _FAMILIES_BELOW_INET6:
            rules.add(refusal(errno.EAFNOSUPPORT), call, Arg(0, EQ, family))


def _refuse_terminal_input(rules: SystemCallFilter) -> None:
    for request in _TERMINAL_INPUT:
        # The kernel looks at the low word only, so must the filter (CVE-2019-10063).
        rules.add(refusal(errno.EPERM), "ioctl", Arg(1, MASKED_EQ, _LOW_WORD, request))


def _refuse_personalities(rules: SystemCallFilter) -> None:
    for bit in _PERSONALITY_BITS:
        rules.add(refusal(errno.EPERM), "personality", Arg(0, MASKED_EQ, _PERSONALITY_TOP | bit, bit))
    # With the top bit set, only the question "which one now?" (all ones) passes.
    for shift in range(31):
        condition = Arg(0, MASKED_EQ, _PERSONALITY_TOP | 1 << shift, _PERSONALITY_TOP)
        rules.add(refusal(errno.EPERM), "personality", condition)
