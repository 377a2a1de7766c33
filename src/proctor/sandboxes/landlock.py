"""A sandbox by system calls alone, for machines without bubblewrap.

Landlock and seccomp always; namespaces too where the kernel grants them. The report says which it was.
"""

import os
import sys
import tempfile
from functools import cache

from proctor.model.errors import SandboxUnavailable
from proctor.model.plan import Command, Job, Limits, Policy
from proctor.model.run import SandboxReport
from proctor.sandboxes import keeper_calls, landlock_rules, landlock_words, seccomp
from proctor.sandboxes.keeper_command import Confinement
from proctor.sandboxes.keeper_identity import Identity, choose_identity
from proctor.sandboxes.keeper_namespaces import View
from proctor.sandboxes.keeper_process import KeptProcess, Start, start_kept
from proctor.sandboxes.landlock_filter import refuse_sockets
from proctor.sandboxes.mounts import Layout, plan_mounts
from proctor.sandboxes.programs import find_program


class LandlockSandbox:
    """Runs a command behind Landlock and seccomp, and behind namespaces unless told to do without."""

    name = "landlock"

    def __init__(self, *, namespaces: bool = True) -> None:
        self._namespaces = namespaces

    def probe(self) -> SandboxReport:
        """Say what holds for a trivial command that is really run; once for each process."""
        return _probe(self._namespaces)

    def start(self, job: Job) -> tuple[KeptProcess, SandboxReport]:
        """Start the command and say what is enforced; raise SandboxUnavailable rather than be weaker."""
        abi = _demand_landlock()
        program = find_program(job)
        identity = choose_identity(job)
        if identity.change:
            os.chown(job.scratch, identity.user, identity.group)
        confinements = [_alone(job, abi, identity)]
        watched = [_exposed(job.policy)]
        if self._namespaces:
            layout = plan_mounts(job, program, identity)
            confinements.insert(0, _behind_namespaces(job, abi, identity, layout))
            watched.insert(0, tuple(layout.loose))
        process = start_kept(job, Start(program, confinements, watched, identity.user))
        situation = landlock_words.Situation(
            abi=abi,
            namespaces=confinements[process.confinement].view is not None,
            refused=process.refused or "not asked for",
            identity=identity,
            watched=watched[process.confinement],
        )
        report = landlock_words.report(job, situation)
        return process, SandboxReport(
            name=self.name,
            enforced=(*report.enforced, *process.bounds.enforced),
            unavailable=(*report.unavailable, *process.bounds.unavailable),
        )


def _demand_landlock() -> int:
    abi = keeper_calls.landlock_abi()
    if abi < 1:
        raise SandboxUnavailable(
            "This kernel offers no Landlock.",
            hint="Install bubblewrap (apt-get install bubblewrap), or add landlock to the kernel's lsm= list,"
            " or pass --sandbox off to run unprotected.",
        )
    return abi


def _exposed(policy: Policy) -> tuple[str, ...]:
    """Return the read-only paths that Landlock alone cannot hold."""
    return tuple(path for path in policy.readonly if landlock_rules.is_within_any(path, policy.writable))


def _behind_namespaces(job: Job, abi: int, identity: Identity, layout: Layout) -> Confinement:
    own = [path for path, kind in layout.entries.items() if kind in ("write", "private")]
    view = View(
        entries=[[path, kind] for path, kind in layout.entries.items()],
        aliases=layout.aliases,
        temp_size=job.limits.temp_size,
        network=job.policy.network,
    )
    return Confinement(
        environment={"TMPDIR": "/tmp"},  # noqa: S108
        identity=[identity.user, identity.group] if identity.change else None,
        view=vars(view),
        abi=abi,
        handled=list(landlock_rules.handled(abi, network=True)),
        grants=[list(grant) for grant in landlock_rules.grants(abi, [*own, "/dev/pts"])],
        filters=[seccomp.program().hex()],
    )


def _alone(job: Job, abi: int, identity: Identity) -> Confinement:
    network = job.policy.network
    writable = [*landlock_rules.outermost(job.policy.writable), os.path.realpath(job.scratch)]
    hidden = (*job.policy.hidden, *filter(None, [job.channel_path]))
    return Confinement(
        environment={"TMPDIR": job.scratch},
        identity=[identity.user, identity.group] if identity.change else None,
        abi=abi,
        handled=list(landlock_rules.handled(abi, network=network)),
        grants=[list(grant) for grant in landlock_rules.grants(abi, writable, hidden)],
        filters=[seccomp.program().hex(), refuse_sockets(network=network).hex()],
    )


@cache
def _probe(namespaces: bool) -> SandboxReport:
    with tempfile.TemporaryDirectory(prefix="proctor-probe-") as directory:
        job = Job(
            command=Command(argv=(sys.executable, "-I", "-S", "-c", ""), cwd=directory),
            environment={},
            policy=Policy(writable=(directory,)),
            limits=Limits(),
            scratch=directory,
        )
        process, report = LandlockSandbox(namespaces=namespaces).start(job)
        process.close()
    return report
