"""What `/proc` says of processes: who lives, since when, and who descends from whom. Signals nobody."""

import os
from pathlib import Path
from typing import NamedTuple


class Stat(NamedTuple):
    """The few fields of /proc/PID/stat that matter here. ``started`` is in clock ticks since boot."""

    state: str
    parent: int
    started: int


def read_stat(pid: int) -> Stat | None:
    """Return the state of a process, or None if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The name stands in brackets and may hold anything, brackets and spaces included.
    fields = text[text.rindex(")") + 2 :].split()
    return Stat(state=fields[0], parent=int(fields[1]), started=int(fields[19]))


def is_alive(pid: int, started: int) -> bool:
    """Say whether the very process that was started then still runs; a zombie does not."""
    stat = read_stat(pid)
    return stat is not None and stat.started == started and stat.state not in "ZX"


def pid_namespace() -> str:
    """Return the number of this process's PID namespace: pids mean nothing in another."""
    return os.readlink("/proc/self/ns/pid").partition("[")[2].rstrip("]")


def list_children(pid: int) -> tuple[int, ...]:
    """Return the living children of a process, of all its threads."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    except OSError:
        return tuple(found)
    return tuple(found)


def list_descendants(pid: int) -> tuple[int, ...]:
    """Return the children, their children and so on; parents come before their children."""
    found: list[int] = []
    waiting = list(list_children(pid))
    while waiting:
        found.append(waiting.pop(0))
        waiting += list_children(found[-1])
    return tuple(found)
