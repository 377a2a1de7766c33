"""A command under a keeper, as Proctor sees it. Does not know what confines the command."""

import json
import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final, NamedTuple

import msgspec

from proctor.model.errors import ProctorError, SandboxUnavailable, StateFault, ToolMissing
from proctor.model.plan import Job, Limits
from proctor.ports import Exit
from proctor.sandboxes.keeper import KILL, TERMINATE
from proctor.sandboxes.keeper_command import GO, Confinement, Orders
from proctor.sandboxes.keeper_limits import apply, bound
from proctor.sandboxes.keeper_link import KeeperLink, Message
from proctor.sandboxes.keeper_watch import Watch

_START_SECONDS: Final = 30.0
_HINT: Final = "Run `proctor doctor` for what this machine offers, or pass --sandbox off to run unprotected."


class Start(NamedTuple):
    """How to start a command: its program, confinements to try in turn, and the paths to watch under each."""

    program: str
    confinements: Sequence[Confinement]
    watched: Sequence[tuple[str, ...]]
    user: int
    stdout: int | None = None


def start_kept(job: Job, start: Start) -> "KeptProcess":
    """Start the command of a job under the first of its confinements that can be had, within its limits."""
    environment = dict(job.environment)
    inherited: list[int] = []
    with ExitStack() as own_copies:
        if job.channel_path:
            inherited.append(_open_channel(job.channel_path))
            own_copies.callback(os.close, inherited[0])
            if job.command.stdout_is_channel:
                start = start._replace(stdout=inherited.pop())
            else:
                environment["PROCTOR_CHANNEL"] = str(inherited[0])
        orders = Orders(
            program=start.program,
            argv=list(job.command.argv),
            cwd=os.path.realpath(job.command.cwd),
            environment=environment,
            owner=os.getpid(),
            inherited=inherited,
            confinements=[vars(confinement) for confinement in start.confinements],
        )
        return KeptProcess(orders, job.limits, start)


def _open_channel(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StateFault(f"The channel of the run cannot be opened: {error}") from error


class KeptProcess:
    """A command under a keeper. Closing it, or the death of this process, ends everything it started."""

    def __init__(self, orders: Orders, limits: Limits, start: Start) -> None:
        self._start = start
        self._watch = Watch(())
        self._exit: Exit | None = None
        self.pid = 0
        self.confinement = 0
        self.refused = ""
        self.bounds = bound(limits, user=start.user)
        self._group = self.bounds.group
        with ExitStack() as undo:
            if self._group is not None:
                undo.callback(self._group.remove)
            self._link = KeeperLink(orders.inherited, start.stdout)
            undo.callback(self._link.close)
            self._begin(orders)
            self._undo = undo.pop_all()

    @property
    def stdout(self) -> int:
        """Return a non-blocking descriptor."""
        return self._link.stdout

    @property
    def stderr(self) -> int:
        """Return a non-blocking descriptor."""
        return self._link.stderr

    def _begin(self, orders: Orders) -> None:
        """Hand over the orders and return when the command is under way."""
        text = json.dumps(vars(orders)).encode()
        self._link.send(str(len(text)).encode() + b"\n" + text)
        while True:
            message = self._link.listen(_START_SECONDS)
            if message is None:
                words = self._link.last_words()
                raise SandboxUnavailable(
                    f"The keeper of the command failed at its start. {words}", hint=_HINT
                )
            if message.pid:
                self._admit(message.pid, message.confinement)
            elif message.ready:
                self.refused = message.refused
                return
            else:
                raise _translate(message, orders)

    def _admit(self, pid: int, confinement: int) -> None:
        """Put the command, which waits for this, under its limits, and look at what can only be watched."""
        self.pid, self.confinement = pid, confinement
        self._watch = Watch(self._start.watched[confinement])
        try:
            apply(pid, self.bounds)
        except OSError as error:
            raise SandboxUnavailable(f"The limits cannot be put in force: {error}", hint=_HINT) from error
        self._link.send(GO)

    async def wait(self) -> Exit:
        """Return when the command has ended; whatever it left running is then killed."""
        # Loading an event loop costs 40 ms, which a start should not wait for.
        from anyio import wait_readable

        while self._exit is None:
            if self._link.has_message():
                self._exit = self._completed(_exit(self._link.take()))
                break
            await wait_readable(self._link.status)
            if not self._link.hear():
                # Somebody killed the keeper: what it kept may still live, but for the control group.
                self._exit = self._completed(Exit(signal=signal.SIGKILL))
        return self._exit

    def _completed(self, end: Exit) -> Exit:
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
        self._link.send(TERMINATE)

    def kill(self) -> None:
        """End every process of the command now."""
        self._link.wake()
        self._link.send(KILL)
        if self._group is not None and self._exit is None:
            self._group.kill()

    def close(self) -> None:
        """Give back all that the command took. Idempotent."""
        self._link.wake()
        self._undo.close()


def _exit(message: Message) -> Exit:
    if message.ended is None:
        return Exit(signal=signal.SIGKILL)
    code = os.waitstatus_to_exitcode(message.ended)
    return Exit(
        exit_code=code if code >= 0 else None,
        signal=max(0, -code),
        peak_memory=message.peak_memory,
        cpu_seconds=message.cpu_seconds,
    )


def _translate(message: Message, orders: Orders) -> ProctorError:
    if message.stage == "program":
        return ToolMissing(
            f"Cannot execute {orders.argv[0]!r}: {message.failed}",
            hint="Install it, or correct the command or its PATH.",
            fields={"program": orders.argv[0]},
        )
    return SandboxUnavailable(
        f"The command could not be confined ({message.stage}): {message.failed}",
        hint=_HINT,
        fields={"stage": message.stage},
    )
