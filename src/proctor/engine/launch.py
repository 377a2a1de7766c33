"""Starts the command of a run. Imports no event loop: the command runs while that is being imported."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from proctor.model import event as ev
from proctor.model.fold import Fold
from proctor.model.plan import Command, Job, Plan
from proctor.ports import Framework, Process, ProjectView, Sandbox


@dataclass(frozen=True)
class Desk:
    """All that the engine is handed for one run."""

    plan: Plan
    framework: Framework
    project: ProjectView
    sandbox: Sandbox
    fold: Fold
    make_job: Callable[[Command, int], Job]
    emit: Callable[[Iterable[ev.Event]], None]
    keep_output: Callable[[bytes], None]
    end_output: Callable[[], ev.OutputKept]
    pulse: Callable[[], str]
    watch_reports: Callable[[Command], Callable[[], Iterable[bytes]]]


@dataclass(frozen=True)
class Launched:
    """A command that was just started."""

    command: Command
    process: Process
    channel_path: str
    reports: Callable[[], Iterable[bytes]]
    attempt: int
    started: float


def launch(desk: Desk, command: Command, attempt: int = 1) -> Launched:
    """Start the command of one attempt. Synchronous and quick."""
    reports = desk.watch_reports(command)
    job = desk.make_job(command, attempt)
    started = time.monotonic()
    process, report = desk.sandbox.start(job)
    desk.emit(
        [
            ev.RunStarted(
                argv=command.argv,
                cwd=command.cwd,
                sandbox=report.name,
                enforced=report.enforced,
                unavailable=report.unavailable,
                attempt=attempt,
                pid=process.pid,
            )
        ]
    )
    return Launched(command, process, job.channel_path, reports, attempt, started)
