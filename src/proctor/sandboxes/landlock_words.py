"""What a command behind Landlock is really kept from, in the short words of a report."""

import os
from typing import Final, NamedTuple

from proctor.model.plan import Job
from proctor.model.request import GIB
from proctor.sandboxes.keeper_identity import Identity, is_reachable
from proctor.sandboxes.landlock_rules import ABSTRACT_SOCKETS, gaps, is_within_any

_ALWAYS: Final = (
    "own session",
    "no process left behind",
    "read-only file system",
    "hidden paths",
    "seccomp",
    "capabilities dropped",
    "no new privileges",
)
_NAMESPACES: Final = ("mount namespace", "pid namespace", "ipc namespace", "uts namespace")
_INSTEAD: Final = ("unix sockets off", "shared memory off")
"""What Landlock alone cannot judge is refused outright."""

_CLOSED_BY_NAMESPACES: Final = frozenset(
    {"truncation of files outside", "device controls (ioctl)", "signals kept inside"}
)


class Situation(NamedTuple):
    """What one command met with. ``watched`` are paths that it can change though they are read-only."""

    abi: int
    namespaces: bool
    refused: str
    identity: Identity
    watched: tuple[str, ...]


class Words(NamedTuple):
    """Two lists of short words."""

    enforced: tuple[str, ...]
    unavailable: tuple[str, ...]


def report(job: Job, situation: Situation) -> Words:
    """Say what is enforced and what is not."""
    enforced, unavailable = (_behind_namespaces if situation.namespaces else _alone)(job, situation)
    identity = situation.identity
    user = (f"user {identity.user}",) if identity.change else ()
    obstacle = (identity.obstacle,) if identity.obstacle else ()
    watch = _watch(situation)
    return Words(
        (f"landlock {situation.abi}", *_ALWAYS, *enforced, *user, *watch.enforced),
        (*unavailable, *obstacle, *watch.unavailable),
    )


def _behind_namespaces(job: Job, situation: Situation) -> Words:
    private = (*_NAMESPACES, "unix sockets hidden", "read-only paths")
    temp = f"private temp {job.limits.temp_size / GIB:.3g} GiB"
    missing = [gap for gap in gaps(situation.abi) if gap not in _CLOSED_BY_NAMESPACES]
    if job.policy.network:
        return Words(
            (*private, temp), (*missing, "host loopback and metadata address closed (the network is on)")
        )
    missing = [gap for gap in missing if gap != ABSTRACT_SOCKETS]
    return Words((*private, temp, "network off", "own loopback"), tuple(missing))


def _alone(job: Job, situation: Situation) -> Words:
    refused = [f"{name} ({situation.refused})" for name in _NAMESPACES]
    missing = [gap for gap in gaps(situation.abi) if gap != ABSTRACT_SOCKETS]
    if situation.identity.change and not is_reachable(job.scratch, situation.identity.user, ()):
        missing.append("private temp (closed to the project's owner)")
    if any(is_within_any(path, job.policy.writable) for path in job.policy.hidden if os.path.lexists(path)):
        missing.append("reading new files beside hidden ones")
    unavailable = (*refused, "size limit of the private temp", *missing)
    if job.policy.network:
        return Words(
            _INSTEAD, (*unavailable, "host loopback and metadata address closed (the network is on)")
        )
    return Words((*_INSTEAD, "network off"), unavailable)


def _watch(situation: Situation) -> Words:
    """Behind namespaces only links and missing paths are watched; without them, watching is all there is."""
    if not situation.watched:
        return Words((), ())
    if situation.namespaces:
        count = len(situation.watched)
        return Words((f"watch over {count} read-only paths that are links or do not exist yet",), ())
    names = ", ".join(sorted(os.path.basename(path) for path in situation.watched if os.path.lexists(path)))
    return Words((), (f"read-only paths (only watched): {names}",)) if names else Words((), ())
