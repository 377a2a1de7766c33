"""The descendants of a keeper: finding, asking and ending every one of them without a pid namespace.

Knows nothing of commands or sandboxes. Standard library only, for it is imported by the keeper.
"""

from __future__ import annotations

import os
import signal
import time

TYPE_CHECKING = False  # importing typing would cost more than all else here
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_ROUNDS = 200


def descendants(root: int) -> dict[int, str]:
    """Return every living process below ``root`` with its start time, which tells it from a reused number."""
    parents: dict[int, tuple[int, str]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = _stat(int(name))
            if fields is not None and fields[0] not in ("Z", "X"):
                parents[int(name)] = (int(fields[1]), fields[19])
            elif fields is not None:
                # A zombie leader may still have living threads; its children count as well.
                parents[int(name)] = (int(fields[1]), "")
    return {pid: start for pid, (_, start) in parents.items() if start and _is_below(pid, root, parents)}


def _stat(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat from the state on: the name before it may hold anything."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].decode("ascii").split()
    except OSError:
        return None


def _is_below(pid: int, root: int, parents: dict[int, tuple[int, str]]) -> bool:
    seen = 0
    while pid in parents and seen < len(parents):
        pid = parents[pid][0]
        seen += 1
        if pid == root:
            return True
    return False


def tell(pids: dict[int, str], number: int) -> None:
    """Send a signal to processes, but never to a stranger that took over the number of one of them.

    The youngest come first: a parent that ends at once takes its children with it before they hear of it.
    """
    for pid, start in sorted(pids.items(), key=lambda item: int(item[1]), reverse=True):
        try:
            descriptor = os.pidfd_open(pid)
        except OSError:
            continue
        try:
            fields = _stat(pid)
            if fields is not None and fields[19] == start:
                signal.pidfd_send_signal(descriptor, number)
        except OSError:
            pass
        finally:
            os.close(descriptor)


def end_all(root: int, note: Callable[[int, int], None] | None = None) -> None:
    """Kill and reap every descendant of ``root``, which must be this process.

    All are stopped first, until a look finds no new one: a fork bomb then has no one left to fork. What
    cannot be killed (a program of another user, or stuck in the kernel) is given up after two seconds.
    """
    for round_number in range(_MOST_ROUNDS):
        tell(_stop_all(root), signal.SIGKILL)
        if not reap(note):
            return
        time.sleep(min(0.001 * round_number, 0.01))


def _stop_all(root: int) -> dict[int, str]:
    stopped: dict[int, str] = {}
    for _ in range(_MOST_ROUNDS):
        found = descendants(root)
        fresh = {pid: start for pid, start in found.items() if stopped.get(pid) != start}
        if not fresh:
            return found
        tell(fresh, signal.SIGSTOP)
        stopped.update(fresh)
    return stopped


def reap(note: Callable[[int, int], None] | None = None) -> bool:
    """Collect the dead and tell ``note`` of each; return whether any child was still alive."""
    while True:
        try:
            pid, wait_status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        if note is not None:
            note(pid, wait_status)
