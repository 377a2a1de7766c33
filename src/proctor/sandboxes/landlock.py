"""A sandbox by system calls alone, for machines without bubblewrap.

Landlock and seccomp always; namespaces too where the kernel grants them. The report says which it was.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from functools import cache, partial

from proctor.model.errors import SandboxUnavailable
from proctor.model.plan import Command, Job, Limits, Policy
from proctor.model.run import SandboxReport
from proctor.sandboxes import keeper_calls, landlock_rules, landlock_words, seccomp
from proctor.sandboxes.keeper_command import Confinement
from proctor.sandboxes.keeper_identity import Identity, choose_identity
from proctor.sandboxes.keeper_limits import bound
from proctor.sandboxes.keeper_namespaces import View
from proctor.sandboxes.keeper_process import KeptProcess, start_kept
from proctor.sandboxes.landlock_filter import refuse_sockets

_INSIDE = ("/tmp", "/var/tmp", "/dev/shm", "/dev/pts")  # noqa: S108


class LandlockSandbox:
    """Runs a command behind Landlock and seccomp, and behind namespaces unless told to do without."""

    name = "landlock"

    def __init__(self, *, namespaces: bool = True) -> None:
        self._namespaces = namespaces

    def probe(self) -> SandboxReport:
        """Say what could be enforced on this machine now."""
        return _probe(self._namespaces)

    def start(self, job: Job) -> tuple[KeptProcess, SandboxReport]:
        """Start the command and say what is enforced; raise SandboxUnavailable rather than be weaker."""
        abi = _demand_landlock()
        filters = [seccomp.program().hex()]
        identity = choose_identity(job)
        if identity.change:
            os.chown(job.scratch, identity.user, identity.group)
        hidden = _hidden(job)
        confinements = [_behind_namespaces(job, abi, identity, hidden, filters)] if self._namespaces else []
        confinements.append(_alone(job, abi, identity, hidden, filters))
        bounds = bound(job.limits, user=identity.user)
        process = start_kept(job, bounds, confinements, uncovered=partial(_uncovered, job.policy))
        confinement = confinements[process.confinement]
        situation = landlock_words.Situation(
            abi=abi,
            namespaces=confinement.view is not None,
            refused=process.refused if self._namespaces else "not asked for",
            policy=job.policy,
            identity=identity,
            uncovered=_uncovered(job.policy, confinement),
        )
        return process, landlock_words.report(self.name, situation, bounds)


def _uncovered(policy: Policy, confinement: Confinement) -> tuple[str, ...]:
    return landlock_rules.uncovered(policy, namespaces=confinement.view is not None)


def _demand_landlock() -> int:
    abi = keeper_calls.landlock_abi()
    if abi < 1:
        raise SandboxUnavailable(
            "This kernel offers no Landlock.",
            hint="Install bubblewrap (apt-get install bubblewrap), or add landlock to the kernel's lsm= list,"
            " or pass --sandbox off to run unprotected.",
        )
    return abi


def _hidden(job: Job) -> list[str]:
    """Return what must not be reached by name, as real paths."""
    named = [*job.policy.hidden, *([job.channel_path] if job.channel_path else [])]
    return [os.path.realpath(path) for path in named if os.path.lexists(path)]


def _behind_namespaces(
    job: Job, abi: int, identity: Identity, hidden: Sequence[str], filters: list[str]
) -> Confinement:
    policy = job.policy
    writable = landlock_rules.outermost(policy.writable)
    return Confinement(
        environment={"TMPDIR": "/tmp"},  # noqa: S108
        identity=[identity.user, identity.group] if identity.change else None,
        view=vars(
            View(
                writable=writable,
                readonly=[_real_place(path) for path in policy.readonly],
                hidden=[*hidden, *landlock_rules.host_sockets(policy)],
                scratch=os.path.realpath(job.scratch),
                network=policy.network,
            )
        ),
        abi=abi,
        handled=list(landlock_rules.handled(abi, network=True)),
        grants=[list(grant) for grant in landlock_rules.grants(abi, ["/"], [*writable, *_INSIDE])],
        filters=filters,
    )


def _alone(job: Job, abi: int, identity: Identity, hidden: Sequence[str], filters: list[str]) -> Confinement:
    writable = [*landlock_rules.outermost(job.policy.writable), os.path.realpath(job.scratch)]
    readable = landlock_rules.readable_around(hidden)
    return Confinement(
        environment={"TMPDIR": job.scratch},
        identity=[identity.user, identity.group] if identity.change else None,
        abi=abi,
        handled=list(landlock_rules.handled(abi, network=job.policy.network)),
        grants=[list(grant) for grant in landlock_rules.grants(abi, readable, writable)],
        filters=[*filters, refuse_sockets(network=job.policy.network).hex()],
    )


def _real_place(path: str) -> str:
    """Resolve the way to a path but not the path itself: if it is a link, the link is what to protect."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


@cache
def _probe(namespaces: bool) -> SandboxReport:
    """Find out by doing it."""
    with tempfile.TemporaryDirectory(prefix="proctor-probe-") as directory:
        job = Job(
            command=Command(argv=(sys.executable, "-I", "-S", "-c", ""), cwd="/"),
            environment={},
            policy=Policy(),
            limits=Limits(),
            scratch=directory,
        )
        process, report = LandlockSandbox(namespaces=namespaces).start(job)
        process.close()
    return report
