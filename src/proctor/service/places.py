"""Fits a policy to the disk: what must be there is there, and the program to run is not among the hidden."""

import os
import shutil

from msgspec.structs import replace

from proctor.model.errors import BadConfig
from proctor.model.plan import Policy
from proctor.planning.secrets import secrets


def on_this_disk(policy: Policy, program: str) -> Policy:
    """Return the policy as it can be enforced here; raise BadConfig for a writable place that is missing."""
    for path in policy.writable:
        if not os.path.isdir(path):
            raise BadConfig(
                f"the writable place {path} is not a directory",
                hint="make it, or take it out of sandbox.writable",
            )
    found = os.path.realpath(shutil.which(program) or program)
    hidden: list[str] = []
    for path in policy.hidden:
        # A home that holds the interpreter cannot be hidden whole: then its secrets are, one by one.
        hidden += secrets(path, {}) if _holds(path, found) else (path,)
    return replace(policy, hidden=tuple(dict.fromkeys(hidden)))


def _holds(directory: str, path: str) -> bool:
    return os.path.isdir(directory) and path.startswith(os.path.realpath(directory) + os.sep)
