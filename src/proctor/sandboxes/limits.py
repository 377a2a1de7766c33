"""Limits that the kernel keeps for each process: the lesser half, where control groups hold for the tree."""

import math
import os
import resource
from typing import Final

from proctor.model.plan import Limits
from proctor.model.request import GIB

_NO_CORE: Final = 1
"""One byte, not zero: with zero a core handler of the host (a pipe) would still be fed the dump."""


def limit_process(pid: int, limits: Limits) -> tuple[str, ...]:
    """Limit a process and all that it will start; return what is enforced."""
    _lower(pid, resource.RLIMIT_CORE, _NO_CORE)
    _lower(pid, resource.RLIMIT_NOFILE, limits.open_files)
    _lower(pid, resource.RLIMIT_FSIZE, limits.file_size)
    return (f"open files {limits.open_files}", f"file size {limits.file_size / GIB:.3g} GiB", "no core dumps")


def limit_memory(pid: int, limits: Limits) -> tuple[str, ...]:
    """Limit what each process may allocate. Not its address space: that stops Java from starting."""
    _lower(pid, resource.RLIMIT_DATA, limits.memory)
    return (f"memory {limits.memory / GIB:.3g} GiB for each process",)


def limit_processes(pid: int, limits: Limits) -> tuple[str, ...]:
    """Limit the processes of the user; root is never held by this."""
    _lower(pid, resource.RLIMIT_NPROC, limits.processes)
    return (f"processes {limits.processes} of the user",)


def limit_cpus(pid: int, limits: Limits) -> tuple[str, ...]:
    """Keep a process on so many processors, if the machine has more."""
    available = sorted(os.sched_getaffinity(pid))
    wanted = max(1, math.ceil(limits.cpus))
    if wanted < len(available):
        os.sched_setaffinity(pid, available[:wanted])
    return (f"cpus {min(wanted, len(available))} by affinity",)


def _lower(pid: int, kind: int, value: int) -> None:
    _, hard = resource.prlimit(pid, kind)
    most = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.prlimit(pid, kind, (most, most))
