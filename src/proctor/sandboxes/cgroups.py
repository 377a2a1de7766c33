"""Control groups: limits over a whole tree of processes, on kernels with v1, v2, both or neither.

A group lives below the caller's own, so limits above it keep holding. Knows nothing of sandboxes.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from proctor.model.plan import Limits
from proctor.model.request import GIB
from proctor.sandboxes.hierarchies import Hierarchy, find_hierarchies
from proctor.sandboxes.processes import is_alive, pid_namespace, read_stat

_CPU_PERIOD: Final = 100_000
_PATIENCE: Final = 2.0
_PAUSE: Final = 0.002

_UNIFIED: Final = "unified"
"""Our word for the v2 directory: it kills and counts processor time whatever its controllers."""

_SETTINGS: Final[dict[tuple[int, str], Callable[[Limits], tuple[tuple[str, object], ...]]]] = {
    # Swap would be memory by another name, so it is counted in (v1) or off (v2) where the kernel lets us.
    (1, "memory"): lambda limits: (
        ("memory.limit_in_bytes", limits.memory),
        ("memory.memsw.limit_in_bytes", limits.memory),
    ),
    (2, "memory"): lambda limits: (("memory.max", limits.memory), ("memory.swap.max", 0)),
    (1, "pids"): lambda limits: (("pids.max", limits.processes),),
    (2, "pids"): lambda limits: (("pids.max", limits.processes),),
    (1, "cpu"): lambda limits: (("cpu.cfs_quota_us", int(limits.cpus * _CPU_PERIOD)),),
    (2, "cpu"): lambda limits: (("cpu.max", f"{int(limits.cpus * _CPU_PERIOD)} {_CPU_PERIOD}"),),
}
"""The files to write, by version and controller. The first must take its value, the others may be absent."""

_WORDS: Final[dict[str, Callable[[Limits], str]]] = {
    "memory": lambda limits: f"memory {limits.memory / GIB:.3g} GiB",
    "pids": lambda limits: f"processes {limits.processes}",
    "cpu": lambda limits: f"cpus {limits.cpus:g}",
}

MEMORY_UNAVAILABLE: Final = "memory limit for the whole tree"
PROCESSES_UNAVAILABLE: Final = "process count limit"
CPUS_UNAVAILABLE: Final = "cpu limit"
_MISSING: Final = {
    "memory": MEMORY_UNAVAILABLE,
    "pids": PROCESSES_UNAVAILABLE,
    "cpu": CPUS_UNAVAILABLE,
}


class Usage(NamedTuple):
    """What the processes of a group have used so far; zero where the kernel does not count."""

    peak_memory: int
    cpu_seconds: float
    oom_killed: bool


class ControlGroup:
    """One group, in every hierarchy that took it. Make it with ``create``."""

    def __init__(self, directories: dict[str, Path]) -> None:
        self._directories = directories

    @classmethod
    def create(
        cls, name: str, limits: Limits
    ) -> tuple["ControlGroup | None", tuple[str, ...], tuple[str, ...]]:
        """Return a group with these limits (None if none can be had), what it enforces and what it cannot."""
        directories: dict[str, Path] = {}
        enforced: dict[str, str] = {}
        for hierarchy in find_hierarchies():
            remove_stale(hierarchy.base)
            directory = hierarchy.base / _directory_name(name)
            if _make(directory):
                directories |= _keys(hierarchy, directory)
                enforced.update(_limit(hierarchy, directory, limits))
        missing = tuple(words for controller, words in _MISSING.items() if controller not in enforced)
        group = cls(directories) if directories else None
        return group, tuple(enforced[key] for key in _MISSING if key in enforced), missing

    def add(self, pid: int) -> None:
        """Move a process in; its later children are born inside. Raises OSError if the kernel refuses."""
        for directory in self._unique():
            (directory / "cgroup.procs").write_text(str(pid))

    def pids(self) -> tuple[int, ...]:
        """Return the processes that are in the group now."""
        found: set[int] = set()
        for directory in self._unique():
            found.update(map(int, _read(directory, "cgroup.procs").split()))
        return tuple(sorted(found))

    def kill(self) -> None:
        """End every process of the group, however fast it forks; return when none is left (or after 2 s)."""
        if "pids" in self._directories:
            # Nothing can be born any more, so one round of signals reaches all.
            _write(self._directories["pids"], "pids.max", 0)
        deadline = time.monotonic() + _PATIENCE
        while (members := self.pids()) and time.monotonic() < deadline:
            if not (_UNIFIED in self._directories and _write(self._directories[_UNIFIED], "cgroup.kill", 1)):
                _signal_all(members)
            time.sleep(_PAUSE)

    def usage(self) -> Usage:
        """Return what was used so far."""
        memory = self._directories.get("memory")
        if memory is None:
            return Usage(0, self._cpu_seconds(), False)
        peak = _read(memory, "memory.peak") or _read(memory, "memory.max_usage_in_bytes") or "0"
        # Not `failcnt`: it counts reclaims, and stayed 0 where a process had been killed.
        events = _read(memory, "memory.events") or _read(memory, "memory.oom_control")
        return Usage(int(peak), self._cpu_seconds(), _field(events, "oom_kill") > 0)

    def _cpu_seconds(self) -> float:
        if _UNIFIED in self._directories:
            return _field(_read(self._directories[_UNIFIED], "cpu.stat"), "usage_usec") / 1e6
        if "cpuacct" in self._directories:
            return int(_read(self._directories["cpuacct"], "cpuacct.usage") or "0") / 1e9
        return 0.0

    def remove(self) -> None:
        """Kill what is left in the group and take it away. Idempotent."""
        self.kill()
        for directory in self._unique():
            _remove_directory(directory)
        self._directories = {}

    def _unique(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(self._directories.values()))


def remove_stale(base: Path) -> None:
    """Remove the groups whose owner is gone without having removed them, and what still runs in them."""
    try:
        names = os.listdir(base)
    except OSError:
        return
    for name in names:
        if _is_orphaned(name):
            version_2 = (base / name / "cgroup.kill").exists()
            ControlGroup({_UNIFIED if version_2 else "": base / name}).remove()


def _directory_name(name: str) -> str:
    stat = read_stat(os.getpid())
    started = stat.started if stat is not None else 0
    return f"proctor-{pid_namespace()}-{os.getpid()}-{started}-{name.replace('/', '_')}"


def _is_orphaned(name: str) -> bool:
    parts = name.split("-", 4)
    if len(parts) != 5 or parts[0] != "proctor" or not all(part.isdecimal() for part in parts[1:4]):
        return False
    # In another PID namespace the owner's pid means nothing here, so its groups are not ours to judge.
    return parts[1] == pid_namespace() and not is_alive(int(parts[2]), int(parts[3]))


def _keys(hierarchy: Hierarchy, directory: Path) -> dict[str, Path]:
    unified = (_UNIFIED,) if hierarchy.version == 2 else ()
    return dict.fromkeys((*hierarchy.controllers, *unified), directory)


def _limit(hierarchy: Hierarchy, directory: Path, limits: Limits) -> Iterator[tuple[str, str]]:
    for controller in hierarchy.controllers:
        settings = _SETTINGS.get((hierarchy.version, controller))
        if settings is None:
            continue
        taken = [_write(directory, file, value) for file, value in settings(limits)]
        if taken[0]:
            yield controller, f"{_WORDS[controller](limits)} (cgroup v{hierarchy.version})"


def _make(directory: Path) -> bool:
    try:
        directory.mkdir(mode=0o700)
    except OSError:
        return False
    return True


def _remove_directory(directory: Path) -> None:
    """The kernel may hold on to an empty group for a moment after its last process is gone."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            directory.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                return
            time.sleep(_PAUSE)


def _signal_all(pids: tuple[int, ...]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue


def _read(directory: Path, file: str) -> str:
    try:
        return (directory / file).read_text().strip()
    except OSError:
        return ""


def _write(directory: Path, file: str, value: object) -> bool:
    try:
        # Not O_CREAT: a control file exists or the kernel does not offer it.
        descriptor = os.open(directory / file, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(descriptor, str(value).encode())
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _field(text: str, name: str) -> int:
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0
