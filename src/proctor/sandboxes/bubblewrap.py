"""The first choice of a place to run: bubblewrap, with all namespaces, no capability, a system call filter.

Decides what a job gets and starts it; what then lives is a ``BubblewrapProcess``. Parses no output.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from typing import Final

from proctor.model.errors import SandboxUnavailable
from proctor.model.plan import Command, Job, Limits, Policy
from proctor.model.request import GIB
from proctor.model.run import SandboxReport
from proctor.sandboxes import cgroups, limits
from proctor.sandboxes.bubblewrap_launch import Descriptors, Launch, launch
from proctor.sandboxes.bubblewrap_process import BubblewrapProcess
from proctor.sandboxes.identity import Identity, choose_identity
from proctor.sandboxes.mounts import Layout, plan_mounts
from proctor.sandboxes.programs import BUBBLEWRAP_HINT, find_bubblewrap, find_program
from proctor.sandboxes.seccomp import program as seccomp_program

_NAMESPACES: Final = ("user", "pid", "ipc", "uts", "cgroup")
_FIXED: Final = ("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--disable-userns")
_TEMP: Final = "/tmp"  # noqa: S108


class BubblewrapSandbox:
    """Runs commands by ``bwrap``. Start from a thread that outlives the command: it dies with that thread."""

    name = "bubblewrap"

    def probe(self) -> SandboxReport:
        """Say what holds for a trivial command that is really run; once for each process."""
        return _probe()

    def start(self, job: Job) -> tuple[BubblewrapProcess, SandboxReport]:
        """Start the command with every limit in force before its first instruction."""
        tool = find_bubblewrap(job.policy.writable)
        program = find_program(job)
        identity, given_up = choose_identity(job, program)
        with ExitStack() as undo:
            layout = plan_mounts(job, program, identity)
            undo.callback(layout.close)
            group, held, missing = cgroups.ControlGroup.create(os.urandom(6).hex(), job.limits)
            if group is not None:
                undo.callback(group.remove)
            started = _launch(tool, job, identity, layout, group)
            undo.callback(started.close)
            more, missing = limits.limit_all(started.first, job.limits, identity.uid, missing)
            started.open_gate()
            process = BubblewrapProcess(started, group, layout)
            undo.pop_all()
        return process, SandboxReport(
            name=self.name,
            enforced=(*_words(job, identity), *held, *more),
            unavailable=(*missing, *given_up, *_open_doors(job, layout)),
        )


def _launch(
    tool: str, job: Job, identity: Identity, layout: Layout, group: cgroups.ControlGroup | None
) -> Launch:
    """Start ``bwrap`` and bring its first process under the control group."""
    descriptors = Descriptors()
    try:
        options = [
            *_FIXED,
            *(f"--unshare-{name}" for name in (*_NAMESPACES, *(() if job.policy.network else ("net",)))),
            "--chdir",
            os.path.realpath(job.command.cwd),
            "--seccomp",
            str(descriptors.inherit_bytes(seccomp_program())),
            *_environment(job, descriptors),
            *layout.arguments(job.limits.temp_size, iter(descriptors.inherit_blank, None)),
        ]
        started = launch(tool, options, job.command.argv, identity, descriptors)
    finally:
        descriptors.close()
    try:
        if group is not None:
            group.add(started.first)
    except OSError as error:
        started.close()
        raise SandboxUnavailable(f"the control group does not take the command: {error}") from error
    return started


def _environment(job: Job, descriptors: Descriptors) -> Iterator[str]:
    environment = {**job.environment, "TMPDIR": _TEMP}
    if job.channel_path:
        environment["PROCTOR_CHANNEL"] = str(descriptors.inherit_channel(job.channel_path))
    for name, value in environment.items():
        yield from ("--setenv", name, value)


def _words(job: Job, identity: Identity) -> Iterator[str]:
    yield from (f"{name} namespace" for name in ("mount", *_NAMESPACES))
    if not job.policy.network:
        yield "network off"
    yield from ("seccomp", "no capabilities", "read-only file system", "host sockets hidden")
    yield f"private temp {job.limits.temp_size / GIB:.3g} GiB"
    if identity.switched:
        yield f"user {identity.uid}"


def _open_doors(job: Job, layout: Layout) -> Iterator[str]:
    if job.policy.network:
        yield "keeping apart loopback, abstract sockets and the metadata address while the network is on"
    for link in layout.links:
        yield f"holding the link {link.path} (compared afterwards)"


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
