"""A command at work inside bubblewrap. Knows how it ends and how to end it; was started elsewhere."""

import os
import select
import signal
from typing import Final

from proctor.model.errors import SandboxUnavailable
from proctor.ports import Exit
from proctor.sandboxes.bubblewrap_launch import Launch
from proctor.sandboxes.cgroups import ControlGroup
from proctor.sandboxes.keeper_watch import Watch
from proctor.sandboxes.processes import list_descendants

_PATIENCE_MS: Final = 5000
_SIGNAL_BASE: Final = 128


class BubblewrapProcess:
    """The first process of a PID namespace: when it dies, the kernel kills all the others at once."""

    def __init__(self, launch: Launch, group: ControlGroup | None, watch: Watch) -> None:
        self._launch = launch
        self._group = group
        self._watch = watch
        self._exit: Exit | None = None
        self._killed = False
        self._monitor_watch = os.pidfd_open(launch.popen.pid)
        self._first_watch = os.pidfd_open(launch.first)

    @property
    def pid(self) -> int:
        """Return the process whose death ends the sandbox."""
        return self._launch.first

    @property
    def stdout(self) -> int:
        """Return a non-blocking descriptor."""
        return self._launch.stdout

    @property
    def stderr(self) -> int:
        """Return a non-blocking descriptor."""
        return self._launch.stderr

    async def wait(self) -> Exit:
        """Return when the command has ended and nothing of it is left.

        Raises SandboxUnavailable if the command never began: bubblewrap's reason is on ``stderr``.
        """
        # Loading an event loop costs 40 ms, which a start should not wait for.
        from anyio import wait_readable

        if self._exit is None:
            await wait_readable(self._monitor_watch)
            # bubblewrap ends with its command; the kernel may still be killing what that has left behind.
            await wait_readable(self._first_watch)
            self._exit = self._read_exit()
        return self._exit

    def _read_exit(self) -> Exit:
        returned = self._launch.popen.wait()
        code = self._launch.read_exit()
        usage = self._group.usage() if self._group is not None else None
        if code is None and not self._killed and returned >= 0:
            raise SandboxUnavailable(
                "the command could not be started inside the sandbox",
                hint="see the output: bubblewrap says there what went wrong",
            )
        number = _signal_of(code, returned)
        return Exit(
            exit_code=None if number else code,
            signal=number,
            out_of_memory=usage is not None and usage.oom_killed,
            peak_memory=usage.peak_memory if usage is not None else 0,
            cpu_seconds=usage.cpu_seconds if usage is not None else 0.0,
            tampered=self._watch.changed(),
        )

    def terminate(self) -> None:
        """Send SIGTERM to all but bubblewrap's own first process."""
        for pid in list_descendants(self._launch.first):
            try:
                os.kill(pid, signal.SIGTERM)
            except OSError:
                continue

    def kill(self) -> None:
        """Kill the first process, and with it the whole namespace."""
        self._killed = True
        if self._first_watch >= 0:
            try:
                signal.pidfd_send_signal(self._first_watch, signal.SIGKILL)
            except ProcessLookupError:
                return

    def close(self) -> None:
        """Give back everything; what still runs is killed. Idempotent."""
        if self._first_watch < 0:
            return
        self.kill()
        gone = select.poll()
        gone.register(self._first_watch, select.POLLIN)
        gone.poll(_PATIENCE_MS)
        self._launch.close()
        if self._group is not None:
            self._group.remove()
        os.close(self._monitor_watch)
        os.close(self._first_watch)
        self._monitor_watch = self._first_watch = -1


def _signal_of(code: int | None, returned: int) -> int:
    """bubblewrap reports a death by signal N as exit code 128 + N, as shells do."""
    if code is None:
        return -returned if returned < 0 else signal.SIGKILL
    number = code - _SIGNAL_BASE
    return number if number in signal.valid_signals() else 0
