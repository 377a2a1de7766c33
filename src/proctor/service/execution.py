"""One run in this process: waits for its turn, starts it, sees it to its end and leaves nothing behind."""

import hashlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from proctor.engine.launch import Desk, Launched, launch
from proctor.journal.files import RunFiles, private_directory
from proctor.journal.journal import JournalWriter
from proctor.journal.spool import Spool
from proctor.model import event as ev
from proctor.model.errors import CannotRun, ProctorError, SandboxUnavailable, StoreBusy
from proctor.model.ids import new_run_id
from proctor.model.plan import Command, Job
from proctor.model.run import RunRow
from proctor.ports import Beat, Enqueued
from proctor.sandboxes.environment import scrub
from proctor.service.implementations import no_sandbox, sandbox_candidates
from proctor.service.leftovers import make_channel, remove_leftovers
from proctor.service.office import Office
from proctor.service.preparation import Prepared
from proctor.service.recorder import Listener, Recorder
from proctor.service.recovery import close_dead_runs
from proctor.service.reports import watch_reports

_TURN_POLL = 0.1
_SWEEP_EVERY = 1.0
_BEAT_EVERY = 2.0
_DEFAULT_RUNS = max(2, os.cpu_count() or 2)


class StopSignal:
    """A wish to end the run, from a signal or another thread."""

    def __init__(self) -> None:
        self.reason = ""

    def ask(self, reason: str) -> None:
        """Ask for the end; the first reason is kept."""
        self.reason = self.reason or reason

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Turn SIGINT, SIGTERM and SIGHUP into the wish to end, while inside (main thread only)."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.getsignal(number) for number in wanted}
        for number in wanted:
            signal.signal(number, lambda n, _: self.ask(f"cancelled by {signal.Signals(n).name}"))
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def enqueue(office: Office, prepared: Prepared, *, detached: bool) -> tuple[RunRow, JournalWriter]:
    """Put a run into the queue: its journal first, then its row. The caller owns it from now on."""
    from proctor import __version__

    plan = prepared.plan
    now = time.time()
    row = RunRow(
        run_id=new_run_id(now),
        project=plan.project,
        name=plan.name,
        framework=plan.framework,
        category=plan.category,
        status="QUEUED",
        queued_at=now,
        commit=prepared.commit,
        branch=prepared.branch,
        detached=detached,
    )
    writer = office.journals.create(row.run_id)
    writer.append(
        ev.RunQueued(
            at=now,
            run_id=row.run_id,
            project=plan.project,
            root=plan.root,
            name=plan.name,
            framework=plan.framework,
            category=plan.category,
            request=prepared.request,
            commit=prepared.commit,
            branch=prepared.branch,
            version=__version__,
        )
    )
    office.store.record(Enqueued(row=row))
    return row, writer


def refuse(office: Office, row: RunRow, writer: JournalWriter, error: ProctorError) -> None:
    """End a queued run that cannot be started any more, such as one whose project is gone."""
    recorder = Recorder(row, writer, office.blobs, office.store)
    recorder.announce(office.journals.read(row.run_id))
    recorder.emit([_not_started(error)])
    recorder.finish()
    writer.close()


def _not_started(error: ProctorError) -> ev.RunEnded:
    message = f"{error.message} ({error.hint})" if error.hint else error.message
    return ev.RunEnded(cause="not_started", message=message)


class Execution:
    """One queued run, owned by this process."""

    def __init__(
        self,
        office: Office,
        prepared: Prepared,
        row: RunRow,
        writer: JournalWriter,
        *,
        listener: Listener | None = None,
        keep_passed: bool = False,
        stop: StopSignal | None = None,
    ) -> None:
        self._office = office
        self._prepared = prepared
        self._run_id = row.run_id
        self._writer = writer
        self._stop = stop or StopSignal()
        self._files = RunFiles(office.home, row.run_id)
        self._spool = Spool(self._files.output, prepared.plan.limits.output)
        self._owner = f"{os.uname().nodename}:{os.getpid()}"
        self._last_beat = 0.0
        self._next_sweep = 0.0
        self.recorder = Recorder(row, writer, office.blobs, office.store, listener, keep_passed=keep_passed)

    def perform(self) -> None:
        """Run it to its end. However this is left, the journal has an end or the run is seen to be dead."""
        self.recorder.announce(self._office.journals.read(self._run_id))
        try:
            if self._wait_for_turn():
                self._run()
            else:
                reason = self._stop_reason() or "cancelled"
                self.recorder.emit([ev.RunEnded(cause="cancelled", message=reason)])
            self.recorder.finish()
            remove_leftovers(self._files)
        finally:
            self._writer.close()

    def _wait_for_turn(self) -> bool:
        limit = self._prepared.settings.max_runs or _DEFAULT_RUNS
        while not self._stop_reason():
            if self._office.store.claim(self._run_id, self._owner, time.time(), limit):
                return True
            self._sweep()
            time.sleep(_TURN_POLL)
        return False

    def _sweep(self) -> None:
        """Free the places of dead runs; seldom, for each waiting run tries the lock of every other."""
        now = time.monotonic()
        if now >= self._next_sweep:
            self._next_sweep = now + _SWEEP_EVERY
            close_dead_runs(self._office)

    def _run(self) -> None:
        self.recorder.emit([ev.Noted(message=note) for note in self._prepared.notes])
        private_directory(self._files.scratch)
        try:
            desk, launched = self._launch()
        except CannotRun as error:
            self.recorder.emit([_not_started(error)])
            return
        # The event loop takes longer to import than the command to start: it is imported while that runs.
        from proctor.engine.conduct import run_to_end

        try:
            run_to_end(desk, launched)
        except BaseException:
            launched.process.kill()
            launched.process.close()
            raise

    def _launch(self) -> tuple[Desk, Launched]:
        refusals: list[SandboxUnavailable] = []
        for sandbox in sandbox_candidates(self._prepared.plan.sandbox):
            desk = Desk(
                plan=self._prepared.plan,
                framework=self._prepared.framework,
                project=self._prepared.view,
                sandbox=sandbox,
                fold=self.recorder.fold,
                make_job=self._make_job,
                emit=self.recorder.emit,
                keep_output=self._spool.write,
                end_output=self._end_output,
                pulse=self._pulse,
                watch_reports=watch_reports,
            )
            try:
                return desk, launch(desk, self._prepared.plan.command)
            except SandboxUnavailable as refusal:
                refusals.append(refusal)
                self.recorder.emit([ev.Noted(message=f"{sandbox.name} is not used: {refusal.message}")])
        raise no_sandbox(refusals)

    def _make_job(self, command: Command, attempt: int) -> Job:
        plan = self._prepared.plan
        caches = self._make_caches(command)
        asked = {**plan.command.environment, **command.environment, **caches}
        environment, _ = scrub({**os.environ, **asked}, frozenset(asked))
        wanted = command.channel or command.stdout_is_channel
        channel = str(make_channel(self._files, attempt)) if wanted else ""
        return Job(
            command=command,
            environment=environment,
            policy=replace(plan.policy, writable=(*plan.policy.writable, *caches.values())),
            limits=plan.limits,
            scratch=str(self._files.scratch),
            channel_path=channel,
        )

    def _make_caches(self, command: Command) -> dict[str, str]:
        """Return this project's own directory for each cache: no other project trusts what is in it."""
        project = hashlib.sha256(self._prepared.plan.project.encode()).hexdigest()[:16]
        place = self._office.home / "caches" / project
        for name in command.caches.values():
            private_directory(place / name)
        return {variable: str(place / name) for variable, name in command.caches.items()}

    def _end_output(self) -> ev.OutputKept:
        return self._spool.finish(self._office.blobs)

    def _stop_reason(self) -> str:
        if self._stop.reason:
            return self._stop.reason
        if not self._files.lock.exists():
            return "Proctor's state was removed while the run was going on"
        try:
            rows = self._office.store.find(self._run_id)
        except StoreBusy:
            return ""
        if not rows:
            return "the run is not in the database any more"
        return "cancelled by request" if rows[0].cancel_asked else ""

    def _pulse(self) -> str:
        now = time.monotonic()
        if now - self._last_beat >= _BEAT_EVERY:
            self._last_beat = now
            try:
                self._office.store.record(Beat(run_id=self._run_id, owner=self._owner, at=time.time()))
            except StoreBusy:
                pass
        return self._stop_reason()
