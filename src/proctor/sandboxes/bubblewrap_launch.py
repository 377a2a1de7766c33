"""One start of ``bwrap``, up to the gate where its namespaces stand and the command has not yet begun.

Knows the descriptors that bubblewrap speaks over; knows no policy.
"""

import array
import fcntl
import os
import select
import subprocess
import termios
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from typing import Final

import msgspec

from proctor.model.errors import SandboxUnavailable
from proctor.sandboxes.keeper_identity import Identity
from proctor.sandboxes.programs import BUBBLEWRAP_HINT

_PATIENCE: Final = 20.0
_PIPE_SIZE: Final = 256 * 1024


class _Word(msgspec.Struct, rename="kebab"):
    """One line that bubblewrap says about itself."""

    child_pid: int | None = None
    exit_code: int | None = None


class Descriptors:
    """Descriptors that a start takes, and those of them that ``bwrap`` inherits."""

    def __init__(self) -> None:
        self.inherited: list[int] = []
        self.stdout: int | None = None
        self._stack = ExitStack()

    def inherit(self, descriptor: int) -> int:
        """Pass a descriptor on to ``bwrap`` and close our own copy at the end."""
        self.inherited.append(descriptor)
        self._stack.callback(os.close, descriptor)
        return descriptor

    def inherit_bytes(self, data: bytes) -> int:
        """Pass on a file in memory, to be read from its beginning."""
        descriptor = self.inherit(os.memfd_create("proctor", os.MFD_CLOEXEC))
        os.write(descriptor, data)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    def inherit_blank(self) -> int:
        """Pass on a file that is at its end."""
        return self.inherit(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))

    def inherit_channel(self, path: str) -> int:
        """Pass on the file that a command appends its events to."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return self.inherit(os.open(path, flags, 0o600))

    def use_as_stdout(self, path: str) -> None:
        """Let the command print into the channel."""
        self.stdout = self.inherit_channel(path)
        self.inherited.remove(self.stdout)

    def close(self) -> None:
        """Close our copies."""
        self._stack.close()


class Launch:
    """A ``bwrap`` that was started, with its first process inside waiting at the gate or on its way to it.

    The system call filter is handed over last, through a pipe: should Proctor be killed before that, the pipe
    ends empty, and bubblewrap gives up instead of running a command that nobody watches.
    """

    def __init__(self, popen: "subprocess.Popen[bytes]", ends: Sequence[int]) -> None:
        self.popen = popen
        self.stdout, self.stderr, self.status, self._gate, self._filter = ends
        self._said = b""
        try:
            self.first = self._read_first()
        except BaseException:
            self.close()
            raise

    def _read_first(self) -> int:
        deadline = time.monotonic() + _PATIENCE
        while b"\n" not in self._said:
            if not _wait_for(self.status, select.POLLIN, deadline):
                raise self._failure("bubblewrap does not answer")
            data = os.read(self.status, 4096)
            if not data:
                raise self._failure("bubblewrap could not make its namespaces")
            self._said += data
        line, _, self._said = self._said.partition(b"\n")
        child = msgspec.json.decode(line, type=_Word).child_pid
        if child is None:
            raise self._failure("bubblewrap did not say which process it started")
        return child

    def open_gate(self, system_call_filter: bytes) -> None:
        """Let the command begin under this filter; raise if the mounts do not stand."""
        try:
            os.write(self._gate, b"1")
        except BrokenPipeError:
            raise self._failure("the sandbox could not be set up") from None
        # The other end is closed after the byte was taken, or by dying before that.
        _wait_for(self._gate, 0, time.monotonic() + _PATIENCE)
        left = array.array("i", [0])
        fcntl.ioctl(self._gate, termios.FIONREAD, left)
        if left[0]:
            raise self._failure("the sandbox could not be set up")
        os.write(self._filter, system_call_filter)
        os.close(self._filter)
        self._filter = -1

    def read_exit(self) -> int | None:
        """Return the exit code that bubblewrap reported, or None if the command never began."""
        while data := os.read(self.status, 4096):
            self._said += data
        codes = [msgspec.json.decode(line, type=_Word).exit_code for line in self._said.splitlines() if line]
        return next((code for code in codes if code is not None), None)

    def _failure(self, what: str) -> SandboxUnavailable:
        """Nothing but bubblewrap has run so far, so what stands on stderr is its own complaint."""
        self.popen.kill()
        self.popen.wait()
        try:
            said = os.read(self.stderr, 4096).decode(errors="replace").strip()
        except BlockingIOError:
            said = ""
        return SandboxUnavailable(f"{what}: {said}" if said else what, hint=BUBBLEWRAP_HINT)

    def close(self) -> None:
        """End ``bwrap`` if it still runs and close our ends. Idempotent."""
        self.popen.kill()
        self.popen.wait()
        for name in ("stdout", "stderr", "status", "_gate", "_filter"):
            if getattr(self, name) >= 0:
                os.close(getattr(self, name))
                setattr(self, name, -1)


def launch(
    tool: str,
    options: Iterable[str],
    argv: Sequence[str],
    identity: Identity,
    descriptors: Descriptors,
    before: Callable[[], None] | None,
) -> Launch:
    """Start ``bwrap`` with no environment of its own: a variable meant for the command must not move it.

    ``before`` is done by the new process, already as the other user, before it becomes ``bwrap``.
    """
    names = ("out", "error", "status", "gate", "filter")
    ours, theirs = _make_pipes(names, written_by_us=("gate", "filter"))
    for name in ("out", "error"):
        os.set_blocking(ours[name], False)
        fcntl.fcntl(ours[name], fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
    spoken = (("--json-status-fd", "status"), ("--block-fd", "gate"), ("--seccomp", "filter"))
    words = [*options, *(word for option, name in spoken for word in (option, str(theirs[name])))]
    table = descriptors.inherit_bytes(b"".join(os.fsencode(word) + b"\0" for word in words))
    try:
        popen = subprocess.Popen(
            [tool, "--args", str(table), "--", *argv],
            stdin=subprocess.DEVNULL,
            stdout=theirs["out"] if descriptors.stdout is None else descriptors.stdout,
            stderr=theirs["error"],
            env={},
            cwd="/",
            pass_fds=(*descriptors.inherited, *(theirs[name] for _, name in spoken)),
            start_new_session=True,
            preexec_fn=before,
            user=identity.user if identity.change else None,
            group=identity.group if identity.change else None,
            extra_groups=[] if identity.change else None,
        )
    except (OSError, subprocess.SubprocessError) as error:
        for end in ours.values():
            os.close(end)
        raise SandboxUnavailable(f"bubblewrap cannot be started: {error}", hint=BUBBLEWRAP_HINT) from error
    finally:
        for end in theirs.values():
            os.close(end)
    return Launch(popen, [ours[name] for name in names])


def _make_pipes(
    names: Iterable[str], written_by_us: Collection[str]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return our ends and those of ``bwrap``."""
    ours, theirs = {}, {}
    for name in names:
        ends = os.pipe2(os.O_CLOEXEC)
        ours[name], theirs[name] = reversed(ends) if name in written_by_us else ends
    return ours, theirs


def _wait_for(descriptor: int, events: int, deadline: float) -> bool:
    """Wait for events on a descriptor, or for its other end to go."""
    poll = select.poll()
    poll.register(descriptor, events)
    return bool(poll.poll(max(0.0, deadline - time.monotonic()) * 1000))
