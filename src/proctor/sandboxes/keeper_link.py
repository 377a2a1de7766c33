"""The talk between Proctor and a keeper: a process, four pipes, lines one way and letters the other.

Does not know what the words mean for a command.
"""

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from proctor.model.errors import SandboxUnavailable

_ROOT: Final = str(Path(__file__).resolve().parents[2])
_BOOT: Final = "import sys;sys.path.append(sys.argv.pop(1));from proctor.sandboxes.keeper import main;main()"
_PATIENCE: Final = 5.0


class Message(msgspec.Struct, frozen=True):
    """One line that a keeper said: that a fork waits, runs, failed, or ended."""

    pid: int = 0
    confinement: int = 0
    ready: bool = False
    refused: str = ""
    failed: str = ""
    stage: str = ""
    ended: int | None = None
    peak_memory: int = 0
    cpu_seconds: float = 0.0


class KeeperLink:
    """A keeper at work, and the near ends of its pipes. It ends, with all it keeps, when they close."""

    def __init__(self, inherited: list[int], stdout: int | None = None) -> None:
        self._said = b""
        self.stdout, out = os.pipe()
        self.stderr, err = os.pipe()
        control, self._control = os.pipe()
        self.status, status = os.pipe()
        for descriptor in (self.stdout, self.stderr, self.status):
            os.set_blocking(descriptor, False)
        try:
            self._keeper = _start(out if stdout is None else stdout, err, control, status, inherited)
        except OSError as error:
            self._close_pipes()
            raise SandboxUnavailable(f"No process could be started: {error}") from error
        finally:
            for descriptor in (out, err, control, status):
                os.close(descriptor)

    @property
    def pid(self) -> int:
        """Return the process id of the keeper."""
        return self._keeper.pid

    def send(self, data: bytes) -> None:
        """Tell the keeper something; that it is dead shows when listening."""
        with suppress(OSError):
            while data and self._control >= 0:
                data = data[os.write(self._control, data) :]

    def wake(self) -> None:
        """Undo a stop signal, by which a command may have frozen its keeper."""
        if self._keeper.poll() is None:
            self._keeper.send_signal(signal.SIGCONT)

    def listen(self, seconds: float) -> Message | None:
        """Return the next message, or None if the keeper is dead or silent for that long."""
        deadline = time.monotonic() + seconds
        while not self.has_message():
            poll = select.poll()
            poll.register(self.status, select.POLLIN)
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000) or not self.hear():
                return None
        return self.take()

    def hear(self) -> bool:
        """Read what the keeper said, if anything; False at the end of its life."""
        try:
            piece = os.read(self.status, 65536)
        except BlockingIOError:
            return True
        self._said += piece
        return bool(piece)

    def has_message(self) -> bool:
        """Say whether a whole message was heard."""
        return b"\n" in self._said

    def take(self) -> Message:
        """Return the first message that was heard."""
        line, _, self._said = self._said.partition(b"\n")
        return msgspec.json.decode(line, type=Message)

    def last_words(self) -> str:
        """Return what a keeper that failed printed."""
        try:
            return os.read(self.stderr, 4096).decode("utf-8", "replace").strip()
        except BlockingIOError:
            return ""

    def close(self) -> None:
        """Let the keeper end all it keeps, wait for that, and give back the pipes. Idempotent."""
        if self._control < 0:
            return
        os.close(self._control)
        self._control = -1
        try:
            self._keeper.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()
        self._close_pipes()

    def _close_pipes(self) -> None:
        for descriptor in (self.stdout, self.stderr, self.status, self._control):
            if descriptor >= 0:
                os.close(descriptor)


def _start(out: int, err: int, control: int, status: int, inherited: list[int]) -> "subprocess.Popen[bytes]":
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
