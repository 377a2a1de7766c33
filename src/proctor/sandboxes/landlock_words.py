"""What a command behind Landlock is really kept from, in the short words of a report."""

from typing import Final, NamedTuple

from proctor.model.plan import Job
from proctor.model.request import GIB
from proctor.sandboxes.identity import Identity
from proctor.sandboxes.landlock_rules import gaps

_ALWAYS: Final = (
    "own session",
    "no process left behind",
    "read-only file system",
    "hidden paths",
    "seccomp",
    "no capabilities",
)
_NAMESPACES: Final = ("mount namespace", "pid namespace", "ipc namespace", "uts namespace")
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
    user = (f"user {situation.identity.uid}",) if situation.identity.switched else ()
    return Words((f"landlock {situation.abi}", *_ALWAYS, *enforced, *user), unavailable)


def _behind_namespaces(job: Job, situation: Situation) -> Words:
    network = () if job.policy.network else ("network off", "own loopback")
    closed = (
        _CLOSED_BY_NAMESPACES if job.policy.network else _CLOSED_BY_NAMESPACES | {"abstract sockets hidden"}
    )
    temp = f"private temp {job.limits.temp_size / GIB:.3g} GiB"
    gone = tuple(gap for gap in gaps(situation.abi) if gap not in closed)
    links = tuple(f"holding the link {path} (compared afterwards)" for path in situation.watched)
    return Words((*_NAMESPACES, "host sockets hidden", temp, *network), (*gone, *links))


def _alone(job: Job, situation: Situation) -> Words:
    network = () if job.policy.network else ("network off",)
    gone = tuple(gap for gap in gaps(situation.abi) if gap != "abstract sockets hidden")
    readonly = tuple(f"holding {path} read-only (compared afterwards)" for path in situation.watched)
    refused = tuple(f"{name} ({situation.refused})" for name in _NAMESPACES)
    limit = "size limit of the private temp"
    return Words(("no unix sockets", "no shared memory", *network), (*refused, limit, *gone, *readonly))
