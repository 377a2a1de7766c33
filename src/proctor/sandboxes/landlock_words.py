"""What a command behind Landlock is really kept from, in the short words of a report."""

import os
from typing import Final, NamedTuple

from proctor.model.plan import Policy
from proctor.model.run import SandboxReport
from proctor.sandboxes.keeper_identity import Identity
from proctor.sandboxes.keeper_limits import Bounds
from proctor.sandboxes.landlock_rules import gaps

_ALWAYS: Final = (
    "own session",
    "no process left behind",
    "read-only file system",
    "hidden paths",
    "seccomp",
    "capabilities dropped",
    "no new privileges",
)
_NAMESPACES: Final = (
    "mount namespace",
    "pid namespace",
    "ipc namespace",
    "unix sockets hidden",
    "read-only paths",
)
_COVERED: Final = frozenset(
    {"truncation of files outside", "device controls (ioctl)", "signals to other processes"}
)
"""Gaps of an older Landlock that namespaces close."""

_UNCOVERED: Final = ("pid namespace", "mount namespace", "ipc namespace")


class Situation(NamedTuple):
    """What one command met with."""

    abi: int
    namespaces: bool
    refused: str
    policy: Policy
    identity: Identity
    uncovered: tuple[str, ...]


def report(name: str, situation: Situation, bounds: Bounds) -> SandboxReport:
    """Say what is enforced and what is not."""
    inside = _behind_namespaces if situation.namespaces else _alone
    enforced, unavailable = inside(situation)
    if situation.identity.change:
        enforced = (*enforced, f"user {situation.identity.user}")
    elif situation.identity.obstacle:
        unavailable = (*unavailable, situation.identity.obstacle)
    return SandboxReport(
        name=name,
        enforced=(f"landlock {situation.abi}", *_ALWAYS, *enforced, *bounds.enforced),
        unavailable=(*unavailable, *bounds.unavailable),
    )


def _behind_namespaces(situation: Situation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    network = () if situation.policy.network else ("network off", "own loopback")
    covered = _COVERED if situation.policy.network else _COVERED | {"abstract unix sockets"}
    missing = [gap for gap in gaps(situation.abi) if gap not in covered]
    return (*_NAMESPACES, *network), (*missing, *_watched_only(situation))


def _alone(situation: Situation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    network = ("unix sockets off",) if situation.policy.network else ("unix sockets off", "network off")
    missing = [gap for gap in gaps(situation.abi) if gap != "abstract unix sockets"]
    reason = f"namespaces ({situation.refused})"
    return (*network, "shared memory off"), (reason, *_UNCOVERED, *missing, *_watched_only(situation))


def _watched_only(situation: Situation) -> tuple[str, ...]:
    if not situation.uncovered:
        return ()
    names = ", ".join(sorted(os.path.basename(path) for path in situation.uncovered))
    missing = " that do not exist yet" if situation.namespaces else ""
    return (f"read-only paths{missing} (only watched): {names}",)
