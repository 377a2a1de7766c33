"""Where programs are: the sandbox's own tool from places a project cannot write, the command's as asked."""

import os
import shutil
from collections.abc import Iterable
from typing import Final

from proctor.model.errors import SandboxUnavailable, ToolMissing
from proctor.model.plan import Job

_SYSTEM_DIRECTORIES: Final = ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin")
BUBBLEWRAP_HINT: Final = (
    "install bubblewrap 0.8 or later (apt-get install bubblewrap), use --sandbox landlock, "
    "or --sandbox off to run unprotected"
)


def find_bubblewrap(writable: Iterable[str]) -> str:
    """Return the path of ``bwrap``; one that the project could have put into PATH is never taken."""
    roots = [os.path.realpath(path) for path in writable]
    directories = [*_SYSTEM_DIRECTORIES, *os.environ.get("PATH", "").split(os.pathsep)]
    trusted = [each for each in directories if each and not _is_below(os.path.realpath(each), roots)]
    found = shutil.which("bwrap", path=os.pathsep.join(trusted))
    if found is None or _is_below(os.path.realpath(found), roots):
        raise SandboxUnavailable("bubblewrap (bwrap) is not installed", hint=BUBBLEWRAP_HINT)
    return found


def find_program(job: Job) -> str:
    """Return the absolute path of the program that a job's command names."""
    name, directory = job.command.argv[0], job.command.cwd
    if not os.path.isdir(directory):
        raise SandboxUnavailable(f"the directory {directory} does not exist", hint="run from one that does")
    if os.sep in name:
        path: str | None = os.path.join(directory, name)
        found = path if path is not None and os.access(path, os.X_OK) and not os.path.isdir(path) else None
    else:
        found = shutil.which(name, path=job.environment.get("PATH", os.defpath))
    if found is None:
        raise ToolMissing(
            f"the program {name} was not found or cannot be executed",
            hint="install it, or name it by its full path",
            fields={"program": name},
        )
    return found


def _is_below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)
