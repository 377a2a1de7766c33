"""No sandbox, because somebody asked for none: limits and the end of the whole tree, nothing else."""

import os
import sys
import tempfile
from functools import cache

from proctor.model.plan import Command, Job, Limits, Policy
from proctor.model.run import SandboxReport
from proctor.sandboxes.keeper_command import Confinement
from proctor.sandboxes.keeper_process import KeptProcess, Start, start_kept
from proctor.sandboxes.programs import find_program

_ENFORCED = ("own session", "no process left behind")
_UNAVAILABLE = (
    "read-only file system",
    "read-only paths",
    "hidden paths",
    "network off",
    "unix sockets hidden",
    "seccomp",
    "capabilities dropped",
    "pid namespace",
    "signals kept inside",
)


class BareSandbox:
    """Runs a command in the open; still nothing of it outlives the run."""

    name = "off"

    def probe(self) -> SandboxReport:
        """Say what holds for a trivial command that is really run; once for each process."""
        return _probe()

    def start(self, job: Job) -> tuple[KeptProcess, SandboxReport]:
        """Start the command and say what is enforced."""
        confinement = Confinement(environment={"TMPDIR": job.scratch})
        process = start_kept(job, Start(find_program(job), [confinement], [()], os.geteuid()))
        return process, SandboxReport(
            name=self.name,
            enforced=(*_ENFORCED, *process.bounds.enforced),
            unavailable=(*_UNAVAILABLE, *process.bounds.unavailable),
        )


@cache
def _probe() -> SandboxReport:
    with tempfile.TemporaryDirectory(prefix="proctor-probe-") as directory:
        job = Job(
            command=Command(argv=(sys.executable, "-I", "-S", "-c", ""), cwd=directory),
            environment={},
            policy=Policy(),
            limits=Limits(),
            scratch=directory,
        )
        process, report = BareSandbox().start(job)
        process.close()
    return report
