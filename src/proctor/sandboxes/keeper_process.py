"""Proctor's side of a keeper: starting it, talking to it, and cleaning up after it.

Does not know what confines the command: that is in the orders.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from proctor.model.errors import SandboxUnavailable, StateFault, ToolMissing
from proctor.model.plan import Job
from proctor.ports import Exit
from proctor.sandboxes.cgroups import ControlGroup
from proctor.sandboxes.keeper import KILL, TERMINATE
from proctor.sandboxes.keeper_command import GO, Confinement, Orders
from proctor.sandboxes.keeper_limits import Bounds
from proctor.sandboxes.keeper_watch import Watch

_ROOT = str(Path(__file__).resolve().parents[2])
_BOOT = "import sys;sys.path.append(sys.argv.pop(1));from proctor.sandboxes.keeper import main;main()"
_START_SECONDS = 30.0
_END_SECONDS = 5.0


class _Message(msgspec.Struct, frozen=True):
    """One line that the keeper said."""

    pid: int | None = None
    confinement: int = 0
    ready: bool = False
    refused: str = ""
    failed: str = ""
    stage: str = ""
    ended: int | None = None
    resisting: int | None = None
    peak_memory: int = 0
    cpu_seconds: float = 0.0


Uncovered = Callable[[int], tuple[str, ...]]
"""Says which read-only paths stand open under a confinement, by its position."""


class KeptProcess:
    """A command under a keeper. Closing it, or the death of this process, ends everything it started."""

    def __init__(self, orders: Orders, group: ControlGroup | None, uncovered: Uncovered) -> None:
        self._group = group
        self._uncovered = uncovered
        self._watch = Watch(())
        self._said = b""
        self._exit: Exit | None = None
        self.refused = ""
        self._closed = False
        self.stdout, out = os.pipe()
        self.stderr, err = os.pipe()
        control, self._control = os.pipe()
        self._status, status = os.pipe()
        for descriptor in (self.stdout, self.stderr, self._status):
            os.set_blocking(descriptor, False)
        try:
            self._keeper = _start_keeper(out, err, control, status, orders.inherited)
        except OSError as error:
            for descriptor in (self.stdout, self.stderr, self._control, self._status):
                os.close(descriptor)
            self._remove_group()
            raise SandboxUnavailable(f"No process could be started: {error}") from error
        finally:
            for descriptor in (out, err, control, status):
                os.close(descriptor)
        self.pid = self._keeper.pid
        self.confinement = 0
        self._begin(orders)

    def _begin(self, orders: Orders) -> None:
        """Hand over the orders and return when the command is under way."""
        text = json.dumps(vars(orders)).encode()
        self._send(str(len(text)).encode() + b"\n" + text)
        deadline = time.monotonic() + _START_SECONDS
        while True:
            message = self._next(deadline)
            if message is None:
                trouble = self._last_words()
                self.close()
                raise SandboxUnavailable(f"The keeper of the command died at its start: {trouble}")
            if message.pid is not None:
                self._admit(message.pid, message.confinement)
            elif message.ready:
                self.refused = message.refused
                return
            else:
                self.close()
                raise _translate(message, orders)

    def _admit(self, pid: int, confinement: int) -> None:
        """Put the command, which waits for this, under its limits, and look at what only can be watched."""
        self.pid, self.confinement = pid, confinement
        self._watch = Watch(self._uncovered(confinement))
        try:
            if self._group is not None:
                self._group.add(pid)
        except OSError as error:
            self.close()
            raise SandboxUnavailable(f"The limits cannot be put in force: {error}") from error
        self._send(GO)

    def _next(self, deadline: float) -> _Message | None:
        while b"\n" not in self._said:
            poll = select.poll()
            poll.register(self._status, select.POLLIN)
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000) or not self._hear():
                return None
        return self._take()

    def _hear(self) -> bool:
        """Read what the keeper said; False at the end of its life."""
        try:
            piece = os.read(self._status, 65536)
        except BlockingIOError:
            return True
        self._said += piece
        return bool(piece)

    def _take(self) -> _Message:
        line, _, self._said = self._said.partition(b"\n")
        return msgspec.json.decode(line, type=_Message)

    def _last_words(self) -> str:
        try:
            return os.read(self.stderr, 4096).decode("utf-8", "replace").strip()
        except BlockingIOError:
            return "no reason given"

    def _send(self, data: bytes) -> None:
        if self._closed:
            return
        try:
            while data:
                data = data[os.write(self._control, data) :]
        except OSError:
            pass  # a dead keeper is noticed by its status pipe

    async def wait(self) -> Exit:
        """Return when the command has ended; whatever it left running is then killed."""
        import anyio

        while self._exit is None:
            if b"\n" in self._said:
                self._exit = self._counted(_exit(self._take()))
                break
            await anyio.wait_readable(self._status)
            if not self._hear():
                # Somebody killed the keeper: what it kept may still live.
                self._exit = self._counted(Exit(signal=signal.SIGKILL))
        return self._exit

    def _counted(self, end: Exit) -> Exit:
        """Add what the watch and the control group know, and see to it that the group is empty."""
        end = msgspec.structs.replace(end, tampered=self._watch.changed())
        if self._group is None:
            return end
        self._group.kill()
        used = self._group.usage()
        return msgspec.structs.replace(
            end,
            out_of_memory=used.oom_killed,
            peak_memory=used.peak_memory or end.peak_memory,
            cpu_seconds=used.cpu_seconds or end.cpu_seconds,
        )

    def terminate(self) -> None:
        """Ask every process of the command to end (SIGTERM)."""
        self._send(TERMINATE)

    def kill(self) -> None:
        """End every process of the command now."""
        if self._closed:
            return
        if self._keeper.poll() is None:
            self._keeper.send_signal(signal.SIGCONT)  # the command may have stopped its keeper
            self._send(KILL)
        if self._group is not None:
            self._group.kill()

    def close(self) -> None:
        """Give back all that the command took. Idempotent."""
        if self._closed:
            return
        self.kill()
        self._closed = True
        os.close(self._control)
        try:
            self._keeper.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()
        self._remove_group()
        for descriptor in (self.stdout, self.stderr, self._status):
            os.close(descriptor)

    def _remove_group(self) -> None:
        if self._group is not None:
            self._group.remove()


def _start_keeper(
    out: int, err: int, control: int, status: int, inherited: list[int]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, _ROOT, str(control), str(status)],
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        cwd="/",
        env={},
        pass_fds=(control, status, *inherited),
        start_new_session=True,
    )


def _exit(message: _Message) -> Exit:
    if message.ended is None:
        return Exit(signal=signal.SIGKILL)
    code = os.waitstatus_to_exitcode(message.ended)
    return Exit(
        exit_code=code if code >= 0 else None,
        signal=max(0, -code),
        peak_memory=message.peak_memory,
        cpu_seconds=message.cpu_seconds,
    )


def _translate(message: _Message, orders: Orders) -> Exception:
    if message.stage == "program":
        return ToolMissing(
            f"Cannot execute {orders.argv[0]!r}: {message.failed}",
            hint="Install it, or correct the command or its PATH.",
            fields={"tool": orders.argv[0]},
        )
    return SandboxUnavailable(
        f"The command could not be confined ({message.stage}): {message.failed}",
        hint="Run `proctor doctor` for what this machine offers, or pass --sandbox off to run unprotected.",
        fields={"stage": message.stage},
    )


def start_kept(
    job: Job,
    bounds: Bounds,
    confinements: Sequence[Confinement],
    uncovered: Callable[[Confinement], tuple[str, ...]],
) -> KeptProcess:
    """Start the command of a job within its bounds, under the first of the confinements that can be had.

    What ``uncovered`` names is watched, and told in the end if it changed.
    """
    environment = dict(job.environment)
    inherited = []
    if job.channel_path:
        channel = _open_channel(job.channel_path, bounds)
        environment["PROCTOR_CHANNEL"] = str(channel)
        inherited.append(channel)
    orders = Orders(
        argv=list(job.command.argv),
        cwd=job.command.cwd,
        environment=environment,
        owner=os.getpid(),
        inherited=inherited,
        rlimits=bounds.rlimits,
        cpus=bounds.cpus,
        confinements=[vars(confinement) for confinement in confinements],
    )
    try:
        return KeptProcess(orders, bounds.group, lambda position: uncovered(confinements[position]))
    finally:
        for descriptor in inherited:
            os.close(descriptor)


def _open_channel(path: str, bounds: Bounds) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if bounds.group is not None:
            bounds.group.remove()
        raise StateFault(f"The channel of the run cannot be opened: {error}") from error
