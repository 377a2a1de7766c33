"""The first choice of a place to run: bubblewrap, with all namespaces, no capability, a system call filter.

Decides what a job gets and starts it; what then lives is a ``BubblewrapProcess``. Parses no output.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache, partial
from typing import Final

from proctor.model.errors import SandboxUnavailable
from proctor.model.plan import Command, Job, Limits, Policy
from proctor.model.request import GIB
from proctor.model.run import SandboxReport
from proctor.sandboxes.bubblewrap_launch import Descriptors, Launch, launch
from proctor.sandboxes.bubblewrap_process import BubblewrapProcess
from proctor.sandboxes.keeper_identity import Identity, choose_identity
from proctor.sandboxes.keeper_limits import Bounds, apply_to_process, bound
from proctor.sandboxes.mounts import Layout, plan_mounts
from proctor.sandboxes.programs import BUBBLEWRAP_HINT, find_bubblewrap, find_program
from proctor.sandboxes.seccomp import program as seccomp_program

_NAMESPACES: Final = ("user", "pid", "ipc", "uts", "cgroup")
_FIXED: Final = ("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--disable-userns")
_ALWAYS: Final = (
    "own session",
    "no process left behind",
    "read-only file system",
    "read-only paths",
    "hidden paths",
    "unix sockets hidden",
    "seccomp",
    "capabilities dropped",
    "no new privileges",
)
_TEMP: Final = "/tmp"  # noqa: S108


class BubblewrapSandbox:
    """Runs commands by ``bwrap``. Start from a thread that outlives the command: it dies with that thread."""

    name = "bubblewrap"

    def probe(self) -> SandboxReport:
        """Say what holds for a trivial command that is really run; once for each process."""
        return _probe()

    def start(self, job: Job) -> tuple[BubblewrapProcess, SandboxReport]:
        """Start the command with every limit in force before its first instruction."""
        identity = choose_identity(job)
        layout = plan_mounts(job, find_program(job), identity)
        tool = find_bubblewrap(job.policy.writable)
        watch = layout.watch()
        bounds = bound(job.limits, user=identity.user)
        with ExitStack() as undo:
            if bounds.group is not None:
                undo.callback(bounds.group.remove)
            # Limits of another user's process are set by itself: doing it from outside needs more than root
            # has in many containers (CAP_SYS_RESOURCE).
            before = partial(apply_to_process, 0, bounds) if identity.change else None
            started = _launch(tool, job, identity, layout, before)
            undo.callback(started.close)
            _bind(started.first, bounds, identity)
            started.open_gate(seccomp_program())
            process = BubblewrapProcess(started, bounds.group, watch)
            undo.pop_all()
        return process, SandboxReport(
            name=self.name,
            enforced=(*_words(job, identity, layout), *bounds.enforced),
            unavailable=(*bounds.unavailable, *_open_doors(job, identity)),
        )


def _launch(
    tool: str, job: Job, identity: Identity, layout: Layout, before: Callable[[], None] | None
) -> Launch:
    descriptors = Descriptors()
    try:
        options = [
            *_FIXED,
            *(f"--unshare-{name}" for name in (*_NAMESPACES, *(() if job.policy.network else ("net",)))),
            "--chdir",
            os.path.realpath(job.command.cwd),
            *_environment(job, descriptors),
            *layout.arguments(job.limits.temp_size, iter(descriptors.inherit_blank, None)),
        ]
        return launch(tool, options, job.command.argv, identity, descriptors, before)
    finally:
        descriptors.close()


def _environment(job: Job, descriptors: Descriptors) -> Iterator[str]:
    environment = {**job.environment, "TMPDIR": _TEMP}
    if job.channel_path and job.command.stdout_is_channel:
        descriptors.use_as_stdout(job.channel_path)
    elif job.channel_path:
        environment["PROCTOR_CHANNEL"] = str(descriptors.inherit_channel(job.channel_path))
    for name, value in environment.items():
        yield from ("--setenv", name, value)


def _bind(first: int, bounds: Bounds, identity: Identity) -> None:
    try:
        if bounds.group is not None:
            bounds.group.add(first)
        if not identity.change:
            apply_to_process(first, bounds)
    except OSError as error:
        raise SandboxUnavailable(f"the limits cannot be set: {error}", hint=BUBBLEWRAP_HINT) from error


def _words(job: Job, identity: Identity, layout: Layout) -> Iterator[str]:
    yield from (f"{name} namespace" for name in ("mount", *_NAMESPACES))
    yield from _ALWAYS
    if not job.policy.network:
        yield from ("network off", "own loopback")
    yield f"private temp {job.limits.temp_size / GIB:.3g} GiB"
    if identity.change:
        yield f"user {identity.user}"
    if layout.loose:
        yield f"watch over {len(layout.loose)} read-only paths that are links or do not exist yet"


def _open_doors(job: Job, identity: Identity) -> Iterator[str]:
    if identity.obstacle:
        yield identity.obstacle
    if job.policy.network:
        yield "host loopback, abstract sockets and metadata address closed (the network is on)"


@cache
def _probe() -> SandboxReport:
    with tempfile.TemporaryDirectory(prefix="proctor-probe-") as directory:
        job = Job(
            command=Command(argv=("sh", "-c", "echo here"), cwd=directory),
            environment={"PATH": "/usr/bin:/bin"},
            policy=Policy(writable=(directory,)),
            limits=Limits(),
            scratch=directory,
        )
        process, report = BubblewrapSandbox().start(job)
        try:
            os.set_blocking(process.stdout, True)
            said = os.read(process.stdout, 64)
            complaint = b"" if said else os.read(process.stderr, 4096)
        finally:
            process.close()
    if said != b"here\n":
        raise SandboxUnavailable(
            f"a trivial command failed inside bubblewrap: {complaint.decode(errors='replace').strip()}",
            hint=BUBBLEWRAP_HINT,
        )
    return report
