"""How the limits of a job are kept: by a control group, and where none can be had, by the next best thing."""

import itertools
import math
import os
import resource
from typing import Final, NamedTuple

from proctor.model.plan import Limits
from proctor.model.request import GIB
from proctor.sandboxes.cgroups import (
    CPUS_UNAVAILABLE,
    MEMORY_UNAVAILABLE,
    PROCESSES_UNAVAILABLE,
    ControlGroup,
)

_numbers = itertools.count(1)
_NO_CORE: Final = 1
"""One byte, not zero: with zero a core handler of the host (a pipe) would still be fed the dump."""


class Bounds(NamedTuple):
    """The limits in force: a group, limits of each process, processors; and what that amounts to."""

    group: ControlGroup | None
    rlimits: dict[str, int]
    cpus: list[int]
    enforced: tuple[str, ...]
    unavailable: tuple[str, ...]


def bound(limits: Limits, *, user: int) -> Bounds:
    """Make the control group of a job and choose the other limits for a command that runs as ``user``."""
    group, enforced, unavailable = ControlGroup.create(f"kept-{next(_numbers)}", limits)
    return fall_back(limits, Bounds(group, {}, [], enforced, unavailable), user=user)


def fall_back(limits: Limits, found: Bounds, *, user: int) -> Bounds:
    """Add the limits of single processes, and stand-ins for those that no control group keeps."""
    rlimits = {"NOFILE": limits.open_files, "FSIZE": limits.file_size, "CORE": _NO_CORE}
    enforced = [
        *found.enforced,
        f"open files {limits.open_files}",
        f"file size {limits.file_size / GIB:.3g} GiB",
    ]
    unavailable = list(found.unavailable)
    cpus: list[int] = []
    if MEMORY_UNAVAILABLE in unavailable:
        rlimits["DATA"] = limits.memory
        enforced.append(f"memory {limits.memory / GIB:.3g} GiB for each process")
    if PROCESSES_UNAVAILABLE in unavailable and user != 0:
        # The kernel counts all processes of the user, so those that run already come on top.
        rlimits["NPROC"] = limits.processes + _running_tasks()
        enforced.append(f"processes {limits.processes} (rlimit)")
        unavailable.remove(PROCESSES_UNAVAILABLE)
    if CPUS_UNAVAILABLE in unavailable:
        cpus = _some_processors(math.ceil(limits.cpus))
        if len(cpus) <= limits.cpus:
            enforced.append(f"cpus {len(cpus)} (affinity)")
            unavailable.remove(CPUS_UNAVAILABLE)
    return Bounds(found.group, rlimits, cpus, tuple(enforced), tuple(unavailable))


def apply(pid: int, bounds: Bounds) -> None:
    """Put a process under all limits; what it starts inherits them. Raises OSError if the kernel refuses."""
    if bounds.group is not None:
        bounds.group.add(pid)
    apply_to_process(pid, bounds)


def apply_to_process(pid: int, bounds: Bounds) -> None:
    """Put a process (0: this one) under those limits that the kernel keeps for each process."""
    for name, value in bounds.rlimits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.prlimit(pid, kind)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.prlimit(pid, kind, (most, most))
    if bounds.cpus:
        os.sched_setaffinity(pid, bounds.cpus)


def _running_tasks() -> int:
    with open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[3].partition("/")[2])


def _some_processors(wanted: int) -> list[int]:
    """Return that many processors, not always the same ones."""
    available = sorted(os.sched_getaffinity(0))
    start = os.getpid() % len(available)
    return (available[start:] + available[:start])[: max(1, wanted)]
