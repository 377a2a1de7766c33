"""No sandbox, because somebody asked for none: limits and the end of the whole tree, nothing else."""

import os

from proctor.model.plan import Job, Limits
from proctor.model.run import SandboxReport
from proctor.sandboxes.keeper_command import Confinement
from proctor.sandboxes.keeper_limits import Bounds, bound
from proctor.sandboxes.keeper_process import KeptProcess, start_kept

_ENFORCED = ("own session", "no process left behind")
_UNAVAILABLE = (
    "file system",
    "hidden paths",
    "read-only paths",
    "network off",
    "seccomp",
    "capabilities dropped",
    "signals to other processes",
)


class BareSandbox:
    """Runs a command in the open; still nothing of it outlives the run."""

    name = "off"

    def probe(self) -> SandboxReport:
        """Say what could be enforced on this machine now."""
        bounds = bound(Limits(), user=os.geteuid())
        if bounds.group is not None:
            bounds.group.remove()
        return self._report(bounds)

    def start(self, job: Job) -> tuple[KeptProcess, SandboxReport]:
        """Start the command and say what is enforced."""
        bounds = bound(job.limits, user=os.geteuid())
        confinement = Confinement(environment={"TMPDIR": job.scratch})
        process = start_kept(job, bounds, [confinement], uncovered=lambda _: ())
        return process, self._report(bounds)

    def _report(self, bounds: Bounds) -> SandboxReport:
        return SandboxReport(
            name=self.name,
            enforced=(*_ENFORCED, *bounds.enforced),
            unavailable=(*_UNAVAILABLE, *bounds.unavailable),
        )
