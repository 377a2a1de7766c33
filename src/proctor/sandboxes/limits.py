"""Limits that the kernel keeps for each process: the lesser half, where control groups hold for the tree."""

import math
import os
import resource
from pathlib import Path
from typing import Final

from proctor.model.plan import Limits
from proctor.model.request import GIB
from proctor.sandboxes.cgroups import CPUS_UNAVAILABLE, MEMORY_UNAVAILABLE, PROCESSES_UNAVAILABLE

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
    """Limit the processes of the user, on top of all that run already; root is never held by this."""
    most = limits.processes + _running_tasks()
    _lower(pid, resource.RLIMIT_NPROC, most)
    return (f"processes {most} of the user",)


def _running_tasks() -> int:
    return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])


def limit_cpus(pid: int, limits: Limits) -> tuple[str, ...]:
    """Keep a process on so many processors, if the machine has more."""
    available = sorted(os.sched_getaffinity(pid))
    wanted = max(1, math.ceil(limits.cpus))
    if wanted < len(available):
        os.sched_setaffinity(pid, available[:wanted])
    return (f"cpus {min(wanted, len(available))} by affinity",)


def limit_all(
    pid: int, wanted: Limits, uid: int, missing: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Set the limits of each process, and stand in for those that no control group keeps.

    Returns what is enforced and what is missing still.
    """
    enforced = [*limit_process(pid, wanted)]
    left = list(missing)
    if MEMORY_UNAVAILABLE in missing:
        enforced += limit_memory(pid, wanted)
    if PROCESSES_UNAVAILABLE in missing and uid != 0:
        enforced += limit_processes(pid, wanted)
        left.remove(PROCESSES_UNAVAILABLE)
    if CPUS_UNAVAILABLE in missing:
        enforced += limit_cpus(pid, wanted)
        left.remove(CPUS_UNAVAILABLE)
    return tuple(enforced), tuple(left)


def _lower(pid: int, kind: int, value: int) -> None:
    _, hard = resource.prlimit(pid, kind)
    most = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.prlimit(pid, kind, (most, most))
