"""No sandbox, because somebody asked for none: limits and the end of the whole tree, nothing else."""

import os

from proctor.model.plan import Job
from proctor.model.run import SandboxReport
from proctor.sandboxes.keeper_process import KeptProcess, prepare

_UNAVAILABLE = (
    "file system protection",
    "hidden secrets",
    "network off",
    "seccomp",
    "capabilities dropped",
    "keeper protected from the command",
)


class BareSandbox:
    """Runs a command in the open; still nothing of it outlives the run."""

    name = "off"

    def probe(self) -> SandboxReport:
        """Say what could be enforced on this machine now."""
        return SandboxReport(name=self.name, enforced=("end of all processes",), unavailable=_UNAVAILABLE)

    def start(self, job: Job) -> tuple[KeptProcess, SandboxReport]:
        """Start the command and say what is enforced."""
        orders = prepare(job)
        try:
            process = KeptProcess(orders)
        finally:
            for descriptor in orders.inherited:
                os.close(descriptor)
        return process, self.probe()
