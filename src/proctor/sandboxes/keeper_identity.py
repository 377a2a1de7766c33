"""As whom a command runs: root never lends its own name to a project that belongs to somebody else."""

import os
import shutil
import stat
from collections.abc import Collection
from typing import NamedTuple

from proctor.model.plan import Job


class Identity(NamedTuple):
    """The user and group to become (None: stay), and what stood against becoming them."""

    user: int
    group: int
    change: bool
    obstacle: str = ""


def choose_identity(job: Job) -> Identity:
    """Return the owner of the project if this process is root and the owner can reach the command."""
    here = Identity(os.geteuid(), os.getegid(), change=False)
    if here.user != 0 or not job.policy.writable:
        return here
    owner = os.stat(job.policy.writable[0])
    if owner.st_uid == 0:
        return here
    program = shutil.which(job.command.argv[0], path=job.environment.get("PATH")) or job.command.argv[0]
    for path in (program, os.path.realpath(program), job.command.cwd):
        if not is_reachable(path, owner.st_uid, (owner.st_gid,)):
            return here._replace(obstacle=f"user {owner.st_uid} of the project ({path} is closed to it)")
    return Identity(owner.st_uid, owner.st_gid, change=True)


def is_reachable(path: str, user: int, groups: Collection[int]) -> bool:
    """Say whether a user may pass every directory on the way, and enter or execute the path itself."""
    while True:
        if not _may_execute(path, user, groups):
            return False
        if path in ("/", ""):
            return True
        path = os.path.dirname(path)


def _may_execute(path: str, user: int, groups: Collection[int]) -> bool:
    try:
        found = os.stat(path or "/")
    except OSError:
        return False
    if found.st_uid == user:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid in groups:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)
