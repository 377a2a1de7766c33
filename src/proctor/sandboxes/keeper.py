"""The keeper: a small process between Proctor and a command that owns every descendant of the command.

It is started in a fresh interpreter without site-packages, so it and all it imports use the standard
library only. It lives on if Proctor is killed, just long enough to end what the command left.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import struct
import sys

from proctor.sandboxes import keeper_calls as calls
from proctor.sandboxes import keeper_command, keeper_tree
from proctor.sandboxes.keeper_command import GO, Orders

TYPE_CHECKING = False  # importing typing would cost more than all else here
if TYPE_CHECKING:
    from typing import Any

TERMINATE, KILL = b"t", b"k"


class _SetupFailed(Exception):
    """The command could not be started; ``stage`` says what stood in the way."""

    def __init__(self, stage: str, message: str) -> None:
        super().__init__(message)
        self.stage = stage
        self.message = message


class _Told(Exception):
    """Proctor is gone or wants the command dead."""


class _Keeper:
    """Runs one command and owns whatever it starts, until nothing of it is left."""

    def __init__(self, orders: Orders, control: int, status: int) -> None:
        self._orders = orders
        self._control = control
        self._status = status
        self._child = 0
        self._outcome: int | None = None
        self._result = -1
        self._wake, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._owner = _watch_over(orders.owner)

    def run(self) -> None:
        """Start the command, watch it to its end, and leave nothing of it behind."""
        try:
            self._start()
            self._watch()
        except _Told:
            pass
        except _SetupFailed as failure:
            keeper_tree.end_all(os.getpid())
            self._say({"failed": failure.message, "stage": failure.stage})
            return
        keeper_tree.end_all(os.getpid(), self._note)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._say(
            {
                "ended": self._outcome,
                "peak_memory": used.ru_maxrss * 1024,
                "cpu_seconds": used.ru_utime + used.ru_stime,
            }
        )

    def _start(self) -> None:
        """Try each confinement in turn: the next, which asks less of the kernel, only if one is refused."""
        refused = ""
        for position, confinement in enumerate(self._orders.confinements):
            try:
                self._attempt(position, confinement)
            except _SetupFailed as failure:
                if failure.stage != "namespaces" or position + 1 == len(self._orders.confinements):
                    raise
                refused = failure.message
                keeper_tree.end_all(os.getpid())
            else:
                _let_go_of_standard_streams(self._orders.inherited)
                self._say({"ready": True, "refused": refused})
                return

    def _attempt(self, position: int, confinement: dict[str, Any]) -> None:
        gate, opener = os.pipe2(os.O_CLOEXEC)
        failure, failing = os.pipe2(os.O_CLOEXEC)
        self._result, result = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._child = os.fork()
        if self._child == 0:
            os.close(opener)
            keeper_command.become(self._orders, confinement, gate, failing, result)
        for descriptor in (gate, failing, result):
            os.close(descriptor)
        try:
            self._say({"pid": self._child, "confinement": position})
            self._await(self._control)
            if self._next_command() != GO:
                raise _Told
            os.write(opener, GO)
            self._read_failure(failure)
        finally:
            os.close(opener)
            os.close(failure)

    def _read_failure(self, descriptor: int) -> None:
        """Wait until the command's program is executed; a failure on the way there is raised."""
        text = b""
        while True:
            if descriptor in self._await(descriptor, self._control):
                piece = os.read(descriptor, 65536)
                text += piece
                if not piece:
                    break
            elif self._next_command() in (b"", KILL):
                raise _Told
        if text:
            stage, _, message = text.decode("utf-8", "replace").partition("\n")
            raise _SetupFailed(stage, message)

    def _watch(self) -> None:
        while self._outcome is None:
            ready = self._await(self._wake, self._control)
            if self._wake in ready:
                os.read(self._wake, 4096)
            keeper_tree.reap(self._note)
            if self._outcome is None and self._control in ready:
                self._obey(self._next_command())

    def _await(self, *descriptors: int) -> list[int]:
        """Return those of the descriptors that have something to read; raise if Proctor died meanwhile."""
        poll = select.poll()
        for descriptor in (*descriptors, *self._owner):
            poll.register(descriptor, select.POLLIN)
        ready = [descriptor for descriptor, _ in poll.poll()]
        if any(descriptor in ready for descriptor in self._owner):
            raise _Told
        return ready

    def _obey(self, command: bytes) -> None:
        if command == TERMINATE:
            keeper_tree.tell(keeper_tree.descendants(os.getpid()), signal.SIGTERM)
        else:
            raise _Told

    def _note(self, pid: int, wait_status: int) -> None:
        if pid == self._child and self._outcome is None:
            # Behind namespaces the child is a mere go-between: the command's own end came by the result pipe.
            inner = _read_at_once(self._result)
            self._outcome = struct.unpack("i", inner)[0] if len(inner) == 4 else wait_status

    def _next_command(self) -> bytes:
        return os.read(self._control, 1)

    def _say(self, message: dict[str, object]) -> None:
        try:
            os.write(self._status, json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            pass


def _watch_over(owner: int) -> tuple[int, ...]:
    """Return a descriptor, if to be had, that tells of the death of Proctor.

    The end of the control pipe tells it too, but not while a fork of Proctor holds that pipe.
    """
    found = []
    try:
        found.append(os.pidfd_open(owner))
    except OSError:
        pass
    if os.getppid() != owner:
        raise _Told
    return tuple(found)


def _read_at_once(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4)
    except BlockingIOError:
        return b""


def _let_go_of_standard_streams(inherited: list[int]) -> None:
    """Let the readers of the command's output see its end, which a copy held here would hide."""
    nothing = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    for descriptor in (nothing, *inherited):
        os.close(descriptor)


def _read_orders(control: int) -> Orders:
    length = b""
    while not length.endswith(b"\n"):
        piece = os.read(control, 1)
        if not piece:
            sys.exit(0)
        length += piece
    text = b""
    while len(text) < int(length):
        piece = os.read(control, int(length) - len(text))
        if not piece:
            sys.exit(0)
        text += piece
    return Orders(**json.loads(text))


def main() -> None:
    """Read the orders from the control pipe, keep the command, report on the status pipe."""
    control, status = int(sys.argv[1]), int(sys.argv[2])
    for descriptor in (control, status):
        os.set_inheritable(descriptor, False)
    for number in keeper_command.IGNORED:
        signal.signal(number, signal.SIG_IGN)
    # No process of the same user may read or reopen the pipes of the keeper through /proc.
    calls.prctl(calls.PR_SET_DUMPABLE, 0)
    calls.prctl(calls.PR_SET_CHILD_SUBREAPER, 1)
    try:
        _Keeper(_read_orders(control), control, status).run()
    except _Told:
        pass
    os._exit(0)  # nothing is left to tidy: skip what an interpreter does at its end
