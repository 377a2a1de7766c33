"""As whom a command runs, and what that user could reach. Reads file modes; changes nothing."""

import os
import stat
from typing import NamedTuple

from proctor.model.plan import Job


class Identity(NamedTuple):
    """A user without any capability. ``switched``: another one than Proctor's own."""

    uid: int
    gid: int
    groups: tuple[int, ...]
    switched: bool

    def may_search(self, path: str) -> bool:
        """Say whether every directory above a path lets this user through, also behind its links."""
        return all(self._may_enter_above(each) for each in {path, os.path.realpath(path)})

    def may_execute(self, path: str) -> bool:
        """Say whether this user can reach a program and run it."""
        return self.may_search(path) and self._allows(path, stat.S_IXOTH)

    def _may_enter_above(self, path: str) -> bool:
        parent = os.path.dirname(path)
        while True:
            if not self._allows(parent, stat.S_IXOTH):
                return False
            if parent in ("/", ""):
                return True
            parent = os.path.dirname(parent)

    def _allows(self, path: str, other_bit: int) -> bool:
        """The classic mode bits alone: an access list can only make us too careful."""
        try:
            status = os.stat(path)
        except OSError:
            return False
        if status.st_uid == self.uid:
            return bool(status.st_mode & other_bit << 6)
        if status.st_gid in (self.gid, *self.groups):
            return bool(status.st_mode & other_bit << 3)
        return bool(status.st_mode & other_bit)


def choose_identity(job: Job, program: str) -> tuple[Identity, tuple[str, ...]]:
    """Return as whom to run, and what had to be given up.

    Root runs somebody else's project as its owner, so that no file in it changes hands.
    """
    own = Identity(os.geteuid(), os.getegid(), tuple(os.getgroups()), False)
    project = job.policy.writable[0] if job.policy.writable else job.command.cwd
    status = os.stat(project)
    if own.uid != 0 or status.st_uid == 0:
        return own, ()
    owner = Identity(status.st_uid, status.st_gid, (), True)
    if owner.may_execute(program) and owner.may_search(os.path.join(project, ".")):
        return owner, ()
    return own, (f"running as the project's owner (user {owner.uid} cannot reach {program})",)
