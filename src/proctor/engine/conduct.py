"""Conducts one run from its first started command to its last event, retries included.

It is handed everything it needs: the framework, the sandbox and the places where events and output go.
"""

import time

import anyio
import msgspec

from proctor.engine.attempt import Attempt, Ending
from proctor.engine.launch import Desk, Launched, launch
from proctor.engine.tail import ChannelTail
from proctor.model import event as ev
from proctor.model.plan import Command


async def conduct(desk: Desk, first: Launched) -> None:
    """Watch the run to its end and say how it ended. Raises only for faults of Proctor's own."""
    launched = first
    while True:
        ending = await _watch(desk, launched, time.monotonic() - first.started)
        again = _next_command(desk, ending, launched.attempt)
        if again is None:
            break
        launched = launch(desk, again, launched.attempt + 1)
    desk.emit([desk.end_output()])
    duration = time.monotonic() - first.started
    desk.emit([ev.RunEnded(cause=ending.cause, message=ending.message, duration=duration)])


async def _watch(desk: Desk, launched: Launched, spent: float) -> Ending:
    limits = desk.plan.limits
    channel = launched.channel_path
    attempt = Attempt(
        process=launched.process,
        reader=desk.framework.reader(desk.plan.task, launched.attempt),
        limits=limits,
        seconds_left=limits.timeout - spent,
        tail=ChannelTail(channel, limits.channel) if channel else None,
        channel_is_output=launched.command.stdout_is_channel,
        emit=desk.emit,
        keep_output=desk.keep_output,
        pulse=desk.pulse,
        reports=launched.reports,
    )
    ending = await attempt.watch()
    exit_ = ending.exit
    desk.emit(
        [
            *(_tampering(path) for path in exit_.tampered),
            ev.MetricSeen(key="peak_memory_bytes", value=exit_.peak_memory),
            ev.MetricSeen(key="cpu_seconds", value=round(exit_.cpu_seconds, 3)),
            ev.ProcessEnded(
                exit_code=exit_.exit_code,
                signal=exit_.signal,
                attempt=launched.attempt,
                out_of_memory=exit_.out_of_memory,
            ),
        ]
    )
    return ending


def _tampering(path: str) -> ev.ProblemFound:
    message = f"the run changed {path}, which the host obeys later and only the sandbox's watch could notice"
    return ev.ProblemFound(kind="tampering", message=message, file=path)


def _next_command(desk: Desk, ending: Ending, attempt: int) -> Command | None:
    """Return what to run again: the failed cases of a run that is otherwise whole, while tries are left."""
    if ending.cause != "finished" or attempt > desk.plan.retries:
        return None
    if desk.fold.problems or desk.fold.process is None or desk.fold.process.signal:
        return None
    failed = tuple(case.id for case in desk.fold.cases if case.status in ("fail", "error"))
    if not failed or desk.fold.summary.unfinished or not desk.fold.reports:
        return None
    task = msgspec.structs.replace(desk.plan.task, tests=failed, pattern="", exclude=())
    return desk.framework.command(task, desk.project)


def run_to_end(desk: Desk, first: Launched) -> None:
    """Conduct the run in an event loop of its own. The first fault in it is raised as itself."""
    try:
        anyio.run(conduct, desk, first)
    except BaseExceptionGroup as group:
        raise _first_of(group) from group


def _first_of(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
