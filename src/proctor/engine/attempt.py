"""Watches one started command until it is gone: reads its streams, keeps its time, stops it when told to.

Decides *when*; what the bytes mean is the reader's to say, how a process is killed the sandbox's.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import anyio

from proctor.engine.tail import ChannelTail
from proctor.model import event as ev
from proctor.model.errors import CannotRun
from proctor.model.plan import Limits
from proctor.ports import Exit, Process, Reader, Stream

POLL = 0.03
PULSE = 0.1
CHUNK = 1 << 18
SMALL = 1 << 15


@dataclass
class Ending:
    """How an attempt ended: by itself (`finished`), or because it was stopped, and why."""

    exit: Exit = field(default_factory=Exit)
    cause: ev.EndCause = "finished"
    message: str = ""


@dataclass
class Attempt:
    """One command under watch. ``emit`` takes events, ``keep_output`` what was printed; ``pulse`` is asked
    ten times a second and returns a reason when the run is to be cancelled."""

    process: Process
    reader: Reader
    limits: Limits
    seconds_left: float
    tail: ChannelTail | None
    channel_is_output: bool
    emit: Callable[[Iterable[ev.Event]], None]
    keep_output: Callable[[bytes], None]
    pulse: Callable[[], str]
    reports: Callable[[], Iterable[bytes]]
    ending: Ending = field(default_factory=Ending)

    async def watch(self) -> Ending:
        """Return when the command and all its descendants are gone and every byte was read."""
        try:
            with anyio.CancelScope(shield=True):
                await self._watch()
        finally:
            self.process.close()
            if self.tail is not None:
                self.tail.close()
        return self.ending

    async def _watch(self) -> None:
        async with anyio.create_task_group() as pumps:
            pumps.start_soon(self._pump, self.process.stdout, "stdout")
            pumps.start_soon(self._pump, self.process.stderr, "stderr")
            async with anyio.create_task_group() as watchers:
                watchers.start_soon(self._follow_channel)
                watchers.start_soon(self._follow_pulse)
                watchers.start_soon(self._keep_time)
                await self._wait()
                watchers.cancel_scope.cancel()
            self.process.kill()
            with anyio.move_on_after(2):
                await self._pumped.wait()
            pumps.cancel_scope.cancel()
        self._read_rest()

    async def _wait(self) -> None:
        try:
            self.ending.exit = await self.process.wait()
        except CannotRun as error:
            self.ending.cause, self.ending.message = "not_started", f"{error.message} ({error.hint})"

    def __post_init__(self) -> None:
        self._open_pumps = 2
        self._pumped = anyio.Event()

    async def _pump(self, descriptor: int, stream: Stream) -> None:
        try:
            while True:
                await anyio.wait_readable(descriptor)
                try:
                    data = os.read(descriptor, CHUNK)
                except BlockingIOError:
                    continue
                if not data:
                    break
                self.keep_output(data)
                self._feed(stream, data)
                if len(data) < SMALL:
                    # A test runner prints a dot at a time: waking up for each would slow it down.
                    await anyio.sleep(POLL)
        finally:
            self._open_pumps -= 1
            if self._open_pumps == 0:
                self._pumped.set()

    def _read_channel(self, data: bytes) -> None:
        if self.channel_is_output:
            self.keep_output(data)
        self._feed("channel", data)

    def _feed(self, stream: Stream, data: bytes) -> None:
        events = list(self.reader.feed(stream, data))
        if events:
            self.emit(events)

    async def _follow_channel(self) -> None:
        if self.tail is None:
            return
        while True:
            data = self.tail.read()
            if data:
                self._read_channel(data)
                await anyio.lowlevel.checkpoint()
                continue
            if self.tail.overfull:
                await self._stop("interrupted", "the test run wrote more events than a run may write")
            await anyio.sleep(POLL)

    async def _follow_pulse(self) -> None:
        while True:
            reason = self.pulse()
            if reason:
                await self._stop("cancelled", reason)
            await anyio.sleep(PULSE)

    async def _keep_time(self) -> None:
        await anyio.sleep(max(self.seconds_left, 0))
        await self._stop("timeout", f"the time limit of {self.limits.timeout:g} s was reached")

    async def _stop(self, cause: ev.EndCause, message: str) -> None:
        if self.ending.cause == "finished":
            self.ending.cause, self.ending.message = cause, message
            self.process.terminate()
            await anyio.sleep(self.limits.grace)
            self.process.kill()
        await anyio.sleep_forever()

    def _read_rest(self) -> None:
        while self.tail is not None and (data := self.tail.read()):
            self._read_channel(data)
        stopped = self.ending.cause != "finished"
        exit_code = None if stopped or self.ending.exit.signal else self.ending.exit.exit_code
        for report in self.reports():
            self._feed("report", report)
        self.emit(list(self.reader.finish(exit_code)))
        if self.tail is not None and self.tail.shrunk:
            message = "the run's private channel was cut short while it was running"
            self.emit([ev.ProblemFound(kind="channel", message=message)])
